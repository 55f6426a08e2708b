package isolate

// A speculator searches a part of a list that the path will come to, on a worker that the
// path leaves free. Looking far ahead of the path by itself is of little use: each
// question is as likely answered one way as the other, and k workers see log2 (k+1) of
// them ahead. What a speculator finds out is not what the path will ask, for the path will
// have left out more by then. But it tells how likely the path's questions fail, as
// good as certain when elements do not depend on those behind them; then all workers
// look ahead along one line. So a question of the path costs two tests, but many of
// them are done at once. Speculators change neither the path nor the answer.
type speculator struct {
	*section
	end int // behind its last element
}

// Chances of a question about which speculators know, and a fork that is less likely than
// a speculator is worth, whose tests are not those of the path.
const (
	speculated   = 0.97
	worthMore    = 0.45
	worthHalving = 4 // elements that stay, of those that one searches alone
)

// advanceSpeculators lets the speculators take in what was found out.
func (e *engine) advanceSpeculators() {
	for i := range e.speculators {
		s := &e.speculators[i]
		for {
			c, _, more := s.ask()
			o, known := e.outcomeOf(c)
			if !more || !known {
				break
			}
			s.section = s.told(o == Fail)
		}
	}
}

// openSections returns the sections of the path that are not at their end.
func (e *engine) openSections() []*section {
	var open []*section
	for _, p := range e.lookaheads {
		if s, ok := p.(*section); ok && s.from < s.to {
			open = append(open, s)
		}
	}
	return open
}

// startSpeculators sees to it that there are so many speculators at work, if the path is long
// enough, and dismisses those that the path has passed.
func (e *engine) startSpeculators(wanted int) {
	open := e.openSections()
	left := e.speculators[:0]
	for _, s := range e.speculators {
		for _, p := range open {
			if p.from <= s.from && s.from < p.to {
				left = append(left, s)
				break
			}
		}
	}
	e.speculators = left
	busy := 0
	for _, s := range e.speculators {
		if s.try > 0 {
			busy++
		}
	}
	for ; busy < wanted; busy++ {
		// The widest stretch that somebody is going to search alone is halved.
		var on *section
		which := -1
		for _, p := range open {
			from := p.from
			for _, s := range e.speculators {
				if s.from < p.to && s.end > from && s.from >= p.from {
					from = min(max(from, s.end), p.to)
				}
			}
			if p.from < p.to && (on == nil || p.to-from > on.to-on.from) {
				on, which = p.fresh(), -1
				on.from = from
			}
		}
		for i, s := range e.speculators {
			if s.try > 0 && (on == nil || s.to-s.from > on.to-on.from) {
				on, which = s.section, i
			}
		}
		if on == nil || float64(on.to-on.from)*on.forecast.stays() < worthHalving {
			return
		}
		middle := (on.from + on.to) / 2
		next := on.fresh()
		next.to, next.context, next.low, next.high, next.quota, next.then = middle, behindGone, 0, 0, -1, nil
		if which >= 0 {
			narrow := on.fresh()
			narrow.from = middle
			if narrow.high > narrow.to-narrow.from {
				narrow.leave(narrow.low)
				narrow.high = 0
			}
			if narrow.high == 0 {
				narrow.prepare()
			}
			e.speculators[which].section = narrow
		}
		next.prepare()
		e.speculators = append(e.speculators, speculator{next, middle})
	}
}

// expects returns how likely a question of a section of the path fails, by what
// speculators have seen of the elements that it leaves out.
func (e *engine) expects(s *section) float64 {
	from, to := s.to-s.try, s.to-s.low
	known := 0
	for _, speculator := range e.speculators {
		a, b := max(from, speculator.to), min(to, speculator.end)
		if a >= b {
			continue
		}
		if !speculator.current.Intersect(span(s.n, a, b)).IsEmpty() {
			return 1 - speculated
		}
		known += b - a
	}
	if known == to-from {
		return speculated
	}
	return s.fails
}

// A led remembers where the two answers to a question lead, worked out once.
type led[T any] [2]*T

func (l *led[T]) to(fails bool, lead func(fails bool) *T) *T {
	k := 0
	if fails {
		k = 1
	}
	if l[k] == nil {
		l[k] = lead(fails)
	}
	return l[k]
}
