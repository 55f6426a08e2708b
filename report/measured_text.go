package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
)

// amount writes a number for a reader. The unit may be any text of the output.
func (m *Measured) amount(value float64) string {
	return measure.Format(value, (&prose.Line{}).Add(prose.Plain, m.Unit).Cut(20).Render(false))
}

// about is amount of an estimate.
func (m *Measured) about(value float64) string {
	if m.Exact {
		return m.amount(value)
	}
	return "about " + m.amount(value)
}

// difference writes a difference with its bounds: in percent of the number at the good end if that is above 0,
// otherwise as an amount.
func (m *Measured) difference(i Interval) string {
	unit, number := "", func(x float64) string { return m.amount(x) }
	if base := m.Good.Median; base > 0 {
		digits := decimals(i.Value / base * 100)
		unit, number = " %", func(x float64) string {
			text := strconv.FormatFloat(x/base*100, 'f', digits, 64)
			if m.Exact && digits > 0 {
				text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
			}
			return text
		}
	}
	text := number(i.Value) + unit
	if i.Value > 0 {
		text = "+" + text
	}
	if i.Low < i.High && !m.Exact && m.fewest() >= fewRuns {
		text += fmt.Sprintf(" [%s, %s]", number(i.Low), number(i.High))
	}
	return text
}

// fewest is how often the end was measured that was measured less often. Of fewer than fewRuns nothing is said of how they vary.
func (m *Measured) fewest() int { return min(len(m.Good.Values), len(m.Bad.Values)) }

const fewRuns = 4

// decimals is how many digits a percentage has behind the point.
func decimals(percent float64) int {
	size := math.Abs(percent)
	if size == 0 || size >= 1000 {
		return 0
	}
	return min(max(1, 1-int(math.Floor(math.Log10(size)))), 9)
}

// delta is the difference that a step makes on the way from good to bad.
func (m *Measured) delta(s *MeasuredStep) Interval {
	if m.Reversed {
		return Interval{Value: -s.Delta.Value, Low: -s.Delta.High, High: -s.Delta.Low}
	}
	return s.Delta
}

// levels are the numbers on the side of good and on that of bad of the step that the answer is about; ok is false if none
// was found.
func (m *Measured) levels() (good, bad float64, ok bool) {
	if m == nil || len(m.Steps) == 0 {
		return 0, 0, false
	}
	s := &m.Steps[0]
	if m.Reversed {
		return s.After, s.Before, true
	}
	return s.Before, s.After, true
}

// passing and failing say which numbers count as those of the good side and of the bad one: a threshold in the middle
// of the levels of the step decides.
func (m *Measured) passing() string {
	good, bad, _ := m.levels()
	return map[bool]string{true: "at most ", false: "at least "}[bad > good] + m.amount(good/2+bad/2)
}

func (m *Measured) failing() string {
	good, bad, _ := m.levels()
	return map[bool]string{true: "more than ", false: "less than "}[bad > good] + m.amount(good/2+bad/2)
}

// said is what a result says of a configuration on the good side and of one on the bad side.
func (r *Result) said() (passes, fails string) {
	if _, _, ok := r.Measured.levels(); ok {
		return "has " + r.Measured.passing(), "has " + r.Measured.failing()
	}
	return "passes", "fails"
}

// share says how much of the difference of the ends the step makes that the answer is about.
func (m *Measured) share() string {
	if len(m.Steps) == 0 {
		return m.difference(m.Total)
	}
	step := m.delta(&m.Steps[0])
	text, whole := m.difference(step), m.difference(Interval{Value: m.Total.Value})
	if m.difference(Interval{Value: step.Value}) != whole {
		text += " of " + whole
	}
	return text
}

// measuredEnds says which numbers the ends have.
func measuredEnds(r *Result, command, good, at string) string {
	m := r.Measured
	difference := ""
	if m.Total.Value != 0 {
		difference = ": " + m.difference(m.Total)
	}
	return fmt.Sprintf("%s %ss %s at %s and %s %s%s.", command, m.verb(), m.amount(m.Good.Median), good, m.amount(m.Bad.Median), at, difference)
}

// measured says how the ends of a search and of its answer were measured, and which steps there are.
func (p *page) measured() {
	m := p.r.Measured
	if m == nil {
		return
	}
	good, bad := p.r.Good.name(), badName(p.r)
	label := "numbers"
	add := func(format string, args ...any) { p.more(&label, fmt.Sprintf(format, args...)) }
	switch n := m.fewest(); {
	case m.Exact && n > 1 && len(m.Steps) == 0:
		add("the number did not vary in %s of either end", prose.Count(n, "run"))
	case m.Exact && n > 1:
		add("the number did not vary in %s of either end, so one run of the others was enough", prose.Count(n, "run"))
	case m.Exact:
		add("the number does not vary, so one run of each revision was enough")
	case n < fewRuns:
		add("%s of %s and %s of %s", prose.Count(len(m.Good.Values), "run"), good, prose.Number(len(m.Bad.Values)), bad)
	default:
		add("%s of %s, which vary by %s, and %s of %s, by %s", prose.Count(len(m.Good.Values), "run"), good, m.amount(m.Good.Spread),
			prose.Number(len(m.Bad.Values)), bad, m.amount(m.Bad.Spread))
	}
	if m.Drift != 0 {
		drift := m.amount(m.Drift)
		if m.Drift > 0 {
			drift = "+" + drift
		}
		add("the machine drifted by %s over %s, which was taken off", drift, prose.Count(len(m.Runs), "run"))
	}
	for _, end := range []struct {
		of   *Measurements
		name string
	}{{&m.Good, good}, {&m.Bad, bad}} {
		switch n := end.of.Outliers; {
		case end.of.Warmup:
			add("the first run of %s lies far from the others, as a warm-up does", end.name)
		case n > 0:
			add("%s of %s %s far from the others", prose.Count(n, "run"), end.name, verb(n, "lies", "lie"))
		}
		if end.of.Bimodal {
			add("the numbers of %s lie around two modes", end.name)
		}
	}
	if without, with := len(m.Passing), len(m.Failing); p.r.Status == Isolated && without > 0 && with > 0 {
		runs := ""
		if !m.Exact {
			runs = fmt.Sprintf(" (medians of %s and of %s)", prose.Count(without, "run"), prose.Number(with))
		}
		add("%s without the cause and %s with it%s", m.amount(measure.Median(m.Passing)), m.amount(measure.Median(m.Failing)), runs)
	}
	switch _, _, ok := m.levels(); {
	case !ok, p.r.Status == NotIsolated && !m.Exact: // the reason says where it changes
	case p.r.Status != Isolated:
		add("it changes within %s, with a probability of %s so far", m.Steps[0].place(), prose.Percent(m.Steps[0].Probability))
	case !p.r.alongLine(): // else no single trial was judged
		text := "a trial with " + m.failing() + " counts as a failure"
		if !m.Exact {
			text += ", and several decide where one does not tell"
		}
		add("%s", text)
	}
	p.measuredSteps()
}

// measuredSteps lists the steps, if there are several, and what they leave.
func (p *page) measuredSteps() {
	m := p.r.Measured
	if len(m.Steps) < 2 {
		return
	}
	const most = 10
	label := "steps"
	rest := m.Total.Value
	for i := range m.Steps {
		s := &m.Steps[i]
		rest -= m.delta(s).Value
		if i < most || p.full {
			p.more(&label, m.difference(m.delta(s))+": "+s.place())
		}
	}
	if more := len(m.Steps) - most; more > 0 && !p.full {
		p.shortened = true
		p.more(&label, "… "+prose.Count(more, "more step"))
	}
	p.more(&label, m.left(rest))
}

// left says what the steps leave of the difference of the ends. Estimates do not add up to the last digit.
func (m *Measured) left(rest float64) string {
	switch text := m.difference(Interval{Value: rest}); {
	case rest == 0:
		return "nothing is left"
	case !m.Exact && math.Abs(rest) <= (m.Total.High-m.Total.Low)/2:
		return text + " is left, which is within the bounds of these estimates"
	default:
		return text + " is left"
	}
}

// furtherStep says which step a further answer is about.
func (p *page) furtherStep() {
	m := p.r.Measured
	if good, bad, ok := m.levels(); ok {
		p.item("numbers", fmt.Sprintf("%s: from %s to %s", m.share(), m.about(good), m.about(bad)))
	}
}

// place says where a step is.
func (s *MeasuredStep) place() string {
	switch n := len(s.Commits); {
	case n == 1:
		return "commit " + short(s.Commits[0].ID) + " (" + s.Commits[0].Subject + ")"
	case n > 1:
		return prose.Count(n, "commit") + " up to " + short(s.Commits[n-1].ID)
	case len(s.Changes) == 1:
		return s.Changes[0].named()
	case len(s.Changes) > 1:
		return prose.Count(len(s.Changes), "change") + ", the first is " + s.Changes[0].named()
	}
	return "unknown"
}

// named is the place of a change.
func (c Reference) named() string {
	if c.Line > 0 {
		return fmt.Sprintf("%s:%d", c.Path, c.Line)
	}
	return c.Path
}

// of returns what is said of a further answer: its step comes first.
func (m *Measured) of(f *Further) *Measured {
	if m == nil {
		return nil
	}
	one := *m
	one.Steps, one.Passing, one.Failing = nil, nil, nil
	for _, s := range m.Steps {
		commits := slices.ContainsFunc(s.Commits, func(c Commit) bool {
			return slices.ContainsFunc(f.Commits, func(made Commit) bool { return made.ID == c.ID })
		})
		changes := slices.ContainsFunc(s.Changes, func(c Reference) bool {
			return slices.ContainsFunc(f.Cause, func(made Change) bool { return made.ID == c.ID })
		})
		if commits || changes {
			one.Steps = []MeasuredStep{s}
			break
		}
	}
	return &one
}
