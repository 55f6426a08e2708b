package isolate_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// Of several minimal causes quickxplain finds the preferred one: the cause
// whose latest element is the earliest, and among equals so on. Compared with
// all subsets of random monotone functions, for any order of preference.
func TestQuickXplainPrefersWhatIsEarly(t *testing.T) {
	once(t)
	r := random(t)
	for range 500 {
		n := 1 + r.IntN(9)
		order := r.Perm(n)
		var causes []uint // bit k is the k-th element of the order
		for range 1 + r.IntN(4) {
			causes = append(causes, 1+r.UintN(1<<n-1))
		}
		fails := func(ranks uint) bool {
			for _, cause := range causes {
				if ranks&cause == cause {
					return true
				}
			}
			return false
		}
		// Numbers compare by their highest bit first, so the least failing
		// one is the preferred cause.
		preferred := uint(0)
		for !fails(preferred) {
			preferred++
		}
		b := &behaviour{Problem: isolate.Problem{N: n, Order: order}, outcome: func(c isolate.Configuration) isolate.Outcome {
			ranks := uint(0)
			for k, e := range order {
				if c.Has(e) {
					ranks |= 1 << k
				}
			}
			if fails(ranks) {
				return isolate.Fail
			}
			return isolate.Pass
		}}
		got := check(t, b, isolate.Options{Algorithm: "quickxplain"})
		want := isolate.Empty(n)
		for m := preferred; m != 0; m &= m - 1 {
			want = want.With(order[bits.TrailingZeros(m)])
		}
		if got.Cause != want {
			t.Errorf("causes %b in the order %v: %q, want %q", causes, order, got.Cause, want)
		}
	}
}

// A group is preferred before a later one whatever lies in it.
func TestQuickXplainPrefersEarlyGroups(t *testing.T) {
	once(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		first, second := r.IntN(6), 6+r.IntN(6)
		b := &behaviour{Problem: isolate.Problem{N: 12, Groups: [][]int{{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}}}, outcome: func(c isolate.Configuration) isolate.Outcome {
			if c.Has(first) || c.Has(second) {
				return isolate.Fail
			}
			return isolate.Pass
		}}
		if got := check(t, b, isolate.Options{Algorithm: "quickxplain"}); got.Cause != isolate.Of(12, first) {
			t.Errorf("%d or %d: %+v", first, second, got)
		}
	}
}
