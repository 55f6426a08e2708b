package results

import (
	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/doubt"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Facts returns what a result says of a search beside its answer, as far as the search, its settings, its
// runner and its journal know it. set is the whole difference.
func Facts(session *trial.Session, runner *trial.Runner, set *changes.Set, found search.Found, s *settings.Search) report.Facts {
	stats, records := runner.Stats(), session.Records()
	facts := report.Facts{
		Goal: s.Goal, Command: s.Command, Match: s.Match, Jobs: s.Jobs, Rounds: s.Rounds,
		Session:   session.Name(),
		Direction: report.Break,
		Trials: report.Trials{
			Run: stats.Run, Cached: stats.Cached,
			Pass: stats.Pass, Fail: stats.Fail, Unresolved: stats.Unresolved,
		},
		ByHand:   judged(records),
		Checks:   report.Checks{Run: stats.Checks, Rejected: stats.Rejected},
		Total:    stats.Total,
		Testing:  stats.Testing,
		Whole:    set,
		History:  history(found.Commits),
		Bases:    bases(found.Commits),
		Unused:   unused(found.Commits),
		Verified: found.Verdict.Verified,
		Cleaned:  found.Verdict.Cleaned,
		Flaky:    flaky(runner.Flakiness(), s.Confidence),
		Beyond:   found.Path.Beyond(records),
		Timeouts: timeouts(records),
		Measured: measured(found.Measured, s.Measure.String(), found.Answer),
	}
	facts.Around.Memory, facts.Around.Patches, facts.Around.Overlay = stats.Memory, s.Patches, s.Overlay
	if found.Ends.Direction == trial.Fix {
		facts.Direction = report.Fix
	}
	if s.Confidence > 0 || found.Measured != nil && !found.Measured.Exact {
		facts.Confidence, facts.Sure = found.Confidence, found.Sure
	}
	if found.Measured != nil && found.Measured.Exact {
		facts.Confidence, facts.Sure, facts.Flaky.Wanted = 0, nil, 0 // one run tells the number
	}
	return facts
}

// judged counts the outcomes that a person gave.
func judged(records []trial.Record) (n int) {
	for _, r := range records {
		if r.Judged() {
			n++
		}
	}
	return n
}

// Weigh adds to the facts of a search what its failing trials say against its answer. It needs the status.
// The error is search.ErrWithheld if they contradict the answer; the status then says so.
func Weigh(facts *report.Facts, session *trial.Session, runner *trial.Runner, found search.Found, confidence float64) error {
	records := session.Records()
	failing := FailingEnd(records, found.Ends)
	if facts.Others = otherFailures(records, failing); failing != nil {
		facts.Signature = failing.Signature
	}
	if found.Verdict.Again != "" {
		facts.Suspicions = append(facts.Suspicions, doubt.BeganAgain(found.Verdict.Again))
	}
	if facts.Status == report.Isolated && confidence == 0 && !found.Repairs() {
		other, err := otherMessage(runner, found.Ends.Direction, found.Answer)
		if err != nil {
			return err
		}
		facts.Suspicions = append(facts.Suspicions, other...)
	}
	if facts.Status == report.Isolated {
		unnoticed, err := passingError(runner, found.Ends.Direction, found.Answer)
		if err != nil {
			return err
		}
		facts.Suspicions = append(facts.Suspicions, unnoticed...)
	}
	if !runner.OutputVaries() {
		return nil
	}
	return OtherExitsOf(records, failing).addTo(facts)
}

// timeouts counts the trials that were ended by their limit.
func timeouts(records []trial.Record) (t report.Timeouts) {
	for _, r := range records {
		if !r.TimedOut {
			continue
		}
		if t.Trials++; r.Limit > 0 {
			t.Longest = max(t.Longest, r.Limit)
			if t.Shortest == 0 || r.Limit < t.Shortest {
				t.Shortest = r.Limit
			}
		}
	}
	return t
}

// flaky returns what a result says of how often the test was wrong, if an answer was wanted that is right
// with the probability confidence.
func flaky(f trial.Flakiness, confidence float64) report.Flaky {
	r := report.Flaky{Wanted: confidence}
	if f.Good.Total() > 0 {
		r.Good, r.Bad = tries(f.Good), tries(f.Bad)
		r.Passing, r.Failing = tries(f.Passing), tries(f.Failing)
		r.WrongFail, r.WrongPass = f.WrongFail, f.WrongPass
	}
	for _, t := range f.Torn {
		r.Torn = append(r.Torn, report.Torn{Tree: string(t.Tree), Trials: t.Trials, Outcomes: words(t.Outcomes)})
	}
	return r
}

func tries(t isolate.Tally) report.Tries {
	return report.Tries{Pass: t.Pass, Fail: t.Fail, Unresolved: t.Unresolved}
}

func words(outcomes []isolate.Outcome) []string {
	list := make([]string, len(outcomes))
	for i, o := range outcomes {
		list[i] = o.String()
	}
	return list
}
