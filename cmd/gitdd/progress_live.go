package main

import (
	"io"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// live draws the state of a search on a terminal.
type live struct {
	*canvas
	state *state
}

func newLive(out io.Writer, size func() (int, int, error), o progressOptions) *live {
	v := &live{state: newState(o.total, o.jobs, o.now())}
	v.state.stage.goal, v.state.output = o.goal, o.output
	v.canvas = newCanvas(out, size, o, v.state)
	return v
}

func (v *live) event(e trial.Event) {
	v.change(func() { v.state.event(e, v.now()) })
}

func (v *live) ends(e trial.Ends) {
	v.change(func() { v.state.fix = e.Direction == trial.Fix })
}

func (v *live) line(commits []git.Commit) {
	v.change(func() { v.state.line = commits })
}

func (v *live) commit(s search.LineStep) {
	v.change(func() { v.state.commit(s.Step, v.now()) })
}

func (v *live) step(s search.ChangesStep) {
	v.change(func() { v.state.step(s, v.now()) })
}

func (v *live) found(a search.Answer) {
	v.change(func() { v.state.found(a) })
}
