package changepoint

import (
	"math"
	"slices"
)

// median of some values; of an even number the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

// toNormal makes of a median absolute deviation the standard deviation of a normal distribution.
const toNormal = 1.4826

// spread is that of residuals, whose median is 0.
func spread(residuals []float64) float64 {
	var sizes []float64
	for _, r := range residuals {
		sizes = append(sizes, math.Abs(r))
	}
	if len(sizes) == 0 {
		return 0
	}
	return toNormal * median(sizes)
}

// residuals are values less their median.
func residuals(values []float64) []float64 {
	m := median(values)
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = v - m
	}
	return list
}

// shift estimates by how much the values of b are larger than those of a: the difference of their medians, and the order
// statistics of all differences that bound it by the Mann-Whitney test, in its normal approximation (Hodges and Lehmann,
// Annals of Mathematical Statistics 34, 1963). A difference of the medians that is outside of these bounds is moved to the
// nearer one. The test assumes that the distributions differ in their place only. With values too few for the confidence,
// the bounds are the smallest and the largest difference.
func shift(a, b []float64, confidence float64) Interval {
	if len(a) == 0 || len(b) == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	all := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			all = append(all, y-x)
		}
	}
	slices.Sort(all)
	n, m := float64(len(a)), float64(len(b))
	z := math.Sqrt2 * math.Erfinv(confidence)
	k := int(math.Floor(n*m/2 - z*math.Sqrt(n*m*(n+m+1)/12) - 0.5))
	k = min(max(k, 0), (len(all)-1)/2)
	low, high := all[k], all[len(all)-1-k]
	return Interval{min(max(median(b)-median(a), low), high), low, high}
}

// level describes an end.
func (s *search) level(position int) Level {
	l := Level{Position: position}
	for _, r := range s.series[position] {
		l.Values = append(l.Values, r.value)
	}
	if len(l.Values) == 0 {
		return l
	}
	straight := s.values(position)
	l.Median = median(straight)
	rest := residuals(straight)
	l.Spread = spread(rest)
	far := func(r float64) bool { return l.Spread > 0 && math.Abs(r) > 5*l.Spread }
	for _, r := range rest {
		if far(r) {
			l.Outliers++
		}
	}
	if len(rest) < enoughValues { // five spreads are no rarity then: the spread is of a few values
		l.Outliers = 0
	}
	l.Warmup = l.Outliers == 1 && far(rest[0])
	l.Bimodal = bimodal(straight)
	return l
}

// enoughValues is how many values an end must have for anything to be said of their distribution.
const enoughValues = 12

// bimodal reports whether values lie around two modes: at least twelve values, and two parts of them with a fifth of all or
// more each, whose distance is more than twice the mean of what the parts extend over.
func bimodal(values []float64) bool {
	n := len(values)
	if n < enoughValues {
		return false
	}
	sorted := slices.Sorted(slices.Values(values))
	least := (n + 4) / 5
	for k := least; k <= n-least; k++ {
		within := (sorted[k-1] - sorted[0] + sorted[n-1] - sorted[k]) / 2
		if sorted[k]-sorted[k-1] > 2*within {
			return true
		}
	}
	return false
}
