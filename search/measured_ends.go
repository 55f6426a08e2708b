package search

import (
	"errors"
	"fmt"
	"math"

	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/trial"
)

// accept refuses ends whose numbers differ in the other direction.
func (w *searcher) accept(m *Measured, older, newer changepoint.Level, reversed bool) error {
	good, bad := older, newer
	if reversed {
		good, bad = newer, older
	}
	larger := w.Numbers.Larger
	if larger == 0 || (bad.Median > good.Median) == (larger > 0) {
		return nil
	}
	how, instead := "smaller", "--better searches for what made it better, and --good and --bad exchanged for what made it worse again"
	if larger < 0 {
		how, instead = "larger", "without --better what made it worse is searched for"
	}
	m.Good, m.Bad = good, bad
	return &trial.EndsError{Good: w.ends.Good, Bad: w.ends.Bad, What: fmt.Sprintf("the number of bad is %s than that of good, %s instead of %s: %s",
		how, w.format(bad.Median, m.Unit), w.format(good.Median, m.Unit), instead)}
}

func (w *searcher) format(value float64, unit string) string {
	if w.Numbers.Format == nil {
		return fmt.Sprint(value, unit)
	}
	return w.Numbers.Format(value, unit)
}

// unmeasured turns an error of the ends of a line into one of the user's ends.
func (w *searcher) unmeasured(err error, m *Measured) error {
	var equal *changepoint.EqualError
	if !errors.As(err, &equal) {
		return err
	}
	what := "the numbers of the ends cannot be told apart"
	good, bad := w.format(m.Good.Median, m.Unit), w.format(m.Bad.Median, m.Unit)
	runs := min(len(m.Good.Values), len(m.Bad.Values))
	switch {
	case m.Good.Spread == 0 && m.Bad.Spread == 0 && m.Total.Value == 0:
		what += fmt.Sprintf(": %s at good and at bad", good)
		if runs > 1 {
			what += fmt.Sprintf(", in each of %d runs", runs)
		}
	case w.Numbers.Least != nil && equal.Needed == 0 && math.Abs(m.Total.Value) < w.Numbers.Least(m.Good.Median):
		what = fmt.Sprintf("the numbers of the ends differ by less than what matters: %s at good, %s at bad, and %s matters",
			good, bad, w.format(w.Numbers.Least(m.Good.Median), m.Unit))
	default:
		what += fmt.Sprintf(": %s at good and %s at bad after %d runs of each, which vary by %s", good, bad, runs,
			w.format(max(m.Good.Spread, m.Bad.Spread), m.Unit))
		if equal.Needed > runs {
			what += fmt.Sprintf("; about %d runs of each would do (--repeat %d)", equal.Needed, equal.Needed)
		}
	}
	return &trial.EndsError{Good: w.ends.Good, Bad: w.ends.Bad, What: what}
}
