package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
)

// htmlNumbers are the numbers of a search that measures. All its paths are in fields that are barWidth wide and are
// stretched to the width of the page.
type htmlNumbers struct {
	Text      string
	Strips    []htmlStrip
	Bounds    bool // some strip has the bounds of its median
	Falls     []htmlFall
	Uncertain bool // some step has bounds
	Time      *htmlRuns

	Low, Middle, High string // the axis below the strips
}

// An htmlStrip has a dot for each run of one configuration.
type htmlStrip struct {
	Side   string // "pass" or "fail"
	Name   string
	Figure string
	Label  string // for who does not see it
	Dots   string
	Median string
	Bounds string
}

// An htmlFall is a line of the steps from good to bad.
type htmlFall struct {
	Side   string // of an end: "pass" or "fail"; "" = it is a step
	Name   string
	Figure string
	Bar    string // from where the step begins to where it ends
	Mark   string // where an end is, or where a step ends
	Bounds string // of where it ends
}

// mostDots is how many dots a picture has at most.
const mostDots = 2000

// newHTMLNumbers is nil if the result has no numbers.
func newHTMLNumbers(r *Result) *htmlNumbers {
	m := r.Measured
	if m == nil || len(m.Good.Values) == 0 || len(m.Bad.Values) == 0 {
		return nil
	}
	h := &htmlNumbers{Text: "Each dot is one run, as it was measured."}
	if m.Exact {
		h.Text = "Each dot is one run. The number does not vary."
	}
	h.strips(r)
	h.falls(r)
	h.Time = newHTMLRuns(m)
	return h
}

// A htmlScale puts numbers on a line of barWidth, with some room at its ends. What is beyond them lies on the edge.
type htmlScale struct{ low, high float64 }

// newHTMLScale is a scale for the values of several configurations, but for those that lie so far from the others of
// theirs that nothing else would be seen: more than three times as far from the middle half as that is wide.
func newHTMLScale(series ...[]float64) htmlScale {
	s := htmlScale{math.Inf(1), math.Inf(-1)}
	for _, values := range series {
		sorted := slices.Sorted(slices.Values(values))
		n := len(sorted)
		if n == 0 {
			continue
		}
		from, to := sorted[n/4], sorted[n-1-n/4]
		for _, v := range sorted {
			if far := 3 * (to - from); n < 4 || far == 0 || v >= from-far && v <= to+far {
				s.low, s.high = min(s.low, v), max(s.high, v)
			}
		}
	}
	return s
}

// beyond says how many values are not on the scale.
func (s htmlScale) beyond(values []float64) string {
	n := 0
	for _, v := range values {
		if v < s.low || v > s.high {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s beyond the edge", prose.Number(n))
}

func (s htmlScale) at(value float64) int {
	const room = 0.02
	if s.high-s.low <= 0 || math.IsInf(s.high-s.low, 0) {
		return barWidth / 2
	}
	share := min(max((value-s.low)/(s.high-s.low), -room/2), 1+room/2)
	return int(math.Round((room + (1-2*room)*share) * barWidth))
}

// some are at most mostDots/parts of n elements, evenly spread, and a note of what is left out.
func some(n, parts int) (list []int, note string) {
	most := mostDots / parts
	shown := min(n, most)
	for k := range shown {
		list = append(list, k*n/shown)
	}
	if n > shown {
		note = fmt.Sprintf("; %s of %s are drawn", prose.Number(shown), prose.Number(n))
	}
	return list, note
}

func (h *htmlNumbers) strips(r *Result) {
	m := r.Measured
	type strip struct {
		side, name string
		values     []float64
	}
	list := []strip{{"pass", r.Good.name(), m.Good.Values}}
	if r.Status == Isolated && len(m.Passing) > 0 && len(m.Failing) > 0 {
		list = append(list, strip{"pass", "without the cause", m.Passing}, strip{"fail", "with the cause", m.Failing})
	}
	list = append(list, strip{"fail", badName(r), m.Bad.Values})
	var all [][]float64
	for _, s := range list {
		all = append(all, s.values)
	}
	scale := newHTMLScale(all...)
	for _, s := range list {
		middle := measure.Median(s.values)
		runs := prose.Count(len(s.values), "run")
		indices, note := some(len(s.values), len(list))
		note += scale.beyond(s.values)
		var dots strings.Builder
		for k, i := range indices {
			fmt.Fprintf(&dots, "M%d %dh0", scale.at(s.values[i]), 15+k*13%31) // 13 and 31 scatter neighbours
		}
		one := htmlStrip{
			Side: s.side, Name: prose.Printable(s.name), Figure: tied(m.amount(middle) + ", " + runs),
			Label: prose.Printable(fmt.Sprintf("%s: %s from %s to %s, median %s%s", s.name, runs, m.amount(slices.Min(s.values)), m.amount(slices.Max(s.values)), m.amount(middle), note)),
			Dots:  dots.String(), Median: fmt.Sprintf("M%d 4v52", scale.at(middle)),
		}
		if note != "" {
			one.Figure += tied(note)
		}
		if low, high, ok := medianBounds(s.values); ok && !m.Exact {
			h.Bounds = true
			one.Bounds = fmt.Sprintf("M%d 30H%d", scale.at(low), max(scale.at(high), scale.at(low)+1))
		}
		h.Strips = append(h.Strips, one)
	}
	h.Low, h.High = m.amount(scale.low), m.amount(scale.high)
	if scale.high > scale.low {
		h.Middle = m.amount(scale.low/2 + scale.high/2)
	} else {
		h.Low, h.Middle, h.High = "", h.Low, ""
	}
}

// medianBounds are the two of the values between which the median of what they are drawn from lies with a probability of
// at least 95 %, whatever it is that they are drawn from; ok is false if they are too few. (The test of signs, inverted.)
func medianBounds(values []float64) (low, high float64, ok bool) {
	n := len(values)
	sorted := slices.Sorted(slices.Values(values))
	beyond := 0.0                            // the probability that k values or fewer are on one side of it
	term := math.Exp(-float64(n) * math.Ln2) // 0 from about 1,074 values on
	if term == 0 {
		k := int(float64(n)/2 - 1.96*math.Sqrt(float64(n))/2)
		return sorted[k], sorted[n-1-k], true
	}
	k := -1
	for beyond+term <= 0.025 {
		beyond += term
		k++
		term *= float64(n-k) / float64(k+1)
	}
	if k < 0 {
		return 0, 0, false
	}
	return sorted[k], sorted[n-1-k], true
}

// falls lays out the steps from good to bad.
func (h *htmlNumbers) falls(r *Result) {
	m := r.Measured
	if len(m.Steps) == 0 {
		return
	}
	const most = 12
	steps := m.Steps[:min(len(m.Steps), most)]
	all := []float64{m.Good.Median, m.Good.Median + m.Total.Value, m.Good.Median + m.Total.Low, m.Good.Median + m.Total.High}
	at := m.Good.Median
	for i := range steps {
		d := m.delta(&steps[i])
		all = append(all, at+d.Low, at+d.High, at+d.Value)
		at += d.Value
	}
	scale := htmlScale{slices.Min(all), slices.Max(all)}
	end := func(side, name string, value float64) {
		h.Falls = append(h.Falls, htmlFall{
			Side: side, Name: prose.Printable(name), Figure: tied(m.amount(value)), Mark: fmt.Sprintf("M%d 2v36", scale.at(value)),
		})
	}
	step := func(name string, d Interval, from float64) {
		f := htmlFall{Name: prose.Printable(name), Figure: tied(m.difference(d)), Mark: fmt.Sprintf("M%d 2v22", scale.at(from+d.Value))}
		if a, b := scale.at(from), scale.at(from+d.Value); a != b {
			f.Bar = fmt.Sprintf("M%d 13H%d", a, b)
		}
		if d.Low < d.High && !m.Exact {
			h.Uncertain = true
			low, high := scale.at(from+d.Low), scale.at(from+d.High)
			f.Bounds = fmt.Sprintf("M%d 32H%dM%d 26v12M%d 26v12", low, high, low, high)
		}
		h.Falls = append(h.Falls, f)
	}
	end("pass", r.Good.name(), m.Good.Median)
	at = m.Good.Median
	for i := range steps {
		d := m.delta(&steps[i])
		step((&prose.Line{}).Add(prose.Plain, steps[i].place()).Cut(60).Render(false), d, at)
		at += d.Value
	}
	rest := m.Good.Median + m.Total.Value - at
	name := "what is left"
	if more := len(m.Steps) - most; more > 0 {
		name = prose.Count(more, "more step") + ", and what is left"
	}
	if rest != 0 {
		step(name, Interval{Value: rest}, at)
	}
	end("fail", badName(r), m.Good.Median+m.Total.Value)
}
