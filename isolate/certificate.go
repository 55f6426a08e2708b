package isolate

import "slices"

// certificate returns the certificate of what is left. First are those next to the
// end of a section, where what required them may have gone since: each that goes is
// asked before most of what has to be asked again then.
func (m *minimization) certificate(kept Configuration) *certificate {
	left := slices.Collect(kept.All())
	slices.Reverse(left)
	ends := append(slices.Clone(m.ends), m.n) // decreasing or not, few
	away := func(i int) int {
		nearest := m.n
		for _, end := range ends {
			if i < end {
				nearest = min(nearest, end-i)
			}
		}
		return nearest
	}
	if len(ends) > 1 {
		slices.SortStableFunc(left, func(i, j int) int { return away(i) - away(j) })
	}
	return &certificate{n: m.n, nonEmpty: m.NonEmpty, current: kept, left: left}
}

// A certificate is the single elements left out one after the other, round and
// round, until none of those that are left can go.
type certificate struct {
	n        int
	nonEmpty bool

	current Configuration // fails
	left    []int         // its elements, in the order in which they are tried
	next    int           // the rank of the one that is next
	needed  int           // so many before it cannot go from current
	asked   int           // in all
	went    int           // of these

	// Worked out once, as of a section:
	question *Configuration
	led      led[certificate]
}

func (s *certificate) ask() (Configuration, float64, bool) {
	if s.needed == len(s.left) || s.nonEmpty && len(s.left) == 1 {
		return Configuration{}, 0, false
	}
	if s.question == nil {
		c := s.current.Minus(Of(s.n, s.left[s.next]))
		s.question = &c
	}
	return *s.question, (float64(s.went) + 0.5) / (float64(s.asked) + 10), true
}

func (s *certificate) after(fails bool) []lookahead { return []lookahead{s.told(fails)} }

// told returns the certificate after an answer.
func (s *certificate) told(fails bool) *certificate {
	return s.led.to(fails, s.lead)
}

func (s *certificate) lead(fails bool) *certificate {
	next := *s
	next.question, next.led = nil, led[certificate]{}
	next.asked++
	if fails {
		next.went++
		next.current = s.current.Minus(Of(s.n, s.left[s.next]))
		next.left = slices.Concat(s.left[:s.next], s.left[s.next+1:])
		next.needed = 0
	} else {
		next.next++
		next.needed++
	}
	if next.next >= len(next.left) {
		next.next = 0
	}
	return &next
}
