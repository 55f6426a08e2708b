package changepoint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Sample measures one position of the line: 0 is the good end. The first attempt at a position has the number 1.
// If ok is false, the position cannot be judged, and is not asked for again. An error ends the search.
type Sample func(ctx context.Context, position, attempt int) (value float64, ok bool, err error)

// Options say how a search goes. The zero value is usable.
type Options struct {
	// Confidence is the probability with which an answer is right; 0 = 0.99.
	Confidence float64
	// Least is the least difference that matters if the number at the good end is so much. A difference of the ends
	// that is smaller is an *EqualError. nil = any that can be told apart.
	Least func(good float64) float64
	// Accept is called once the ends are known. An error of it ends the search. It may be nil.
	Accept func(good, bad Level) error
	// Exact says that the number of a configuration is always the same: then no end is measured twice. Noisy says that it
	// varies, though the first runs of an end may agree. With neither, the number is taken as exact if the first two runs of
	// each end agree.
	Exact, Noisy bool
	// All searches for each step that is at least Least high, or a fifth of the difference of the ends, or a twentieth if the
	// number does not vary.
	All bool
	// Repeats is how often either end is measured at most, to tell them apart; 0 = 30.
	Repeats int
	// MaxRuns ends the search with ErrBudget after so many runs; 0 = no limit.
	MaxRuns int
	// Observe receives what the search knows after each run. It may be nil.
	Observe func(Progress)
}

// ErrBudget says that Options.MaxRuns were spent. The result is the best so far.
var ErrBudget = errors.New("changepoint: the limit of runs is reached")

// Progress is what a search knows after a run.
type Progress struct {
	Position, Attempt int
	Value             float64
	Judged            bool // the position has a value
	From, To          int  // the step is between these positions with at least half of the probability
	Probability       float64
}

// An Interval is an estimate with its bounds. They hold with Options.Confidence.
type Interval struct{ Value, Low, High float64 }

// A Level describes the values of one end.
type Level struct {
	Position int
	Values   []float64 // in the order of the runs
	Median   float64
	Spread   float64 // the standard deviation of a normal distribution with the same median absolute deviation
	Outliers int     // values that lie more than five spreads from the median
	Bimodal  bool    // the values lie around two modes
	Warmup   bool    // the first value is an outlier, and the others are not
}

// A Step is a place at which the number changes.
type Step struct {
	From, To    int // neighbours, unless what lies between them cannot be judged
	Delta       Interval
	Before      float64 // the median of the values nearest to the step on the side of From: about eight, or all of From
	After       float64 // likewise on the side of To
	Probability float64 // that the step is between From and To, given that the segment in which it was searched has one step
}

// Sure reports whether the place of the step is known with a confidence: its probability is that high, and the interval of
// the difference between the values directly before and after the step excludes 0.
func (s Step) Sure(confidence float64) bool {
	return s.Probability >= confidence && s.Delta.Low*s.Delta.High > 0
}

// A Result is what a search has found.
type Result struct {
	Good, Bad Level
	Total     Interval // the difference of the ends
	Exact     bool     // the number did not vary, and each position was measured once
	Drift     float64  // of the number from the first run to the last, which was taken off; 0 = none was seen
	Steps     []Step   // the highest first
	Runs      []Run    // in order
}

// A Run is one measurement.
type Run struct {
	Position, Attempt int
	Value             float64
	Judged            bool
}

// An EqualError says that the ends cannot be told apart, or do not differ by Options.Least.
type EqualError struct {
	Good, Bad Level
	Total     Interval
	// Needed is how many runs of each end are expected to tell them apart; 0 = there is no sign of a difference,
	// or they differ by less than Options.Least.
	Needed int
}

func (e *EqualError) Error() string {
	return fmt.Sprintf("the ends cannot be told apart: %v and %v after %d and %d runs",
		e.Good.Median, e.Bad.Median, len(e.Good.Values), len(e.Bad.Values))
}

// An UnjudgedError says that an end has no value.
type UnjudgedError struct{ Position int }

func (e *UnjudgedError) Error() string { return fmt.Sprintf("position %d has no value", e.Position) }

// Search finds the step among the n+1 positions of a line. The errors are *EqualError and *UnjudgedError for ends
// that a search is of no use for, ErrBudget, and those of sample. With ErrBudget and with an error of the context
// comes the best result so far.
//
// With one step of d spreads the number of runs is about log2(n) / C(d) + log(1/(1-Confidence)) / (d²/2), where C is the capacity in
// bits of a channel with that noise, and what it takes to know the ends; docs/measure.md has figures. An exact number
// takes 4 + log2(n) runs, or 2 fewer with Options.Exact.
func Search(ctx context.Context, n int, sample Sample, o Options) (Result, error) {
	if n < 1 {
		return Result{}, fmt.Errorf("changepoint: a line of %d steps", n)
	}
	if o.Confidence == 0 {
		o.Confidence = 0.99
	}
	if !(o.Confidence > 0.5 && o.Confidence < 1) {
		return Result{}, fmt.Errorf("changepoint: confidence %v is not between 0.5 and 1", o.Confidence)
	}
	if o.Repeats == 0 {
		o.Repeats = 30
	}
	s := &search{Options: o, n: n, sample: sample, ctx: ctx, weight: 1, series: map[int][]reading{}, unjudged: map[int]bool{}}
	err := s.calibrate()
	if err == nil && o.Accept != nil {
		err = o.Accept(s.level(0), s.level(n))
	}
	if err == nil && s.exact {
		err = s.exactly()
	} else if err == nil {
		err = s.noisily()
	}
	return s.result(), err
}

// A search is in progress.
type search struct {
	Options
	ctx    context.Context
	n      int
	sample Sample

	series   map[int][]reading // by position
	unjudged map[int]bool
	runs     []Run
	exact    bool
	drift    drift
	weight   float64 // of the logarithm of a likelihood: less than 1 if runs that follow each other are alike, see findDrift
	steps    []Step
}

// A reading is a value with the number of the run that it is of.
type reading struct {
	value float64
	run   int
}

// measure makes one more run of a position, and reports whether it has a value.
func (s *search) measure(position int) (bool, error) {
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	if s.MaxRuns > 0 && len(s.runs) >= s.MaxRuns {
		return false, ErrBudget
	}
	attempt := len(s.series[position]) + 1
	value, ok, err := s.sample(s.ctx, position, attempt)
	if err != nil {
		return false, err
	}
	if ok && (math.IsNaN(value) || math.IsInf(value, 0)) {
		return false, fmt.Errorf("changepoint: position %d has the value %v", position, value)
	}
	s.runs = append(s.runs, Run{position, attempt, value, ok})
	if !ok {
		s.unjudged[position] = true
		if position == 0 || position == s.n {
			return false, &UnjudgedError{position}
		}
		return false, nil
	}
	s.series[position] = append(s.series[position], reading{value, len(s.runs) - 1})
	return true, nil
}

// least is Options.Least, by what is known of the good end.
func (s *search) least() float64 {
	if s.Least == nil {
		return 0
	}
	return s.Least(median(s.values(0)))
}

// sign is the direction in which the number of the bad end differs: 1 or -1. Only steps in this direction are searched for.
func (s *search) sign() float64 {
	if median(s.values(s.n)) < median(s.values(0)) {
		return -1
	}
	return 1
}

// told passes the state of the search on after a run.
func (s *search) told(from, to int, probability float64) {
	if s.Observe == nil || len(s.runs) == 0 {
		return
	}
	r := s.runs[len(s.runs)-1]
	s.Observe(Progress{r.Position, r.Attempt, r.Value, r.Judged, from, to, probability})
}

// values are those of some positions, with the drift taken off.
func (s *search) values(positions ...int) []float64 {
	var list []float64
	for _, p := range positions {
		for _, r := range s.series[p] {
			list = append(list, r.value-s.drift.at(r.run))
		}
	}
	return list
}

// measured are the positions from first to last that have a value, in order.
func (s *search) measured(first, last int) []int {
	var list []int
	for p := range s.series {
		if p >= first && p <= last {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

func (s *search) result() Result {
	if !s.exact {
		s.estimate()
	}
	r := Result{Good: s.level(0), Bad: s.level(s.n), Exact: s.exact, Steps: s.steps, Runs: s.runs}
	r.Total = shift(s.values(0), s.values(s.n), s.Confidence)
	r.Drift = s.drift.total(len(s.runs))
	slices.SortStableFunc(r.Steps, func(a, b Step) int {
		switch x, y := s.sign()*a.Delta.Value, s.sign()*b.Delta.Value; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return a.From - b.From
	})
	return r
}
