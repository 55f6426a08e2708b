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
// outside of the group requires, by Problem.Predicted or by what was learned, come last. After
// three trials in vain, if there are nine or more groups that no other element requires, CorrectionSet leaves out the union of
// these, of each half of them in their order, and so on, as delta debugging does, before it goes on with the groups.
//
//   - If p.Failing passes without a group, CorrectionSet goes on with the groups within it, and forgets all others.
//   - If p.Failing fails without a group, CorrectionSet tries no group within it. A failure of which alike reports that it is
//     another one than that of p.Failing is as good as an unresolved test. Nil means that all failures are alike.
//   - After the first group without which p.Failing passes, CorrectionSet also leaves out one group that has no element in
//     common with it. If p.Failing passes without that group as well, the first one is nothing special, and CorrectionSet
//     finds nothing.
//
// CorrectionSet ends after most trials, not counting those of the ends, and after three trials in a row in vain, or five once unions
// are tried. A trial that passes is not in vain, and neither is one that fails without a union, or without a group, and so rules
// out a quarter or more of the groups that are left. A configuration for which Problem.Broken reports true, or of which
// Options.Check has something to say, takes no trial.
//
// Result.Failing is p.Failing. Result.Passing is p.Failing without the smallest group that was found, or p.Passing if
// none was found. The errors are those of Search.
func CorrectionSet(ctx context.Context, p Problem, groups []Configuration, most int, alike func(Configuration) bool, test Test, opts Options) (Result, error) {
	if opts.Goal != Cause || slices.ContainsFunc(groups, func(g Configuration) bool { return g.N() != p.N }) {
		return Result{}, fmt.Errorf("correction set: goal %d, %d groups: want goal cause, and groups of all %d elements", opts.Goal, len(groups), p.N)
	}
	return searchParts(ctx, p, groups, func(r *run, groups []Configuration) pair { return r.correct(groups, most, alike) }, test, opts)
}

// How many trials in vain in a row end CorrectionSet, without and with unions, and how many groups that no element requires there
// are for unions of these to be tried.
const (
	mostInVain         = 3
	mostInVainOfUnions = 5
	fewForUnion        = 9
)

// correct is CorrectionSet among the positions of a space.
func (s *run) correct(groups []Configuration, most int, alike func(Configuration) bool) pair {
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
	// common reports whether the rest passes without another group as well.
	common := func(g Configuration) bool {
		if slices.ContainsFunc(failed, func(x Configuration) bool { return x.Intersect(g).IsEmpty() }) {
			return false
		}
		for _, x := range groups {
			c := all.Minus(s.certainDependents(x, all))
			if x.Intersect(g).IsEmpty() && !s.isFaulty(c) && most > 0 {
				most--
				return s.ask(c) == Pass
			}
		}
		return false
	}
	inVain, limit := 0, mostInVain
	var unions []Configuration
	for len(groups) > 0 && most > 0 {
		// Invariant: found.passing is all, or passes.
		if inVain >= limit {
			if unions != nil || !found.passing.IsEmpty() {
				break
			}
			unions = s.unions(groups, rank)
			groups = append(slices.Clip(unions), groups...)
			inVain, limit = 0, mostInVainOfUnions
			if unions == nil {
				break
			}
		}
		g := groups[0]
		groups = groups[1:]
		c := all.Minus(s.certainDependents(g, all))
		if g.IsEmpty() || c == found.passing || s.isFaulty(c) {
			continue
		}
		most--
		inVain++
		switch s.ask(c) {
		case Pass:
			if found.passing.IsEmpty() && common(g) {
				return pair{Empty(s.n), all}
			}
			inVain = 0
			found.passing = c
			groups = slices.DeleteFunc(groups, func(x Configuration) bool { return x == g || !g.Contains(x) })
		case Fail:
			if alike != nil && !alike(s.outside(c)) {
				continue
			}
			failed = append(failed, g)
			left := len(groups)
			groups = slices.DeleteFunc(groups, g.Contains)
			if 4*(left-len(groups)) >= left || slices.Contains(unions, g) {
				inVain = 0
			}
		}
	}
	return found
}

// unions returns the unions of all groups that no element outside of them requires, of each half of these, in the order of their
// first elements, and so on, the largest first. Groups within others do not count. There are none of fewer than fewForUnion groups.
func (s *run) unions(groups []Configuration, rank func(Configuration) int) (list []Configuration) {
	var free []Configuration
	for _, g := range groups { // the largest first
		if rank(g) == 0 && !s.isFaulty(Full(s.n).Minus(g)) && !slices.ContainsFunc(free, func(x Configuration) bool { return !x.Intersect(g).IsEmpty() }) {
			free = append(free, g)
		}
	}
	if len(free) < fewForUnion {
		return nil
	}
	slices.SortFunc(free, func(x, y Configuration) int { return cmp.Compare(x.first(), y.first()) })
	for parts := 1; 2*parts <= len(free); parts *= 2 {
		for k := range parts {
			union := Empty(s.n)
			for _, g := range free[k*len(free)/parts : (k+1)*len(free)/parts] {
				union = union.Union(g)
			}
			list = append(list, union)
		}
	}
	return list
}

// isFaulty reports whether c is broken, or Options.Check has something to say of it.
func (s *run) isFaulty(c Configuration) bool {
	return s.isBroken(c) || s.check != nil && len(s.check(c)) > 0
}
