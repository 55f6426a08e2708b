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
	const n, from = 600, 210 // the tangle begins with element from
	files := make([]int, n)
	for i := range files {
		files[i] = i / 30
	}
	for _, row := range []struct {
		name            string
		goal            isolate.Goal
		tangle          int  // its elements
		switched        bool // it fails only with element 595 besides
		chained         bool // each element is predicted to require the one before
		cause           int  // elements of the answer, at most, and at least the tangle unless it is switched
		trials, longest int  // at most, and of them unresolved in a row
		inseparable     bool
		minimal         bool // where the answer is inseparable: each member alone was tried
	}{
		{"cause", isolate.Cause, 70, false, false, 85, 155, 110, true, false},
		{"introduce", isolate.Introduce, 70, false, false, 85, 156, 110, true, false},
		{"revert", isolate.Revert, 70, false, false, 85, 171, 111, true, false},
		{"an element beside the tangle", isolate.Cause, 70, true, false, 1, 164, 110, false, true},
		{"a tangle that is predicted", isolate.Cause, 40, false, true, 40, 57, 27, true, false},
		{"a small tangle", isolate.Cause, 9, false, true, 9, 34, 16, true, false},
	} {
		to := from + row.tangle
		p := isolate.Problem{N: n, Groups: [][]int{files}}
		if row.chained {
			p.Predicted = make([][]int, n)
			for i := 1; i < n; i++ {
				p.Predicted[i] = []int{i - 1}
			}
		}
		trials, inRow, longest, next := 0, 0, 0, uint64(0)
		test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			trials++
			inside := 0
			for i := from; i < to; i++ {
				if c.Has(i) {
					inside++
				}
			}
			if inside > 0 && inside < to-from {
				inRow++
				longest = max(longest, inRow)
				return isolate.Unresolved, nil
			}
			inRow = 0
			if inside > 0 && (!row.switched || c.Has(595)) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}
		opts := isolate.Options{Goal: row.goal, Diagnose: func(c isolate.Configuration) []isolate.Message {
			if inRow == 0 { // c passed or failed
				return nil
			}
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
		result, err := isolate.Search(t.Context(), p, test, opts)
		if err != nil {
			t.Fatal(err)
		}
		if result.Inseparable != row.inseparable || result.Minimal != row.minimal || result.Unproven.IsEmpty() == row.inseparable || result.Cause.Len() > row.cause || !row.switched && result.Cause.Len() < row.tangle || trials > row.trials || longest > row.longest {
			t.Errorf("%s: inseparable %v, minimal %v, unproven %v, %d elements, %d trials, %d unresolved in a row; want %+v",
				row.name, result.Inseparable, result.Minimal, result.Unproven, result.Cause.Len(), trials, longest, row)
		}
	}
}
