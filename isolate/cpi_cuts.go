package isolate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// A stretch is suspects of one risk, between two positions.
type stretch struct {
	from, to, count int
	mass            float64
	add, drop       float64 // the risk of each
}

// A cut is a part of the suspects, to be added to the passing configuration or
// dropped from the failing one.
type cut struct {
	add        bool
	parts      [][2]int       // from, to, as positions
	set        *Configuration // instead of parts, where it is not a few runs
	count      int
	mass       float64
	risk, from float64 // what moves risks to require, or to be required, and what stays
	borders    int     // between what moves and what stays
	level      int     // that of the borders that it keeps to
	tied       bool    // it goes along the affinity, see tiedCuts
	breaks     float64 // how likely a hidden requirement is violated, for each that there is
	score      float64 // bits expected of a trial
}

// borderRisk is how much a border between what moves and what stays adds to
// the risk, as a number of elements: most requirements are between neighbours.
const borderRisk = 1

// stretches returns the suspects as stretches, in order.
func (n *narrowing) stretches() []stretch {
	var all []stretch
	for k, from := range n.risks.starts {
		to := n.risks.end(k, n.n)
		if count := n.members.rank(to) - n.members.rank(from); count > 0 {
			mass := n.members.massBefore(to) - n.members.massBefore(from)
			all = append(all, stretch{from, to, count, mass, n.risks.add[k], n.risks.drop[k]})
		}
	}
	return all
}

// cuts returns parts to add, or to drop: for each of a number of masses, ever
// smaller by the root of 2 from half of all, the part with the least risk, and
// of these the first in order, or the last. So they are one run as long as all
// risks are alike. They keep to the borders of groups of a level.
func (n *narrowing) cuts(add bool, all []stretch, level int) []cut {
	risk := func(s stretch) (moving, staying float64) {
		if add {
			return s.add, s.drop
		}
		return s.drop, s.add
	}
	order := make([]int, len(all))
	total := cut{}
	for i, s := range all {
		order[i] = i
		if !add {
			order[i] = len(all) - 1 - i
		}
		_, staying := risk(s)
		total.from += staying * float64(s.count)
		total.mass += s.mass
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, _ := risk(all[i])
		b, _ := risk(all[j])
		return cmp.Compare(rounded(a), rounded(b))
	})
	taken := make([]bool, len(all))
	borders := func(i int, whole, touches bool) int { // that taking stretch i brings, less those that it removes
		if !whole {
			return 1
		}
		if !touches {
			return 0
		}
		if taken[i] {
			return -1
		}
		return 1
	}
	sizes := n.sizes(total.mass)
	if add {
		sizes = append(n.largeSizes(total.mass), sizes...)
	}
	sofar := cut{add: add, from: total.from, level: level}
	var parts [][2]int
	var cuts []cut
	take := func(i, from, to int) cut {
		s := all[i]
		c := sofar
		count := n.members.rank(to) - n.members.rank(from)
		moving, staying := risk(s)
		c.count += count
		c.mass += n.members.massBefore(to) - n.members.massBefore(from)
		c.risk += moving * float64(count)
		c.from -= staying * float64(count)
		c.borders += borders(i-1, from == s.from, i > 0) + borders(i+1, to == s.to, i+1 < len(all))
		return c
	}
	for _, i := range order {
		s := all[i]
		for len(sizes) > 0 && sizes[len(sizes)-1] <= sofar.mass+s.mass {
			from, to := n.part(add, s, sizes[len(sizes)-1]-sofar.mass, level)
			sizes = sizes[:len(sizes)-1]
			if from == to {
				continue
			}
			c := take(i, from, to)
			if c.count == n.members.len() || len(cuts) > 0 && cuts[len(cuts)-1].count == c.count {
				continue
			}
			c.parts = append(slices.Clone(parts), [2]int{from, to})
			cuts = append(cuts, n.weighed(c))
		}
		sofar = take(i, s.from, s.to)
		taken[i] = true
		parts = append(parts, [2]int{s.from, s.to})
	}
	return cuts
}

// singles returns each suspect as a part to add and a part to drop.
func (n *narrowing) singles(all []stretch) []cut {
	var cuts []cut
	others := float64(n.members.len() - 1)
	for _, s := range all {
		for rank := n.members.rank(s.from); rank < n.members.rank(s.to); rank++ {
			at := n.members.at(rank)
			for _, add := range []bool{true, false} {
				c := cut{add: add, parts: [][2]int{{at, at + 1}}, count: 1, level: n.levels, risk: s.drop, from: others, borders: 2}
				if add {
					c.risk = s.add
				}
				c.mass = n.members.massBefore(at+1) - n.members.massBefore(at)
				cuts = append(cuts, n.weighed(c))
			}
		}
	}
	return cuts
}

// weighed returns a cut with how likely a hidden requirement breaks it.
func (n *narrowing) weighed(c cut) cut {
	c.breaks = c.risk*c.from/float64(n.n)/float64(n.n) + borderRisk*float64(c.borders)/float64(n.n)
	return c
}

// sizes returns the masses of the cuts, decreasing.
func (n *narrowing) sizes(mass float64) []float64 {
	sizes := []float64{mass / 2}
	if n.members.prior == nil {
		sizes[0] = math.Floor(mass / 2)
	}
	for least := mass / float64(n.members.len()) / 2; ; {
		last := sizes[len(sizes)-1] / math.Sqrt2
		if n.members.prior == nil {
			last = math.Floor(last)
		}
		if last < least {
			return sizes
		}
		sizes = append(sizes, last)
	}
}

// largeSizes returns masses above half, decreasing, where more than one cause
// is expected. What such a cut leaves when it fails can still be halved in as
// many trials as all elements, so no narrowing takes more.
func (n *narrowing) largeSizes(mass float64) []float64 {
	if len(n.causes) == 1 || n.members.prior != nil {
		return nil
	}
	most := 0
	if left := bits.Len(uint(n.n-1)) - n.moves - 1; left >= 0 {
		most = 1 << left
	}
	var sizes []float64
	for _, share := range []float64{0.93, 0.86, 0.78, 0.7, 0.62, 0.56} {
		if size := math.Floor(min(share*mass, float64(most))); 2*size > mass+1 && (len(sizes) == 0 || size < sizes[len(sizes)-1]) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// part returns where to cut a stretch so that about this mass of it moves: its
// first suspects if they are added, else its last. It is cut where a group of the
// level starts.
func (n *narrowing) part(add bool, s stretch, mass float64, level int) (from, to int) {
	first, last := n.members.rank(s.from), n.members.rank(s.to)
	before := n.members.massBefore(s.from)
	if !add {
		mass = s.mass - mass
	}
	if n.members.prior == nil {
		first += int(mass)
	} else {
		k := sort.Search(last-first, func(k int) bool {
			at := n.members.at(first + k)
			return n.members.massBefore(at)+n.members.massBefore(at+1)-2*before >= 2*mass
		})
		first += k
	}
	at := s.to
	if first < last {
		at = n.members.at(first)
	}
	if level < n.levels && at < s.to {
		at = n.borderNear(at, level)
		at = max(s.from, min(s.to, at))
	} else if slack := min(min(first-n.members.rank(s.from), last-first)/12, mostSlack); slack > 0 && n.rates[level].resolves(0.25) < surely {
		at = n.members.at(first + coarsest(slack, func(away int) int { return n.border[n.members.at(first+away)] }))
	}
	if add {
		return s.from, at
	}
	return at, s.to
}

// Cuts keep to the borders of coarse groups, such as files, for most
// requirements do not cross them. They leave their place by a twelfth of what
// they part, which costs less than a hundredth of a bit, and no more than mostSlack
// suspects; and not at all when halves are almost sure to resolve.
const (
	mostSlack = 64
	surely    = 0.8
)

// borderNear returns where a group of a level starts that is near a position: of the
// two on either side of it that with fewer suspects between.
func (n *narrowing) borderNear(at, level int) int {
	k, found := slices.BinarySearch(n.starts[level], at)
	if found {
		return at
	}
	before, behind := 0, n.n
	if k > 0 {
		before = n.starts[level][k-1]
	}
	if k < len(n.starts[level]) {
		behind = n.starts[level][k]
	}
	if n.members.massBefore(at)-n.members.massBefore(before) <= n.members.massBefore(behind)-n.members.massBefore(at) {
		return before
	}
	return behind
}

// of returns the cut with another part to move.
func (c cut) of(part Configuration) cut {
	c.set = &part
	return c
}

// suspectsIn returns the suspects of a cut.
func (n *narrowing) suspectsIn(c cut) Configuration {
	if c.set != nil {
		return c.set.Intersect(n.left)
	}
	parts := slices.Clone(c.parts)
	slices.SortFunc(parts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	b := builder{n: n.n}
	for _, p := range parts {
		b.add(p[0], p[1])
	}
	return b.configuration().Intersect(n.left)
}

// rounded makes numbers equal that differ in how machines compute them.
func rounded(x float64) float64 { return math.Round(x*1e9) / 1e9 }
