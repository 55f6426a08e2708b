package isolate_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestCorrectionSetRandom looks for a group without which random tests pass, and compares what it asks with its rules.
func TestCorrectionSetRandom(t *testing.T) {
	isolate.Once(t)
	r := random(t)
	found, inner := 0, 0
	for range 2000 {
		p := randomProblem(r, 4+r.IntN(5))
		p.Passing, p.Failing = isolate.Configuration{}, isolate.Configuration{}
		b := &behaviour{Problem: p, outcome: randomOutcomes(r, p)}
		var asked []isolate.Step
		opts := randomAdvice(r, p.N)
		opts.Goal = isolate.Cause
		opts.Observe = func(s isolate.Step) { asked = append(asked, s) }
		var groups []isolate.Configuration
		for range r.IntN(8) {
			from := r.IntN(p.N)
			g := isolate.Empty(p.N)
			for i := from; i <= from+r.IntN(p.N-from); i++ {
				g = g.With(i)
			}
			groups = append(groups, g)
		}
		most := r.IntN(7)
		got, err := isolate.CorrectionSet(context.Background(), p, groups, most, nil, b.test, opts)
		if err != nil {
			t.Fatal(err)
		}
		if got.Failing != isolate.Full(p.N) || breaks(got.Passing, p.Requires) || got.Trials > most+2 {
			t.Fatalf("%d trials, at most %d: %+v", got.Trials-2, most, got)
		}
		passes := map[isolate.Configuration]bool{isolate.Empty(p.N): true}
		passing := isolate.Empty(p.N)
		for _, s := range asked[2:] {
			if s.Outcome == isolate.Pass {
				if !passing.IsEmpty() && s.Config.Contains(passing) {
					inner++
				}
				passing = s.Config
				passes[passing] = true
			}
		}
		if !passes[got.Passing] {
			t.Fatalf("%v is left, which was not asked or does not pass: %v", got.Passing, asked)
		}
		passing = got.Passing
		if !passing.IsEmpty() {
			found++
		}
		opts.Jobs, opts.Observe = 2+r.IntN(3), nil
		ahead, err := isolate.CorrectionSet(context.Background(), p, groups, most, nil, b.test, opts)
		if err != nil || ahead.Passing != got.Passing || ahead.Trials != got.Trials {
			t.Fatalf("with %d workers %+v, %v; with one %+v", opts.Jobs, ahead, err, got)
		}
	}
	if found < 200 || inner < 20 {
		t.Errorf("%d found, %d of them within another one", found, inner)
	}
}

// TestCorrectionSet leaves out what is largest first, nothing within what it fails without, last what others require, and nothing
// that is known to be broken. It goes on within what it passes without, and counts what is in vain anew.
func TestCorrectionSet(t *testing.T) {
	const n = 10
	of := func(list ...int) isolate.Configuration { return isolate.Of(n, list...) }
	gone := func(c isolate.Configuration) isolate.Configuration { return isolate.Full(n).Minus(c) }
	outcomes := map[isolate.Configuration]isolate.Outcome{
		of(0, 1, 2, 3, 4): isolate.Fail,
		of(0, 1, 2, 3, 9): isolate.Unresolved,
		of(5, 6, 7, 8):    isolate.Pass,
		of(6):             isolate.Fail,
		of(8):             isolate.Fail,
		of(7, 8):          isolate.Pass,
		of(7):             isolate.Fail,
	}
	predicted := make([][]int, n)
	predicted[5] = []int{7}
	p := isolate.Problem{N: n, Predicted: predicted, Broken: func(c isolate.Configuration) bool { return gone(c) == of(5, 6) }}
	var asked []isolate.Configuration
	test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		switch {
		case c.IsEmpty():
			return isolate.Pass, nil
		case c == isolate.Full(n):
			return isolate.Fail, nil
		}
		asked = append(asked, gone(c))
		o, ok := outcomes[gone(c)]
		if !ok {
			t.Errorf("asked without %v", gone(c))
		}
		return o, nil
	}
	groups := []isolate.Configuration{of(7, 8), of(6), of(5, 6), of(1, 2), of(5, 6, 7, 8), of(0, 1, 2, 3, 4), of(0, 1, 2, 3, 9), of(8), of(7)}
	got, err := isolate.CorrectionSet(context.Background(), p, groups, 8, nil, test, isolate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []isolate.Configuration{of(0, 1, 2, 3, 4), of(0, 1, 2, 3, 9), of(5, 6, 7, 8), of(6), of(8), of(7, 8), of(7)}
	if !slices.Equal(asked, want) {
		t.Errorf("left out %v, want %v", asked, want)
	}
	if got.Cause != of(7, 8) || got.Passing != gone(of(7, 8)) {
		t.Errorf("%+v", got)
	}
	asked, groups = nil, []isolate.Configuration{of(0, 1, 2, 3, 4), of(1, 2), of(8)}
	if _, err := isolate.CorrectionSet(context.Background(), p, groups, 8, nil, test, isolate.Options{}); err != nil || !slices.Equal(asked, []isolate.Configuration{of(0, 1, 2, 3, 4), of(8)}) {
		t.Errorf("left out %v, %v", asked, err)
	}
	// A failure without a group is not in vain if that rules out a quarter of the others.
	outcomes, asked = map[isolate.Configuration]isolate.Outcome{of(0, 1): isolate.Fail, of(2, 3): isolate.Fail, of(4, 8): isolate.Fail, of(5): isolate.Fail, of(9): isolate.Fail, of(7): isolate.Unresolved}, nil
	groups = []isolate.Configuration{of(0, 1), of(2, 3), of(4, 8), of(1), of(3), of(8), of(5), of(7), of(9)}
	want = []isolate.Configuration{of(0, 1), of(2, 3), of(4, 8), of(5), of(9), of(7)}
	if _, err := isolate.CorrectionSet(context.Background(), p, groups, 8, nil, test, isolate.Options{}); err != nil || !slices.Equal(asked, want) {
		t.Errorf("left out %v, want %v: %v", asked, want, err)
	}
	outcomes, asked = map[isolate.Configuration]isolate.Outcome{of(0): isolate.Fail, of(1): isolate.Fail, of(2): isolate.Fail}, nil
	if _, err := isolate.CorrectionSet(context.Background(), p, []isolate.Configuration{of(0), of(1), of(2), of(3)}, 8, nil, test, isolate.Options{}); err != nil || len(asked) != 3 {
		t.Errorf("left out %v, want three: %v", asked, err)
	}
	// Another failure rules out nothing.
	outcomes, asked = map[isolate.Configuration]isolate.Outcome{of(0, 1): isolate.Fail, of(0): isolate.Fail, of(1): isolate.Pass, of(2): isolate.Fail}, nil
	want = []isolate.Configuration{of(0, 1), of(0), of(1)}
	other := func(c isolate.Configuration) bool { return gone(c) != of(0, 1) }
	if got, err := isolate.CorrectionSet(context.Background(), p, []isolate.Configuration{of(0), of(1), of(0, 1), of(2)}, 8, other, test, isolate.Options{}); err != nil || got.Cause != of(1) || !slices.Equal(asked, want) {
		t.Errorf("left out %v, want %v: %v, %v", asked, want, got.Cause, err)
	}
	if _, err := isolate.CorrectionSet(context.Background(), p, groups, 8, nil, test, isolate.Options{Goal: isolate.Revert}); err == nil {
		t.Error("no error with the goal Revert")
	}
	// What is like others is not the answer; a group that has elements of it tells nothing.
	for _, other := range []isolate.Outcome{isolate.Pass, isolate.Unresolved, isolate.Fail} {
		outcomes, asked = map[isolate.Configuration]isolate.Outcome{of(5, 6, 7, 8): isolate.Pass, of(0, 1, 2): other, of(3, 4): isolate.Fail, of(6): isolate.Unresolved}, nil
		got, err := isolate.CorrectionSet(context.Background(), p, []isolate.Configuration{of(3, 4), of(6), of(4, 5, 6), of(0, 1, 2), of(5, 6, 7, 8)}, 8, nil, test, isolate.Options{})
		want := []isolate.Configuration{of(5, 6, 7, 8), of(0, 1, 2)}
		if other != isolate.Pass {
			want = append(want, of(6))
		}
		if err != nil || !slices.Equal(asked, want) || got.Passing.IsEmpty() != (other == isolate.Pass) {
			t.Errorf("%v: left out %v, want %v: %+v, %v", other, asked, want, got, err)
		}
	}
}

// TestCorrectionSetUnions looks for one of many groups that no element requires. The first unions rule out most of them.
func TestCorrectionSetUnions(t *testing.T) {
	const n = 48
	var groups []isolate.Configuration
	for i := range n - 8 { // the last eight require the first one
		groups = append(groups, isolate.Of(n, i))
	}
	p := isolate.Problem{N: n, Predicted: make([][]int, n)}
	for i := n - 8; i < n; i++ {
		p.Predicted[i] = []int{0}
	}
	for _, row := range []struct {
		name             string
		faulty, together int // the group without which the test passes; without those before this one it cannot be judged
		trials           int // at most, without those of the ends
	}{
		{"one cannot", 23, 1, 11},
		{"a few cannot", 23, 6, 12},
		{"half of them cannot", 39, 20, 16},
	} {
		test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			switch {
			case c.IsEmpty():
				return isolate.Pass, nil
			case slices.ContainsFunc(groups[:row.together], func(g isolate.Configuration) bool { return !c.Contains(g) }):
				return isolate.Unresolved, nil
			case !c.Has(row.faulty):
				return isolate.Pass, nil
			}
			return isolate.Fail, nil
		}
		got, err := isolate.CorrectionSet(context.Background(), p, groups, 30, nil, test, isolate.Options{})
		if err != nil || got.Cause != isolate.Of(n, row.faulty) || got.Trials > row.trials+2 {
			t.Errorf("%s: %v after %d trials, want %d after %d: %v", row.name, got.Cause, got.Trials-2, row.faulty, row.trials, err)
		}
	}
}
