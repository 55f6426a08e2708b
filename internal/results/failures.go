package results

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// OtherExits are the failing trials that had another exit status than the failing end. If
// what the failing end prints differs from run to run, nothing but the exit status tells
// whether they are another failure.
type OtherExits struct {
	failed, others int
	first          trial.Record // of the others
	answer         bool         // one of them tested an answer again
}

// OtherExitsOf finds the failing trials among records that had another exit status than end,
// the failing end, which is nil if there is none.
func OtherExitsOf(records []trial.Record, end *trial.Record) (o OtherExits) {
	if end == nil {
		return o
	}
	for _, r := range records {
		if r.Purpose == trial.End || r.Purpose == trial.Repaired || r.Key != end.Key || isolate.Outcome(r.Outcome) != isolate.Fail {
			continue
		}
		o.failed++
		if r.Exit == end.Exit && r.Signal == end.Signal && r.TimedOut == end.TimedOut {
			continue
		}
		if o.others++; o.others == 1 || r.Trial < o.first.Trial {
			o.first = r
		}
		o.answer = o.answer || r.Purpose == trial.Confirm
	}
	return o
}

const (
	outputVaries = "what the failing end prints differs from run to run"
	// byStatus is what follows if what the command prints differs from run to run.
	byStatus = ", so failures are told apart by the exit status alone: --match or --same-output tells more of them apart"
)

// String says what was seen and what to do.
func (o OtherExits) String() string {
	if o.others == 0 {
		return outputVaries + byStatus
	}
	return fmt.Sprintf("%s of %s had another exit status than the failing end, as trial %d (%s), and %s: if that is another failure, --match or --same-output tells them apart",
		prose.Number(o.others), prose.Count(o.failed, "failing trial"), o.first.Trial, ended(o.first), outputVaries)
}

// Any reports whether there are such trials.
func (o OtherExits) Any() bool { return o.others > 0 }

// addTo adds to facts that the output of the failing end differs from run to run: as a warning if
// failing trials had another exit status, otherwise as a hint. If one of these trials confirmed the
// answer, addTo withdraws the answer and returns
// search.ErrWithheld. Call it only if the output does differ.
func (o OtherExits) addTo(facts *report.Facts) error {
	switch {
	case facts.Status == report.NotIsolated:
	case o.answer && facts.Status == report.Isolated:
		facts.Status, facts.Reason = report.NotIsolated, o.String()
		return search.ErrWithheld
	case o.others > 0:
		facts.Suspicions = append(facts.Suspicions, report.Suspicion{Kind: report.OtherExit, Text: o.String(), Changes: []string{}})
	default:
		facts.Hints = append(facts.Hints, o.String())
	}
	return nil
}

// otherFailures counts the trials that failed, but are unresolved because the
// failing end failed otherwise.
func otherFailures(records []trial.Record, end *trial.Record) (o report.OtherFailures) {
	if end == nil {
		return o
	}
	for _, r := range records {
		if !r.Other || r.Key != end.Key {
			continue
		}
		if o.Trials++; o.Trials == 1 || r.Trial < o.First {
			o.First, o.Reason, o.Line = r.Trial, r.Reason, r.Last
		}
	}
	return o
}

// FailingEnd returns the trial that all failures are compared with, nil if the ends do
// not differ. A flaky end has attempts that say something else.
func FailingEnd(records []trial.Record, ends trial.Ends) *trial.Record {
	failing := ends.Bad
	if ends.Direction == trial.Fix {
		failing = ends.Good
	}
	if ends.Good.Outcome == ends.Bad.Outcome || failing.Outcome != isolate.Fail {
		return nil
	}
	for i, r := range records {
		if r.Trial == failing.Trial {
			return &records[i]
		}
	}
	return nil
}

// ended says how a trial ended.
func ended(r trial.Record) string {
	text := fmt.Sprintf("exit %d", r.Exit)
	switch {
	case r.TimedOut:
		text = "no end in time"
	case r.Signal != "":
		text = r.Signal
	}
	if r.Last == "" {
		return text + ", no output"
	}
	return text + ", \"" + (&prose.Line{}).Add(prose.Plain, r.Last).Cut(60).Render(false) + "\""
}
