package isolate

import "slices"

// isolation is the state of cpi.
type isolation struct {
	*run
	prior         []float64 // see advice
	rate          *rate
	risks         *risks
	unresolved    int     // proposals of all stages
	built, broken float64 // milestones that resolved, and that did not, and as much before anything is known
}

// cpi, closed-prefix isolation, narrows a passing and a failing configuration
// as auto does, one cause after another, but decides by expectation what to
// ask. A proposal adds a part of the suspects with all that they require, or
// drops one with all that requires them, and is worth the probability that it
// resolves, times the entropy of the outcome then (narrow2):
//
//   - how likely it resolves depends on how many hidden requirements there are,
//     which is estimated from the outcomes so far (rate), and on which suspects
//     were in what did not resolve (risks);
//   - the entropy is that of the prior of the suspects, if there is one, so that
//     causes take about as many trials as the prior has bits: in an order, at
//     most two more (Knuth, The Art of Computer Programming 3, section 6.2.2, on
//     optimum search trees);
//   - where diagnostics say what was missing, the same part is asked again with
//     it at once;
//   - milestones, such as commits, resolve more likely than anything else.
//
// The outer loop is that of QuickXplain (Junker, AAAI 2004), and with nothing
// unresolved it halves as generalised binary splitting does (Hwang 1972). When
// proposals fail for too long it looks for an element that is needed (flip).
//
// Cost beside the two ends, when outcomes are monotone and none is unresolved:
// log2 n + 1 trials for one cause (log2 n rounded up), and d (log2 n + 2) for d
// causes. Under any outcomes a stage takes less than n trials that resolve, and
// pins an element or finds one of context, and each contradiction, met when
// outcomes are not monotone, drops one: n³/3 + 20n + 300 in all.
func cpi(s *run) pair {
	i := &isolation{run: s, prior: s.advice(), rate: newRate(), risks: newRisks(), built: 9, broken: 1}
	p := s.closest
	for {
		found := i.pins2(p)
		if smallest := (pair{Empty(s.n), found.failing}); s.goal != Cause && found.complete {
			return smallest
		} else if s.goal != Cause {
			return s.descend(smallest, ddminOver)
		}
		// The pins are the cause if found.failing passes without them.
		rest := found.failing.Minus(s.dependents(found.pins, found.failing))
		switch s.ask(rest) {
		case Pass:
			return pair{rest, found.failing}
		case Fail: // They are not needed. Invariant: p.failing fails, and each time it is smaller.
			p = pair{Empty(s.n), rest}
			continue
		}
		if found.complete && found.pins != found.witness.difference() {
			return pair{Empty(s.n), found.failing}
		}
		return found.witness
	}
}

// pins2 finds causes between p.passing and p.failing until these suffice to fail.
func (s *isolation) pins2(p pair) pinned {
	found := pinned{pins: Empty(s.n)}
	s.context = Empty(s.n)
	for {
		// Invariant: p is a tested pair, and the pins lie in p.passing.
		q, stuck := s.narrow2(p)
		found.witness, found.failing = q, q.failing
		if stuck {
			unit, verified := s.flip(q.passing, q.failing)
			if verified {
				p = unit
				continue
			}
			s.context = s.context.Union(unit.difference())
			found.failing = unit.failing
		} else {
			found.pins = found.pins.Union(q.difference())
		}
		verified := false
		sizes := []int{} // of found.failing, before each element of context
		for !verified {
			core := s.required(found.pins.Union(s.context), found.failing)
			o := s.ask(core)
			switch {
			case o == Fail && found.pins.IsEmpty() && core != q.failing:
				// Invariant: the failing configuration is smaller.
				p, verified = pair{Empty(s.n), core}, true
				s.context = Empty(s.n)
				continue
			case o == Fail:
				if found.pins.IsEmpty() { // nothing can be told apart
					found.pins = core
				}
				found.failing, found.complete = core, true
				return found
			case o == Pass:
				p, verified = pair{core, found.failing}, true
				continue
			case len(s.fresh) > 0:
				continue // with what it was told it lacks
			}
			sizes = append(sizes, found.failing.Len())
			if barren := len(sizes) - 1; !found.pins.IsEmpty() && (barren == maxBarren ||
				barren >= patience && 4*sizes[barren] > 3*sizes[barren-patience]) {
				return found
			}
			if p, verified = s.flip(core, found.failing); !verified {
				s.context = s.context.Union(p.difference())
			}
			found.failing = p.failing
		}
	}
}

// flip looks for an element that core, which does not fail, lacks to fail: it
// halves the elements of failing outside core, at milestones as long as there
// are some, until core with all before an element does not fail and with it
// does. That is the difference of the pair it returns. Should a configuration
// pass on the way, then that and the failing one are a tested pair, and
// verified is true.
func (s *isolation) flip(core, failing Configuration) (p pair, verified bool) {
	rest := failing.Minus(core)
	members := newMembers(rest, nil)
	low, high := 0, members.len()
	for high-low > 1 {
		// Invariant: failing is core with the first high of the rest, and
		// what these require. With the first low it does not fail.
		middle := (low + high) / 2
		away := high
		k, _ := slices.BinarySearch(s.milestones, members.at(middle))
		for _, m := range s.milestones[max(0, k-1):min(len(s.milestones), k+1)] {
			if rank := members.rank(m); rank > low && rank < high && max(rank-middle, middle-rank) < away {
				middle, away = rank, max(rank-middle, middle-rank)
			}
		}
		c := core.Union(rest.slice(0, middle))
		if away == high {
			c = s.required(c, failing)
		}
		switch s.ask(c) {
		case Fail:
			high, failing = middle, c
		case Pass:
			return pair{c, failing}, true
		default:
			low = middle
		}
	}
	return pair{failing.Minus(rest.slice(low, high)), failing}, false
}
