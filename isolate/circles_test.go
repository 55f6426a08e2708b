package isolate

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// Elements that require each other in a circle are searched as one: the trials are those of the problem in which they
// are one, and the answer has all of them.
func TestCirclesAreOne(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 300 {
		one := Problem{N: 2 + r.IntN(12)}
		many := Problem{}
		var units [][]int
		for range one.N {
			size := 1
			if r.IntN(3) == 0 {
				size += 1 + r.IntN(4)
			}
			var unit []int
			for range size {
				unit = append(unit, many.N)
				many.N++
			}
			units = append(units, unit)
		}
		one.Requires, many.Requires = make([][]int, one.N), make([][]int, many.N)
		for u, unit := range units {
			for k, e := range unit {
				if len(unit) > 1 {
					many.Requires[e] = append(many.Requires[e], unit[(k+1)%len(unit)])
				}
			}
			if u > 0 && r.IntN(4) == 0 {
				v := r.IntN(u)
				one.Requires[u] = append(one.Requires[u], v)
				e := unit[r.IntN(len(unit))]
				many.Requires[e] = append(many.Requires[e], units[v][r.IntN(len(units[v]))])
			}
		}
		expand := func(c Configuration) Configuration {
			var members []int
			for u := range c.All() {
				members = append(members, units[u]...)
			}
			return Of(many.N, members...)
		}
		// A random monotone test that does not resolve now and then.
		fails, lacks := Of(one.N, r.IntN(one.N), r.IntN(one.N)), [2]int{r.IntN(one.N), r.IntN(one.N)}
		judge := func(c Configuration) Outcome {
			switch {
			case c.Has(lacks[0]) && !c.Has(lacks[1]):
				return Unresolved
			case c.Contains(fails):
				return Fail
			}
			return Pass
		}
		for _, algorithm := range Algorithms() {
			for _, goal := range []Goal{Cause, Revert, Introduce} {
				opts := Options{Algorithm: algorithm, Goal: goal}
				want, err := Search(t.Context(), one, func(_ context.Context, c Configuration) (Outcome, error) { return judge(c), nil }, opts)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Search(t.Context(), many, func(_ context.Context, c Configuration) (Outcome, error) {
					var back []int
					for u, unit := range units {
						if c.Has(unit[0]) {
							back = append(back, u)
						}
					}
					if expand(Of(one.N, back...)) != c {
						t.Errorf("%s: %q was tested, which takes a circle of %v apart", algorithm, c, units)
					}
					return judge(Of(one.N, back...)), nil
				}, opts)
				if err != nil {
					t.Fatal(err)
				}
				if got.Cause != expand(want.Cause) || got.Trials != want.Trials || got.Minimal != want.Minimal || got.Unproven != expand(want.Unproven) {
					t.Errorf("%s, goal %v, circles %v: cause %q, %d trials, minimal %v, unproven %q; of one element each: %q, %d, %v, %q", algorithm, goal,
						units, got.Cause, got.Trials, got.Minimal, got.Unproven, expand(want.Cause), want.Trials, want.Minimal, expand(want.Unproven))
				}
			}
		}
	}
}
