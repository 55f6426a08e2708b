package main

import (
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// live draws the state of a search on a terminal.
type live struct {
	*canvas
	state *state
}

func newLive(size func() (int, int, error), o SearchOptions) *live {
	v := &live{state: newState(o)}
	v.canvas = newCanvas(size, o.Options, v.state)
	return v
}

func (v *live) Trial(e trial.Event) {
	v.change(func() { v.state.trial(e, v.now()) })
}

func (v *live) Event(e search.Event) {
	if note, ok := e.(search.Note); ok {
		v.Note(note.Text)
		return
	}
	v.change(func() { v.state.event(e, v.now()) })
}
