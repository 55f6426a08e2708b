package isolate

import "math"

// cdd is CDD of Zhang, Xu, Tian, Cheng and Sun, "Toward a Better Understanding
// of Probabilistic Delta Debugging" (ICSE 2025), section 5, which shows that
// the probabilities of ProbDD do little more than count rounds: in each round
// cut what is left into parts of the same size, try once to leave out each,
// and go on with smaller parts. Unresolved outcomes count as not failing.
//
// Neither a part on its own nor the same part twice is tried, which is what
// saves trials against ddmin. The last part of a round may be a short one; it
// is not filled up, as some code does, with elements that had their turn.
//
// With 0.1 at the beginning the parts have 10, 6, 3, 2 and 1 elements, which
// costs n/10 trials for one cause among many. See cddSparse.
//
// Cost: at most 3n trials, and n/10 + 10 for one cause. When outcomes are not
// monotone the answer may hold a superfluous element, which the certificate of
// every search then finds.
func cdd(s *run) pair { return s.reduce(counting(s.prior(published))) }

// cddSparse is cdd with 2/n at the beginning: the first parts are the halves.
//
// Cost: at most 3n trials, and 3 log2 n for one cause (by trying it at every
// place).
func cddSparse(s *run) pair { return s.reduce(counting(s.prior(sparse))) }

func counting(p prior) func(func(Configuration) Outcome, []int) Configuration {
	return func(test func(Configuration) Outcome, weights []int) Configuration {
		k := len(weights)
		c := Full(k)
		for _, size := range schedule(p(k)) {
			round := c
			for from := 0; from < round.Len(); from += size {
				// Invariant: c fails, and it has all of the round from here on.
				if rest := c.Minus(round.slice(from, from+size)); test(rest) == Fail {
					c = rest
				}
			}
		}
		return c
	}
}

// schedule returns the sizes of the parts in each round, when p is the
// probability at the beginning that an element is needed. In each round it
// grows by 1/(1 - 1/e), as it would for a part of the best size; the best size
// has the largest gain, which is s(1-p)^s, and of equal ones is the larger.
func schedule(p float64) []int {
	var sizes []int
	for ; ; p /= 1 - 1/math.E {
		size := 1
		if p < 1 {
			// The gain has one peak, here.
			size = max(1, int(-1/math.Log1p(-p)))
			if gain(size+1, p) >= gain(size, p)*(1-tolerance) {
				size++
			}
		}
		sizes = append(sizes, size)
		if size == 1 {
			return sizes
		}
	}
}

func gain(size int, p float64) float64 { return float64(size) * math.Pow(1-p, float64(size)) }
