package isolate

import (
	"math"
	"slices"
)

// With many workers one round of masks tells nearly all that there is to know: for one
// cause among n about log2 n of them do, whatever they are as long as they halve the
// suspects in different ways, and for d causes about 1.44 d log2 n. So where cgr picks
// its masks one by one for what is still likely, a screening draws them all at once,
// at a density for each number of causes that is likely, and reads them as
// combinatorial group testing without adaption is read: what some failing mask lacks is
// no cause, and no passing mask holds all causes (Chan, Che, Jaggi and Saligrama,
// "Non-adaptive probabilistic group testing with noisy measurements", Allerton 2011,
// COMP; Aldridge, Baldassini and Johnson, "Group Testing Algorithms: Bounds and
// Simulations", IEEE Transactions on Information Theory 60(6), 2014, SSS). The smallest
// sets that explain all outcomes are tested in the second round.
//
// A round of many trials waits long for its last. So its masks are asked in an order,
// those for few causes first, and the path leaves the round as soon as it is clear what
// to test: the others never were on the path, and who performs them slowly does no harm.
//
// Cost for k workers, all resolved, monotone outcomes: d(2 log2 n)/k rounds, rounded
// up, and one for the answer.

// isWide reports whether so many jobs are enough for a screening.
func (s *run) isWide() bool { return s.n > few && float64(s.jobs) >= 2*math.Log2(float64(s.n)) }

// mostRounds is after how many rounds, of masks or of sets, pce goes on.
const mostRounds = 8

// sizes are the numbers of causes that a screening weighs, and how likely each is
// beforehand.
var sizes = []struct{ causes, share float64 }{
	{1, 0.5}, {2, 0.2}, {3, 0.06}, {4, 0.08}, {6, 0.04}, {8, 0.06}, {12, 0.03}, {16, 0.02}, {32, 0.01},
}

// A screening is the state of the first stage of cgr with many workers.
type screening struct {
	*run
	rate     *rate
	presumed Configuration // what the failing configurations have in common
	smallest Configuration // the smallest that failed
	passed   []Configuration
	alone    Configuration // what of it is in no passing configuration
	explain  [9]float64    // the logarithm of how likely each number of sizes makes the outcomes
	latest   finding
	asked    int
}

// A finding is what the outcomes so far leave.
type finding struct {
	sets  []Configuration // the smallest that explain them all; nil = they are too many to tell
	sure  bool            // no others are likely
	sizes []float64       // how likely each number of causes is
}

// screen is cgr with many workers. What it does not tell apart, pce does: more causes
// than its sets hold, several of which each suffices, and outcomes that are not monotone.
func (s *run) screen() pair {
	x := &screening{run: s, rate: predictedRate(s), presumed: s.closest.failing, alone: s.closest.failing, smallest: s.closest.failing}
	x.latest = x.look()
	silent := 0
	for range mostRounds {
		// Invariant: x.smallest failed, and x.presumed lies within it.
		f := x.latest
		if len(f.sets) > 0 && len(f.sets) <= max(4, s.jobs/2) {
			switch p, found, whole := x.try(f.sets); {
			case whole:
				return p
			case found:
				return s.eliminate(x.smallest)
			}
			continue
		}
		if x.presumed.Len() <= listed || s.masksTeach(x.rate) < tooLittle {
			break
		}
		if silent++; x.round(f) {
			silent = 0
		}
		if silent == 2 || x.isRefuted() {
			return s.eliminate(x.smallest)
		}
	}
	if x.isRefuted() {
		return s.eliminate(x.smallest)
	}
	return s.eliminateWithin(x.smallest, x.required(x.presumed, x.smallest))
}

// isRefuted reports whether what is presumed to fail passed: there are several causes.
func (x *screening) isRefuted() bool {
	return slices.ContainsFunc(x.passed, func(c Configuration) bool { return c.Contains(x.presumed) })
}

// round asks masks until it is clear what to test. It reports whether any resolved.
func (x *screening) round(f finding) (resolved bool) {
	p := x.masks(f)
	configs := p.configs
	x.asked += len(configs)
	x.suspects, x.level = x.presumed.Len(), x.levels
	defer func() { x.expect(nil, false); x.likely = nil }()
	for i, c := range configs {
		next := configs[i:]
		if i > 0 && !x.onPath { // all of them run already, and it takes time to list them at each point
			next = next[:min(len(next), 8)]
		}
		x.expect(next, false)
		x.likely = func(Configuration) chances { return x.chances(p.shares[i], p.exposed[i]) }
		o := x.ask(c)
		x.rate.learn(p.exposed[i], o != Unresolved, 0)
		resolved = resolved || o != Unresolved
		if x.note(c, p.shares[i], o); i+1 < len(configs) && x.latest.sure {
			break
		}
	}
	return resolved
}

// note takes in the outcome of a configuration that holds such a share of what was
// suspected before its round.
func (x *screening) note(c Configuration, share float64, o Outcome) {
	for i, s := range sizes {
		if p := math.Pow(share, s.causes); o == Fail {
			x.explain[i] += math.Log(p)
		} else if o == Pass {
			x.explain[i] += math.Log(1 - p)
		}
	}
	left := recalled(x.run, func() [3]Configuration {
		switch {
		case o == Pass:
			return [3]Configuration{x.presumed, x.alone.Minus(c), x.smallest}
		case o == Fail && c.Len() < x.smallest.Len():
			return [3]Configuration{x.presumed.Intersect(c), x.alone.Intersect(c), c}
		case o == Fail:
			return [3]Configuration{x.presumed.Intersect(c), x.alone.Intersect(c), x.smallest}
		}
		return [3]Configuration{x.presumed, x.alone, x.smallest}
	})
	x.presumed, x.alone, x.smallest = left[0], left[1], left[2]
	if o == Pass {
		x.passed = append(x.passed, c)
	}
	x.latest = recalled(x.run, x.look)
}

// chances returns how likely the outcomes of a mask are that holds such a share, and is
// exposed so.
func (x *screening) chances(share, exposed float64) chances {
	inside := 0.0
	for i, p := range x.latest.sizes {
		inside += p * math.Pow(share, sizes[i].causes)
	}
	resolved := x.rate.resolves(exposed)
	return chances{Unresolved: 1 - resolved, Pass: resolved * (1 - inside), Fail: resolved * inside}
}

// try tests the sets, each with what it requires, until one fails. It reports whether
// that is so, and whether the pair is all of the answer.
func (x *screening) try(sets []Configuration) (p pair, found, whole bool) {
	cores := make([]Configuration, len(sets))
	next := make([]Configuration, 0, 3*len(sets))
	for i, set := range sets {
		cores[i] = x.core(set)
	}
	next = append(next, cores...)
	for i, set := range sets { // what follows if it fails
		if rest := cores[i].Minus(x.dependents(set, cores[i])); !rest.IsEmpty() {
			next = append(next, rest)
		}
		if set.Len() > 1 {
			for e := range set.All() {
				next = append(next, x.without(cores[i], e))
			}
		}
	}
	defer func() { x.expect(nil, false); x.likely = nil }()
	for i, set := range sets {
		x.expect(next[i:], false)
		n := float64(len(sets) - i)
		x.likely = func(Configuration) chances {
			return chances{Unresolved: 0.04, Pass: 0.96 * (1 - 0.95/n), Fail: 0.96 * 0.95 / n}
		}
		o := x.ask(cores[i])
		if x.note(cores[i], 0.5, o); o != Fail {
			continue
		}
		rest := cores[i].Minus(x.dependents(set, cores[i]))
		x.likely = seldomFails
		switch x.ask(rest) {
		case Pass:
			return pair{rest, cores[i]}, true, true
		case Fail:
			x.note(rest, 0.5, Fail)
			return pair{}, false, false
		}
		whole := pair{Empty(x.n), cores[i]}
		return whole, true, cores[i].Len() <= listed // else there is much to leave out first
	}
	return pair{}, false, false
}
