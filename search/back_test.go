package search

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// TestGoBack holds goBack to its bound on trials, and to an answer that passes, for all commits of short histories
// for all passing ends of longer ones, and for stretches of commits there that cannot be judged.
func TestGoBack(t *testing.T) {
	seed.SkipLong(t, 8)
	outcomes := []isolate.Outcome{isolate.Pass, isolate.Fail, isolate.Unresolved}
	for n := 1; n <= 10; n++ { // every history of three outcomes
		history := make([]isolate.Outcome, n+1)
		all := int(math.Pow(3, float64(n)))
		for code := range all {
			for d, rest := 1, code; d <= n; d, rest = d+1, rest/3 {
				history[d] = outcomes[rest%3]
			}
			checkBack(t, history)
		}
	}
	for n := 1; n <= 200; n++ {
		history := make([]isolate.Outcome, n+1)
		for good := 1; good <= n+1; good++ {
			fill(history, good, 0, 0)
			d := checkBack(t, history)
			if good <= n && (d < good || d >= 2*good) || good > n && d != 0 {
				t.Fatalf("n %d, passing from %d on: went back to %d", n, good, d)
			}
			if n > 64 && n%25 != 0 {
				continue
			}
			for length := 1; length <= n; length = 2*length + 1 {
				for from := 1; from <= n; from++ {
					fill(history, good, from, length)
					if d := checkBack(t, history); d == 0 && length == 1 && good <= n/2 {
						t.Fatalf("n %d, passing from %d on, but for %d, which cannot be judged: not found", n, good, from)
					}
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 20000 {
		history := make([]isolate.Outcome, 2+r.IntN(2000))
		unresolved := r.Float64()
		fill(history, 1+r.IntN(len(history)), 0, 0)
		for d := range history {
			if r.Float64() < unresolved {
				history[d] = isolate.Unresolved
			}
		}
		checkBack(t, history)
	}
}

// fill makes a history that passes from the distance good on, but for a stretch that cannot be judged.
func fill(history []isolate.Outcome, good, from, length int) {
	for d := range history {
		switch {
		case d >= from && d < from+length:
			history[d] = isolate.Unresolved
		case d >= good:
			history[d] = isolate.Pass
		default:
			history[d] = isolate.Fail
		}
	}
}

// checkBack goes back through a history, by distances from 1 on, and returns what goBack does.
func checkBack(t *testing.T, history []isolate.Outcome) int {
	n, trials, furthest := len(history)-1, 1, 0 // bad
	asked := make([]bool, n+1)
	d, err := goBack(n, func(d int) (isolate.Outcome, error) {
		if d < 1 || d > n || asked[d] {
			t.Fatalf("history %v: asked for %d, which is none of it, or again", history, d)
		}
		asked[d], furthest = true, max(furthest, d)
		trials++
		return history[d], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reached := d
	if d == 0 {
		for a, yes := range asked {
			if yes && history[a] == isolate.Pass {
				t.Fatalf("history %v: %d passes, and nothing was found", history, a)
			}
		}
		if reached = n; furthest != n {
			t.Fatalf("history %v: gave up at %d", history, furthest)
		}
	} else if history[d] != isolate.Pass {
		t.Fatalf("history %v: %d does not pass", history, d)
	}
	if bound := 2*math.Log2(float64(reached)) + 3; float64(trials) > bound {
		t.Fatalf("history %v: %d trials to %d, more than %.2f", history, trials, reached, bound)
	}
	return d
}

// TestGoBackStops: an error, such as a budget that is spent, ends the search at once.
func TestGoBackStops(t *testing.T) {
	spent := errors.New("spent")
	asked := 0
	_, err := goBack(100, func(int) (isolate.Outcome, error) {
		if asked++; asked == 3 {
			return isolate.Unresolved, spent
		}
		return isolate.Fail, nil
	})
	if !errors.Is(err, spent) || asked != 3 {
		t.Errorf("after %d questions: %v", asked, err)
	}
}
