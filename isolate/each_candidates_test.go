package isolate

import (
	"slices"
	"testing"
)

// Candidates are the causes of one or two elements that explain all outcomes.
func TestCandidates(t *testing.T) {
	r := seeded(t)
	for range 300 {
		n := 1 + r.IntN(100)
		among := randomSubset(r, n, 0.5).With(r.IntN(n))
		b := newCandidates(among)
		type trial struct {
			Configuration
			outcome Outcome
		}
		var trials []trial
		for range r.IntN(8) {
			x := trial{randomSubset(r, n, r.Float64()), Outcome(r.IntN(3))}
			trials = append(trials, x)
			b.take(x.Configuration, x.outcome)
		}
		consistent := func(cause Configuration) bool {
			return !slices.ContainsFunc(trials, func(x trial) bool {
				return x.outcome == Fail && !x.Contains(cause) || x.outcome == Pass && x.Contains(cause)
			})
		}
		members := slices.Collect(among.All())
		for i, x := range members {
			if got, want := b.singles.has(i), consistent(Of(n, x)); got != want {
				t.Fatalf("%d of %q after %v: %v", x, among, trials, got)
			}
			for j, y := range members {
				if got, want := b.pairs[i] != nil && b.pairs[i].has(j), i != j && consistent(Of(n, x, y)); got != want {
					t.Fatalf("%d and %d of %q after %v: %v", x, y, among, trials, got)
				}
			}
		}
		if c, p := b.likeliest(); p > 0 && (!consistent(c) || !among.Contains(c)) {
			t.Fatalf("%q of %q after %v is likely", c, among, trials)
		}
	}
}

// What is known of cells never excludes the cause.
func TestCandidatesOfCells(t *testing.T) {
	r := seeded(t)
	for range 20 {
		n := mostCells + r.IntN(3*mostCells)
		cause := Of(n, r.IntN(n), r.IntN(n))
		b := newCandidates(Full(n))
		for range 40 {
			c := randomSubset(r, n, 0.7)
			if r.IntN(2) == 0 {
				c = span(n, r.IntN(n), n)
			}
			o := Pass
			if c.Contains(cause) {
				o = Fail
			}
			b.take(c, o)
		}
		cells := newBitset(b.cells)
		b.collect(cells)
		if !b.positions(cells).Contains(cause) {
			t.Fatalf("%q of %d is no candidate", cause, n)
		}
	}
}
