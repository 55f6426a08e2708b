package report

// Measured says how the number of --measure differs between Good and Bad, and where it changes.
type Measured struct {
	What  string  `json:"what"`            // as --measure names it
	Unit  string  `json:"unit"`            // of all numbers here; "" = it has none
	Exact bool    `json:"exact"`           // the number did not vary: each configuration was measured once
	Drift float64 `json:"drift,omitempty"` // of the machine over the runs, which was taken off before they were compared; 0 = none was seen

	Good  Measurements `json:"good"`
	Bad   Measurements `json:"bad"`
	Total Interval     `json:"total"` // Bad less Good

	// Steps are the places at which the number changes, the highest first, that of the cause before all others. Without
	// --all there are no others.
	Steps []MeasuredStep `json:"steps"`

	// Passing and Failing are the numbers of the two ends of the answer, in the order of their trials.
	Passing []float64 `json:"passing"`
	Failing []float64 `json:"failing"`

	Runs []MeasuredRun `json:"runs"` // of the search along the commits, or else along the changes, in order

	Reversed bool      `json:"reversed,omitempty"` // Good is newer than Bad: Before and After of a step are on the side of Bad and on that of Good
	Repaired []float64 `json:"repaired,omitempty"` // the numbers of what Result.Repaired is about; absent if it was not measured for that
}

// Measurements are the runs of one end.
type Measurements struct {
	Values   []float64 `json:"values"` // in the order of the runs
	Median   float64   `json:"median"` // without the drift
	Spread   float64   `json:"spread"` // the standard deviation of a normal distribution that has the same median absolute deviation
	Outliers int       `json:"outliers"`
	Bimodal  bool      `json:"bimodal"` // the values lie around two modes
	Warmup   bool      `json:"warmup"`  // the first value, and no other one, is an outlier
}

// An Interval is an estimate with its bounds, which hold with the confidence of the result.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// A MeasuredStep is a place at which the number changes.
type MeasuredStep struct {
	Commits     []Commit    `json:"commits"`     // that may have made it; empty if the step is among the changes
	Changes     []Reference `json:"changes"`     // that may have made it; empty if the step is among the commits
	Before      float64     `json:"before"`      // the median before the step
	After       float64     `json:"after"`       // that after it
	Delta       Interval    `json:"delta"`       // After less Before
	Probability float64     `json:"probability"` // that the step is there
}

// A MeasuredRun is a run of the search along a line.
type MeasuredRun struct {
	Trial    int     `json:"trial"`
	Position int     `json:"position"` // along the line: 0 is the older end
	Value    float64 `json:"value"`
	Judged   bool    `json:"judged"` // it has a value
}
