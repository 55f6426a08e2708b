package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A progress tells the story of a search while it goes on: to a person, who
// looks at a view that is drawn again and again, or to a file, which takes a
// line for each trial. event may be called beside the others, by several
// goroutines.
type progress interface {
	event(trial.Event)       // of the trials, in the order of time
	ends(trial.Ends)         // both ends are tested
	line([]git.Commit)       // the commits of this line are searched from now on
	commit(search.LineStep)  // of that search, in the order of its path
	step(search.ChangesStep) // of the search among changes, likewise
	found(search.Answer)     // by the search: it will be confirmed now
	note(string)             // something the user should know, at once
	close()                  // the search is over, or never began; may be called twice
}

// progressOptions say who looks on.
type progressOptions struct {
	total   int // changes
	jobs    int
	goal    string // "" = it does not tell stages
	color   bool
	verbose bool // with times, and with what needed no trial
	now     func() time.Time

	output      func(trial int, kind string) string // the file that a trial prints to; nil = nobody may look at it
	interrupted <-chan struct{}                     // closed when the user wants it to end
	keys        *keyboard                           // nil = none
}

// newProgress chooses by what out is: a terminal that can move its cursor, or
// anything else.
func newProgress(out io.Writer, o progressOptions) progress {
	if dimensions := dimensionsOf(out); dimensions != nil {
		return newLive(out, dimensions, o)
	}
	return &plain{lines: lines{out: out, verbose: o.verbose}, stage: stage{goal: o.goal}, finished: make(map[isolate.Configuration]trial.Event), lasting: make(map[int]isolate.Outcome)}
}

// plain writes a line for each trial on the path of the search. Trials that
// were run ahead and never needed are not told, so that the lines are the same
// for any number of jobs but for the numbers of the trials.
type plain struct {
	lines
	fix      bool                                  // the search has pass and fail exchanged
	finished map[isolate.Configuration]trial.Event // what the search has not asked for yet
	lasting  map[int]isolate.Outcome               // of the trials that have their line, as that or a later one says
	commits  []git.Commit                          // of the line that is searched
	stage    stage
}

func (p *plain) event(e trial.Event) {
	if e.Kind == trial.Moved && e.Stage == "lost" {
		where := ""
		if e.Machine != "" {
			where = " on " + e.Machine
		}
		p.note(fmt.Sprintf("%s was lost%s, and begins again: %s", numbered(e), where, prose.Printable(e.Loss)))
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
		p.tell(e, what(e, nil), "")
	}
}

// tell writes the line of a trial. mu is held.
func (p *plain) tell(e trial.Event, what, left string) {
	if !e.Verdict.Rejected {
		p.lasting[e.Trial] = e.Verdict.Outcome
	}
	p.trial(e, what, left)
}

func (p *plain) ends(e trial.Ends) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.fix
	p.fix = e.Direction == trial.Fix
	if p.fix && !was {
		fmt.Fprintln(p.out, "gitdd: good fails and bad passes: looking for the changes that fix it")
	}
}

func (p *plain) line(commits []git.Commit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits = commits
	clear(p.finished)
}

func (p *plain) commit(s search.LineStep) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told(s.Step.Config, s.Outcome, search.Named(p.commits[s.Step.Config.Len()].ID, p.commits), prose.Count(left(s.Step), "commit")+" left")
}

func (p *plain) step(s search.ChangesStep) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage.take(s)
	p.told(s.Step.Config, s.Outcome, search.Applied(s.Step.Config), p.stage.String())
}

// told writes the line of a step.
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

func (p *plain) found(search.Answer) {} // the trials that confirm it have their lines

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
		return rejected
	}
	return e.Verdict.Outcome.Word(interesting)
}

// what says what a trial is about: of a commit of the line that is searched also
// its subject.
func what(e trial.Event, line []git.Commit) string {
	switch {
	case e.Commit != "":
		return search.Named(e.Commit, line)
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
func inShort(e trial.Event, line []git.Commit) string {
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

func (l *lines) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "gitdd: %s\n", prose.Printable(text))
}

func (l *lines) close() {}
