package tui

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// searchLines writes a line for each trial on the path of the search. Trials that
// were run ahead and never needed are not told, so that the lines are the same
// for any number of jobs but for the numbers of the trials.
type searchLines struct {
	lines
	state    events.State
	fix      bool              // the search has pass and fail exchanged
	measures bool              // it looks for a step of a number
	asked    map[int]ended     // trials of the search that no step has named yet
	lasting  map[int]string    // the outcomes of the trials that have their line, as that or a later one says
	trees    map[string]string // what the ends are called
}

func newSearchLines(o Options) *searchLines {
	return &searchLines{lines: lines{out: o.Out, verbose: o.Verbose, unjudged: true}, asked: map[int]ended{}, lasting: map[int]string{}, trees: map[string]string{}}
}

func (p *searchLines) Take(e *events.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.state.Take(e) // the Observer writes what it can take
	switch {
	case e.Note != nil:
		p.note(e.Note.Text)
	case e.TrialMoved != nil:
		p.lost(p.state.Started(e.TrialMoved.Trial, e.TrialMoved.Worker), e.TrialMoved)
	case e.TrialEnded != nil && e.TrialEnded.Replayed == nil && e.TrialEnded.Outcome != events.Cancelled:
		p.ended(endedOf(&p.state, e.TrialEnded))
	case e.Ends != nil:
		p.ends(e.Ends)
	case e.Plan != nil && e.Plan.Of == "commits":
		clear(p.asked)
	case e.Step != nil:
		p.step(e.Step)
	case e.Known != nil:
		p.step(e.Known)
	}
}

// ended takes a trial that has ended, or whose outcome has changed since. mu is held.
func (p *searchLines) ended(e ended) {
	switch said, told := p.lasting[e.Trial]; {
	case e.Amended != nil && told:
		if said != e.Outcome {
			p.lasting[e.Trial] = e.Outcome
			p.correct(e)
		}
	case e.started.Purpose == string(trial.Search):
		p.asked[e.Trial] = e
	default:
		name := what(e.started, nil)
		if tree := e.started.Tree; e.started.Purpose == string(trial.End) && p.trees[tree] == "" {
			p.trees[tree] = name
		}
		p.tell(e, name, "")
	}
}

// tell writes the line of a trial. mu is held.
func (p *searchLines) tell(e ended, what, left string) {
	if !e.Rejected {
		p.lasting[e.Trial] = e.Outcome
	}
	p.trial(e, what, left)
}

// ends says which way the search goes. mu is held.
func (p *searchLines) ends(e *events.Ends) {
	p.measures, p.unjudged = e.Measures, e.Measures
	was := p.fix
	p.fix = e.Direction == "fix"
	if p.fix && !was {
		fmt.Fprintln(p.out, "gitdd: good fails and bad passes: looking for the changes that fix it")
	}
}

// step writes the line of a step. mu is held.
func (p *searchLines) step(s *events.Step) {
	stage := p.state.Stage()
	if stage == nil {
		return
	}
	var e ended
	for _, number := range s.Ran {
		e = p.asked[number]
		delete(p.asked, number)
	}
	ran := e.started != nil
	what, of, left := prose.Applied(s.Applied, stage.Plan.Elements), "change", lookedFor(s)
	if stage.Of == "commits" {
		what, of, left = commit(stage.Elements, s.Applied), "commit", prose.Count(s.Among, "commit")+" left"
	}
	switch {
	case p.measures && ran:
		p.measured(s, e, what, of)
	case p.measures: // it is known, from the ends or from a session that was resumed
	case ran:
		told := *e.TrialEnded
		told.Suite, told.Outcome = false, s.Outcome // of a repeated trial: that of all tries
		p.tell(ended{e.started, &told}, what, ", "+left)
	case p.verbose:
		fmt.Fprintf(p.out, "gitdd: no trial: %s ... %s, %s\n", what, s.Outcome, left)
	}
}

// measured writes the line of a run that has a number but no outcome yet. It says among how many of something the step
// probably is, after the run. mu is held.
func (p *searchLines) measured(s *events.Step, e ended, what, of string) {
	left := ""
	if s.Applied == 0 || s.Applied == p.state.Stage().Plan.Elements {
		if end := p.trees[e.started.Tree]; end != "" {
			what = end
		}
	} else {
		left = ", among " + prose.Count(s.Among, of)
	}
	if e.started.Attempt > 1 {
		what += " once more"
	}
	p.tell(e, what, left)
}
