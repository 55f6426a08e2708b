package report

import (
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/internal/prose"
)

// Causes returns the causes of r that stand beside each other, in the order of their numbers, each as a result of its own: the
// first one, and what --all has found beside it. If there are several, they have numbers.
func (r Result) Causes() []Result {
	first := r
	first.Further = slices.DeleteFunc(slices.Clone(r.Further), func(f Further) bool { return f.isCause() })
	list := []Result{first}
	for _, f := range r.Further {
		if f.isCause() {
			list = append(list, r.first(f))
		}
	}
	for i := range list {
		if len(list) > 1 {
			list[i].Number, list[i].Beside = i+1, true
		}
		list[i].Apart = 0
		if i > 0 {
			list[i].Apply = "" // which is of the first one, or of all
		}
	}
	return list
}

// CauseOf returns the cause of a number, from 1.
func (r Result) CauseOf(number int) (Result, error) {
	list := r.Causes()
	switch {
	case len(list) == 1:
		return r, fmt.Errorf("--cause chooses one of several causes, and session %s has one answer: leave it out", r.Session)
	case number < 1 || number > len(list):
		return r, fmt.Errorf("--cause %d: session %s has %s, from --cause 1 to --cause %d", number, r.Session, prose.Count(len(list), "cause"), len(list))
	}
	return list[number-1], nil
}

// Together is how many causes gitdd apply and --patch take together: all of r, or 1 where other changes, or another cause, are at the lines of one.
func (r *Result) Together() int {
	if r.Apart > 0 || r.Beside {
		return 1
	}
	return len(r.Causes())
}
