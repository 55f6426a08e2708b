package tui

import (
	"time"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A trialModel is what the events of trials have told: what the workers do, and how the trials went that have ended.
type trialModel struct {
	state   events.State
	started time.Time
	workers []worker
	last    *ended // the trial that ended last
	output  func(trial int, kind string) string
	printed bool // a trial has printed something

	pass, fail, unresolved int               // trials ended
	measured               int               // likewise: with a number that told no outcome
	unjudged               bool              // numbers do not tell outcomes yet
	rejected               int               // configurations, by a check
	outcomes               []numberedOutcome // of the last of them
	before                 int               // the last trial of an earlier process
	confirming             bool

	line *events.Set // among whose commits the search looks; nil: among changes

	interesting bool // what outcomes are called: as with --interesting
}

// A numberedOutcome is that of a trial.
type numberedOutcome struct {
	isolate.Outcome
	trial    int
	measured bool // it has a number, and no outcome yet
}

// A worker is what one of them does now.
type worker struct {
	busy  bool
	doing string // "trial 8"
	on    string // ": 24 of 48 changes"
	brief string // on in few columns, ": 24 of 48"; "" = there is nothing shorter
	since time.Time

	state, machine string // of a trial on another machine, as events.TrialMoved has them

	serial int      // of what it does, to tell it from what it did before; 0 = nothing that prints
	files  []string // to which that prints while it runs
	said   string   // the last line of these, when they were looked at last
}

// prints says what the worker runs now, and where its output goes.
func (w *worker) prints(serial int, files func(kind string) string) {
	w.serial, w.files = serial, nil
	for _, kind := range outputKinds {
		w.files = append(w.files, files(kind))
	}
}

// mostOutcomes is how many of the last outcomes are kept to be shown.
const mostOutcomes = 200

func newTrialModel(o Options) trialModel {
	return trialModel{started: o.Now(), workers: make([]worker, o.Jobs), unjudged: true, output: o.Output}
}

// take takes an event, which may be another one than that of a trial.
func (s *trialModel) take(e *events.Event, now time.Time) {
	_ = s.state.Take(e) // the Observer writes what it can take
	switch {
	case e.Preparing != nil:
		*s.worker(e.Preparing.Worker, e.Preparing.Purpose) = worker{busy: true, doing: "preparing a workspace", since: now}
	case e.TrialStarted != nil:
		t := e.TrialStarted
		w := s.worker(t.Worker, t.Purpose)
		*w = worker{busy: true, doing: numbered(t), on: ": " + what(t, s.line), brief: ": " + inShort(t, s.line), since: now}
		if s.output != nil {
			w.prints(t.Trial, func(kind string) string { return s.output(t.Trial, kind) })
		}
	case e.TrialMoved != nil:
		m := e.TrialMoved
		w := s.worker(m.Worker, s.state.Started(m.Trial, m.Worker).Purpose)
		w.state, w.machine = m.State, m.Machine
	case e.TrialEnded != nil && e.TrialEnded.Replayed != nil:
		s.before = max(s.before, e.TrialEnded.Trial)
	case e.TrialEnded != nil:
		t := endedOf(&s.state, e.TrialEnded)
		w := s.worker(t.Worker, t.started.Purpose)
		if t.Amended != nil {
			s.amended(t)
			return
		}
		*w = worker{}
		if t.Outcome != events.Cancelled {
			s.ended(t)
		}
	}
}

// worker is the one of a number, which has to do with a trial of a purpose.
func (s *trialModel) worker(number int, purpose string) *worker {
	for number >= len(s.workers) {
		s.workers = append(s.workers, worker{})
	}
	s.confirming = purpose == string(trial.Confirm)
	return &s.workers[number]
}

// amended takes a trial whose failure is of another kind than that of the failing end.
func (s *trialModel) amended(e ended) {
	if e.Trial <= s.before {
		return
	}
	s.fail--
	s.unresolved++
	for i := range s.outcomes {
		if o := &s.outcomes[i]; o.trial == e.Trial {
			o.Outcome = outcomeOf(e.Outcome)
		}
	}
}

// ended takes a trial that has ended.
func (s *trialModel) ended(e ended) {
	s.last = &e
	if e.Rejected {
		s.rejected++
		return
	}
	o := numberedOutcome{outcomeOf(e.Outcome), e.Trial, s.unjudged && e.Value != nil}
	s.outcomes = append(s.outcomes[max(0, len(s.outcomes)-mostOutcomes+1):], o)
	switch {
	case o.measured:
		s.measured++
	case o.Outcome == isolate.Pass:
		s.pass++
	case o.Outcome == isolate.Fail:
		s.fail++
	default:
		s.unresolved++
	}
}

// trials is how many have ended.
func (s *trialModel) trials() int { return s.pass + s.fail + s.unresolved + s.measured }

// running are the workers, for whoever looks at what they print.
func (s *trialModel) running() []*worker {
	all := make([]*worker, len(s.workers))
	for i := range s.workers {
		all[i] = &s.workers[i]
	}
	return all
}

// looked is called when the files of running were looked at: one was read.
func (s *trialModel) looked() { s.printed = true }
