package isolate

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// Fault looks for the reason why p.Failing fails where a part of it, kept, only makes other elements
// take effect, such as a call of a function that is new, too. It looks for a configuration that has
// kept, lies within p.Failing, and passes: the failure needs something of the rest. Both ends of p
// were tested.
//
// Fault leaves out of p.Failing first all other elements, and then halves, quarters and so on, at
// borders of groups, in the order of Problem.Prior, the likeliest first. It does not look further at
// what the test fails without. It takes no trial for what is Problem.Broken, or where Options.Check
// says that something is wrong, unless it says so of p.Failing, too. It tries last what cannot be left
// out without an element of kept, by Problem.Predicted or as it was learned. It takes at most
// log2 k + 4 trials (log2 k rounded up) for k other elements, beside those of the ends, and ends with
// the first configuration that passes. The difference may be large: a [Search] between Result.Passing
// and Result.Failing finds which part of it matters.
//
// If there is no such configuration among those that were tried, Result.Passing does not contain kept.
// The errors are those of Search.
func Fault(ctx context.Context, p Problem, kept Configuration, test Test, opts Options) (Result, error) {
	_, failing := p.ends()
	if opts.Goal != Cause || kept.N() != p.N || kept.IsEmpty() || !failing.Contains(kept) {
		return Result{}, fmt.Errorf("fault: goal %v, %d kept elements: want goal cause, and at least one element, all of them of the failing end", opts.Goal, kept.Len())
	}
	return searchParts(ctx, p, []Configuration{kept}, func(r *run, parts []Configuration) pair { return r.fault(parts[0]) }, test, opts)
}

// fault is Fault among the positions of a space.
func (s *run) fault(kept Configuration) pair {
	s.uncertified = true
	all := Full(s.n)
	advice := s.advice()
	weight := func(b Configuration) float64 {
		if advice == nil {
			return float64(b.Len())
		}
		return mass(advice, b)
	}
	wrong := func(c Configuration) bool { return s.check != nil && len(s.check(c)) > 0 }
	sound := !wrong(all) // else nothing can be learned from what is said of a part
	blocks, late := []Configuration{all.Minus(kept)}, []Configuration(nil)
	left := bits.Len(uint(max(blocks[0].Len(), 1)-1)) + 4
	for len(blocks) > 0 && left > 0 {
		// Invariant: blocks are disjoint, the heaviest first.
		b := blocks[0]
		blocks = blocks[1:]
		c := all.Minus(s.dependents(b, all))
		switch {
		case b.IsEmpty():
			continue
		case !c.Contains(kept):
			if c = all.Minus(s.certainDependents(b, all)); c.Contains(kept) {
				late = append(late, c)
			}
		case s.isBroken(c), sound && wrong(c):
		default:
			left--
			switch s.ask(c) {
			case Pass:
				return pair{c, all}
			case Fail:
				continue
			}
		}
		if b.Len() > 1 {
			first, second := s.halves(b)
			blocks = append(blocks, first, second)
			slices.SortStableFunc(blocks, func(x, y Configuration) int { return cmp.Compare(weight(y), weight(x)) })
		}
	}
	for _, c := range late[:min(left, len(late))] {
		if (!sound || !wrong(c)) && s.ask(c) == Pass {
			return pair{c, all}
		}
	}
	return pair{Empty(s.n), all}
}
