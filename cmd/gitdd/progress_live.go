package main

import (
	"io"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
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

func (v *live) commit(s isolate.Step) {
	v.change(func() { v.state.commit(s, v.now()) })
}

func (v *live) step(a answer, s isolate.Step) {
	v.change(func() { v.state.step(a, s, v.now()) })
}

func (v *live) found(a answer) {
	v.change(func() { v.state.found(a) })
}
