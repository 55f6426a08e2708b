package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// An ended trial, with what was said when it started.
type ended struct {
	started *events.TrialStarted
	*events.TrialEnded
}

// endedOf is the trial of an event that a state took last.
func endedOf(s *events.State, e *events.TrialEnded) ended {
	return ended{cmp.Or(e.Amended, s.Started(e.Trial, e.Worker)), e}
}

// numbered is a trial with its number, and which try it is at what it tests.
func numbered(s *events.TrialStarted) string {
	if s.Attempt > 1 {
		return fmt.Sprintf("trial %d, try %d", s.Trial, s.Attempt)
	}
	return fmt.Sprintf("trial %d", s.Trial)
}

func (e *ended) numbered() string {
	if e.Rejected {
		return fmt.Sprintf("check %d", e.Trial)
	}
	return numbered(e.started)
}

// wentAs is how a trial went, in a word; of a suite, how many tests failed.
func (e *ended) wentAs(interesting bool) string {
	switch {
	case e.Rejected:
		return "rejected"
	case e.Suite:
		return e.Reason
	}
	return outcomeOf(e.Outcome).Word(interesting)
}

// outcomeOf is the outcome of a name.
func outcomeOf(name string) isolate.Outcome {
	var o trial.Outcome
	_ = o.UnmarshalText([]byte(name)) // another name is that of no outcome
	return isolate.Outcome(o)
}

// number is the number of a trial behind its outcome, "" if it has none.
func (e *ended) number() string {
	if e.Value == nil {
		return ""
	}
	return " (" + e.amount() + ")"
}

// amount is the number of a trial that has one.
func (e *ended) amount() string { return prose.Printable(measure.Format(*e.Value, e.Unit)) }

// what says what a trial is about, and of a second run of the failing end what it is for. line is that among whose
// commits is searched, nil for none.
func what(s *events.TrialStarted, line *events.Set) string {
	if s.Varies {
		return tested(s, line) + ", to see whether what it prints varies"
	}
	return tested(s, line)
}

// tested names what a trial tests: a commit of the line that is searched with its subject.
func tested(s *events.TrialStarted, line *events.Set) string {
	applied := prose.Applied(s.Applied, s.Elements)
	switch purpose := trial.Purpose(s.Purpose); {
	case purpose == trial.Older:
		return prose.Count(s.Applied, "commit") + " before bad (" + short(s.Commit) + ")"
	case purpose == trial.End && s.Commit != "": // see trial.Runner.Older
		return "bad"
	case s.Commit != "":
		for k := 0; line != nil && k <= line.Elements; k++ {
			if line.Commit(k).ID == s.Commit {
				return commit(line, k)
			}
		}
		return prose.Commit(short(s.Commit), "", false)
	case purpose == trial.Confirm && s.Cleaned:
		return applied + " in a cleaned workspace"
	case purpose == trial.Confirm:
		return applied + " in a fresh workspace"
	case purpose == trial.Repaired:
		return "the failing revision, repaired"
	case purpose == trial.Again && s.Attempt == 1: // see search
		return applied + " again"
	case purpose == trial.End && s.Applied == 0:
		return "good"
	case purpose == trial.End:
		return "bad"
	}
	return applied
}

// commit is the name of the commit with k elements of a line.
func commit(line *events.Set, k int) string {
	c := line.Commit(k)
	return prose.Commit(short(c.ID), c.Subject, k == 0)
}

// short is an id as git.ID.Short has it.
func short(id string) string { return id[:min(len(id), 9)] }

// inShort is what says what, but in few columns.
func inShort(s *events.TrialStarted, line *events.Set) string {
	if s.Commit != "" || s.Purpose == string(trial.End) || s.Purpose == string(trial.Repaired) {
		return strings.TrimPrefix(what(s, line), "commit ")
	}
	return prose.Number(s.Applied) + " of " + prose.Number(s.Elements)
}

// lookedFor says what a step has left: suspects, or a few that are known, and other changes that these may need.
func lookedFor(s *events.Step) string {
	if !s.Needs {
		return prose.Count(s.Among, "suspect")
	}
	text := "finding which other changes the cause needs"
	if s.Undecided > 0 {
		text += ": " + prose.Number(s.Undecided) + " left to decide"
	}
	return text
}
