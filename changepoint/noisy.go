package changepoint

import (
	"math"
	"slices"
)

// noisily searches with a number that varies. As exactly does, it goes into the segment with the largest difference
// first. Of the segments that are left beside a step only those are searched that are worth it.
func (s *search) noisily() error {
	whole := segment{[]int{0}, []int{s.n}}
	open, err := s.solve(whole, true)
	for len(open) > 0 && err == nil && (s.All || !s.unsure()) {
		best := 0
		for i, g := range open {
			if s.height(g) > s.height(open[best]) {
				best = i
			}
		}
		g := open[best]
		open = slices.Delete(open, best, best+1)
		worth, err := s.worthwhile(g)
		if err != nil {
			return err
		}
		if !worth {
			continue
		}
		parts, err := s.solve(g, true)
		if err != nil {
			return err
		}
		open = append(open, parts...)
	}
	if err == nil && len(s.steps) == 0 { // two steps seemed likely, and neither part has one
		_, err = s.solve(whole, false)
	}
	return err
}

// unsure reports whether a step was found whose place is not known well enough. If so, the highest step is not known either.
func (s *search) unsure() bool {
	return slices.ContainsFunc(s.steps, func(step Step) bool { return !step.Sure(s.Confidence) })
}

// highest is the height of the highest step so far.
func (s *search) highest() float64 {
	most := 0.0
	for _, step := range s.steps {
		most = max(most, s.sign()*step.Delta.Value)
	}
	return most
}

// height is the difference of the ends of a segment, in the direction of the whole difference.
func (s *search) height(g segment) float64 {
	return s.sign() * (median(s.values(g.right...)) - median(s.values(g.left...)))
}

// oneStep is the logarithm of how many times likelier the values of a segment are with one step than with none.
func (s *search) oneStep(g segment) float64 {
	p := s.posterior(g)
	return p.total - p.weight*p.before[1].plus(p.after[1]).logLikelihood()
}

// clearlyHigher is how many times as high as the highest step a segment must be for its ends to be measured again and
// again, if its values do not speak for a step in it yet.
const clearlyHigher = 1.25

// worthwhile reports whether a segment is to be searched: if its values speak for a step that is higher than those found
// and matters, or with All for one that matters. It measures the ends of the segment until that is clear; without All it
// does so only if the segment looks higher already.
func (s *search) worthwhile(g segment) (bool, error) {
	least, sure := s.matters(), -math.Log(1-s.Confidence)
	if !s.All {
		least = max(least, s.highest())
		if h := s.height(g); h <= least || h < clearlyHigher*least && s.oneStep(g) < sure {
			return false, nil
		}
	}
	for runs := 0; ; runs++ {
		delta := shift(s.values(g.left...), s.values(g.right...), s.Confidence)
		if s.sign() < 0 {
			delta = Interval{-delta.Value, -delta.High, -delta.Low}
		}
		few := min(len(s.values(g.left...)), len(s.values(g.right...))) < 2*leastRuns
		switch speaks := s.oneStep(g) >= sure; {
		case speaks && (s.All || delta.Low > least):
			return delta.Value >= least, nil
		case !few && delta.High < least, runs >= 2*s.Repeats:
			return speaks && delta.Value > least, nil
		case !s.All && !speaks && s.height(g) < clearlyHigher*least:
			return false, nil
		}
		end := g.from()
		if len(s.values(g.right...)) < len(s.values(g.left...)) {
			end = g.to()
		}
		if err := s.run(end); err != nil {
			return false, err
		}
	}
}

// run makes the next run, and before it one of an end if it is time for that.
func (s *search) run(position int) error {
	every := everyControl
	if len(s.drift.added) > 0 {
		every = everyDrifting
	}
	if len(s.runs)%every == 0 {
		end := 0
		if len(s.series[s.n]) < len(s.series[0]) {
			end = s.n
		}
		if _, err := s.measure(end); err != nil {
			return err
		}
	}
	_, err := s.measure(position)
	s.findDrift()
	return err
}

// solve searches a segment for one step, and adds it to s.steps. The step is between two neighbours, or, if limit ends the
// search, between two positions that are farther apart. solve returns the parts of the segment that are left. Without All it
// does not add a step that is lower than a known one. If several is true and the values speak for two steps, it adds none,
// and returns the parts before and after the positions between the two.
func (s *search) solve(g segment, several bool) (parts []segment, err error) {
	// The probability of a place is right only if the model is. There are other errors: the ends may be equal, or the
	// number of steps wrong. So only a fifth of the risk is spent here; the table of docs/measure.md shows that the rest is
	// enough.
	wrong := (1 - s.Confidence) / 5
	if s.All {
		wrong /= 4
	}
	for runs := 0; ; runs++ {
		p := s.posterior(g)
		i := p.likeliest()
		found := p.closed[i] && p.mass[i] >= 1-wrong && s.oneStep(g) >= -math.Log(wrong)
		if whole := g.from() == 0 && g.to() == s.n; whole && s.oneStep(g) < 0 { // the ends may have differed by chance
			if err := s.again(); err != nil {
				return nil, err
			}
			continue
		}
		from, to, mass := p.half()
		if runs > 0 {
			s.told(from, to, mass)
		}
		if s.lower(g, p.at[i-1], p.at[i]) {
			return beside(g, p.at[i-1], p.at[i]), nil
		}
		next := -1
		if inside, two := p.two(); several && two {
			var plateau []int
			likeliest := 0
			for k, share := range inside {
				if share >= 1-wrong {
					plateau = append(plateau, p.at[k])
				}
				if share > inside[likeliest] {
					likeliest = k
				}
			}
			if plateau != nil {
				return []segment{{g.left, plateau}, {plateau, g.right}}, nil
			}
			found, next = false, p.at[likeliest]
		}
		if found && !s.differ(s.step(g, p.at[i-1], p.at[i], 0)) {
			found, next = false, p.at[i-1]
			if len(s.values(p.at[i])) < len(s.values(next)) {
				next = p.at[i]
			}
		}
		if found {
			from, to, mass = p.at[i-1], p.at[i], p.mass[i]
		} else if most := s.limit(g, p); runs < most && (s.All || len(s.runs) < 2*most) {
			if next < 0 {
				next = p.choose(s)
			}
			if err := s.run(next); err != nil {
				s.steps = append(s.steps, s.step(g, from, to, mass))
				return nil, err
			}
			continue
		}
		s.steps = append(s.steps, s.step(g, from, to, mass))
		return beside(g, from, to), nil
	}
}

// beside are the parts of a segment that are left beside what was looked at.
func beside(g segment, from, to int) (parts []segment) {
	if from > g.from() {
		parts = append(parts, segment{g.left, []int{from}})
	}
	if to < g.to() {
		parts = append(parts, segment{[]int{to}, g.right})
	}
	return parts
}

// differ reports whether the interval of the difference between the values directly before and after a step excludes 0, in
// the direction of the whole difference.
func (s *search) differ(step Step) bool {
	return s.sign()*step.Delta.Low > 0 && s.sign()*step.Delta.High > 0
}

// lower reports whether the likeliest step of a segment, between two positions, is lower than one that was found. Without
// All it is then left aside.
func (s *search) lower(g segment, from, to int) bool {
	if s.All || len(s.steps) == 0 {
		return false
	}
	delta := s.step(g, from, to, 0).Delta
	return max(s.sign()*delta.Low, s.sign()*delta.High) < s.highest()
}

// step describes what is known of the step of a segment.
func (s *search) step(g segment, from, to int, probability float64) Step {
	return s.estimated(Step{From: from, To: to, Probability: probability}, g.from(), g.to())
}

// nearStep is how many values on either side of a step its height is estimated by, or a few more: farther away there may
// be steps that are not known.
const nearStep = 8

// estimated estimates the height of a step by the values next to it. From first to last the number is taken to change
// nowhere but at the step.
func (s *search) estimated(step Step, first, last int) Step {
	side := func(from, to, towards int) (values []float64) {
		at := s.measured(from, to)
		if towards == to {
			slices.Reverse(at)
		}
		for _, p := range at {
			if len(values) >= nearStep {
				break
			}
			values = append(values, s.values(p)...)
		}
		return values
	}
	before, after := side(first, step.From, step.From), side(step.To, last, step.To)
	step.Delta = shift(before, after, s.Confidence)
	step.Before, step.After = median(before), median(after)
	return step
}

// estimate estimates the heights of all steps, once all are known.
func (s *search) estimate() {
	slices.SortFunc(s.steps, func(a, b Step) int { return a.From - b.From })
	for i, step := range s.steps {
		first, last := 0, s.n
		if i > 0 {
			first = s.steps[i-1].To
		}
		if i+1 < len(s.steps) {
			last = s.steps[i+1].From
		}
		s.steps[i] = s.estimated(step, first, last)
	}
}

// limit is the number of runs after which solve stops undecided: 60, and ten times what a search for the likeliest step
// would take, but a step is taken to be a third as high as the segment at least, and a run to tell 0.1 bits at least.
// Values that fit neither end, nor the model of two steps, would be measured for ever, and so would those of many small
// steps. Without All solve also stops if all runs together are twice as many.
func (s *search) limit(g segment, p *posterior) int {
	left, right := s.values(g.left...), s.values(g.right...)
	i := p.likeliest()
	likely := s.step(g, p.at[i-1], p.at[i], p.mass[i])
	height := math.Abs(s.height(g))
	d := max(min(height, math.Abs(likely.Delta.Value)), height/3) / spread(append(residuals(left), residuals(right)...))
	bits := min(1, 0.18*d*d) // about the capacity of the channel
	if math.IsNaN(bits) {
		bits = 1
	}
	return 60 + int(10*(math.Log2(float64(s.n))-math.Log2(1-s.Confidence))/max(bits*s.weight, 0.1))
}
