package isolate_test

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// closure is what an element of a graph leads to.
func closure(requires [][]int, i int) isolate.Configuration {
	return isolate.Problem{N: len(requires), Predicted: requires}.With(isolate.Of(len(requires), i))
}

// binaryOf minimises n elements by Binary Reduction and returns what is kept and asked.
func binaryOf(t *testing.T, l isolate.List, fails func(isolate.Configuration) bool) (kept isolate.Configuration, asked []isolate.Configuration) {
	t.Helper()
	m, err := isolate.Minimize(t.Context(), l, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		asked = append(asked, c)
		if fails(c) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}, isolate.MinimizeOptions{Algorithm: "binary", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	return m.Kept, asked
}

// The graph of the paper's example, with the needs that its authors' program has in its
// documentation, and what that program keeps.
func TestBinaryOnTheGraphOfThePaper(t *testing.T) {
	requires := [][]int{
		{}, {2, 4, 7}, {2, 7}, {1, 7}, {7}, {3, 5, 6}, {4, 5, 7}, {}, {7, 9, 10, 11, 12},
		{10}, {8}, {13}, {13}, {7, 10, 14}, {8, 10, 13}, {7, 8, 10, 12, 13, 16}, {7, 12, 13, 15},
	}
	for _, row := range []struct{ needed, want []int }{
		{[]int{1}, []int{1, 2, 4, 7}},
		{[]int{1, 12}, []int{1, 2, 4, 7, 8, 9, 10, 11, 12, 13, 14}},
	} {
		n := len(requires)
		kept, _ := binaryOf(t, isolate.List{N: n, Requires: requires}, func(c isolate.Configuration) bool { return c.Contains(isolate.Of(n, row.needed...)) })
		if want := isolate.Of(n, row.want...); kept != want {
			t.Errorf("for %v, %v is kept, want %v", row.needed, kept, want)
		}
	}
}

// On random graphs everything that is asked is closed; what is kept is the closure of what is
// needed, found by brute force; and the bound on the trials holds.
func TestBinary(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 300 {
		n := 1 + r.IntN(60)
		requires := make([][]int, n)
		for i := range requires {
			for range r.IntN(3) {
				requires[i] = append(requires[i], r.IntN(n))
			}
		}
		needed := isolate.Empty(n)
		for range r.IntN(4) {
			needed = needed.With(r.IntN(n))
		}
		l := isolate.List{N: n, Requires: requires}
		if r.IntN(2) == 0 {
			for range n {
				l.Weights = append(l.Weights, 1+r.IntN(100))
			}
		}
		kept, asked := binaryOf(t, l, func(c isolate.Configuration) bool { return c.Contains(needed) })
		want := isolate.Empty(n)
		for i := range needed.All() {
			want = want.Union(closure(requires, i))
		}
		if kept != want {
			t.Fatalf("%v of %d, where %v is needed and %v required: %v is kept", want, n, needed, requires, kept)
		}
		for _, c := range asked {
			for i := range c.All() {
				if !c.Contains(closure(requires, i)) {
					t.Fatalf("%v is asked, which lacks what %d requires: %v", c, i, requires)
				}
			}
		}
		s := needed.Len()
		if most := 1 + s + s*bits.Len(uint(n-1)); len(asked) > most {
			t.Fatalf("%d trials for %d needed of %d, want at most %d", len(asked), s, n, most)
		}
	}
}

// Requirements that are none, or lead out of the list, are refused.
func TestBinaryRefuses(t *testing.T) {
	for _, requires := range [][][]int{{}, {{0}, {2}}, {{-1}, {}}} {
		_, err := isolate.Minimize(t.Context(), isolate.List{N: 2, Requires: requires}, nil, isolate.MinimizeOptions{})
		if err == nil {
			t.Errorf("%v is taken", requires)
		}
	}
}

// Of two ways to fail, that of the lighter closure is found.
func ExampleMinimize_binary() {
	requires := [][]int{{1, 2}, {2}, {}, {2}, {}}
	m, _ := isolate.Minimize(context.Background(), isolate.List{N: 5, Requires: requires}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		if c.Has(0) || c.Has(3) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}, isolate.MinimizeOptions{Algorithm: "binary", Fast: true})
	fmt.Println(slices.Collect(m.Kept.All()))
	// Output: [2 3]
}
