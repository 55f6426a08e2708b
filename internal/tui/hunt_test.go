package tui

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/btor/hunt"
)

// tellHunt plays a hunt by two workers that is resumed behind one run: seed 2 fails and is
// reduced, while seed 3 runs. At the end look is called.
func tellHunt(v Hunt, c *clock, look func()) {
	failed := &hunt.Run{Seed: 2, Nodes: 40, Failure: &hunt.Failure{Class: hunt.Exit, Exit: 3, Line: "boom \x1b[2J"}}
	v.Event(hunt.Event{Kind: hunt.Opened, Known: true})
	v.Event(hunt.Event{Kind: hunt.Counted, Seed: 1, Known: true, Run: &hunt.Run{Seed: 1}})
	v.Event(hunt.Event{Kind: hunt.Running, Worker: 0, Seed: 2})
	v.Event(hunt.Event{Kind: hunt.Running, Worker: 1, Seed: 3})
	c.pass(2 * time.Second)
	v.Event(hunt.Event{Kind: hunt.Ran, Worker: 0, Seed: 2, Run: failed})
	v.Event(hunt.Event{Kind: hunt.Counted, Seed: 2, Run: failed})
	v.Event(hunt.Event{Kind: hunt.Reducing, Worker: 0, Seed: 2})
	for n := range 3 {
		v.Event(hunt.Event{Kind: hunt.TrialStarted, Worker: 0, Seed: 2, Trial: n + 1})
		c.pass(15 * time.Second)
		v.Event(hunt.Event{Kind: hunt.TrialFinished, Worker: 0, Seed: 2, Trial: n + 1})
		v.Event(hunt.Event{Kind: hunt.Asked, Worker: 0, Seed: 2, Nodes: 12 - n})
	}
	v.Event(hunt.Event{Kind: hunt.Noted, Worker: 0, Seed: 2, Text: "see this"})
	look()
	v.Event(hunt.Event{Kind: hunt.Reduced, Worker: 0, Seed: 2})
	v.Event(hunt.Event{Kind: hunt.Settled, Seed: 2, Run: failed, Reduction: &hunt.Reduction{Seed: 2, Failure: failed.Failure, Nodes: 10, Trials: 3}})
	v.Close()
	v.Close()
}

func TestHuntLines(t *testing.T) {
	var out strings.Builder
	c := newClock()
	tellHunt(NewHunt(Options{Out: &out, Jobs: 2, Now: c.now}), c, func() {})
	want := `gitdd: going on behind 1 run: no findings
gitdd: seed 2: exit 3: boom \x1b[2J
gitdd: reducing seed 2, 30 s: 2 trials, 12 nodes left
gitdd: see this
gitdd: seed 2: 10 of 40 nodes left, 3 trials: a new kind
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestHuntLive(t *testing.T) {
	c := newClock()
	v := newLiveHunt(func() (int, int, error) { return 80, 24, nil }, Options{Out: io.Discard, Jobs: 2, Now: c.now})
	var got strings.Builder
	tellHunt(v, c, func() {
		for _, l := range v.model.render(80, 24, c.now()) {
			got.WriteString(l.Render(false) + "\n")
		}
	})
	got.WriteString(v.model.summary(c.now()) + "\n")
	want := `runs      2, 1.3 per min; 47 s; next seed 3
found     1 finding (1 exit)
worker 0  reducing seed 2, 45 s: 3 trials, 10 nodes left
worker 1  seed 3, 47 s
last      seed 2: exit 3: boom \x1b[2J
gitdd: 2 runs, 1.3 per min, 1 finding (1 exit), 47.0 s
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}
