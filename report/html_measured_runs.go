package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
)

// htmlRuns are the runs in their order.
type htmlRuns struct {
	Text            string
	Good, Bad, Rest string // dots
	Drift           string // a line for each end
	First, Last     string
	Low, High       string
}

// newHTMLRuns draws the runs along the line in their order; nil if there are too few.
func newHTMLRuns(m *Measured) *htmlRuns {
	var runs []MeasuredRun
	last, unjudged := 0, 0
	for _, run := range m.Runs {
		if !run.Judged {
			unjudged++
			continue
		}
		runs = append(runs, run)
		last = max(last, run.Position)
	}
	if len(runs) < 3 {
		return nil
	}
	good, bad := 0, last
	if m.Reversed {
		good, bad = bad, good
	}
	var by [3][]float64 // of good, bad and between
	sideOf := func(run MeasuredRun) int {
		switch run.Position {
		case good:
			return 0
		case bad:
			return 1
		}
		return 2
	}
	for _, run := range runs {
		by[sideOf(run)] = append(by[sideOf(run)], run.Value)
	}
	up := newHTMLScale(by[:]...)
	across := htmlScale{0, float64(len(runs) - 1)}
	y := func(value float64) int { return 5 + (barWidth-up.at(value))*9/100 }
	h := &htmlRuns{
		Text: fmt.Sprintf("%s, drawn from %s to %s", prose.Count(len(runs), "run"), m.amount(up.low), m.amount(up.high)), Low: m.amount(up.low), High: m.amount(up.high),
		First: fmt.Sprint("trial ", runs[0].Trial), Last: fmt.Sprint("trial ", runs[len(runs)-1].Trial),
	}
	if up.low == up.high {
		h.Low = ""
	}
	indices, note := some(len(runs), 1)
	var dots [3]strings.Builder
	for _, i := range indices {
		fmt.Fprintf(&dots[sideOf(runs[i])], "M%d %dh0", across.at(float64(i)), y(runs[i].Value))
	}
	h.Good, h.Bad, h.Rest = dots[0].String(), dots[1].String(), dots[2].String()
	h.Text += note + up.beyond(slices.Concat(by[:]...))
	if unjudged > 0 {
		h.Text += fmt.Sprintf("; %s had no number", prose.Count(unjudged, "other run"))
	}
	if m.Drift != 0 {
		h.Text += fmt.Sprintf("; one configuration drifts by %s from the first run to the last", m.amount(m.Drift))
		slope := m.Drift / float64(len(runs)-1)
		for _, end := range []int{good, bad} {
			var straight []float64
			for i, run := range runs {
				if run.Position == end {
					straight = append(straight, run.Value-slope*float64(i))
				}
			}
			if len(straight) > 0 {
				level := measure.Median(straight)
				h.Drift += fmt.Sprintf("M%d %dL%d %d", across.at(0), y(level), across.at(float64(len(runs)-1)), y(level+m.Drift))
			}
		}
	}
	h.Text = tied(prose.Printable(h.Text) + ".")
	return h
}
