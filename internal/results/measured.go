package results

import (
	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// measured is what a result says of the numbers of a search; nil = there are none.
func measured(m *search.Measured, what string, found search.Answer) *report.Measured {
	if m == nil || len(m.Good.Values) == 0 || len(m.Bad.Values) == 0 {
		return nil
	}
	r := &report.Measured{
		What: what, Unit: m.Unit, Exact: m.Exact, Drift: m.Drift,
		Good: measurements(m.Good), Bad: measurements(m.Bad), Total: report.Interval(m.Total),
		Reversed: found.Commits != nil && found.Commits.Reversed,
		Steps:    []report.MeasuredStep{}, Passing: []float64{}, Failing: []float64{}, Runs: []report.MeasuredRun{},
	}
	for _, s := range m.Steps {
		one := report.MeasuredStep{
			Commits: []report.Commit{}, Changes: []report.Reference{},
			Before: s.Before, After: s.After, Delta: report.Interval(s.Delta), Probability: s.Probability,
		}
		for _, c := range s.Commits {
			one.Commits = append(one.Commits, described(c))
		}
		for _, i := range s.Changes {
			if i < len(found.Set.Changes) {
				c := &found.Set.Changes[i]
				one.Changes = append(one.Changes, report.Reference{ID: c.ID, Kind: c.Kind.String(), Path: c.Path, Line: c.NewStart})
			}
		}
		r.Steps = append(r.Steps, one)
	}
	for _, run := range m.Runs {
		r.Runs = append(r.Runs, report.MeasuredRun{Trial: run.Trial, Position: run.Position, Value: run.Value, Judged: run.Judged})
	}
	return r
}

func measurements(l changepoint.Level) report.Measurements {
	return report.Measurements{Values: l.Values, Median: l.Median, Spread: l.Spread, Outliers: l.Outliers, Bimodal: l.Bimodal, Warmup: l.Warmup}
}

// numbers are those of the trials of a tree, in their order.
func numbers(session *trial.Session, tree git.ID) []float64 {
	return values(session, func(r trial.Record) bool { return r.Tree == tree })
}

// values are the numbers of the trials for which of holds.
func values(session *trial.Session, of func(trial.Record) bool) []float64 {
	list := []float64{}
	for _, r := range session.Records() {
		if r.Value != nil && of(r) {
			list = append(list, *r.Value)
		}
	}
	return list
}
