package isolate

import (
	"iter"
	"slices"
)

// auto isolates with configurations that are closed by construction: none
// lacks what its members require, by Problem.Requires and by the predictions
// that no outcome has refuted. It is the outer loop of QuickXplain (Junker,
// AAAI 2004) around a narrowing like that of dd2 (Zeller and Hildebrandt 2002):
//
//   - narrow a passing and a failing configuration to a difference of one
//     element: it is a cause, and the pair its witness;
//   - pin it, and test the pins with nothing but what they require. If that
//     fails, it is the answer. If it passes, the pins are not all: narrow
//     between it and the failing configuration for the next cause. If it is
//     unresolved, look for the context that it lacks.
//
// Cost beside the two ends, when outcomes are monotone and none is unresolved:
// log2 n + 1 trials for one cause (log2 n rounded up; 1.3 log2 n when cuts keep
// to borders of groups), and d (log2 n + 2) for d causes, of which d-1 certify.
func auto(s *run) pair {
	p := s.closest
	for {
		found := s.pins(p)
		if s.goal != Cause {
			return pair{Empty(s.n), found.failing}
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

// pinned is what the outer loop of auto has found.
type pinned struct {
	pins     Configuration // the causes
	witness  pair          // the pair that pinned the last of them
	failing  Configuration // the smallest failing configuration met; it holds the pins
	complete bool          // failing holds nothing but the pins and their context
}

// maxBarren is how many elements of context are looked for in a row, at log2 n
// trials each, before the pins are left with the configuration they fail in.
const maxBarren = 3

// pins finds causes between p.passing and p.failing until these suffice to fail.
func (s *run) pins(p pair) pinned {
	found := pinned{pins: Empty(s.n)}
	s.context = Empty(s.n)
	for {
		// Invariant: p is a tested pair, and the pins lie in p.passing.
		p = s.narrow(p)
		found.pins, found.witness, found.failing = found.pins.Union(p.difference()), p, p.failing
		verified := false
		for barren := 0; !verified; barren++ {
			core := s.required(found.pins.Union(s.context), found.failing)
			switch s.ask(core) {
			case Fail:
				found.failing, found.complete = core, true
				return found
			case Pass:
				p, verified = pair{core, found.failing}, true
				continue
			}
			if barren == maxBarren {
				return found
			}
			if p, verified = s.lacking(core, found.failing); !verified {
				s.context = s.context.Union(p.difference())
			}
			found.failing = p.failing
		}
	}
}

// lacking looks for an element that core, which is unresolved, lacks: it
// halves the elements of failing outside core until core with the first m-1 of
// them is unresolved and with the first m fails. The m-th is the difference of
// the pair it returns. Should a configuration pass on the way, then that and
// the failing one are a tested pair, and verified is true.
func (s *run) lacking(core, failing Configuration) (p pair, verified bool) {
	rest := failing.Minus(core)
	low, high := 0, rest.Len()
	for high-low > 1 {
		// Invariant: failing is core with the first high of the rest, and
		// what these require. With the first low it is unresolved.
		middle := (low + high) / 2
		c := s.required(core.Union(rest.slice(0, middle)), failing)
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

// narrow moves a passing and a failing configuration towards each other until
// their difference is one element, or no proposal is left: then all of them
// are unresolved.
//
// How much is moved at once adapts to how much resolves: after a proposal that
// resolved at first try it is twice as much, up to the half that halving takes.
func (s *run) narrow(p pair) pair {
	largest := p.difference().Len()
	for moved := true; moved; {
		// Invariant: p is a tested pair.
		s.suspects = p.difference().Len()
		moved = false
		refused := 0 // the size of the last proposal that was unresolved
		for size, c := range s.proposals(p, largest) {
			outcome := s.ask(c)
			if outcome == Unresolved {
				refused = size
				continue
			}
			if outcome == Pass {
				p.passing = c
			} else {
				p.failing = c
			}
			moved, largest = true, size
			if refused != size {
				largest = 2 * size
			}
			break
		}
	}
	return p
}

// proposals yields configurations strictly between the two of p that are not
// known to be unresolved, each with the size of the part of the difference
// that it moves; none is larger than largest, and none than half. A part can
// be added to p.passing, with what it requires, or dropped from p.failing,
// with what requires it: one of these may resolve when the other does not.
//
// First come parts at both ends of the order, ever smaller: what lies first
// requires little, what lies last is required by little. Then come all parts
// of all sizes. So when nothing resolves, every single element was added and
// dropped: at most 4d+8 log2 d proposals for a difference of d.
func (s *run) proposals(p pair, largest int) iter.Seq2[int, Configuration] {
	d := p.difference()
	members := slices.Collect(d.All())
	n := len(members)
	part := func(from, to int) Configuration { return collect(s.n, slices.Values(members[from:to])) }
	add := func(a Configuration) Configuration { return p.passing.Union(s.required(a, p.failing)) }
	drop := func(a Configuration) Configuration { return p.failing.Minus(s.dependents(a, p.failing)) }

	return func(yield func(int, Configuration) bool) {
		propose := func(size int, c Configuration) bool {
			o, known := s.seen[c]
			if known && o == Unresolved || c == p.passing || c == p.failing {
				return true
			}
			return yield(size, c)
		}
		for size := min(largest, n/2); size > 0; size /= 2 {
			head := part(0, s.cut(members, size, size/6))
			tail := part(s.cut(members, n-size, size/6), n)
			if !propose(size, add(head)) || !propose(size, drop(tail)) ||
				!propose(size, drop(head)) || !propose(size, add(tail)) {
				return
			}
		}
		for size := n / 2; size > 0; size /= 2 {
			for to := n; to > 0; to -= size {
				a := part(max(0, to-size), to)
				if !propose(size, drop(a)) || !propose(size, add(a)) {
					return
				}
			}
		}
	}
}

// cut returns where to cut members: before the rank within slack of the given
// one that starts a group of the coarsest level, and the nearest of these.
func (s *run) cut(members []int, rank, slack int) int {
	best, level := rank, s.levels+1
	for away := 0; away <= slack; away++ {
		for _, r := range []int{rank - away, rank + away} {
			if r <= 0 || r >= len(members) {
				continue
			}
			if l := slices.Min(s.border[members[r-1]+1 : members[r]+1]); l < level {
				best, level = r, l
			}
		}
	}
	s.level = min(level, s.levels)
	return best
}
