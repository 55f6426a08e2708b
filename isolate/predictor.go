package isolate

import "math"

// A hearsay is what all tests that are finished say together of those that are not,
// whether the path has come to them or not. The path must not know it, for it depends
// on which tests end first. But it tells where the path will go: a prefix that passed
// tells how all shorter ones end, and some random masks how the others do. So workers
// need not wait for the very tests that the path waits for to look behind them.
type hearsay struct {
	resolved []*item       // in the order in which they were finished
	alone    Configuration // what is in all that failed and in nothing that passed: if there is a single cause, it is here
	told     Configuration // the same of what the path knows
}

// A rumour is what is said of an item.
type rumour struct {
	heard   int     // so many of hearsay.resolved were compared with it
	implied Outcome // by those, if outcomes are monotone; Unresolved = by none
	share   float64 // of hearsay.alone, that it holds
	of      int     // so many of hearsay.resolved made that
}

// hear takes in a finished test.
func (h *hearsay) hear(i *item) {
	h.alone = singled(h.alone, i)
	if i.outcome != Unresolved {
		h.resolved = append(h.resolved, i)
	}
}

// tell takes note that the path hears of a test.
func (h *hearsay) tell(i *item) { h.told = singled(h.told, i) }

// singled returns what may be a single cause by the outcome of a finished test, too.
func singled(c Configuration, i *item) Configuration {
	switch i.outcome {
	case Pass:
		return c.Minus(i.config)
	case Fail:
		return c.Intersect(i.config)
	}
	return c
}

// hardlySo is how likely an outcome is that contradicts others: seldom, for most tests
// are monotone.
const hardlySo = 0.02

// chances returns how likely the outcomes of an unfinished test are, of which an algorithm
// that does not know what is said expects these. Its cost is a comparison with each test
// that was finished since it was asked last.
func (h *hearsay) chances(i *item, expected chances) chances {
	r := &i.rumour
	for ; r.implied == Unresolved && r.heard < len(h.resolved); r.heard++ {
		switch other := h.resolved[r.heard]; {
		case other.outcome == Pass && other.config.Contains(i.config), other.outcome == Fail && i.config.Contains(other.config):
			r.implied = other.outcome
		}
	}
	resolves := 1 - expected[Unresolved]
	switch {
	case r.implied == Pass:
		return chances{expected[Unresolved], resolves * (1 - hardlySo), resolves * hardlySo}
	case r.implied == Fail:
		return chances{expected[Unresolved], resolves * hardlySo, resolves * (1 - hardlySo)}
	case h.alone.IsEmpty() || h.alone == h.told:
		return expected
	}
	// A single cause explains the outcomes as well as it was likely to lie where it lies
	// now; what is expected otherwise, as one side of a coin for each of them.
	left := h.alone.Len()
	single := 1 / (1 + math.Exp2(-float64(len(h.resolved)-2))*float64(i.config.n)/float64(left))
	if r.of != len(h.resolved) {
		r.of = len(h.resolved)
		r.share = float64(h.alone.Intersect(i.config).Len()) / float64(left)
	}
	fails := max(hardlySo, min(1-hardlySo, r.share))
	mixed := expected
	mixed[Pass] += single * (resolves*(1-fails) - expected[Pass])
	mixed[Fail] += single * (resolves*fails - expected[Fail])
	return mixed
}
