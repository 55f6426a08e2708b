package changepoint

import (
	"math"
	"math/bits"
)

// A span is a part of the line between two positions that have values.
type span struct{ from, to int }

// exactly searches with a number that does not vary. It cuts the span with the largest difference in the direction of
// that of the ends, until no span that can be cut has a larger one than the highest step. If the number never falls along
// the line, this step is the highest of all. With All it goes on while a span that can be cut has a difference that matters.
func (s *search) exactly() error {
	open := []span{{0, s.n}}
	height := func(x span) float64 { return s.sign() * (s.series[x.to][0].value - s.series[x.from][0].value) }
	highest := 0.0
	for len(open) > 0 {
		best := 0
		for i, x := range open {
			if height(x) > height(open[best]) {
				best = i
			}
		}
		x := open[best]
		s.told(x.from, x.to, 1)
		if h := height(x); h <= 0 || h <= highest && (!s.All || h < s.matters()) {
			return nil
		}
		open = append(open[:best], open[best+1:]...)
		middle, err := s.between(x)
		if middle < 0 || err != nil {
			before, after := s.series[x.from][0].value, s.series[x.to][0].value
			delta := after - before
			s.steps = append(s.steps, Step{From: x.from, To: x.to, Delta: Interval{delta, delta, delta}, Before: before, After: after, Probability: 1})
			highest = max(highest, s.sign()*delta)
			if err != nil {
				return err
			}
			continue
		}
		open = append(open, span{x.from, middle}, span{middle, x.to})
	}
	return nil
}

// between measures the position nearest to the middle of a span that can be judged; -1 = there is none, or so many
// could not be judged that the others are not tried.
func (s *search) between(x span) (int, error) {
	for {
		p := s.nearest(x.from, x.to, (x.from+x.to)/2)
		if s.mostlyUnjudged(x.from, x.to) {
			p = -1
		}
		if p < 0 {
			return -1, nil
		}
		if len(s.series[p]) > 0 {
			return p, nil
		}
		if ok, err := s.measure(p); err != nil || ok {
			return p, err
		}
	}
}

// mostlyUnjudged reports whether so many positions between two could not be judged that a long row of them is likely: more
// than three times what halving takes.
func (s *search) mostlyUnjudged(from, to int) bool {
	n := 0
	for p := range s.unjudged {
		if p > from && p < to {
			n++
		}
	}
	return n > 8+3*bits.Len(uint(to-from))
}

// nearest returns the position between from and to, the two not included, that is nearest to p and not known to
// be without a value; -1 = there is none.
func (s *search) nearest(from, to, p int) int {
	for d := 0; p-d > from || p+d < to; d++ {
		if q := p - d; q > from && q < to && !s.unjudged[q] {
			return q
		}
		if q := p + d; q > from && q < to && !s.unjudged[q] {
			return q
		}
	}
	return -1
}

// matters is how high a step has to be with All: a twentieth of the difference of the ends, or a fifth if the number
// varies, since it takes 25 times the runs to exclude a step that is a fifth as high.
func (s *search) matters() float64 {
	if s.least() > 0 {
		return s.least()
	}
	share := 5.0
	if s.exact {
		share = 20
	}
	return math.Abs(median(s.values(s.n))-median(s.values(0))) / share
}
