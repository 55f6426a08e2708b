package isolate

import "slices"

// flip looks for an element that core, which does not fail, lacks to fail: it
// halves the elements of failing outside core until core with all before an
// element does not fail and with it does. That is the difference of the pair
// it returns. It halves by what resolved before as long as there is some, then
// at milestones, then anywhere. Should a configuration pass on the way, then
// that and the failing one are a tested pair, and verified is true.
func (s *isolation) flip(core, failing Configuration) (p pair, verified bool) {
	blocks := s.resolvedWithin(core, failing)
	s.expected = chances{Unresolved: 0.5, Pass: 0.05, Fail: 0.45}
	for {
		// Invariant: failing fails, and core, which lies within it, does not.
		s.estimate.flip(failing.Len() - core.Len())
		c := core.Union(s.halving(blocks, failing.Minus(core)).Intersect(failing))
		if c == core {
			break
		}
		switch s.ask(c) {
		case Fail:
			failing = c
		case Pass:
			return pair{c, failing}, true
		default:
			core = c
		}
	}
	rest := failing.Minus(core)
	members := newMembers(rest, nil)
	low, high := 0, members.len()
	for high-low > 1 {
		// Invariant: failing is core with the first high of the rest, and
		// what these require. With the first low it does not fail.
		s.estimate.flip(high - low)
		middle, isMilestone := s.milestoneNear(members, low, high)
		c := core.Union(rest.slice(0, middle))
		if !isMilestone {
			c = s.completed(c, failing)
		}
		switch s.ask(c) {
		case Fail:
			high, failing = middle, c
		case Pass:
			return pair{c, failing}, true
		default:
			low = middle
		}
	}
	return pair{failing.Minus(rest.slice(low, high)), failing}, false
}

// halving returns the block that comes closest to halving what is left, and
// the empty configuration if none takes an eighth of it and leaves an eighth.
func (s *isolation) halving(blocks []Configuration, left Configuration) Configuration {
	best, most := Empty(s.n), left.Len()/8
	for _, b := range blocks {
		k := b.Intersect(left).Len()
		if k = min(k, left.Len()-k); k > most {
			best, most = b, k
		}
	}
	return best
}

// milestoneNear returns the rank of the milestone between two ranks that is
// nearest to their middle, or that if there is none.
func (s *isolation) milestoneNear(members *members, low, high int) (rank int, isMilestone bool) {
	middle, away := (low+high)/2, high
	rank = middle
	k, _ := slices.BinarySearch(s.milestones, members.at(middle))
	for _, m := range s.milestones[max(0, k-1):min(len(s.milestones), k+1)] {
		if r := members.rank(m); r > low && r < high && max(r-middle, middle-r) < away {
			rank, away, isMilestone = r, max(r-middle, middle-r), true
		}
	}
	return rank, isMilestone
}

// mostRuns bounds the runs of the blocks that are looked at.
const mostRuns = 20_000

// resolvedWithin returns what configurations that resolved have in common with
// failing, the last first, if it tells elements outside passing apart.
func (s *isolation) resolvedWithin(passing, failing Configuration) []Configuration {
	var blocks []Configuration
	left := failing.Minus(passing)
	seen := map[Configuration]bool{}
	runs := 0
	for _, r := range slices.Backward(s.resolved) {
		b := r.Intersect(failing)
		if runs += b.count(); runs > mostRuns {
			break
		}
		if part := b.Intersect(left); !part.IsEmpty() && part != left && !seen[part] {
			seen[part] = true
			blocks = append(blocks, b)
		}
	}
	return blocks
}
