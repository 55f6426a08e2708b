package isolate

import "math"

// A trust is how far the likelihoods of breakage.likely are trusted. They are a product
// over messages, which takes messages for independent of each other. But one requirement
// that is broken makes many messages, so the product comes out too small. It is raised to
// a power, that under which the outcomes so far are the likeliest. This is temperature
// scaling (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017, section 4.2).
type trust struct {
	power  float64
	scores [len(powers)]float64 // by power: the logarithm of how likely the outcomes so far are
}

// powers are those that a trust chooses from.
var powers = [...]float64{1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.09, 0.06, 0.04, 0.03, 0.02}

// newTrust returns a trust that has seen nothing: the product as it is.
func newTrust() *trust {
	t := &trust{power: 1}
	for k, p := range powers {
		t.scores[k] = -math.Log(p) * math.Log(p) / 2
	}
	return t
}

// of returns a likelihood as far as it is trusted, and at most that of the message for which it
// is the least.
func (t *trust) of(all, least float64) float64 {
	if all == 1 {
		return 1
	}
	return min(math.Pow(all, t.power), least)
}

// take learns from whether a configuration resolved that breaks no explanation of a
// message with these likelihoods, and nothing else with probability otherwise.
func (t *trust) take(all, least, otherwise float64, resolved bool) {
	if all > 0.999 {
		return
	}
	best := 0
	for k, power := range powers {
		p := min(max(otherwise*min(math.Pow(all, power), least), 0.001), 0.999)
		if !resolved {
			p = 1 - p
		}
		if t.scores[k] = rounded(t.scores[k] + math.Log(p)); t.scores[k] > t.scores[best] {
			best = k
		}
	}
	t.power = powers[best]
}
