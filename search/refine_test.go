package search

import (
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
)

// By default a search goes on within lines where that takes few trials, and tells much.
func TestWorthwhile(t *testing.T) {
	for _, c := range []struct {
		name      string
		lines     []int // of each member of the cause
		pieces    []int // that it is cut into
		predicted [][]int
		learned   [][2]int
		want      bool
	}{
		{name: "a long hunk", lines: []int{10}, pieces: []int{12}, want: true},
		{name: "a huge hunk", lines: []int{5000}, pieces: []int{9000}, want: true}, // halved 14 times
		{name: "few lines", lines: []int{5}, pieces: []int{12}},
		{name: "few lines in several changes", lines: []int{1, 2, 2}, pieces: []int{2, 3, 3}},
		{name: "several changes", lines: []int{3, 3}, pieces: []int{4, 1}, want: true},
		{name: "many that are needed", lines: []int{1, 1, 1, 1, 1, 1, 1, 1}, pieces: []int{2, 2, 2, 2, 2, 2, 2, 2}},
		{name: "it requires another", lines: []int{10, 1}, pieces: []int{12, 1}, predicted: [][]int{{1}, nil}},
		{name: "one that is not cut requires another", lines: []int{10, 1}, pieces: []int{12, 1}, predicted: [][]int{nil, {0}}, want: true},
		{name: "it was learned to require another", lines: []int{10, 1}, pieces: []int{12, 1}, learned: [][2]int{{0, 1}}},
	} {
		n := len(c.lines)
		found := Answer{Set: &changes.Set{}, Plan: &grouping.Plan{Predicted: make([][]int, n)}}
		found.Result.Cause, found.Result.Learned = isolate.Full(n), c.learned
		if c.predicted != nil {
			found.Plan.Predicted = c.predicted
		}
		starts := []int{0}
		for i, lines := range c.lines {
			found.Set.Changes = append(found.Set.Changes, changes.Change{NewLines: lines})
			starts = append(starts, starts[i]+c.pieces[i])
		}
		if got := worthwhile(found, starts); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
