package tui

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// searchLines writes a line for each trial on the path of the search. Trials that
// were run ahead and never needed are not told, so that the lines are the same
// for any number of jobs but for the numbers of the trials.
type searchLines struct {
	lines
	fix      bool                                  // the search has pass and fail exchanged
	finished map[isolate.Configuration]trial.Event // what the search has not asked for yet
	lasting  map[int]isolate.Outcome               // of the trials that have their line, as that or a later one says
	line     search.LineBegun                      // the one that is searched
	trees    map[string]string                     // what the ends are called
	measures bool                                  // it looks for a step of a number
	phase    phase
}

func newSearchLines(o SearchOptions) *searchLines {
	return &searchLines{lines: lines{out: o.Out, verbose: o.Verbose, unjudged: true}, trees: make(map[string]string), phase: phase{tells: o.Needs}, finished: make(map[isolate.Configuration]trial.Event), lasting: make(map[int]isolate.Outcome)}
}

func (p *searchLines) Trial(e trial.Event) {
	p.lost(e)
	if e.Kind == trial.Lasts {
		p.Note(e.Lasting.String())
		return
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
		if name := what(e, search.LineBegun{}); e.Purpose == trial.End && p.trees[string(e.Tree)] == "" {
			p.trees[string(e.Tree)] = name
		}
		p.tell(e, what(e, search.LineBegun{}), "")
	}
}

// tell writes the line of a trial. mu is held.
func (p *searchLines) tell(e trial.Event, what, left string) {
	if !e.Verdict.Rejected {
		p.lasting[e.Trial] = e.Verdict.Outcome
	}
	p.trial(e, what, left)
}

func (p *searchLines) Event(e search.Event) {
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
		if p.measures {
			p.measured(e.Step, search.Named(p.line.Commits[e.Step.Config.Len()].ID, p.line.Commits), "commit")
		} else if e.Judged {
			p.told(e.Step.Config, e.Outcome, search.Named(p.line.Commits[e.Step.Config.Len()].ID, p.line.Commits), prose.Count(left(e.Step), "commit")+" left")
		}
	case search.ChangesStep:
		p.phase.take(e)
		if p.measures {
			p.measured(e.Step, search.Applied(e.Step.Config), "change")
			return
		}
		p.told(e.Step.Config, e.Outcome, search.Applied(e.Step.Config), p.phase.String())
	}
}

// ends says which way the search goes. mu is held.
func (p *searchLines) ends(e search.EndsTested) {
	p.measures = unjudged(e)
	p.unjudged = p.measures
	was := p.fix
	p.fix = e.Direction == trial.Fix
	if p.fix && !was {
		fmt.Fprintln(p.out, "gitdd: good fails and bad passes: looking for the changes that fix it")
	}
}

// measured writes the line of a run that has a number but no outcome yet. It says among how many of something the step
// probably is, after the run. mu is held.
func (p *searchLines) measured(s isolate.Step, what, of string) {
	e, ran := p.finished[s.Config]
	if !ran {
		return // it is known, from the ends or from a session that was resumed
	}
	delete(p.finished, s.Config)
	left := ""
	if s.Config.IsEmpty() || s.Config.Len() == s.Config.N() {
		if end := p.trees[string(e.Tree)]; end != "" {
			what = end
		}
	} else {
		left = ", among " + prose.Count(s.Failing.Len()-s.Passing.Len(), of)
	}
	if e.Attempt > 1 {
		what += " once more"
	}
	p.tell(e, what, left)
}

// told writes the line of a step. mu is held.
func (p *searchLines) told(c isolate.Configuration, outcome isolate.Outcome, what, left string) {
	e, ran := p.finished[c]
	delete(p.finished, c)
	switch {
	case ran:
		e.Verdict.Suite = false
		e.Verdict.Outcome = outcome // of a repeated trial: that of all tries
		p.tell(e, what, ", "+left)
	case p.verbose:
		fmt.Fprintf(p.out, "gitdd: no trial: %s ... %v, %s\n", what, outcome, left)
	}
}
