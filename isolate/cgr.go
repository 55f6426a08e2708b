package isolate

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// cgr is coded group rounds: all workers test masks of the suspects at once,
// drawn so that together their outcomes tell the likely causes apart. Masks
// that are not nested give up to one bit each, k of them k bits a round, where
// k cuts of a chain tell k+1 places apart and give log2(k+1).
//
// It is adaptive group testing in rounds: the pools of Dorfman, "The Detection
// of Defective Members of Large Populations" (Annals of Mathematical Statistics
// 14, 1943), chosen by information as in Hwang (JASA 67, 1972) and in the
// Bayesian designs that Aldridge, Johnson and Scarlett survey in "Group Testing:
// An Information Theory Perspective" (2019, section 4), for k pools at once
// (Du and Hwang, "Combinatorial Group Testing", 2000, on stages). New here are
// unresolved outcomes: masks are closed under the known requirements, cut where
// hidden ones seldom run, and weighed by the probability that they resolve.
//
// Where masks are unresolved one after the other, every second one leaves out
// of the smallest failing configuration what is suspected and not in the mask.
//
// The hypotheses are causes of one element and of two, whole cells at a time,
// with their exact numbers, and samples of larger ones (cgr_samples.go). What
// failing configurations have in common is presumed to fail, and an answer
// only after its own test. When no hypothesis is left, because outcomes are not
// monotone or there are more causes, pce goes on from the smallest failing
// configuration that was tested; where masks do not resolve, or for one job, cpi.
//
// Cost for k jobs, n elements: at most 12 log2 n + 12 + 2k trials, beside those
// of the search that goes on: about (log2 n)/k + 1 rounds for one cause when all
// is resolved. A round costs about a millisecond a mask.
func cgr(s *run) pair {
	if s.isWide() {
		return s.screen()
	}
	c := newCoding(s, pair{Empty(s.n), s.closest.failing})
	switch p, found := c.decode(); {
	case found:
		return p
	case s.jobs > 1 && s.masksTeach(c.rate) > tooLittle:
		return s.eliminate(c.smallest)
	}
	return cpi(s)
}

// newCoding prepares decode between a tested pair.
func newCoding(s *run, p pair) *coding {
	suspects, advice := p.difference(), s.advice()
	return &coding{
		run:       s,
		base:      p.passing,
		failing:   p.failing,
		smallest:  p.failing,
		alive:     suspects,
		suspected: suspects.Len(),
		advice:    advice,
		total:     mass(advice, suspects),
		rate:      predictedRate(s),
	}
}

// decode looks for the cause in rounds of s.jobs questions. It returns a tested
// pair and true, or false when it gave up.
func (c *coding) decode() (pair, bool) {
	barren := 0
	for most := decodeTrials(c.n); c.asked < most; {
		// Invariant: c.base passed, c.smallest failed, and c.failing, which lies
		// within it, is what all that failed since have in common.
		next := c.recall()
		c.alive = next.alive
		if next.found {
			found, over := c.conclude(next.cause, next.failing)
			if !over {
				continue
			}
			// More than the cause stays together when it is tied by predictions.
			return found, found.difference() == next.cause
		}
		if len(next.configs) == 0 {
			if c.doubtful() {
				continue
			}
			return pair{}, false
		}
		dense := c.masksTeach(c.rate) < tooLittle && 4*c.alive.Len() > c.suspected
		if dense || barren == patientRounds || next.size > manyCauses && c.jobs > 1 {
			return pair{}, false
		}
		barren++
		c.suspects, c.level = c.alive.Len(), c.levels
		c.asked += len(next.configs)
		c.likely = func(config Configuration) chances {
			return next.chances[slices.Index(next.configs, config)]
		}
		for i, o := range c.askAll(next.configs) {
			c.note(next.configs[i], o)
			if o != Unresolved {
				barren = 0
			}
		}
		c.likely = nil
	}
	return pair{}, false
}

// suspicious is how many configurations pass in a row before what is presumed
// to fail is tested.
const suspicious = 5

// tooLittle is what masks teach, compared with cuts, when it is time to give up:
// they are drawn so that they resolve more likely than others, and much is
// tested already.
const tooLittle = 0.5

// patientRounds is how many rounds in a row may be unresolved altogether.
const patientRounds = 3

// decodeTrials is how many trials decode spends at most before its last round.
func decodeTrials(n int) int { return int(12*math.Log2(float64(n))) + 12 }

// A coding is the state of decode.
type coding struct {
	*run
	base      Configuration // passed, and stays in all that is asked
	failing   Configuration // what the failing configurations have in common: presumed to fail
	smallest  Configuration // the smallest that failed
	passed    []Configuration
	failed    []Configuration
	several   bool          // there is more than one cause
	passes    int           // since the last that failed
	refused   int           // since the last that was resolved
	alive     Configuration // the elements that some hypothesis holds
	suspected int           // how many elements there were at first
	advice    []float64     // see there
	total     float64       // of the suspects, by it
	asked     int
	rate      *rate

	cells      []cell
	pieces     []piece
	hypotheses []hypothesis
}

// A plan is what follows from the outcomes so far.
type plan struct {
	configs []Configuration // to be asked in one round
	chances []chances       // of their outcomes
	shares  []float64       // of a screening: of what is suspected, in each
	exposed []float64       // the same: see exposure
	found   bool            // nothing: there is a cause
	cause   Configuration   // in this failing configuration, and no other suspect is
	failing Configuration
	alive   Configuration
	size    float64 // how many causes are expected
}

// stuck reports whether the latest masks were all unresolved.
func (c *coding) stuck() bool { return c.refused >= max(2, min(c.jobs, 4)) }

// note takes an outcome in.
func (c *coding) note(config Configuration, o Outcome) {
	c.rate.learn(c.exposure(config), o != Unresolved, 0)
	c.refused++
	if o != Unresolved {
		c.refused = 0
	}
	switch o {
	case Pass:
		c.passed = append(c.passed, config)
		c.passes++
	case Fail:
		c.passes = 0
		c.failed = append(c.failed, config)
		if config.Len() < c.smallest.Len() {
			c.smallest = config
		}
		if c.failing = c.failing.Intersect(config); c.several {
			c.failing = c.smallest
		}
	}
}

// doubtful takes it that there are several causes, each of which suffices, when
// the outcomes contradict every single one: then only the smallest failing
// configuration is sure to hold one. It reports whether this is new.
func (c *coding) doubtful() bool {
	if c.several || c.failing == c.smallest {
		return false
	}
	c.several = true
	c.asked++ // so that the next plan is another
	c.failing = c.smallest
	c.alive = c.failing.Minus(c.base)
	return true
}

// plan decides what to ask next.
func (c *coding) plan() plan {
	r := c.generator()
	c.alive = c.alive.Intersect(c.failing)
	c.consider(c.alive, r)
	if alive := c.marginal(); alive != c.alive {
		c.consider(alive, r)
		c.alive = alive
		c.marginal()
	}
	p := plan{alive: c.alive, size: c.size()}
	for _, h := range c.likeliest() {
		cause := c.elements(h)
		config := c.core(cause)
		if o, known := c.seen[config]; known && o == Unresolved {
			config = c.among(h)
		}
		if c.seen[config] == Fail {
			p.found, p.cause, p.failing = true, cause, config
			return p
		}
	}
	if len(c.hypotheses) > 0 {
		p.configs = c.masks(r)
		for _, config := range p.configs {
			p.chances = append(p.chances, c.chances(config))
		}
	}
	return p
}

// consider lists the hypotheses over cells that are small where the cause is
// likely.
func (c *coding) consider(likely Configuration, r *rand.Rand) {
	c.split(likely)
	c.weigh()
	c.sample(r)
}

// generator returns random numbers that depend on the problem and on how far
// the search is.
func (c *coding) generator() *rand.Rand {
	return rand.New(rand.NewPCG(uint64(c.n)<<8|uint64(c.jobs), uint64(c.asked)))
}

// core returns the base with the elements and all that they require.
func (c *coding) core(elements Configuration) Configuration {
	return c.base.Union(c.required(elements, Full(c.n)))
}

// leave returns a configuration without a cause, nor what requires it.
func (c *coding) leave(config, cause Configuration) Configuration {
	return config.Minus(c.dependents(cause, config)).Union(c.base)
}

// conclude makes a tested pair of a cause and a configuration that failed with
// it and no other suspect. If that fails without the cause too, the cause is
// another one, and the search goes on.
func (c *coding) conclude(cause, failing Configuration) (pair, bool) {
	rest := c.leave(failing, cause)
	c.asked++
	switch o := c.ask(rest); o {
	case Pass:
		return pair{rest, failing}, true
	case Fail:
		c.failing, c.smallest = rest, rest
		c.alive = rest.Minus(c.base)
		return pair{}, false
	}
	return pair{c.base, failing}, true
}

// recall returns the plan that was made when a run was last at this point of
// its path: looking ahead runs the algorithm from the start again and again.
func (c *coding) recall() plan {
	key := string(binary.AppendUvarint(slices.Clip(c.trail), uint64(c.asked)))
	p, ok := c.plans[key]
	if !ok {
		p = c.plan()
		c.plans[key] = p
	}
	return p
}
