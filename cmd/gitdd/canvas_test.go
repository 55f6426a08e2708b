package main

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// In the background the screen is the shell's, or an editor's: notes and the summary
// are written there as any text is, and nothing is moved or erased.
func TestCanvasInBackground(t *testing.T) {
	c := newClock()
	s := newState(4, 1, c.now())
	s.event(finished(0, 1, trial.Search, isolate.Of(4, 1), isolate.Pass, ""), c.now())
	var out strings.Builder
	v := &canvas{
		out: &out, size: func() (int, int, error) { return 80, 24, nil }, now: c.now, picture: s,
		foreground: func() bool { return false }, stop: make(chan struct{}),
	}
	v.note("first")
	v.close()
	v.note("last")
	if got, want := out.String(), "gitdd: first\n"+summary(s, c.now())+"\ngitdd: last\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
