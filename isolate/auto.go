package isolate

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
// log2 n + 1 trials for one cause (log2 n rounded up; 1.3 log2 n + 2 when cuts
// keep to borders of groups), and d (log2 n + 2) for d causes, of which d-1
// certify. An element of context that nobody predicted costs log2 n + 1. In the
// worst case a narrowing takes 2n²+8n trials; each of them pins an element, and
// each contradiction, met when outcomes are not monotone, drops one.
func auto(s *run) pair {
	p := s.closest
	for {
		found := s.pins(p)
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

// pinned is what the outer loop of auto has found.
type pinned struct {
	pins     Configuration // the causes
	witness  pair          // the pair that pinned the last of them
	failing  Configuration // the smallest failing configuration met; it holds the pins
	complete bool          // failing holds nothing but the pins and their context
}

// patience is how many elements of context are looked for, at about log2 n
// trials each, while the failing configuration stays above three quarters of
// what it was: then the pins are left with the configuration they fail in. It
// is the rule of a search that names the cause and does not promise the
// smallest context. maxBarren bounds the elements in a row in any case. (On
// BenchmarkTrials with four causes and hidden requirements 8 finds all of them
// in 95 of 100 searches, 3 in 82, for a twelfth more trials.)
const (
	patience  = 3
	maxBarren = 8
)

// pins finds causes between p.passing and p.failing until these suffice to fail.
func (s *run) pins(p pair) pinned {
	found := pinned{pins: Empty(s.n)}
	s.context = Empty(s.n)
	for {
		// Invariant: p is a tested pair, and the pins lie in p.passing.
		p = s.narrow(p)
		found.pins, found.witness, found.failing = found.pins.Union(p.difference()), p, p.failing
		verified := false
		sizes := []int{} // of found.failing, before each element of context
		for !verified {
			core := s.required(found.pins.Union(s.context), found.failing)
			switch s.ask(core) {
			case Fail:
				found.failing, found.complete = core, true
				return found
			case Pass:
				p, verified = pair{core, found.failing}, true
				continue
			}
			sizes = append(sizes, found.failing.Len())
			if barren := len(sizes) - 1; barren == maxBarren ||
				barren >= patience && 4*sizes[barren] > 3*sizes[barren-patience] {
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
