package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A Search shows a search among commits and changes while it goes on: on a terminal in a view that is
// drawn again and again, elsewhere in a line for each trial. Its methods may be called by several
// goroutines.
type Search interface {
	// Trial takes an event of the trials of the search. Events come in the order of time.
	Trial(trial.Event)
	// Event takes an event of the search.
	Event(search.Event)
	// Note shows at once something that the user should know: a sentence without its full stop.
	Note(string)
	// Close ends the view when the search is over, or was never begun. It may be called twice.
	Close()
}

// SearchOptions are those of a Search.
type SearchOptions struct {
	Options
	Changes int // among which is searched
	// Needs makes the view tell when the search has narrowed the suspects down to a few, and looks
	// for the other changes that these need to fail.
	Needs bool
}

// NewSearch returns a view of a search.
func NewSearch(o SearchOptions) Search {
	if size := sizeOf(o.Out); size != nil {
		return newLive(size, o)
	}
	return newPlain(o)
}

func newPlain(o SearchOptions) *plain {
	return &plain{lines: lines{out: o.Out, verbose: o.Verbose}, stage: stage{tells: o.Needs}, finished: make(map[isolate.Configuration]trial.Event), lasting: make(map[int]isolate.Outcome)}
}

// plain writes a line for each trial on the path of the search. Trials that
// were run ahead and never needed are not told, so that the lines are the same
// for any number of jobs but for the numbers of the trials.
type plain struct {
	lines
	fix      bool                                  // the search has pass and fail exchanged
	finished map[isolate.Configuration]trial.Event // what the search has not asked for yet
	lasting  map[int]isolate.Outcome               // of the trials that have their line, as that or a later one says
	line     search.LineBegun                      // the one that is searched
	stage    stage
}

func (p *plain) Trial(e trial.Event) {
	if e.Kind == trial.Moved && e.Stage == "lost" {
		where := ""
		if e.Machine != "" {
			where = " on " + e.Machine
		}
		p.Note(fmt.Sprintf("%s was lost%s, and begins again: %s", numbered(e), where, prose.Printable(e.Loss)))
	}
	if e.Kind != trial.Finished && e.Kind != trial.Amended {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch said, told := p.lasting[e.Trial]; {
	case e.Kind == trial.Amended && told:
		if said != e.Verdict.Outcome {
			p.lasting[e.Trial] = e.Verdict.Outcome
			p.correct(e)
		}
	case e.Purpose == trial.Search:
		p.finished[e.Config] = e
	default:
		p.tell(e, what(e, search.LineBegun{}), "")
	}
}

// tell writes the line of a trial. mu is held.
func (p *plain) tell(e trial.Event, what, left string) {
	if !e.Verdict.Rejected {
		p.lasting[e.Trial] = e.Verdict.Outcome
	}
	p.trial(e, what, left)
}

func (p *plain) Event(e search.Event) {
	if note, ok := e.(search.Note); ok {
		p.Note(note.Text)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case search.EndsTested:
		p.ends(e)
	case search.LineBegun:
		p.line = e
		clear(p.finished)
	case search.LineStep:
		if e.Judged {
			p.told(e.Step.Config, e.Outcome, search.Named(p.line.Commits[e.Step.Config.Len()].ID, p.line.Commits), prose.Count(left(e.Step), "commit")+" left")
		}
	case search.ChangesStep:
		p.stage.take(e)
		p.told(e.Step.Config, e.Outcome, search.Applied(e.Step.Config), p.stage.String())
	}
}

// ends says which way the search goes. mu is held.
func (p *plain) ends(e search.EndsTested) {
	was := p.fix
	p.fix = e.Direction == trial.Fix
	if p.fix && !was {
		fmt.Fprintln(p.out, "gitdd: good fails and bad passes: looking for the changes that fix it")
	}
}

// told writes the line of a step. mu is held.
func (p *plain) told(c isolate.Configuration, outcome isolate.Outcome, what, left string) {
	e, ran := p.finished[c]
	delete(p.finished, c)
	switch {
	case ran:
		e.Verdict.Outcome = outcome // of a repeated trial: that of all tries
		p.tell(e, what, ", "+left)
	case p.verbose:
		fmt.Fprintf(p.out, "gitdd: no trial: %s ... %v, %s\n", what, outcome, left)
	}
}

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

// wentAs is how a trial went, in a word.
func wentAs(e trial.Event, interesting bool) string {
	if e.Verdict.Rejected {
		return "rejected"
	}
	return e.Verdict.Outcome.Word(interesting)
}

// what says what a trial is about: of a commit of the line that is searched also
// its subject.
func what(e trial.Event, line search.LineBegun) string {
	switch {
	case e.Commit != "":
		return search.Named(e.Commit, line.Commits)
	case e.Purpose == trial.Confirm:
		return search.Applied(e.Config) + " in a fresh workspace"
	case e.Purpose == trial.Repaired:
		return "the failing end, repaired"
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

// lines are progress in a file: each is written once, and stays.
type lines struct {
	mu      sync.Mutex
	out     io.Writer
	verbose bool

	interesting bool // what outcomes are called: as with --interesting
}

// trial writes the line of one trial. mu is held.
func (l *lines) trial(e trial.Event, what, left string) {
	line := fmt.Sprintf("gitdd: %s: %s ... %s%s", numbered(e), what, wentAs(e, l.interesting), left)
	if l.verbose {
		line += fmt.Sprintf(" (%s, %s)", prose.Printable(e.Verdict.Reason), prose.Duration(e.Verdict.Duration))
	}
	fmt.Fprintln(l.out, line)
}

// correct says that a trial, whose line has been written, is counted otherwise by now. mu is held.
func (l *lines) correct(e trial.Event) {
	line := fmt.Sprintf("gitdd: %s: now %s: it fails otherwise than the failing end", numbered(e), wentAs(e, l.interesting))
	if l.verbose {
		line += " (" + prose.Printable(e.Verdict.Reason) + ")"
	}
	fmt.Fprintf(l.out, "%s (gitdd log --trial %d)\n", line, e.Trial)
}

func (l *lines) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "gitdd: %s\n", prose.Printable(text))
}

func (l *lines) Close() {}
