package isolate

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// Trim leaves out of an answer what the failure does not need, in few trials. The cause is
// p.Failing without a configuration that passes; both were tested. The result has a part of the
// cause, and of the other elements of p.Failing, its context, those without which it could not be
// told that the rest fails.
//
// A search may keep more than is needed where single elements cannot be left out, such as the
// import of a function without the function. So Trim leaves out groups, large ones first: of the
// cause those of Problem.Groups that have a member which is not known to be needed, one trial
// each; of the context first all of it, so that the test runs with the cause alone, and then
// halves, quarters and so on, at borders of groups. The context takes at most log2 k + 2 trials
// for k elements, and four unresolved ones in a row end it. If something could be left out, what
// remains is tested as a [Search] tests its answer: one trial without the cause, and one without
// each member of it. What was asked before p.Failing was found is asked again here, which costs
// nothing where outcomes are remembered.
//
// The errors are those of Search. With one of them the Result is valid, but may be less than the
// given answer says.
func Trim(ctx context.Context, p Problem, cause Configuration, test Test, opts Options) (Result, error) {
	_, failing := p.ends()
	if opts.Goal != Cause || cause.N() != p.N || cause.IsEmpty() || !failing.Contains(cause) {
		return Result{}, fmt.Errorf("trim: goal %v, a cause of %d elements: out of range", opts.Goal, cause.Len())
	}
	return searchParts(ctx, p, []Configuration{cause}, func(r *run, parts []Configuration) pair { return r.trim(parts[0]) }, test, opts)
}

// trim is Trim among the positions of a space.
func (s *run) trim(cause Configuration) pair {
	given := pair{Full(s.n).Minus(cause), Full(s.n)}
	if s.ask(given.passing) != Pass {
		return s.closest
	}
	p := s.certify(given)
	unproven := func(g Configuration) bool {
		for x := range g.All() {
			if s.seen[s.without(p.failing, x)] == Unresolved {
				return true
			}
		}
		return false
	}
	for _, g := range s.groupsWithin(p.difference()) {
		if g = g.Intersect(p.difference()); g.Len() < 2 || g == p.difference() || !unproven(g) {
			continue
		}
		if c := p.failing.Minus(s.certainDependents(g, p.failing)); c.Contains(p.passing) && s.ask(c) == Fail {
			p.failing = c
		}
	}
	if trimmed, ok := s.trimContext(p); ok {
		s.context = trimmed.passing
		p = trimmed
	}
	return p
}

// trimContext leaves out elements of p.passing for as long as the rest fails together with the
// cause, and reports whether it came to a smaller tested pair.
func (s *run) trimContext(p pair) (trimmed pair, ok bool) {
	cause, failing := p.difference(), p.failing
	blocks, needed := []Configuration{p.passing}, Empty(s.n)
	left, inARow := bits.Len(uint(p.passing.Len()))+2, 0
	for len(blocks) > 0 && left > 0 && inARow < mostHalvesUnresolved {
		// Invariant: failing fails and has the cause. Blocks are disjoint, the largest first.
		b := blocks[0].Intersect(failing)
		blocks = blocks[1:]
		if b.IsEmpty() {
			continue
		}
		c := failing.Minus(s.certainDependents(b, failing))
		if b != p.passing { // what the rest is believed to require stays
			c = s.required(c, failing)
		}
		if c != failing && c.Contains(cause) {
			left--
			outcome := s.ask(c)
			inARow++
			if outcome != Unresolved {
				inARow = 0
			}
			if outcome == Fail {
				failing = c
				continue
			}
			if b.Len() == 1 {
				needed = needed.Union(b)
			}
		}
		if b.Len() > 1 {
			first, second := s.halves(b)
			blocks = append(blocks, first, second)
			slices.SortStableFunc(blocks, func(x, y Configuration) int { return cmp.Compare(y.Len(), x.Len()) })
		}
	}
	s.context = needed
	trimmed = pair{failing.Minus(cause), failing}
	return trimmed, failing != p.failing && s.ask(trimmed.passing) == Pass
}

// mostHalvesUnresolved is how many unresolved trials in a row end the search for a smaller context:
// mixtures with parts of it do not resolve then.
const mostHalvesUnresolved = 4

// halves cuts c in two: at a border of groups of the coarsest level that begin within a quarter of c
// from its middle.
func (s *run) halves(c Configuration) (first, second Configuration) {
	members := newMembers(c, nil)
	middle := members.len() / 2
	middle += coarsest(middle/2, func(away int) int { return s.levelAt(members, middle+away) })
	first = members.slice(0, middle)
	return first, c.Minus(first)
}

// groupsWithin returns the groups of all levels that c has elements of, as far as c has them, each
// once, the largest first.
func (s *run) groupsWithin(c Configuration) []Configuration {
	var list []Configuration
	for level := range s.levels {
		for _, g := range s.groups(c, level) {
			if !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Configuration) int { return cmp.Compare(y.Len(), x.Len()) })
	return list
}
