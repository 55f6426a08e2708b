package report

import (
	"fmt"
	"strings"
	"testing"
)

// Of six values the outer two bound the median in 31 of 32 cases; of fewer none do so in 19 of 20.
func TestMedianBounds(t *testing.T) {
	for _, c := range []struct {
		n         int
		low, high float64
		ok        bool
	}{{1, 0, 0, false}, {5, 0, 0, false}, {6, 1, 6, true}, {8, 1, 8, true}, {9, 2, 8, true}, {30, 10, 21, true}, {100, 40, 61, true}} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = float64(c.n - i)
		}
		if low, high, ok := medianBounds(values); low != c.low || high != c.high || ok != c.ok {
			t.Errorf("of %d: %v to %v, %v; want %v to %v, %v", c.n, low, high, ok, c.low, c.high, c.ok)
		}
	}
	many := make([]float64, 4000)
	for i := range many {
		many[i] = float64(i)
	}
	if low, high, ok := medianBounds(many); !ok || low < 1930 || low > 1945 || high != 3999-low {
		t.Errorf("of 4000: %v to %v, %v", low, high, ok)
	}
}

// A picture of very many runs is of some of them, and says so.
func TestNumbersOfManyRuns(t *testing.T) {
	m := Measured{Good: Measurements{}, Bad: Measurements{}}
	for i := range 5000 {
		v := float64(i % 97)
		m.Good.Values, m.Bad.Values = append(m.Good.Values, v), append(m.Bad.Values, v+1)
		m.Runs = append(m.Runs, MeasuredRun{Trial: i + 1, Position: i % 2, Value: v, Judged: true})
	}
	h := newHTMLNumbers(&Result{Measured: &m})
	dots := 0
	for _, s := range h.Strips {
		dots += strings.Count(s.Dots, "h0")
		if want := "1,000 of 5,000 are drawn"; !strings.Contains(s.Label, want) {
			t.Errorf("%q does not say %q", s.Label, want)
		}
	}
	if dots != mostDots {
		t.Errorf("%d dots of the ends, want %d", dots, mostDots)
	}
	if dots := strings.Count(h.Time.Good+h.Time.Bad+h.Time.Rest, "h0"); dots != mostDots || !strings.Contains(h.Time.Text, "2,000 of 5,000 are drawn") {
		t.Errorf("%d dots, %q", dots, h.Time.Text)
	}
}

// The steps lead from good to bad, also where good is newer.
func TestFallsLeadToBad(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		s := MeasuredStep{Before: 10, After: 14, Delta: Interval{Value: 4, Low: 4, High: 4}}
		if reversed {
			s = MeasuredStep{Before: 14, After: 10, Delta: Interval{Value: -4, Low: -4, High: -4}}
		}
		m := Measured{
			Exact: true, Reversed: reversed, Good: Measurements{Values: []float64{10}, Median: 10}, Bad: Measurements{Values: []float64{15}, Median: 15},
			Total: Interval{Value: 5, Low: 5, High: 5}, Steps: []MeasuredStep{s},
		}
		h := newHTMLNumbers(&Result{Status: Isolated, Good: Revision{Rev: "v1"}, Bad: Revision{Rev: "v2"}, Measured: &m})
		var got []string
		for _, f := range h.Falls {
			got = append(got, fmt.Sprint(f.Name, " ", f.Figure, " ", f.Bar, f.Mark))
		}
		want := "v1 10 M20 2v36; unknown +40\u00a0% M20 13H788M788 2v22; what is left +10\u00a0% M788 13H980M980 2v22; v2 15 M980 2v36"
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("reversed %v:\n%s, want\n%s", reversed, text, want)
		}
	}
}
