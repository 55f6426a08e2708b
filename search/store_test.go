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
