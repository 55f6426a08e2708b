package isolate

import (
	"slices"
)

// finish gives the answer of any algorithm the form that Result promises: for
// the goals that ask for a smallest failing set it goes on to one, and then it
// makes sure that no single member is superfluous.
func (s *run) finish(p pair) pair {
	if !s.isPair(p) {
		p = s.closest
	}
	if s.inseparable || s.uncertified {
		return p // parts of it were asked for, and did not resolve, or are not wanted
	}
	if s.goal != Cause && !p.passing.IsEmpty() {
		if cause := p.difference(); s.ask(cause) == Fail {
			p.failing = cause
		}
		s.estimate = estimate{}
		p = s.descend(pair{Empty(s.n), p.failing}, ddminOver)
	}
	return s.certify(p)
}

// certify asks for every member of the difference whether p.failing fails
// without it; what requires the member goes with it. A failing one is a
// smaller answer, for which all are asked again: at most d trials for a
// difference of d, of which an algorithm mostly knows some, and d(d+1)/2 in
// the worst case. Last members are tried first: they tend to be uses, and
// definitions, which come before them, cannot go while the uses are there.
func (s *run) certify(p pair) pair {
	for smaller := true; smaller; {
		smaller = false
		members := slices.Collect(p.difference().All())
		s.suspects = len(members)
		next := recalled(s, func() []Configuration {
			next := make([]Configuration, 0, len(members))
			for _, x := range slices.Backward(members) {
				next = append(next, s.without(p.failing, x))
			}
			return next
		})
		s.expect(next, false)
		s.likely = seldomFails
		for i, c := range next {
			if s.observe != nil {
				s.estimate.certify(s.unasked(next[i+1:]), len(next)-1)
			}
			// Invariant: p.failing fails, and p.passing lies within c: it
			// passed, so it holds nothing that requires x, which it lacks.
			if s.ask(c) == Fail {
				p.failing, smaller = c, true
				break
			}
		}
		s.expect(nil, false)
	}
	return p
}

// unasked counts those of some configurations that were not asked.
func (s *run) unasked(list []Configuration) (n int) {
	for _, c := range list {
		if _, asked := s.seen[c]; !asked {
			n++
		}
	}
	return n
}

// seldomFails is what a certificate expects of leaving out a member.
func seldomFails(Configuration) chances {
	return chances{Unresolved: 0.1, Pass: 0.85, Fail: 0.05}
}

// without returns c without x and all that requires x for certain.
func (s *run) without(c Configuration, x int) Configuration {
	return c.Minus(s.certainDependents(Of(s.n, x), c))
}

// descend runs a flat algorithm over the groups between p.passing and
// p.failing, from the coarsest level to single elements: at each level only
// inside what the level before has left.
func (s *run) descend(p pair, flat func(test func(Configuration) Outcome, k int) pair) pair {
	return s.descendUnits(p, func(test func(Configuration) Outcome, units []Configuration) pair {
		return flat(test, len(units))
	})
}

// descendUnits is descend for an algorithm that looks at the groups it gets.
func (s *run) descendUnits(p pair, flat func(test func(Configuration) Outcome, units []Configuration) pair) pair {
	for level := 0; level <= s.levels; level++ {
		groups := recalled(s, func() []Configuration { return s.groups(p.difference(), level) })
		if len(groups) == 1 {
			continue
		}
		// expand turns a set of groups into a configuration.
		base := p.passing
		expand := func(chosen Configuration) Configuration {
			b := builder{n: s.n}
			for g := range chosen.All() {
				for from, to := range groups[g].spans() {
					b.add(from, to)
				}
			}
			return base.Union(b.configuration())
		}
		s.level = level
		found := flat(func(chosen Configuration) Outcome {
			return s.ask(recalled(s, func() Configuration { return expand(chosen) }))
		}, groups)
		p = s.settle(pair{expand(found.passing), expand(found.failing)}, p)
	}
	return p
}

// settle turns what an algorithm found within p into a tested pair. dd, dd+
// and dd+shrink infer their answer, the union of what was found in different parts,
// without having tested it; under outcomes that break their assumptions it may
// not even fail. At most two trials.
func (s *run) settle(found, p pair) pair {
	cause := found.difference()
	switch {
	case s.isPair(found):
		return found
	case s.goal == Cause && s.closest.difference() == cause:
		return s.closest
	case s.ask(found.failing) == Fail && s.ask(found.passing) == Pass:
		return found
	case s.ask(p.failing.Minus(cause)) == Pass:
		return pair{p.failing.Minus(cause), p.failing}
	case s.goal == Cause:
		return s.closest
	}
	return p
}
