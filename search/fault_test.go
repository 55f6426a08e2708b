package search

import (
	"slices"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/updates"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// What a cause switches on is looked for in code, and not in tests, manifests and lock files.
func TestNeeded(t *testing.T) {
	w := &searcher{trials: trial.Options{Command: []string{"go", "run", "."}, Repo: &git.Repo{}}}
	a := Answer{
		Set:    &changes.Set{Changes: []changes.Change{{Path: "go.mod"}, {Path: "go.sum"}, {Path: "go.sum"}, {Path: "a.go"}, {Path: "a_test.go"}, {Path: "go.mod"}}},
		Plan:   &grouping.Plan{Updates: []updates.Update{{Name: "example.com/a", Changes: []int{0}}, {Name: "example.com/b", Changes: []int{5}}}, Ties: []updates.Tie{{Change: 0, Requires: 1}, {Change: 2, Requires: 1}}},
		Result: isolate.Result{Cause: isolate.Of(6, 0), Passing: isolate.Of(6, 1, 2, 3, 4, 5), Context: isolate.Empty(6)},
	}
	if got, want := w.needed(&a), []int{3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
