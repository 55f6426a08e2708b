package isolate_test

import (
	"context"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// A configuration with a part of a tangle is unresolved, and each says something else, of
// which the explanations are wrong. The search has to end all the same, with the smallest
// pair that was tested, after a bounded number of trials.
func TestInseparable(t *testing.T) {
	const n, from, to = 600, 210, 280 // the tangle is from..to-1
	files := make([]int, n)
	for i := range files {
		files[i] = i / 30
	}
	for _, goal := range goals {
		trials, inRow, longest, next := 0, 0, 0, uint64(0)
		test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			trials++
			inRow++
			inside := 0
			for i := from; i < to; i++ {
				if c.Has(i) {
					inside++
				}
			}
			switch inside {
			case 0:
				inRow = 0
				return isolate.Pass, nil
			case to - from:
				inRow = 0
				return isolate.Fail, nil
			}
			longest = max(longest, inRow)
			return isolate.Unresolved, nil
		}
		opts := isolate.Options{Goal: goal, Diagnose: func(c isolate.Configuration) []isolate.Message {
			next++
			in, out := -1, -1
			for i := range n {
				if c.Has(i) && (in < 0 || i%7 == int(next)%7) {
					in = i
				}
				if !c.Has(i) && (out < 0 || i%5 == int(next)%5) {
					out = i
				}
			}
			if in < 0 || out < 0 {
				return nil
			}
			return []isolate.Message{{Key: next, Explanations: []isolate.Explanation{{Element: in, Requires: out, Weight: 1}}}}
		}}
		result, err := isolate.Search(t.Context(), isolate.Problem{N: n, Groups: [][]int{files}}, test, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !result.Inseparable || result.Minimal {
			t.Errorf("%v: inseparable %v, minimal %v", goal, result.Inseparable, result.Minimal)
		}
		for i := from; i < to; i++ {
			if !result.Cause.Has(i) {
				t.Fatalf("%v: %d is not in the answer", goal, i)
			}
		}
		t.Logf("%v: %d trials, %d unresolved in a row, %d of %d changes", goal, trials, longest, result.Cause.Len(), n)
		if trials > 155 || longest > 115 {
			t.Errorf("%v: %d trials, %d in a row unresolved, want at most 155 and 115", goal, trials, longest)
		}
	}
}
