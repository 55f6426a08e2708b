package isolate_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestLeaveOutRandom leaves out random groups, and compares what is left with the outcomes.
func TestLeaveOutRandom(t *testing.T) {
	isolate.Once(t)
	r := random(t)
	var smaller [3]int // by the goal
	for range 2000 {
		p := randomProblem(r, 4+r.IntN(4))
		p.Passing, p.Failing = isolate.Configuration{}, isolate.Configuration{}
		b := &behaviour{Problem: p, outcome: randomOutcomes(r, p)}
		var asked []isolate.Step
		opts := randomAdvice(r, p.N)
		opts.Goal = isolate.Goal(r.IntN(3))
		opts.Observe = func(s isolate.Step) { asked = append(asked, s) }
		var groups []isolate.Configuration
		for range r.IntN(4) {
			g := isolate.Empty(p.N)
			for i := range p.N {
				if r.IntN(2) == 0 {
					g = g.With(i)
				}
			}
			groups = append(groups, g)
		}
		got, err := isolate.LeaveOut(context.Background(), p, groups, b.test, opts)
		if err != nil {
			t.Fatal(err)
		}
		// With the goal Revert a group is left out of what is taken off the failing end, and the rest passes.
		whole, kept, end, without, enough := got.Passing, isolate.Empty(p.N), got.Failing, isolate.Full(p.N), isolate.Fail
		if opts.Goal == isolate.Revert {
			whole, kept, end, without, enough = got.Failing, isolate.Full(p.N), got.Passing, isolate.Empty(p.N), isolate.Pass
		}
		if whole != kept || b.outcome(end) != enough || breaks(end, p.Requires) {
			t.Fatalf("goal %v: %+v", opts.Goal, got)
		}
		if len(asked) > 2+len(groups) {
			t.Fatalf("%d trials for %d groups", len(asked)-2, len(groups))
		}
		for _, s := range asked[2:] {
			if s.Outcome == enough {
				without = s.Config
			}
		}
		if end != without {
			t.Fatalf("goal %v: %q is left, the last that is enough is %q", opts.Goal, end, without)
		}
		if got.Failing.Minus(got.Passing).Len() < p.N {
			smaller[opts.Goal]++
		}
		opts.Jobs = 2 + r.IntN(3)
		opts.Observe = nil
		if again, err := isolate.LeaveOut(context.Background(), p, groups, b.test, opts); err != nil || again.Failing != got.Failing || again.Passing != got.Passing {
			t.Fatalf("with more workers %+v, %v", again, err)
		}
	}
	if slices.Min(smaller[:]) < 100 {
		t.Errorf("%d of 2,000 smaller", smaller)
	}
}

// TestLeaveOutSides: of a hunk that removes 35 lines and adds 10, of which mixtures of the old lines are
// unresolved, all that is removed is left out.
func TestLeaveOutSides(t *testing.T) {
	const removed, n = 35, 45
	sides := []isolate.Configuration{isolate.Empty(n), isolate.Empty(n)} // what is added, and what is removed
	for i := range n {
		if i < removed {
			sides[1] = sides[1].With(i)
		} else {
			sides[0] = sides[0].With(i)
		}
	}
	test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		old := 0
		for i := range c.All() {
			if i < removed {
				old++
			}
		}
		switch {
		case old != 0 && old != removed:
			return isolate.Unresolved, nil
		case c.Has(40):
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	got, err := isolate.LeaveOut(context.Background(), isolate.Problem{N: n}, sides, test, isolate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Failing.Len() != 10 || got.Trials != 3 {
		t.Errorf("%q, in %d trials", got.Failing, got.Trials)
	}
}
