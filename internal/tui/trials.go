package tui

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// numbered is a trial with its number, and which try it is at what it tests.
func numbered(e trial.Event) string {
	if e.Verdict.Rejected {
		return fmt.Sprintf("check %d", e.Trial)
	}
	if e.Attempt > 1 {
		return fmt.Sprintf("trial %d, try %d", e.Trial, e.Attempt)
	}
	return fmt.Sprintf("trial %d", e.Trial)
}

// wentAs is how a trial went, in a word; of a suite, how many tests failed.
func wentAs(e trial.Event, interesting bool) string {
	if e.Verdict.Rejected {
		return "rejected"
	}
	if e.Verdict.Suite {
		return e.Verdict.Reason
	}
	return e.Verdict.Outcome.Word(interesting)
}

// number is the number of a trial behind its outcome, "" if it has none.
func number(e trial.Event) string {
	if e.Verdict.Value == nil {
		return ""
	}
	return " (" + amount(e) + ")"
}

// amount is the number of a trial that has one.
func amount(e trial.Event) string {
	return prose.Printable(measure.Format(*e.Verdict.Value, e.Verdict.Unit))
}

// unjudged reports whether the numbers of ends do not tell outcomes yet: a search that measures tests the ends before
// it looks for the step, and again when it knows a threshold.
func unjudged(e search.EndsTested) bool {
	return e.Good.Value != nil && e.Bad.Value != nil && e.Good.Outcome == e.Bad.Outcome
}

// what says what a trial is about, and of a second run of the failing end what it is for.
func what(e trial.Event, line search.LineBegun) string {
	if e.Varies {
		return tested(e, line) + ", to see whether what it prints varies"
	}
	return tested(e, line)
}

// tested names what a trial tests: a commit of the line that is searched with its subject.
func tested(e trial.Event, line search.LineBegun) string {
	switch {
	case e.Purpose == trial.Older:
		return prose.Count(e.Config.Len(), "commit") + " before bad (" + e.Commit.Short() + ")"
	case e.Purpose == trial.End && e.Commit != "": // see trial.Runner.Older
		return "bad"
	case e.Commit != "":
		return search.Named(e.Commit, line.Commits)
	case e.Purpose == trial.Confirm && e.Cleaned:
		return search.Applied(e.Config) + " in a cleaned workspace"
	case e.Purpose == trial.Confirm:
		return search.Applied(e.Config) + " in a fresh workspace"
	case e.Purpose == trial.Repaired:
		return "the failing revision, repaired"
	case e.Purpose == trial.Again && e.Attempt == 1: // see search
		return search.Applied(e.Config) + " again"
	case e.Purpose == trial.End && e.Config.IsEmpty():
		return "good"
	case e.Purpose == trial.End:
		return "bad"
	}
	return search.Applied(e.Config)
}

// inShort is what says what, but in few columns.
func inShort(e trial.Event, line search.LineBegun) string {
	if e.Commit != "" || e.Purpose == trial.End || e.Purpose == trial.Repaired {
		return strings.TrimPrefix(what(e, line), "commit ")
	}
	return prose.Number(e.Config.Len()) + " of " + prose.Number(e.Config.N())
}

// left is how many commits may still be the culprit, behind the last that is like
// the older end, when a step was made.
func left(s isolate.Step) int { return s.Failing.Len() - s.Passing.Len() }
