package record

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// looks searches for a cause, and returns the suspects after each step.
func looks(t *testing.T, n int, algorithm string, fails func(isolate.Configuration) bool) (seen []isolate.Configuration, result isolate.Result) {
	t.Helper()
	look := Suspects{Needs: true}
	test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		if fails(c) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	result, err := isolate.Search(t.Context(), isolate.Problem{N: n}, test, isolate.Options{
		Algorithm: algorithm, Observe: func(s isolate.Step) { seen = append(seen, look.Take(s)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen, result
}

// TestLookout: what a cause of several members needs is narrowed as the first one is.
func TestLookout(t *testing.T) {
	cause := isolate.Of(64, 11, 42, 57)
	seen, _ := looks(t, 64, "cpi", func(c isolate.Configuration) bool { return c.Contains(cause) })
	var sizes []string
	for _, c := range seen {
		sizes = append(sizes, fmt.Sprint(c.Len()))
	}
	want := "64 64 32 16 8 4 2 1 " + // the first member
		"58 30 16 8 4 2 " + // it passes alone: the second
		"44 34 23 12 7 5 4 3 3 3 3 3 3" // so do these two: the third
	if got := strings.Join(sizes, " "); got != want {
		t.Errorf("suspects %s, want %s", got, want)
	}
}

// TestLookoutRandom: where there is one cause, the suspects hold some of it after each
// step, and in the end of cpi, which finds all of it, just that.
func TestLookoutRandom(t *testing.T) {
	t.Parallel()
	seed := seed.New(t)
	for round := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, round))
		n := 2 + random.IntN(60)
		members := random.Perm(n)[:1+random.IntN(min(n, 4))]
		cause := isolate.Of(n, members...)
		for _, algorithm := range isolate.Algorithms() {
			seen, result := looks(t, n, algorithm, func(c isolate.Configuration) bool { return c.Contains(cause) })
			for k, suspects := range seen {
				if suspects.Intersect(cause).IsEmpty() {
					t.Fatalf("round %d, %s: after step %d the suspects are %v, the cause is %v", round, algorithm, k, suspects, cause)
				}
			}
			if last := seen[len(seen)-1]; algorithm == "cpi" && (result.Cause != cause || last != cause) {
				t.Fatalf("round %d: found %v, in the end suspected %v, the cause is %v", round, result.Cause, last, cause)
			}
		}
	}
}
