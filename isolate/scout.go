package isolate

// A scout searches a part of a list that the path will come to, on a worker that the
// path leaves free. Looking far ahead of the path by itself is of little use: each
// question is as likely answered one way as the other, and k workers see log2 (k+1) of
// them ahead. What a scout finds out is not what the path will ask, for the path will
// have left out more by then. But it tells how likely the path's questions fail, as
// good as certain when elements do not depend on those behind them; then all workers
// look ahead along one line. So a question of the path costs two tests, but many of
// them are done at once. Scouts change neither the path nor the answer.
type scout struct {
	*section
	end int // behind its last element
}

// Chances of a question about which scouts know, and a fork that is less likely than
// a scout is worth, whose tests are not those of the path.
const (
	scouted      = 0.97
	worthMore    = 0.45
	worthHalving = 4 // elements that stay, of those that one searches alone
)

// advance lets the scouts take in what was found out.
func (e *engine) advanceScouts() {
	for i := range e.scouts {
		s := &e.scouts[i]
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

// territory returns the sections of the path that are not at their end.
func (e *engine) territory() []*section {
	var open []*section
	for _, p := range e.prospects {
		if s, ok := p.(*section); ok && s.from < s.to {
			open = append(open, s)
		}
	}
	return open
}

// sendScouts sees to it that there are so many scouts at work, if the path is long
// enough, and dismisses those that the path has passed.
func (e *engine) sendScouts(wanted int) {
	open := e.territory()
	left := e.scouts[:0]
	for _, s := range e.scouts {
		for _, p := range open {
			if p.from <= s.from && s.from < p.to {
				left = append(left, s)
				break
			}
		}
	}
	e.scouts = left
	busy := 0
	for _, s := range e.scouts {
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
			for _, s := range e.scouts {
				if s.from < p.to && s.end > from && s.from >= p.from {
					from = min(max(from, s.end), p.to)
				}
			}
			if p.from < p.to && (on == nil || p.to-from > on.to-on.from) {
				on, which = p.fresh(), -1
				on.from = from
			}
		}
		for i, s := range e.scouts {
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
			e.scouts[which].section = narrow
		}
		next.prepare()
		e.scouts = append(e.scouts, scout{next, middle})
	}
}

// expects returns how likely a question of a section of the path fails, by what
// scouts have seen of the elements that it leaves out.
func (e *engine) expects(s *section) float64 {
	from, to := s.to-s.try, s.to-s.low
	known := 0
	for _, scout := range e.scouts {
		a, b := max(from, scout.to), min(to, scout.end)
		if a >= b {
			continue
		}
		if !scout.current.Intersect(span(s.n, a, b)).IsEmpty() {
			return 1 - scouted
		}
		known += b - a
	}
	if known == to-from {
		return scouted
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
