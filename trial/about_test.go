package trial

import (
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// An error is about the end that was expected to have another outcome, or about both.
func TestAbout(t *testing.T) {
	end := func(n int, o isolate.Outcome) Verdict { return Verdict{Trial: n, Outcome: o} }
	const pass, fail, unresolved = isolate.Pass, isolate.Fail, isolate.Unresolved
	for _, test := range []struct {
		err  error
		want []int
	}{
		{&EndsError{Good: end(1, pass), Bad: end(2, pass)}, []int{2}},
		{&EndsError{Good: end(1, fail), Bad: end(2, fail)}, []int{1}},
		{&EndsError{Good: end(1, pass), Bad: end(2, unresolved)}, []int{2}},
		{&EndsError{Good: end(1, unresolved), Bad: end(2, fail)}, []int{1}},
		{&EndsError{Good: end(1, unresolved), Bad: end(2, unresolved)}, []int{1, 2}},
		{&EndsError{Good: end(5, fail), Bad: end(1, fail)}, []int{5}},
		{&EndsError{Bad: end(1, pass)}, []int{1}},
		{&EndsError{Bad: end(1, unresolved)}, []int{1}},
		{&EndsError{Good: end(7, pass), Bad: end(8, fail), Flaky: true}, []int{7, 8}},
		{&FlakyError{Trials: []int{3, 7, 9}, Outcomes: []isolate.Outcome{fail, fail, pass}}, []int{3, 9}},
		{isolate.ErrBudget, nil},
	} {
		if got := About(test.err); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
}
