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

// What a cause switches on is looked for in code, and not in tests and in updates of dependencies.
func TestNeeded(t *testing.T) {
	w := &searcher{trials: trial.Options{Command: []string{"go", "run", "."}, Repo: &git.Repo{}}}
	a := Answer{
		Set:    &changes.Set{Changes: []changes.Change{{Path: "go.mod"}, {Path: "go.sum"}, {Path: "a.go"}, {Path: "a_test.go"}}},
		Plan:   &grouping.Plan{Updates: []updates.Update{{Name: "example.com/a", Changes: []int{0, 1}}}},
		Result: isolate.Result{Cause: isolate.Of(4, 0), Passing: isolate.Of(4, 1, 2, 3), Context: isolate.Empty(4)},
	}
	if got, want := w.needed(&a), []int{2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
