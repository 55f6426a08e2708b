package isolate

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// With many workers one round of masks tells nearly all that there is to know: for one
// cause among n about log2 n of them do, whatever they are as long as they halve the
// suspects in different ways, and for d causes about 1.44 d log2 n. So where cgr picks
// its masks one by one for what is still likely, a screening draws them all at random,
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

// How many masks are worth it, and how finely they cut.
const (
	mostMasks    = 256
	mostBlocks   = 4096
	mostRounds   = 8
	listed       = 48 // suspects of which sets are listed
	mostTogether = 4  // in a set
	confident    = 0.8
)

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

func (x *screening) share(c Configuration) float64 {
	return max(1e-3, min(1-1e-3, float64(c.Intersect(x.presumed).Len())/float64(max(1, x.presumed.Len()))))
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

// masks draws a round of masks of what is suspected.
func (x *screening) masks(f finding) plan { return recalled(x.run, func() plan { return x.drawn(f) }) }

func (x *screening) drawn(f finding) (p plan) {
	r := rand.New(rand.NewPCG(uint64(x.n)<<12|uint64(x.jobs), uint64(x.asked)))
	wanted := x.jobs
	if len(x.trail) == 2 {
		wanted -= 2 // the ends are tested beside
	}
	wanted = min(wanted, mostMasks)
	// Fine masks tell neighbours apart, and coarse ones resolve where requirements are hidden.
	fine := 4
	for 2*fine <= min(mostBlocks, x.presumed.Len()/2) && x.resolves(2*fine) > 0.85*x.resolves(4) {
		fine *= 2
	}
	had := map[Configuration]bool{}
	add := func(c Configuration) {
		if _, known := x.seen[c]; known || had[c] || x.isBroken(c) {
			return
		}
		had[c] = true
		p.configs, p.shares = append(p.configs, c), append(p.shares, x.share(c))
		p.exposed = append(p.exposed, exposure(x.n, c.Len(), c.count()/2))
	}
	if x.presumed != x.smallest { // it is high time to make sure of it
		add(x.required(x.presumed, Full(x.n)))
	}
	for i := 0; i < 2*wanted && len(p.configs) < wanted; i++ {
		at, k := (float64(len(p.configs))+0.5)/float64(wanted), 0
		for k < len(sizes)-1 && at > f.sizes[k] {
			at -= f.sizes[k]
			k++
		}
		blocks := fine
		if i%3 == 2 {
			blocks = max(1, fine/4)
		}
		add(x.required(x.pattern(r, x.asked+i, blocks, math.Exp2(-1/sizes[k].causes)), Full(x.n)))
	}
	return p
}

func (x *screening) resolves(blocks int) float64 {
	return x.rate.resolves(exposure(x.n, x.presumed.Len()/2, blocks))
}

// pattern returns a part of what is suspected: of so many blocks the same share of
// each, in one run that goes round its end. Neighbours are told apart where a run begins
// or ends. So from one pattern to the next, by its number, all runs begin further on by a
// golden section of half a block, which spreads any number of places evenly; and each
// by half a block more or not, at random, which makes blocks independent.
func (x *screening) pattern(r *rand.Rand, number, blocks int, share float64) Configuration {
	m := x.presumed.Len()
	blocks = min(blocks, m)
	_, phase := math.Modf(float64(number) / math.Phi)
	in := builder{n: m} // as ranks
	for b := range blocks {
		from, to := b*m/blocks, (b+1)*m/blocks
		size := to - from
		length := int(share*float64(size) + r.Float64())
		switch start := int((phase + float64(r.IntN(2))) / 2 * float64(size)); {
		case length >= size:
			in.add(from, to)
		case start+length <= size:
			in.add(from+start, from+start+length)
		default:
			in.add(from, from+start+length-size)
			in.add(from+start, to)
		}
	}
	if m == x.n {
		return in.configuration()
	}
	out := builder{n: x.n}
	before := 0 // ranks in the runs so far
	next, stop := iter.Pull2(x.presumed.spans())
	defer stop()
	from, to, _ := next()
	for a, b := range in.configuration().spans() {
		for a < b {
			for before+to-from <= a {
				before += to - from
				from, to, _ = next()
			}
			end := min(b, before+to-from)
			out.add(from+a-before, from+end-before)
			a = end
		}
	}
	return out.configuration()
}

// look says what the outcomes so far leave. Its cost is a look at each passing mask.
func (x *screening) look() finding {
	var f finding
	total := 0.0
	for i, s := range sizes {
		p := s.share * math.Exp(x.explain[i])
		if i == 0 {
			p = s.share * float64(x.alone.Len()) / float64(x.n)
		}
		f.sizes = append(f.sizes, p)
		total += p
	}
	for i := range f.sizes {
		if total > 0 {
			f.sizes[i] /= total
		} else {
			f.sizes[i] = sizes[i].share
		}
	}
	if f.sizes[0] >= confident {
		if x.alone.Len() <= x.jobs {
			for e := range x.alone.All() {
				f.sets = append(f.sets, Of(x.n, e))
			}
			f.sets = x.untested(f.sets)
		}
		f.sure = len(f.sets) > 0 && len(f.sets) <= 3
		return f
	}
	if x.presumed.Len() > listed {
		return f
	}
	f.sets = x.untested(x.sets(slices.Collect(x.presumed.All())))
	f.sure = len(f.sets) == 1
	return f
}

// core returns a set with what it requires; or, if that was unresolved, the smallest
// failing configuration without all other suspects.
func (x *screening) core(set Configuration) Configuration {
	c := x.required(set, Full(x.n))
	if o, known := x.seen[c]; known && o == Unresolved {
		c = x.smallest.Minus(x.dependents(x.presumed.Minus(set), x.smallest))
	}
	return c
}

// untested leaves out sets whose cores were unresolved: those that passed are no
// explanation.
func (x *screening) untested(sets []Configuration) []Configuration {
	return slices.DeleteFunc(sets, func(c Configuration) bool {
		_, known := x.seen[x.core(c)]
		return known
	})
}

// sets returns the smallest sets of some suspects that no passing mask holds.
func (x *screening) sets(suspects []int) []Configuration {
	words := (len(x.passed) + 63) / 64
	in := make([][]uint64, len(suspects)) // of each the passing masks that hold it
	all := make([]uint64, words)
	for i := range x.passed {
		all[i/64] |= 1 << (i % 64)
	}
	for k, e := range suspects {
		in[k] = make([]uint64, words)
		for i, c := range x.passed {
			if c.Has(e) {
				in[k][i/64] |= 1 << (i % 64)
			}
		}
	}
	var found []Configuration
	const most = 200
	var chosen []int
	var extend func(from, left int, held []uint64)
	extend = func(from, left int, held []uint64) {
		if left == 0 {
			if isZero(held) && len(found) < most {
				found = append(found, Of(x.n, chosen...))
			}
			return
		}
		for k := from; k <= len(suspects)-left && len(found) < most; k++ {
			next := make([]uint64, words)
			for w := range next {
				next[w] = held[w] & in[k][w]
			}
			chosen = append(chosen, suspects[k])
			extend(k+1, left-1, next)
			chosen = chosen[:len(chosen)-1]
		}
	}
	for size := 1; size <= min(mostTogether, len(suspects)) && len(found) == 0; size++ {
		extend(0, size, all)
	}
	if len(found) == 0 && len(suspects) > 0 && len(suspects) <= 2*mostTogether {
		found = append(found, Of(x.n, suspects...))
	}
	return found
}
