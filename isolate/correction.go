package isolate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// CorrectionSet looks for a small correction set among some groups of elements: a group without which p.Failing passes. The
// term is that of constraints that cannot all be satisfied (Liffiton and Sakallah, "Algorithms for computing minimal
// unsatisfiable subsets of constraints", Journal of Automated Reasoning 40, 2008). What is found need not be
// minimal. Both ends of p must have been tested.
//
// CorrectionSet leaves out one group of p.Failing at a time, the largest group first. Groups with an element that an element
// outside of the group requires, by Problem.Predicted or by what was learned, come last.
//
//   - If p.Failing passes without a group, CorrectionSet goes on with the groups within it, and forgets all others.
//   - If p.Failing fails without a group, CorrectionSet tries no group within it.
//   - After the first group without which p.Failing passes, CorrectionSet also leaves out one group that has no element in
//     common with it. If p.Failing passes without that group as well, the first one is nothing special, and CorrectionSet
//     finds nothing.
//
// CorrectionSet ends after most trials, not counting those of the ends, and after three trials in a row in vain. A trial that
// passes is not in vain, and neither is one that fails without a group, and so rules out a quarter or more of the groups that are
// left. A configuration for which Problem.Broken reports true takes no trial.
//
// Result.Failing is p.Failing. Result.Passing is p.Failing without the smallest group that was found, or p.Passing if
// none was found. The errors are those of Search.
func CorrectionSet(ctx context.Context, p Problem, groups []Configuration, most int, test Test, opts Options) (Result, error) {
	if opts.Goal != Cause || slices.ContainsFunc(groups, func(g Configuration) bool { return g.N() != p.N }) {
		return Result{}, fmt.Errorf("correction set: goal %d, %d groups: want goal cause, and groups of all %d elements", opts.Goal, len(groups), p.N)
	}
	return searchParts(ctx, p, groups, func(r *run, groups []Configuration) pair { return r.correct(groups, most) }, test, opts)
}

// mostInVain is how many trials in vain in a row end CorrectionSet.
const mostInVain = 3

// correct is CorrectionSet among the positions of a space.
func (s *run) correct(groups []Configuration, most int) pair {
	s.uncertified = true
	all := Full(s.n)
	found := pair{Empty(s.n), all}
	rank := func(g Configuration) int {
		if s.dependents(g, all) != g {
			return 1
		}
		return 0
	}
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(x, y Configuration) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.Len(), x.Len()))
	})
	var failed []Configuration
	// alike reports whether the rest passes without another group as well.
	alike := func(g Configuration) bool {
		if slices.ContainsFunc(failed, func(x Configuration) bool { return x.Intersect(g).IsEmpty() }) {
			return false
		}
		for _, x := range groups {
			c := all.Minus(s.certainDependents(x, all))
			if x.Intersect(g).IsEmpty() && !s.isBroken(c) && most > 0 {
				most--
				return s.ask(c) == Pass
			}
		}
		return false
	}
	for inVain := 0; len(groups) > 0 && most > 0 && inVain < mostInVain; {
		// Invariant: found.passing is all, or passes.
		g := groups[0]
		groups = groups[1:]
		c := all.Minus(s.certainDependents(g, all))
		if g.IsEmpty() || c == found.passing || s.isBroken(c) {
			continue
		}
		most--
		inVain++
		switch s.ask(c) {
		case Pass:
			if found.passing.IsEmpty() && alike(g) {
				return pair{Empty(s.n), all}
			}
			inVain = 0
			found.passing = c
			groups = slices.DeleteFunc(groups, func(x Configuration) bool { return x == g || !g.Contains(x) })
		case Fail:
			failed = append(failed, g)
			left := len(groups)
			groups = slices.DeleteFunc(groups, g.Contains)
			if 4*(left-len(groups)) >= left {
				inVain = 0
			}
		}
	}
	return found
}
