package isolate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// What is known of a breakage after some moves is what is known of the configuration itself.
func TestBreakageMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	never := func([2]int) bool { return false }
	for range 200 {
		n := 2 + r.IntN(30)
		some := func() Configuration {
			var list []int
			for i := range n {
				if r.IntN(2) == 0 {
					list = append(list, i)
				}
			}
			return Of(n, list...)
		}
		known := newReasons()
		for key := range uint64(1 + r.IntN(8)) {
			m := Message{Key: key}
			for range 1 + r.IntN(20) {
				if i, j := r.IntN(n), r.IntN(n); i != j {
					m.Explanations = append(m.Explanations, Explanation{i, j, 0.1 + r.Float64()})
				}
			}
			known = known.study(some(), []Message{m}, Empty(n), nil, never).reasons
		}
		b := known.breakage(some())
		for range 10 {
			b = b.moved(some())
			want := known.breakage(b.config)
			for k := range want.broken {
				if math.Abs(b.broken[k]-want.broken[k]) > 1e-9 {
					t.Fatalf("%q breaks %v of message %d, after moves %v", b.config, want.broken[k], k, b.broken[k])
				}
			}
			for _, i := range newRepair(Full(n)).best(b) {
				if !slices.ContainsFunc(known.list, func(is *reason) bool {
					return slices.ContainsFunc(is.explanations, func(e Explanation) bool {
						return (e.Element == i || e.Requires == i) && b.config.Has(e.Element) && !b.config.Has(e.Requires)
					})
				}) {
					t.Fatalf("%d is no repair of %q, which breaks no explanation with it", i, b.config)
				}
			}
		}
	}
}
