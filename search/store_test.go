package search

import (
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/updates"
	"github.com/gitdd/gitdd/isolate"
)

// TestRevertible: with the cause goes what requires it, and what a lock file ties to it, and no more.
func TestRevertible(t *testing.T) {
	set := &changes.Set{Changes: make([]changes.Change, 6), Requires: [][]int{nil, {0}, {1}, nil, nil, nil}}
	plan := &grouping.Plan{Ties: []updates.Tie{{Change: 3, Requires: 0}, {Change: 3, Requires: 4}, {Change: 4, Requires: 5}}}
	for _, c := range []struct {
		plan *grouping.Plan
		gone []int
		want isolate.Configuration
	}{
		{nil, []int{0}, isolate.Of(6, 3, 4, 5)},
		{nil, []int{4}, isolate.Of(6, 0, 1, 2, 3, 5)},
		{plan, []int{0}, isolate.Of(6, 4, 5)},
		{plan, []int{2}, isolate.Of(6, 0, 1, 3, 4, 5)},
		{plan, []int{5}, isolate.Of(6, 0, 1, 2)},
	} {
		if got := revertible(Answer{Set: set, Plan: c.plan, Result: isolate.Result{Cause: isolate.Of(6, c.gone...)}}); got != c.want {
			t.Errorf("bad without %v is {%v}, want {%v}", c.gone, got, c.want)
		}
	}
	if set.Requires[3] != nil {
		t.Errorf("the requirements of the set are now %v", set.Requires)
	}
}

// Lines are repeated if the same ones stand directly before them or behind them.
func TestRepeats(t *testing.T) {
	const head = "--- a/f\n+++ b/f\n@@ -1,5 +1,7 @@\n"
	for diff, want := range map[string]bool{
		head + " a\n x\n y\n+x\n+y\n b\n":       true,
		head + " a\n+x\n+y\n x\n y\n b\n":       true,
		head + " a\n y\n x\n+y\n+x\n z\n":       true,
		head + " a\n x\n+x\n+y\n y\n b\n":       false,
		head + " a\n x\n y\n b\n+x\n+y\n c\n":   false,
		head + " a\n-x\n-y\n+x\n+z\n b\n":       false,
		head + " a\n \n+\n b\n":                 false,
		head + " a\n b\n+c\n":                   false,
		head + "+a\n a\n" + head + " b\n+c\n d": true,
	} {
		if got := repeats(diff); got != want {
			t.Errorf("%v, want %v:\n%s", got, want, diff)
		}
	}
}
