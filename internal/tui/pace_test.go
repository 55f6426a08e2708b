package tui

import (
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

func TestBetween(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, row := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 0, "a few seconds"}, {s, 7 * s, "a few seconds"},
		{4 * s, 9 * s, "up to 10 s"}, {8 * s, 12 * s, "about 10 s"}, {12 * s, 44 * s, "10-40 s"}, {50 * s, 84 * s, "50-80 s"},
		{10 * s, 86 * s, "up to 1 min"}, {50 * s, 4*m + 10*s, "1-4 min"}, {17 * m, 18 * m, "17-18 min"},
		{20 * m, 37 * m, "20-40 min"}, {4 * m, 84 * m, "up to 80 min"},
		{40 * m, 100 * m, "1-2 h"}, {20 * m, 86 * m, "up to 1 h"}, {10 * h, 46 * h, "10-46 h"},
		{h, 80 * h, "up to 3 days"}, {50 * h, 80 * h, "2-3 days"}, {70 * h, 80 * h, "about 3 days"},
	} {
		if got := between(row.from, row.to); got != row.want {
			t.Errorf("%v to %v: got %q, want %q", row.from, row.to, got, row.want)
		}
	}
}

// Before there is a pace the range goes by the trials so far, which are the ends; then
// by the times between trials on the path, of which those of a resumed session, that
// take no time, do not count.
func TestPace(t *testing.T) {
	c := newClock()
	s := newSearchModel(searchOn(nil, 10, 2, c))
	s.least, s.most = 4, 9
	if from, to, ok := s.toGo(); ok {
		t.Errorf("before any trial: got %v to %v", from, to)
	}
	step := func(known bool) {
		s.comes(isolate.Step{Least: 4, Most: 9, Known: known}, c.now())
	}
	for range 50 {
		step(false) // trials of before
	}
	number := 0
	run := func(took time.Duration) {
		number++
		s.trial(started(0, number, trial.Search, isolate.Of(10, 1)), c.now())
		c.pass(took)
		s.trial(finished(0, number, trial.Search, isolate.Of(10, 1), isolate.Pass, ""), c.now())
	}
	run(40 * time.Second)
	if from, to, ok := s.toGo(); !ok || from != 20*time.Second || to != 540*time.Second {
		t.Errorf("of a trial of 40 s, with two workers: got %v to %v, want 20 s to 9 min", from, to)
	}
	step(false) // 40 s for the trial on the path
	for range 2 {
		run(40 * time.Second)
		step(false)
		step(true)
	}
	if from, to, _ := s.toGo(); from != 160*time.Second || to != 360*time.Second {
		t.Errorf("all take 40 s: got %v to %v, want 160 s to 360 s", from, to)
	}
	for range 40 { // and 10 and 30 s in turn from now on
		run(10 * time.Second)
		step(false)
		run(30 * time.Second)
		step(false)
	}
	// Deviation 10.26 s: 4 trials are 80 s less 1.28*10.26*sqrt(4+16/20), 9 are 180 s and more by so much.
	from, to, _ := s.toGo()
	if from.Round(time.Second) != 51*time.Second || to.Round(time.Second) != 227*time.Second {
		t.Errorf("10 and 30 s in turn: got %v to %v, want 51 s to 227 s", from, to)
	}
}
