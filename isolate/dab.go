package isolate

import (
	"math"
	"slices"
)

// dab, density-adaptive blocker search, goes through the elements once, the last
// ones first, and leaves out at once as many as go together with a probability of
// one half, by the density that the elements so far have shown. When they cannot
// all go, halving finds the first of them that cannot: it stays, all before it have
// gone by then, and about those behind it nothing was learned. So each trial tells
// about a bit, no part is tried twice, and what requires something goes before it.
//
// For equal probabilities it is the group testing of Hwang (JASA 67, 1972) for an
// unknown number of defectives, and the group sizes are those of Golomb's code; the
// probabilities are those of a Markov chain, learned as in density.go.
//
// Where many elements are expected to stay, so that looking ahead on one chain of
// questions would leave workers idle, the rest of the list is cut into a few
// sections, each of which is searched on its own; from time to time what each has
// left out is left out together. How many there are depends on what was found, not
// on the number of workers. What an element at the end of a section is required by
// may not be gone yet, so it costs some trials: about six for each section.
//
// Cost: at most 2n trials and the certificate, log2 n + 2 log2 log2 n + 3 about for one
// element that stays, and about 1.1 times what tells them apart for many: see
// docs/reduce.md.
func dab(m *minimization) Configuration {
	d := &blockers{minimization: m, elements: newElements(m.List)}
	return d.search()
}

// blockers is one run of dab.
type blockers struct {
	*minimization
	*elements
}

// How a list is cut into sections: when as many elements stay as it takes to know
// the density, and so many questions are expected that the trials that sections cost
// are few beside them. What a section costs is to find an element that only seems to
// stay, among as many as there are for each that does: so many questions are worth
// while for each bit of that, and for each of three more.
const (
	enough     = 16
	worthwhile = 52
	perSection = 90
	mostAtOnce = 8
	firstEpoch = 256 // questions of each section before they are put together; then twice as many
)

func (d *blockers) search() Configuration {
	before := d.density.shrunk()
	learned := before.evidence
	s := &section{elements: d.elements, current: Full(d.n), to: d.n, learned: &learned, quota: -1, then: d.certify}
	s.prepare()
	for s.try > 0 {
		if s.high == 0 && s.kept >= enough {
			if questions := int(s.forecast.bits() * float64(s.to)); float64(questions) >= worthwhile*(3-math.Log2(s.forecast.stays())) {
				return d.together(s, min(mostAtOnce, questions/perSection), before.kept)
			}
		}
		if d.follow(s, s) {
			d.shrink(s.without(s.try))
			s = s.told(true)
		} else {
			s = s.told(false)
		}
	}
	d.density = Density{*s.learned, before.kept + float64(s.kept)}
	return s.current
}

// follow asks the question of a lookahead, while workers may look ahead from all of
// these, and reports whether it fails.
func (d *blockers) follow(p lookahead, all ...lookahead) bool {
	c, _, _ := p.ask()
	d.look(all...)
	return d.test(c) == Fail
}

// together searches the rest of a section as k of them.
func (d *blockers) together(s *section, k int, before float64) Configuration {
	base, learned, kept := s.current, s.learned, s.kept
	open := make([]*section, k)
	for i := range open {
		part := s.fresh()
		part.from, part.to, part.then = (k-1-i)*s.to/k, (k-i)*s.to/k, nil
		if i > 0 {
			part.context = behindGone
			d.ends = append(d.ends, part.to)
		}
		open[i] = part
	}
	for epoch := firstEpoch; len(open) > 0; epoch *= 2 {
		// Invariant: base fails, and has all elements of the open sections.
		if len(open) == 1 {
			epoch = -1
		}
		for i, part := range open {
			part = part.fresh()
			open[i] = part
			part.current, part.quota, part.learned, part.forecast, part.kept = base, epoch, learned, nil, 0
			open[i].prepare()
		}
		for asking := true; asking; {
			asking = false
			for i, part := range open {
				if part.try > 0 {
					open[i] = part.told(d.follow(part, lookaheads(open)...))
					asking = true
				}
			}
		}
		base = d.join(base, open)
		d.shrink(base)
		sum := *learned
		for _, part := range open {
			kept += part.kept
			sum = sum.plus(part.learned, 1).plus(learned, -1)
		}
		learned = &sum
		open = slices.DeleteFunc(open, func(part *section) bool { return part.quota != 0 || part.from == part.to })
	}
	d.density = Density{*learned, before + float64(kept)}
	return base
}

func lookaheads(open []*section) []lookahead {
	all := make([]lookahead, len(open))
	for i, part := range open {
		all[i] = part
	}
	return all
}

// join leaves out together what the sections have left out of base one by one; if
// that does not fail, of as many of them as it does for, one after the other, the one
// that has left out most first.
func (d *blockers) join(base Configuration, parts []*section) Configuration {
	union := base
	for _, part := range parts {
		union = union.Intersect(part.current)
	}
	if d.follow(single{union, surely, nil}, single{union, surely, nil}) {
		return union
	}
	base = d.closest.failing // by one of them
	for _, part := range parts {
		if c := base.Intersect(part.current); c != base && d.test(c) == Fail {
			base = c
		}
	}
	return base
}

// certify returns what comes behind the last question of a single section.
func (d *blockers) certify(s *section) []lookahead {
	if d.fast {
		return nil
	}
	return []lookahead{d.certificate(s.current)}
}

// elements is what a search for blockers knows of the elements beforehand.
type elements struct {
	n        int
	nonEmpty bool
	weighted bool
	chances  [len(scalings)][]float64 // chances[a][i] = of the elements before i together
}

func newElements(l List) *elements {
	x := &elements{n: l.N, nonEmpty: l.NonEmpty}
	for _, w := range l.Weights {
		x.weighted = x.weighted || w != l.Weights[0]
	}
	for a, scaling := range scalings {
		sums := make([]float64, l.N+1)
		for i := range l.N {
			u := 1.0
			if x.weighted {
				u = math.Pow(float64(l.Weights[i]), scaling)
			}
			sums[i+1] = sums[i] + u
		}
		if mean := sums[l.N] / float64(max(1, l.N)); mean > 0 {
			for i := range sums {
				sums[i] /= mean
			}
		}
		x.chances[a] = sums
	}
	return x
}

// between returns the chances of the elements from..to-1.
func (x *elements) between(from, to int) (chances [len(scalings)]float64) {
	for a := range chances {
		chances[a] = x.chances[a][to] - x.chances[a][from]
	}
	return chances
}

// A section is the search of the elements from..to-1 for those that can go, the
// last ones first. All of them are in current, which fails.
type section struct {
	*elements
	current  Configuration
	from, to int
	context  int
	learned  *evidence // in this list and before
	forecast *forecast // nil = has to be made from what was learned

	// The group under test are the next size elements, when first is known to
	// stay among them only if it lies in low..high-1, counted from the last; high = 0: no
	// group is known to hold one.
	low, high int
	try       int     // so many are left out in the next question; 0 = there is none
	fails     float64 // how likely it fails

	kept  int                          // elements that stay, so far
	quota int                          // questions left; negative = no limit
	then  func(s *section) []lookahead // what comes behind the last element; nil = nothing

	// Worked out once, for workers look ahead from here again and again. A section that
	// is made of another one, or changed, is without: see fresh.
	led    led[section] // where an answer leads
	behind []lookahead  // what then returned
}

// fresh returns a copy that may be changed.
func (s *section) fresh() *section {
	c := *s
	c.led, c.behind = led[section]{}, nil
	return &c
}

// prepare finds the next question.
func (s *section) prepare() {
	s.try, s.fails = 0, 0
	if s.forecast == nil {
		s.forecast = newForecast(s.n, s.learned, s.weighted)
	}
	switch {
	case s.from == s.to || s.quota == 0:
		return
	case s.high == 0:
		most := s.to - s.from
		if s.nonEmpty && s.current.Len() == most {
			most-- // and the last one stays without a question
		}
		if most > 0 {
			s.try = s.nearest(1, most, 0.5)
			s.fails = s.gone(s.try)
		}
	default:
		least, most := s.gone(s.high), s.gone(s.low)
		s.try = s.nearest(s.low+1, s.high-1, (least+most)/2)
		s.fails = (s.gone(s.try) - least) / max(most-least, 1e-9)
	}
}

// nearest returns the number of elements, from least to most, that go with the
// probability next to p.
func (s *section) nearest(least, most int, p float64) int {
	low, high := least, most
	// Invariant: as many as low go with at least p, if any of these numbers do, and
	// more than high with less.
	for low < high {
		if middle := (low + high + 1) / 2; s.gone(middle) >= p {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if low < most && s.gone(low)-p > p-s.gone(low+1) {
		low++
	}
	return low
}

// gone returns how likely the next size elements all go.
func (s *section) gone(size int) float64 {
	if size == 0 {
		return 1
	}
	first, rest := s.between(s.to-1, s.to), s.between(s.to-size, s.to-1)
	return s.forecast.gone(s.context, &first, &rest)
}

func (s *section) ask() (Configuration, float64, bool) {
	if s.try == 0 {
		return Configuration{}, 0, false
	}
	return s.without(s.try), s.fails, true
}

// without returns current without the next size elements.
func (s *section) without(size int) Configuration {
	return s.current.Minus(span(s.n, s.to-size, s.to))
}

func (s *section) after(fails bool) []lookahead {
	next := s.told(fails)
	if next.try == 0 && next.then != nil {
		if next.behind == nil {
			next.behind = next.then(next)
		}
		return next.behind
	}
	return []lookahead{next}
}

// told returns the section after an answer.
func (s *section) told(fails bool) *section {
	return s.led.to(fails, s.lead)
}

func (s *section) lead(fails bool) *section {
	next := s.fresh()
	if next.quota > 0 {
		next.quota--
	}
	if fails {
		next.current, next.low = s.without(s.try), s.try
	} else {
		next.high = s.try
	}
	switch {
	case next.high == 0: // all of them are gone
		next.leave(next.low)
	case next.high-next.low == 1: // it is this one that stays
		next.leave(next.low)
		next.learn(s.between(next.to-1, next.to), true)
		next.context, next.kept = behindKept, next.kept+1
		next.to--
		next.low, next.high = 0, 0
	}
	next.prepare()
	return next
}

// leave notes that the next size elements are gone.
func (s *section) leave(size int) {
	s.low = 0
	if size == 0 {
		return
	}
	s.learn(s.between(s.to-1, s.to), false)
	s.context = behindGone
	if size > 1 {
		s.learn(s.between(s.to-size, s.to-1), false)
	}
	s.to -= size
}

// learn notes what became of elements.
func (s *section) learn(chances [len(scalings)]float64, stayed bool) {
	learned := *s.learned
	learned.take(s.context, chances, stayed)
	s.learned, s.forecast = &learned, nil
}
