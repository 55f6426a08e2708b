package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// A drift is how the machine changed while the search ran, as seen in the runs of the two ends, which come again and
// again. It is zero until a trend is seen.
type drift struct{ by []float64 } // by the number of the run

// at is what the drift adds to the value of a run.
func (d drift) at(run int) float64 {
	if run >= len(d.by) {
		return 0
	}
	return d.by[run]
}

// total is the drift from the first of some runs to the last.
func (d drift) total(runs int) float64 {
	if runs == 0 || len(d.by) == 0 {
		return 0
	}
	return d.at(min(runs, len(d.by))-1) - d.at(0)
}

const (
	// everyControl is how many runs there are for one of an end, once the ends are known, and everyDrifting if the
	// machine drifts. So drift is seen for an eighth more runs; and these runs tell more of the noise, too.
	everyControl, everyDrifting = 8, 4
	// trendLimit is the size of the statistic of a trend from which on it counts: by chance once in a thousand.
	trendLimit = 3.3
	// nearRuns is how many runs of the ends the drift of a run is estimated by.
	nearRuns = 12
)

// findDrift estimates the drift anew. A trend is what the test of Mann and Kendall says is one (Mann,
// Econometrica 13, 1945); it is taken off by the line through the runs of the ends near it in time (Theil and Sen).
func (s *search) findDrift() {
	var seen []reading
	for _, end := range []int{0, s.n} {
		list := s.series[end]
		var values []float64
		for _, r := range list {
			values = append(values, r.value)
		}
		for i, rest := range residuals(values) {
			seen = append(seen, reading{rest, list[i].run})
		}
	}
	slices.SortFunc(seen, func(a, b reading) int { return a.run - b.run })
	if len(s.drift.by) == 0 && math.Abs(trend(seen)) < trendLimit {
		return
	}
	s.drift.by = make([]float64, len(s.runs))
	for run := range s.drift.by {
		s.drift.by[run] = lineAt(near(seen, run), run)
	}
}

// trend is the statistic of Mann and Kendall: with no trend it has nearly a standard normal distribution.
func trend(seen []reading) float64 {
	if len(seen) < 4 {
		return 0
	}
	sum := 0
	for i, a := range seen {
		for _, b := range seen[i+1:] {
			sum += cmp.Compare(b.value, a.value)
		}
	}
	n := float64(len(seen))
	return float64(sum) / math.Sqrt(n*(n-1)*(2*n+5)/18)
}

// near are the readings closest to a run in time.
func near(seen []reading, run int) []reading {
	if len(seen) <= nearRuns {
		return seen
	}
	first, _ := slices.BinarySearchFunc(seen, run, func(r reading, run int) int { return r.run - run })
	first = min(max(first-nearRuns/2, 0), len(seen)-nearRuns)
	return seen[first : first+nearRuns]
}

// lineAt is the value at a run of the line through some readings: its slope is the median of the slopes of all pairs.
func lineAt(seen []reading, run int) float64 {
	var slopes, rest []float64
	for i, a := range seen {
		for _, b := range seen[i+1:] {
			slopes = append(slopes, (b.value-a.value)/float64(b.run-a.run))
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slope := median(slopes)
	for _, r := range seen {
		rest = append(rest, r.value-slope*float64(r.run-run))
	}
	return median(rest)
}
