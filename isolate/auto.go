package isolate

import "fmt"

// auto is the best algorithm known for the case: cpi, which takes the fewest
// trials; but when few rounds are wanted, and there are workers enough for coded
// groups to tell more than looking ahead along cuts does, it is cgr.
func auto(s *run) pair {
	switch {
	case codesPay(s):
		s.chosen, s.why = "cgr", fmt.Sprintf("%d trials at a time are likely to tell more than cuts one after another", s.jobs)
		return cgr(s)
	case len(s.milestones) > 0:
		s.chosen, s.why = "cpi", fmt.Sprintf("fewest trials; %d points on the way are likely to build", len(s.milestones))
	case s.jobs > 1:
		s.chosen, s.why = "cpi", fmt.Sprintf("%d trials at a time tell less than the cuts that it looks ahead along", s.jobs)
	default:
		s.chosen, s.why = "cpi", "fewest trials; no order of the changes is known to build"
	}
	return cpi(s)
}
