package isolate

import (
	"math"
	"math/rand/v2"
)

// hidden is what outcomes tell about hidden requirements: a sample of pairs {i, j} of positions, such
// that i may require j, and how many such requirements each stands for in the mean. A configuration
// that resolved breaks none. One that did not breaks at least one: by the law of Poisson, with x
// of them expected, these are x/(1-exp(-x)) in the mean.
type hidden struct {
	pairs [][2]int
	mean  []float64
}

const (
	mostPairs      = 4096
	pairsOfEach    = 16  // pairs for each position, where that is less
	hiddenExpected = 2.0 // requirements that there are, before anything is known
	hiddenHistory  = 0.1 // for each element, where there are milestones: the elements are then changes of a history
	neighbours     = 5   // half of the pairs are at most so far apart
)

func newHidden(n int, history bool, random *rand.Rand) *hidden {
	expected := hiddenExpected
	if history {
		expected = max(expected, hiddenHistory*float64(n))
	}
	h := &hidden{}
	pairs := min(mostPairs, pairsOfEach*n)
	for k := range pairs {
		i, j := random.IntN(n), random.IntN(n)
		if k%2 == 0 {
			j = min(n-1, max(0, i+random.IntN(2*neighbours+1)-neighbours))
		}
		if i != j {
			h.pairs = append(h.pairs, [2]int{i, j})
			h.mean = append(h.mean, expected/float64(pairs))
		}
	}
	return h
}

// broken returns the pairs that a configuration breaks, and how many requirements that is in the mean.
func (h *hidden) broken(c Configuration) (pairs []int, mean float64) {
	in := membership(c)
	for k, p := range h.pairs {
		if h.mean[k] > 0 && in[p[0]] && !in[p[1]] {
			pairs = append(pairs, k)
			mean += h.mean[k]
		}
	}
	return pairs, mean
}

// resolves returns how likely a configuration resolves.
func (h *hidden) resolves(c Configuration) float64 {
	_, mean := h.broken(c)
	return math.Exp(-mean)
}

// take takes in whether a configuration resolved.
func (h *hidden) take(c Configuration, resolved bool) {
	pairs, mean := h.broken(c)
	for _, k := range pairs {
		if resolved {
			h.mean[k] = 0
		} else {
			h.mean[k] /= 1 - math.Exp(-mean)
		}
	}
}
