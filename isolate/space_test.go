package isolate

import (
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// What a space remembers to save work must never show: sets of positions are
// turned, checked and closed in random order, near each other and far apart,
// and compared with the definitions.
func TestSpaceRemembersNothingWrong(t *testing.T) {
	Once(t)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 40 {
		n := 1 + r.IntN(300)
		p := Problem{N: n, Order: r.Perm(n), Requires: make([][]int, n), Predicted: make([][]int, n)}
		for range r.IntN(2 * n) {
			edges := [][][]int{p.Requires, p.Predicted}[r.IntN(2)]
			i := r.IntN(n)
			j := r.IntN(n)
			if r.IntN(2) == 0 {
				j = min(n-1, max(0, i+r.IntN(9)-4))
			}
			edges[i] = append(edges[i], j)
		}
		goal := Goal(r.IntN(3))
		s, err := newSpace(p, goal, r.IntN(2) == 0)
		if err != nil {
			t.Fatal(err)
		}
		path := newRun(s, Options{Goal: goal}, nil)
		n = s.n // positions
		c := Empty(n)
		for range 60 {
			switch r.IntN(4) {
			case 0: // far away
				c = Of(n, r.Perm(n)[:r.IntN(n+1)]...)
			case 1:
				c = c.With(r.IntN(n))
			default:
				from := r.IntN(n)
				run := span(n, from, min(n, from+1+r.IntN(n)))
				if r.IntN(2) == 0 {
					c = c.Union(run)
				} else {
					c = c.Minus(run)
				}
			}
			elements := builder{n: p.N}
			for e, position := range s.position {
				if c.Has(position) != s.mirrored {
					elements.add(e, e+1)
				}
			}
			if got, want := s.outside(c), elements.configuration(); got != want {
				t.Fatalf("%q is %q outside, want %q", c, got, want)
			}
			if got, want := s.isBroken(c), breaks(s.outside(c), p.Requires); got != want {
				t.Fatalf("%q breaks %v: %v, want %v", c, p.Requires, got, want)
			}
			within := c.Union(Of(n, r.Perm(n)[:r.IntN(n+1)]...))
			if got, want := path.required(c, within), closure(s, c, within, false); got != want {
				t.Fatalf("%q requires %q within %q, want %q", c, got, within, want)
			}
			if got, want := path.dependents(c, within), closure(s, c, within, true); got != want {
				t.Fatalf("%q is required by %q within %q, want %q", c, got, within, want)
			}
		}
	}
}

// closure adds to c what of within it requires, or what requires it, one by one.
func closure(s *space, c, within Configuration, dependents bool) Configuration {
	for grown := true; grown; {
		grown = false
		for _, edges := range []related{s.must, s.may} {
			for i := range s.n {
				for _, j := range edges.to.of(i) {
					from, to := i, int(j)
					if dependents {
						from, to = to, from
					}
					if c.Has(from) && within.Has(to) && !c.Has(to) {
						c, grown = c.With(to), true
					}
				}
			}
		}
	}
	return c
}

// What a problem says of closed configurations is what a search makes of them.
func TestProblemClosures(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 100 {
		n := 1 + r.IntN(40)
		p := Problem{N: n, Requires: make([][]int, n), Predicted: make([][]int, n)}
		for range r.IntN(n) {
			edges := [][][]int{p.Requires, p.Predicted}[r.IntN(2)]
			i := r.IntN(n)
			edges[i] = append(edges[i], r.IntN(n))
		}
		s, err := newSpace(p, Cause, false)
		if err != nil {
			t.Fatal(err)
		}
		c := Of(n, r.Perm(n)[:r.IntN(n+1)]...)
		if got, want := p.With(c), s.outside(closure(s, s.inside(c), Full(s.n), false)); got != want {
			t.Errorf("%q with what it requires is %q, want %q", c, got, want)
		}
		members := c.slice(0, c.Len()/2)
		if got, want := p.Without(c, members), c.Minus(s.outside(closure(s, s.inside(members), Full(s.n), true))); got != want {
			t.Errorf("%q without %q is %q, want %q", c, members, got, want)
		}
	}
}
