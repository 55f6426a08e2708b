package isolate

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// predictedRate returns a rate that expects about half as many hidden
// requirements as were predicted, and few if none were.
func predictedRate(s *run) *rate {
	expected := max(1, float64(len(s.may.to.ends))/2)
	r := newRate()
	for i, n := range numbers {
		far := math.Log2(n/expected) / 3
		r.p[i] *= 0.01 + math.Exp(-far*far/2)
	}
	r.normalise()
	return r
}

// Of the requirements between changes about two thirds are local, within a few
// positions of each other, and the others may go anywhere.
const (
	localShare = 0.65
	localReach = 3 // positions, in the mean
)

// exposure returns how likely a configuration of so many elements, in so many
// runs, violates a hidden requirement, for each that there is: that what
// requires is in and what is required is not. A local one it violates at the
// border of a run, any other as a random set does.
func exposure(n, members, runs int) float64 {
	if n == 0 {
		return 0
	}
	share := float64(members) / float64(n)
	apart := share * (1 - share)
	return localShare*min(apart, localReach*float64(runs)/float64(n)) + (1-localShare)*apart
}

func (c *coding) exposure(config Configuration) float64 {
	return exposure(c.n, config.Len(), config.count()/2)
}

// codesPay reports whether rounds of coded masks are likely to take fewer
// rounds than looking ahead along cuts of a chain. With milestones there are
// cuts that resolve, and where many requirements are predicted there are many
// more: then they do not.
func codesPay(s *run) bool {
	const dense = 16 // elements to a predicted requirement
	if s.jobs < 4 || len(s.milestones) > 0 || dense*len(s.may.to.ends) > s.n {
		return false
	}
	r := predictedRate(s)
	byEdges := func(c, d Configuration) int { return cmp.Compare(c.edges, d.edges) }
	for _, c := range slices.SortedFunc(maps.Keys(s.seen), byEdges) {
		if !c.IsEmpty() && c.Len() < s.n {
			r.learn(exposure(s.n, c.Len(), c.count()/2), s.seen[c] != Unresolved, 0)
		}
	}
	return s.masksTeach(r) > 1
}

// masksTeach returns how much so many masks teach, where so many cuts teach 1:
// k masks give k bits when they resolve, as they seldom do where there are many
// hidden requirements, and k cuts give log2(k+1).
func (s *run) masksTeach(r *rate) float64 {
	k := float64(max(4, s.jobs))
	return k * r.resolves(exposure(s.n, s.n/4, 4)) / math.Log2(k+1)
}
