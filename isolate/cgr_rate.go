package isolate

import "math"

// A hiddenRate is a belief about how many requirements nobody predicted: a
// probability for each of some rates, updated by Bayes with every outcome that
// was resolved or not.
type hiddenRate struct{ weight [len(hiddenRates)]float64 }

// hiddenRates are four times as many each.
var hiddenRates = [...]float64{1. / 16, 1. / 4, 1, 4, 16, 64, 256, 1024, 4096, 16384}

// newHiddenRate expects half as many hidden requirements as were predicted, and
// few if there are none of these.
func newHiddenRate(s *run) hiddenRate {
	expected := max(1, float64(len(s.may.to.ends))/2)
	var r hiddenRate
	for i, rate := range hiddenRates {
		far := math.Log2(rate/expected) / 3
		r.weight[i] = 0.01 + math.Exp(-far*far/2)
	}
	return r
}

// note takes in whether a configuration of an exposure was resolved.
func (r *hiddenRate) note(exposure float64, resolved bool) {
	total := 0.0
	for i, rate := range hiddenRates {
		p := math.Exp(-rate * exposure)
		if !resolved {
			p = 1 - p
		}
		r.weight[i] *= p
		total += r.weight[i]
	}
	for i := range r.weight {
		r.weight[i] = max(r.weight[i]/max(total, math.SmallestNonzeroFloat64), 1e-4)
	}
}

// resolves returns the probability that a configuration of an exposure is resolved.
func (r *hiddenRate) resolves(exposure float64) float64 {
	sum, total := 0.0, 0.0
	for i, rate := range hiddenRates {
		sum += r.weight[i] * math.Exp(-rate*exposure)
		total += r.weight[i]
	}
	return sum / total
}

// Of the requirements between changes about two thirds are local, within a few
// positions of each other, and the others may go anywhere.
const (
	localShare = 0.65
	localReach = 3 // positions, in the mean
)

// exposure returns the probability that a configuration violates a hidden
// requirement: that what requires is in and what is required is not. A local
// one it violates at the border of a run, any other as a random set does.
func exposure(n, members, runs int) float64 {
	if n == 0 {
		return 0
	}
	share := float64(members) / float64(n)
	apart := share * (1 - share)
	return localShare*min(apart, localReach*float64(runs)/float64(n)) + (1-localShare)*apart
}

func (c *coding) exposure(config Configuration) float64 {
	return exposure(c.n, config.Len(), config.count()/2)
}
