package isolate

import "fmt"

// auto is the best algorithm known for the case: cpi, which takes the fewest
// trials; but when few rounds are wanted, and there are workers enough for coded
// groups to tell more than looking ahead along cuts does, it is cgr.
func auto(s *run) pair {
	switch {
	case codesPay(s):
		s.chosen, s.why = "cgr", fmt.Sprintf("%d configurations at once are likely to tell more than cuts one after another", s.jobs)
		return cgr(s)
	case len(s.milestones) > 0:
		s.chosen, s.why = "cpi", fmt.Sprintf("%d milestones are likely to resolve", len(s.milestones))
	case s.jobs > 1:
		s.chosen, s.why = "cpi", fmt.Sprintf("%d configurations at once would tell less than cuts that are looked ahead along", s.jobs)
	default:
		s.chosen, s.why = "cpi", "few trials are wanted, and no order is known to resolve"
	}
	return cpi(s)
}
