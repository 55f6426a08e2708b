package report_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/gitdd/gitdd/report"
)

// measuredExact is a size that does not vary.
func measuredExact() report.Result {
	r := history()
	r.Changes = report.Extent{Total: 120, Files: 14}
	r.Trials = report.Trials{Run: 14, Cached: 5, Pass: 13, Unresolved: 1}
	r.Confidence = 0
	r.Repaired = "pass"
	r.Measured = &report.Measured{
		What: "size:bin/app", Unit: "bytes", Exact: true,
		Good:  report.Measurements{Values: []float64{312_400, 312_400}, Median: 312_400},
		Bad:   report.Measurements{Values: []float64{406_120, 406_120}, Median: 406_120},
		Total: report.Interval{Value: 93_720, Low: 93_720, High: 93_720},
		Steps: []report.MeasuredStep{
			{Commits: []report.Commit{commits[ada]}, Changes: []report.Reference{}, Before: 312_400, After: 406_120, Delta: report.Interval{Value: 93_720, Low: 93_720, High: 93_720}, Probability: 1},
		},
		Passing: []float64{312_400, 312_400}, Failing: []float64{406_120, 406_120}, Repaired: []float64{312_412},
		Runs: runs([]float64{312_400, 406_120, 312_400, 406_120, 312_400, 406_120, 312_400}, 0, 9, 0, 9, 4, 6, 5),
	}
	return r
}

// measuredNoisy is a time that varies, and half of whose difference was made elsewhere.
func measuredNoisy() report.Result {
	r := measuredExact()
	good, bad := noise(12, 1.204, 0.011, 1), noise(12, 1.349, 0.014, 5)
	bad[0] = 1.902
	r.Confidence, r.Repaired = 0.993, "fail"
	r.Hints = []string{"the number changes elsewhere, too: this is 61 % of the difference of the ends, and --all looks for the rest"}
	m := r.Measured
	m.What, m.Unit, m.Exact, m.Repaired = "time", "s", false, []float64{1.281, 1.276, 1.29}
	m.Good = report.Measurements{Values: good, Median: 1.204, Spread: 0.0114}
	m.Bad = report.Measurements{Values: bad, Median: 1.349, Spread: 0.0141, Outliers: 1, Warmup: true}
	m.Total = report.Interval{Value: 0.1458, Low: 0.1311, High: 0.1604}
	m.Steps[0].Before, m.Steps[0].After = 1.2037, 1.2921
	m.Steps[0].Delta = report.Interval{Value: 0.0889, Low: 0.0742, High: 0.1009}
	m.Steps[0].Probability = 0.9961
	m.Passing, m.Failing = noise(5, 1.2035, 0.012, 2), noise(7, 1.292, 0.013, 9)
	values, positions := slices.Concat(alternating(good, bad), noise(6, 1.25, 0.05, 3)), slices.Concat(alternatingEnds(12, 9), []int{4, 6, 5, 5, 4, 4})
	m.Runs = runs(values, positions...)
	m.Runs[len(m.Runs)-1].Judged = false
	return r
}

// measuredSteps is one with all steps.
func measuredSteps() report.Result {
	r := measuredNoisy()
	r.Hints, r.Repaired = nil, ""
	other := parse()
	other.ID, other.Commits = "c9", []string{linus}
	r.Further = []report.Further{report.Result{Cause: []report.Change{other}, Commits: []report.Commit{commits[linus]}, Minimal: true, Verified: true}.AsFurther(report.Independent)}
	c := commits[linus]
	r.Further[0].Commit = &c
	r.Measured.Steps = append(r.Measured.Steps, report.MeasuredStep{
		Commits: []report.Commit{commits[linus]}, Changes: []report.Reference{}, Before: 1.2905, After: 1.3473, Delta: report.Interval{Value: 0.0563, Low: 0.0431, High: 0.0688}, Probability: 0.994,
	})
	return r
}

// measuredDrift is one on a machine that became slower, of a program that takes one of two ways. Good is newer than bad.
func measuredDrift() report.Result {
	r := undone(report.Break, report.Fits)
	m := *measuredNoisy().Measured
	m.What, m.Reversed = "cpu", true
	m.Drift = 0.0832
	m.Good.Bimodal = true
	m.Bad.Warmup = false
	m.Bad.Outliers = 2
	m.Steps = []report.MeasuredStep{{
		Commits: m.Steps[0].Commits, Changes: []report.Reference{}, Before: m.Steps[0].After, After: m.Steps[0].Before,
		Delta: report.Interval{Value: -0.1423, Low: -0.1604, High: -0.1311}, Probability: 1,
	}}
	m.Repaired = nil
	m.Runs = slices.Clone(m.Runs)
	for i := range m.Runs {
		m.Runs[i].Position = 9 - m.Runs[i].Position // the older end is bad
		m.Runs[i].Value += m.Drift * float64(i) / float64(len(m.Runs)-1)
	}
	r.Measured = &m
	return r
}

// measuredEqual cannot tell its ends apart.
func measuredEqual() report.Result {
	r := notIsolated()
	r.Reason = "the numbers of the ends cannot be told apart: 1.21 s at good and 1.22 s at bad after 30 runs of each, which vary by 31.0 ms; about 120 runs of each would do (--repeat 120)"
	r.Trials = report.Trials{Run: 60, Pass: 60}
	good, bad := noise(30, 1.21, 0.031, 1), noise(30, 1.218, 0.031, 4)
	r.Measured = &report.Measured{
		What: "time", Unit: "s",
		Good:  report.Measurements{Values: good, Median: 1.21, Spread: 0.031},
		Bad:   report.Measurements{Values: bad, Median: 1.218, Spread: 0.029},
		Total: report.Interval{Value: 0.008, Low: -0.012, High: 0.027},
		Steps: []report.MeasuredStep{}, Passing: []float64{}, Failing: []float64{},
		Runs: runs(alternating(good, bad), alternatingEnds(30, 1)...),
	}
	return r
}

// measuredAlong is an answer of three changes that could not be told apart along a line of them.
func measuredAlong() report.Result {
	r := onlyTogether(3)
	r.Inseparable, r.Messages, r.Algorithm, r.Verified, r.Confidence = false, nil, "changepoint", false, 0.991
	for _, c := range r.Cause {
		r.Unproven = append(r.Unproven, c.ID)
	}
	r.Measured = measuredNoisy().Measured
	r.Measured.Repaired = nil
	return r
}

// measuredUnsure has no answer, since the place of the step is not known well enough.
func measuredUnsure() report.Result {
	r := notIsolated()
	r.Reason = "the number changes in one of 9 commits, 1a2b3c4d5 to 9f8e7d6c5, with a probability of 62 %, less than the confidence of 99 %, and 412 runs told no more"
	r.Hints = nil
	r.Trials = report.Trials{Run: 412, Pass: 412}
	r.Measured = measuredBudget().Measured
	return r
}

// measuredBudget was cut short when the step was among nine commits.
func measuredBudget() report.Result {
	r := budget()
	r.Measured = measuredNoisy().Measured
	s := &r.Measured.Steps[0]
	s.Commits, s.Probability = slices.Repeat([]report.Commit{commits[ada]}, 9), 0.62
	r.Measured.Passing, r.Measured.Failing, r.Measured.Repaired = []float64{}, []float64{}, nil
	return r
}

// measuredBegun was cut short when its ends had been measured once or twice.
func measuredBegun() report.Result {
	r := measuredBudget()
	m := r.Measured
	m.Good.Values, m.Bad.Values = m.Good.Values[:2], m.Bad.Values[:1]
	m.Bad.Warmup, m.Bad.Outliers, m.Bad.Spread = false, 0, 0
	m.Steps, m.Runs = []report.MeasuredStep{}, m.Runs[:3]
	return r
}

// measuredHostile has a unit from the output of a command that does not mean well, and changes in place of commits.
func measuredHostile() report.Result {
	r := measuredExact()
	r.History, r.Hints = nil, nil
	r.Good.Rev = "v\x1b[31m<script>1"
	m := r.Measured
	m.What = "go-bench:<b>\x1b[2J"
	m.Unit = "</svg><script>alert(1)</script>\x1b[2J\u202e" + "widgets"
	m.Good.Median, m.Bad.Median = -3.25, math.Pi*1e12
	m.Good.Values, m.Bad.Values = []float64{-3.25, -3.25}, []float64{m.Bad.Median, m.Bad.Median}
	whole := m.Bad.Median - m.Good.Median
	m.Total = report.Interval{Value: whole, Low: whole, High: whole}
	m.Steps = []report.MeasuredStep{
		{Commits: []report.Commit{}, Changes: []report.Reference{{ID: "c1", Kind: "text", Path: "a\x1b[31m</title>\n.go", Line: 3}, {ID: "c2", Kind: "created", Path: "b"}}, Before: -3.25, After: 3e12, Delta: report.Interval{Value: 3e12, Low: 3e12, High: 3e12}, Probability: 1},
		{Commits: []report.Commit{}, Changes: []report.Reference{{ID: "c3", Kind: "created", Path: "<img src=x>"}}, Before: 3e12, After: m.Bad.Median, Delta: report.Interval{Value: m.Bad.Median - 3e12, Low: m.Bad.Median - 3e12, High: m.Bad.Median - 3e12}, Probability: 1},
	}
	m.Passing, m.Failing, m.Repaired = []float64{-3.25}, []float64{3e12}, []float64{0}
	m.Runs = runs([]float64{-3.25, m.Bad.Median, -3.25, m.Bad.Median, 3e12}, 0, 4, 0, 4, 2)
	return r
}

// noise are n numbers about a middle that look like chance, and are always the same.
func noise(n int, middle, spread float64, seed int) []float64 {
	list := make([]float64, n)
	for i := range list {
		u := math.Mod(float64((i+1)*(seed+7))*0.6180339887, 1)
		list[i] = math.Round((middle+spread*math.Log(u/(1-u))/1.7)*1e6) / 1e6
	}
	return list
}

// alternating are the values of two ends that are measured in turn.
func alternating(good, bad []float64) (list []float64) {
	for i := range good {
		list = append(list, good[i], bad[i])
	}
	return list
}

func alternatingEnds(runs, n int) (list []int) {
	for range runs {
		list = append(list, 0, n)
	}
	return list
}

func runs(values []float64, positions ...int) (list []report.MeasuredRun) {
	if len(values) != len(positions) {
		panic(fmt.Sprint(len(values), " values at ", len(positions), " positions"))
	}
	for i, v := range values {
		list = append(list, report.MeasuredRun{Trial: i + 1, Position: positions[i], Value: v, Judged: true})
	}
	return list
}
