package isolate

import "slices"

// cut returns where to cut members: before the rank within slack of the given
// one that starts a group of the coarsest level, and the nearest of these.
func (s *run) cut(members []int, rank, slack int) int {
	best, level := rank, s.levelAt(members, rank)
	for away := 1; away <= slack; away++ {
		for _, r := range []int{rank - away, rank + away} {
			if l := s.levelAt(members, r); l < level {
				best, level = r, l
			}
		}
	}
	return best
}

// levelAt returns the coarsest level at which a group starts between the
// members of rank-1 and rank, which is not 0.
func (s *run) levelAt(members []int, rank int) int {
	return slices.Min(s.border[members[rank-1]+1 : members[rank]+1])
}
