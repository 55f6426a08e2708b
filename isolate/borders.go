package isolate

import "slices"

// coarsest returns how far from a cut, in either direction and up to slack, the
// one of the coarsest level is, and of these the nearest; level says of each
// distance at which level a group starts there.
func coarsest(slack int, level func(away int) int) int {
	best, least := 0, level(0)
	for far := 1; far <= slack && least > 0; far++ {
		for _, away := range []int{-far, far} {
			if l := level(away); l < least {
				best, least = away, l
			}
		}
	}
	return best
}

// levelAt returns the coarsest level at which a group starts between the
// members of rank-1 and rank, which is not 0.
func (s *run) levelAt(members *members, rank int) int {
	return slices.Min(s.border[members.at(rank-1)+1 : members.at(rank)+1])
}
