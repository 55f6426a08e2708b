package events

import (
	"math"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// OfTrial returns the event of the stream that tells an event of the trials, without its time.
func OfTrial(e trial.Event) Event {
	switch e.Kind {
	case trial.Preparing:
		return Event{Event: "preparing", Preparing: &Preparing{Worker: e.Worker, Purpose: string(e.Purpose)}}
	case trial.Started:
		return Event{Event: "trial_started", TrialStarted: started(e)}
	case trial.Lasts:
		return Event{Event: "note", Note: &Note{e.Lasting.String()}}
	case trial.Moved:
		return Event{Event: "trial_moved", TrialMoved: &TrialMoved{Trial: e.Trial, Worker: e.Worker, State: e.State, Machine: e.Machine, Loss: valid(e.Loss)}}
	}
	return Event{Event: "trial_ended", TrialEnded: ended(e)}
}

// Cancelled is the outcome of a trial that counts for nothing.
const Cancelled = "cancelled"

func started(e trial.Event) *TrialStarted {
	return &TrialStarted{
		Trial: e.Trial, Attempt: e.Attempt, Worker: e.Worker, Purpose: string(e.Purpose), Set: e.Set,
		Applied: e.Config.Len(), Config: e.Config.String(), Commit: string(e.Commit), Tree: string(e.Tree),
		Elements: e.Config.N(), Cleaned: e.Cleaned, Varies: e.Varies,
	}
}

func ended(e trial.Event) *TrialEnded {
	v := e.Verdict
	t := &TrialEnded{
		Trial: e.Trial, Worker: e.Worker, Outcome: v.Outcome.String(), Reason: valid(v.Reason), Seconds: rounded(v.Duration),
		Last: valid(v.LastLine), Other: v.Other, Rejected: v.Rejected, Cached: v.Cached, Machine: valid(v.Machine),
		Value: v.Value, Unit: valid(v.Unit), Suite: v.Suite,
	}
	t.worked(e.Record)
	switch e.Kind {
	case trial.Abandoned:
		t.Outcome = Cancelled
	case trial.Amended:
		t.Amended = started(e)
	}
	return t
}

// worked takes from a record what it took to run the trial.
func (t *TrialEnded) worked(r trial.Record) {
	t.BuildSeconds, t.CheckSeconds = thousandths(r.BuildSeconds), thousandths(r.CheckSeconds)
	t.Process, t.Elapsed = r.Process, thousandths(r.Elapsed)
	if r.Remote != nil {
		t.Lost = r.Remote.Lost
	}
}

// thousandths is a time as exact as the journal's readers look at it.
func thousandths(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// replayed is a trial that the journal has.
func replayed(r trial.Record) *TrialEnded {
	t := &TrialEnded{
		Trial: r.Trial, Worker: r.Worker, Outcome: isolate.Outcome(r.Outcome).String(), Reason: valid(r.Reason),
		Seconds: r.Seconds, Last: valid(r.Last), Other: r.Other, Rejected: r.Rejected,
		Value: r.Value, Unit: valid(r.Unit),
	}
	if r.Remote != nil {
		t.Cached, t.Machine = r.Remote.Cached, valid(r.Remote.Machine)
	}
	t.worked(r)
	t.Replayed = &TrialStarted{
		Trial: r.Trial, Attempt: r.Attempt, Worker: r.Worker, Purpose: string(r.Purpose), Set: r.Set,
		Config: r.Config, Commit: string(r.Commit), Tree: string(r.Tree),
		Cleaned: r.Cleaned,
	}
	if c, err := isolate.FromRuns(1<<30, r.Config); err == nil {
		t.Replayed.Applied = c.Len()
	}
	return t
}

// RevisionOf is an end as git has it.
func RevisionOf(r git.Revision) Revision {
	return Revision{Rev: valid(r.Rev), Commit: string(r.Commit), Tree: string(r.Tree)}
}
