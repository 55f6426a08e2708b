package isolate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestMiddle(t *testing.T) {
	for _, row := range []struct {
		weights []int
		want    int
	}{
		{[]int{1, 1}, 1},
		{[]int{1, 2}, 1},
		{[]int{9, 1}, 1},
		{[]int{1, 9}, 1},
		{[]int{1, 1, 1}, 1},
		{[]int{1, 1, 1, 1}, 2},
		{[]int{1, 2, 3, 5, 10}, 4},     // 11 of 21, half is 10: one above is as close as 4 below
		{[]int{1, 2, 3, 5}, 3},         // half is 5: 2 below, 1 above
		{[]int{2, 4, 2}, 2},            // half is 4: 2 below, 2 above
		{[]int{1, 1, 5, 1, 1}, 2},      // half is 4: 2 below, 3 above
		{[]int{7, 1, 1, 1}, 1},         // the first is always in
		{[]int{1, 1, 1, 1, 6}, 4},      //
		{[]int{math.MaxInt - 1, 1}, 1}, // as heavy as weights may be
	} {
		if got := middle(Full(len(row.weights)), row.weights); got != row.want {
			t.Errorf("middle of %v: %d elements, want %d", row.weights, got, row.want)
		}
	}
}

// However odd the weights are, no half is empty.
func TestHalvesAreNeverEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 1000 {
		n := 2 + r.IntN(12)
		weights := make([]int, n)
		for i := range weights {
			weights[i] = 1 + r.IntN(1<<r.IntN(20))
		}
		parts := []Configuration{Full(n)}
		for len(parts) > 0 {
			next := halves(parts, weights)
			for _, part := range next {
				if part.IsEmpty() {
					t.Fatalf("halves of %v with weights %v: %v", parts, weights, next)
				}
			}
			parts = next
		}
	}
}

// Groups weigh what their elements do, and are numbered from the end.
func TestUnitsAreWeighed(t *testing.T) {
	for _, row := range []struct {
		weights []int
		want    []int
	}{
		{nil, []int{3, 1, 2}},
		{[]int{1, 2, 4, 8, 16, 32}, []int{56, 4, 3}},
	} {
		p := Problem{N: 6, Groups: [][]int{{0, 0, 1, 2, 2, 2}}, Weights: row.weights}
		s, err := newSpace(p, Cause, true)
		if err != nil {
			t.Fatal(err)
		}
		path := newRun(s, Options{}, func(c Configuration) (Outcome, error) {
			if c.Has(0) {
				return Fail, nil
			}
			return Pass, nil
		})
		var got [][]int
		if _, err := path.perform(func(s *run) pair {
			return s.reduce(func(test func(Configuration) Outcome, weights []int) Configuration {
				got = append(got, weights)
				if last := Of(len(weights), len(weights)-1); test(last) != Fail {
					t.Error("the last unit is not the first one of the order")
				}
				return Full(len(weights))
			})
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || len(got[0]) != 3 || [3]int(got[0]) != [3]int(row.want) {
			t.Errorf("weights %v: units weigh %v, want %v first", row.weights, got, row.want)
		}
	}
}
