package changepoint

import (
	"math"
	"slices"
)

const (
	// leastRuns is how often either end is measured at least, if the number varies.
	leastRuns = 4
	// distinct is how many times likelier the values of the ends must be with two distributions than with one. It
	// is enough to begin; an answer needs as much as the confidence asks for.
	distinct = 20
	// hopeless is how many times Options.Repeats an end would have to be measured for the search to give up early.
	hopeless = 4
)

// calibrate measures the ends in turn until they can be told apart.
func (s *search) calibrate() error {
	for runs := 1; ; runs++ {
		for _, end := range []int{0, s.n} {
			if _, err := s.measure(end); err != nil {
				return err
			}
			s.told(0, s.n, 1)
		}
		good, bad := s.values(0), s.values(s.n)
		if s.Exact || !s.Noisy && runs == 2 && good[0] == good[1] && bad[0] == bad[1] {
			s.exact = true
			if d := math.Abs(bad[0] - good[0]); d == 0 || d < s.least() {
				return s.equal(0)
			}
			return nil
		}
		if runs < min(leastRuns, s.Repeats) {
			continue
		}
		total := shift(good, bad, s.Confidence)
		needed := s.needed(good, bad, total)
		switch {
		case s.least() > 0 && max(math.Abs(total.Low), math.Abs(total.High)) < s.least() && total.Low*total.High > 0:
			return s.equal(0)
		case logDistinct(good, bad) >= math.Log(distinct):
			if math.Abs(total.Value) < s.least() && runs < s.Repeats {
				continue
			}
			if math.Abs(total.Value) < s.least() {
				return s.equal(0)
			}
			s.findDrift()
			return nil
		case runs >= s.Repeats, runs >= s.Repeats/2 && needed > hopeless*s.Repeats:
			return s.equal(needed)
		}
	}
}

// again measures both ends once more, when the values between them say that there is no step. They cannot be told apart if
// that does not help until both were measured Options.Repeats times.
func (s *search) again() error {
	good, bad := s.values(0), s.values(s.n)
	if min(len(good), len(bad)) >= s.Repeats {
		return s.equal(s.needed(good, bad, shift(good, bad, s.Confidence)))
	}
	for _, end := range []int{0, s.n} {
		if _, err := s.measure(end); err != nil {
			return err
		}
		s.told(0, s.n, 1)
	}
	s.findDrift()
	return nil
}

// equal is the error of ends that cannot be told apart.
func (s *search) equal(needed int) error {
	return &EqualError{s.level(0), s.level(s.n), shift(s.values(0), s.values(s.n), s.Confidence), needed}
}

// logDistinct is the logarithm of how many times likelier values are with two distributions than with one. The borders
// of the intervals do not depend on which values are of which end, so that chance seldom makes it large.
func logDistinct(a, b []float64) float64 {
	all := slices.Concat(a, b)
	middle, s := median(all), spread(residuals(all))
	cuts := [levels - 1]float64{middle - s, middle, middle + s}
	x, y := count(a, cuts), count(b, cuts)
	return x.logLikelihood() + y.logLikelihood() - x.plus(y).logLikelihood()
}

// needed estimates how often either end has to be measured to tell them apart with the confidence, in nine of ten
// cases; 0 = their difference is so small against the spread that it may be none at all.
func (s *search) needed(good, bad []float64, total Interval) int {
	width := spread(append(residuals(good), residuals(bad)...))
	d := math.Abs(total.Value) / width
	n := float64(min(len(good), len(bad)))
	if math.IsNaN(d) || d*math.Sqrt(n/2) < 0.25 {
		return 0
	}
	const ninety = 1.2816 // quantile of the standard normal distribution
	z := math.Sqrt2 * math.Erfinv(s.Confidence)
	return int(math.Ceil(2 * math.Pow((z+ninety)/d, 2) * math.Pi / 3)) // 3/pi is the efficiency of ranks
}
