package hints_test

import (
	"testing"

	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/search"
)

func TestOtherSteps(t *testing.T) {
	of := func(step, total float64) *search.Measured {
		return &search.Measured{
			Total: changepoint.Interval{Value: total},
			Steps: []search.MeasuredStep{{Step: changepoint.Step{Delta: changepoint.Interval{Value: step}}}},
		}
	}
	const hint = "the number changes elsewhere, too: this is 60 % of the difference of the ends, and --all looks for the rest"
	for _, c := range []struct {
		name string
		m    *search.Measured
		all  bool
		want string
	}{
		{"no number", nil, false, ""},
		{"no step", &search.Measured{Total: changepoint.Interval{Value: 10}}, false, ""},
		{"most of it", of(8, 10), false, ""},
		{"less than most", of(6, 10), false, hint},
		{"to less", of(-6, -10), false, hint},
		{"good is newer", of(-6, 10), false, hint},
		{"all were looked for", of(6, 10), true, ""},
	} {
		if got := hints.OtherSteps(c.m, c.all); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestScattered(t *testing.T) {
	of := func(low, value, high float64) *search.Measured {
		return &search.Measured{Steps: []search.MeasuredStep{{Step: changepoint.Step{Delta: changepoint.Interval{Low: low, Value: value, High: high}}}}}
	}
	for _, c := range []struct {
		name string
		m    *search.Measured
		what string
		want bool
	}{
		{"no number", nil, "time", false},
		{"no step", &search.Measured{}, "time", false},
		{"well known", of(8, 10, 12), "time", false},
		{"hardly known", of(5, 10, 17), "time", true},
		{"hardly known, to less", of(-17, -10, -5), "time", true},
		{"of another kind", of(5, 10, 17), "cpu", false},
	} {
		if got := hints.Scattered(c.m, c.what); (got != "") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
