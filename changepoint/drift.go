package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// A drift is how the machine changed while the search ran, as seen in the runs of the two ends, which come again and
// again. It is zero until a trend is seen.
type drift struct{ added []float64 } // by the number of the run

// at is what the drift adds to the value of a run.
func (d drift) at(run int) float64 {
	if run >= len(d.added) {
		return 0
	}
	return d.added[run]
}

// total is the drift from the first of some runs to the last.
func (d drift) total(runs int) float64 {
	if runs == 0 || len(d.added) == 0 {
		return 0
	}
	return d.at(min(runs, len(d.added))-1) - d.at(0)
}

const (
	// Once the ends are known, one run of everyControl is of an end, and one of everyDrifting if the machine drifts. So
	// drift is seen for an eighth more runs; and these runs tell more of the noise, too.
	everyControl, everyDrifting = 8, 2
	// trendLimit is the absolute value of the statistic of a trend above which a trend is assumed. Independent values without
	// a trend exceed it once in a thousand tests. The test is made after each run, and a trend that was seen stays.
	trendLimit = 3.3
	// nearRuns is how many runs of the ends the drift of a run is estimated by.
	nearRuns = 8
)

// findDrift estimates from all runs so far how the speed of the machine changes. If the test of Mann and Kendall finds a
// trend in the runs of the ends (Mann, Econometrica 13, 1945), what it adds to each run is estimated by the line through
// the runs of the ends near that run in time (Theil and Sen), and is taken off. Where the machine is busy for a while, runs
// that follow each other are alike. If their correlation is r, n values tell about as much as n (1-r) / (1+r) independent
// ones, so that the logarithm of their likelihood is multiplied by (1-r) / (1+r). r is the estimated correlation less its
// standard error, and between 0 and 0.9.
func (s *search) findDrift() {
	var ends []reading
	for _, end := range []int{0, s.n} {
		list := s.series[end]
		var values []float64
		for _, r := range list {
			values = append(values, r.value)
		}
		for i, rest := range residuals(values) {
			ends = append(ends, reading{rest, list[i].run})
		}
	}
	slices.SortFunc(ends, byRun)
	if len(s.drift.added) > 0 || math.Abs(trend(ends)) >= trendLimit {
		s.drift.added = make([]float64, len(s.runs))
		for run := range s.drift.added {
			s.drift.added[run] = lineAt(near(ends, run), run)
		}
	}
	seen := s.repeated()
	alike := min(max(correlation(seen)-1/math.Sqrt(float64(len(seen))), 0), 0.9)
	s.weight = (1 - alike) / (1 + alike)
}

func byRun(a, b reading) int { return a.run - b.run }

// repeated are the values of the positions that were measured several times, less the median of the position, in the
// order of the runs.
func (s *search) repeated() []reading {
	var list []reading
	for position, series := range s.series {
		if len(series) < leastRuns {
			continue
		}
		for i, rest := range residuals(s.values(position)) {
			list = append(list, reading{rest, series[i].run})
		}
	}
	slices.SortFunc(list, byRun)
	return list
}

// correlation is that of the ranks of readings that follow each other. It is 1 less half of the rank version of von
// Neumann's ratio (Bartels, Journal of the American Statistical Association 77, 1982). If the readings are independent, its
// standard error is 1/sqrt(n).
func correlation(seen []reading) float64 {
	list := ranks(seen)
	mean := float64(len(seen)-1) / 2
	sum, all := 0.0, 0.0
	for i, r := range list {
		if i > 0 {
			sum += (r - list[i-1]) * (r - list[i-1])
		}
		all += (r - mean) * (r - mean)
	}
	if all == 0 {
		return 0
	}
	return 1 - sum/all/2
}

// ranks are those of the values of readings, from 0 on; equal values share the mean of theirs.
func ranks(seen []reading) []float64 {
	order := make([]int, len(seen))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(seen[a].value, seen[b].value) })
	list := make([]float64, len(seen))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && seen[order[j]].value == seen[order[i]].value {
			j++
		}
		for _, k := range order[i:j] {
			list[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return list
}

// trend is the statistic of Mann and Kendall. For independent readings without a trend it has nearly a standard normal
// distribution.
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
