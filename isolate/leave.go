package isolate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// LeaveOut leaves out of p.Failing what lies between its two ends in whole groups of the finest level
// of Problem.Groups, the largest first, for as long as the rest fails. It takes one trial for each
// group of two elements or more. It is for groups of which the elements cannot be told apart, but the
// groups can, such as the lines that a change removes and those that it adds. A [Search] between
// Result.Passing and Result.Failing goes on among the elements.
//
// The errors are those of Search. With one of them the Result is valid, and the best so far.
func LeaveOut(ctx context.Context, p Problem, test Test, opts Options) (Result, error) {
	if opts.Goal != Cause {
		return Result{}, fmt.Errorf("leave out groups: goal %v: out of range", opts.Goal)
	}
	s, err := newSpace(p, Cause, false)
	if err != nil {
		return Result{}, err
	}
	e := newEngine(ctx, s, (*run).leaveOut, test, opts)
	defer e.close()
	return e.search()
}

// leaveOut is LeaveOut among the positions of a space.
func (s *run) leaveOut() pair {
	s.uncertified = true
	p := pair{Empty(s.n), Full(s.n)}
	if s.levels == 0 {
		return p
	}
	list := s.groups(p.failing, s.levels-1)
	slices.SortStableFunc(list, func(x, y Configuration) int { return cmp.Compare(y.Len(), x.Len()) })
	for _, g := range list {
		if g.Len() < 2 {
			break
		}
		// Invariant: p.failing fails.
		if c := p.failing.Minus(s.certainDependents(g, p.failing)); !c.IsEmpty() && s.ask(c) == Fail {
			p.failing = c
		}
	}
	return p
}
