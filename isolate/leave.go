package isolate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// LeaveOut tries each of some groups of elements once, the largest first, and leaves it out of p.Failing
// if the rest still fails. With the goal Revert it leaves the group out of what is taken off p.Failing
// instead: p.Passing gets the group, if it still passes. That takes at most one trial for each group. It
// is for groups that can be told apart although their elements cannot, such as the lines that a change
// removes and those that it adds. Of a group only what lies between the ends of p counts, and not all of
// it is left out. A [Search] between Result.Passing and Result.Failing goes on among the elements.
//
// The errors are those of Search.
func LeaveOut(ctx context.Context, p Problem, groups []Configuration, test Test, opts Options) (Result, error) {
	if opts.Goal > Revert || slices.ContainsFunc(groups, func(g Configuration) bool { return g.N() != p.N }) {
		return Result{}, fmt.Errorf("leave out groups: goal %d, %d groups: out of range, or not of all %d elements", opts.Goal, len(groups), p.N)
	}
	return searchParts(ctx, p, groups, (*run).leaveOut, test, opts)
}

// leaveOut is LeaveOut among the positions of a space.
func (s *run) leaveOut(groups []Configuration) pair {
	s.uncertified = true
	p := pair{Empty(s.n), Full(s.n)}
	bySize := func(x, y Configuration) int { return cmp.Compare(y.Len(), x.Len()) }
	for _, g := range slices.SortedStableFunc(slices.Values(groups), bySize) {
		// Invariant: p.failing fails.
		c := p.failing.Minus(s.certainDependents(g.Intersect(p.failing), p.failing))
		if c != p.failing && !c.IsEmpty() && s.ask(c) == Fail {
			p.failing = c
		}
	}
	return p
}
