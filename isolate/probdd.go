package isolate

import (
	"cmp"
	"slices"
)

// probDD is ProbDD of Wang, Shen, Chen, Xiong and Zhang, "Probabilistic Delta
// Debugging" (ESEC/FSE 2021), section 3, with the initial probability that the
// authors use, 0.1: it finds a failing set by leaving out what most likely can go.
// Unresolved outcomes count as not failing. In the paper the probability is a
// parameter, σ, and here it is Options.Sigma.
//
// 0.1 expects a tenth of the elements to matter: the first parts have ten
// elements, so one cause among many costs n/10 trials. See probDDSparse.
//
// The paper stops when every probability is 0 or 1, its code and we when none
// is below 0.8; so, and because outcomes need not be monotone, what is left
// may hold a superfluous element. The certificate of every search finds it.
//
// Cost: at most 5n trials, and n/10 + 10 for one cause. Why 5n: a part of two or more
// elements is only tried if leaving the last one out would save less, which
// means that none of its k elements is likelier than 1/k to be needed; when it
// cannot go, the sum of the probabilities, which is at most n, rises by at
// least 1/4.
func probDD(s *run) pair { return s.reduce(believing(s.prior(published))) }

// probDDSparse is probDD with the initial probability 2/n: it expects two
// elements to matter, so the first part is half of them. (From 1/n to 6/n the
// trials for 1 to 8 causes differ by less than a tenth.)
//
// Cost: at most 5n trials, and 2.5 log2 n + 2 for one cause (by trying it at
// every place).
func probDDSparse(s *run) pair { return s.reduce(believing(s.prior(sparse))) }

// A prior is the probability that one of k elements must stay.
type prior func(k int) float64

func published(int) float64 { return 0.1 }
func sparse(k int) float64  { return 2 / float64(k) }

// leastSigma is the least probability to begin with: 1 less any that is far below
// it would be 1 for the machine.
const leastSigma = 1e-9

// isSigma reports whether a search can begin with a probability; 0 is the usual one.
func isSigma(p float64) bool { return p >= 0 && p < 1 }

// prior returns what Options.Sigma says, or else the usual one.
func (s *run) prior(usual prior) prior {
	if s.sigma == 0 {
		return usual
	}
	return func(int) float64 { return max(s.sigma, leastSigma) }
}

// reduce runs a flat algorithm over the groups of the failing configuration,
// from the coarsest level to single elements, as descend does. The algorithm
// gets the weights of the units, leaves some of them out, and returns the rest.
//
// The units are numbered from the end: all these algorithms begin with the
// first, and what comes late requires what comes early, so it goes first.
func (s *run) reduce(flat func(test func(Configuration) Outcome, weights []int) Configuration) pair {
	return s.descendUnits(pair{Empty(s.n), s.closest.failing}, func(test func(Configuration) Outcome, units []Configuration) pair {
		weights := make([]int, len(units))
		for i, unit := range slices.Backward(units) {
			weights[len(units)-1-i] = s.weight(unit)
		}
		rest := flat(func(c Configuration) Outcome { return test(c.reversed()) }, weights)
		return pair{Empty(len(units)), rest.reversed()}
	})
}

// reversed returns c with its elements numbered from the end.
func (c Configuration) reversed() Configuration {
	b := builder{n: c.n}
	for k := c.count() - 2; k >= 0; k -= 2 {
		b.add(c.n-c.edge(k+1), c.n-c.edge(k))
	}
	return b.configuration()
}

// believing returns ProbDD without weights.
func believing(p prior) func(func(Configuration) Outcome, []int) Configuration {
	return func(test func(Configuration) Outcome, weights []int) Configuration {
		return reduceBelieving(test, newBelief(slices.Repeat([]int{1}, len(weights)), p))
	}
}

func reduceBelieving(test func(Configuration) Outcome, b *belief) Configuration {
	k := len(b.p)
	c := Full(k)
	// Invariant: c fails, and b doubts only elements of c.
	for len(b.doubted) > 0 {
		part := b.choose()
		if rest := c.Minus(Of(k, part...)); test(rest) == Fail {
			c = rest
			b.remove(len(part))
		} else {
			b.refute(len(part))
		}
	}
	return c
}

// A belief says how likely each element is to be needed, taking the elements
// for independent of each other.
type belief struct {
	p       []float64 // of each element: the probability that it must stay
	weights []int     // of each element, at least 1
	doubted []int     // what may still go, by the weight that leaving it out is expected to save, the largest first
}

// settled is the probability from which on an element stays.
const settled = 0.8

// tolerance makes gains equal that are so in theory: of elements at 0.1, nine
// and ten have the same, and which one came out larger would depend on the
// rounding of the machine. Of equal gains the one of more elements is taken.
const tolerance = 1e-9

func newBelief(weights []int, initially prior) *belief {
	k := len(weights)
	b := &belief{p: make([]float64, k), weights: weights, doubted: make([]int, k)}
	for i := range k {
		b.p[i], b.doubted[i] = initially(k), i
	}
	slices.SortFunc(b.doubted, b.compare)
	b.settle()
	return b
}

// compare orders elements by expected saving, then probability, then number.
func (b *belief) compare(i, j int) int {
	saving := func(i int) float64 { return (1 - b.p[i]) * float64(b.weights[i]) }
	return cmp.Or(cmp.Compare(saving(j), saving(i)), cmp.Compare(b.p[i], b.p[j]), cmp.Compare(i, j))
}

// choose returns the first of the doubted elements: as many as have the
// largest gain, which is their weight times the probability that they can all
// go. Without weights the gain rises up to there and then falls, with weights
// it may have several peaks.
func (b *belief) choose() []int {
	size, best := 0, 0.0
	weight, free := 0.0, 1.0
	for k, i := range b.doubted {
		weight += float64(b.weights[i])
		free *= 1 - b.p[i]
		if gain := weight * free; gain >= best*(1-tolerance) {
			size, best = k+1, max(best, gain)
		}
	}
	return b.doubted[:size]
}

// remove takes note that the first of the doubted elements are gone.
func (b *belief) remove(size int) {
	for _, i := range b.doubted[:size] {
		b.p[i] = 0
	}
	b.doubted = b.doubted[size:]
}

// refute takes note that the first of the doubted elements cannot all go: by
// the rule of Bayes each is that much likelier to be needed. One alone is
// needed for certain.
func (b *belief) refute(size int) {
	part, others := b.doubted[:size], b.doubted[size:]
	free := 1.0 // as it was before any of them changes
	for _, i := range part {
		free *= 1 - b.p[i]
	}
	for _, i := range part {
		b.p[i] = min(1, b.p[i]/(1-free))
	}
	slices.SortFunc(part, b.compare)
	b.doubted = merge(part, others, b.compare)
	b.settle()
}

// settle ends the doubt about elements that are very likely needed. Without
// weights this is the rule of the paper's code, which stops when all are:
// before that it never chooses one of them.
func (b *belief) settle() {
	b.doubted = slices.DeleteFunc(b.doubted, func(i int) bool { return b.p[i] >= settled })
}

// merge returns two sorted slices as one.
func merge(a, b []int, compare func(i, j int) int) []int {
	merged := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(a[0], b[0]) <= 0 {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}
