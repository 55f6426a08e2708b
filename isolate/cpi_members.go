package isolate

import (
	"slices"
	"sort"
)

// members are the elements of a configuration by rank and by likelihood. The
// cost of making them is that of a look at each run, of each question the
// logarithm of that.
type members struct {
	starts, ends []int     // the runs, and one behind the last position
	before       []int     // members before each run
	mass         []float64 // likelihood before each run; nil = a member counts 1
	prior        []float64 // likelihood of all positions before each
}

func newMembers(c Configuration, prior []float64) *members {
	m := &members{prior: prior}
	count, mass := 0, 0.0
	add := func(from, to int) {
		m.starts, m.ends, m.before = append(m.starts, from), append(m.ends, to), append(m.before, count)
		count += to - from
		if prior != nil {
			m.mass = append(m.mass, mass)
			mass += prior[to] - prior[from]
		}
	}
	for from, to := range c.spans() {
		add(from, to)
	}
	add(c.n, c.n)
	return m
}

func (m *members) len() int { return m.before[len(m.before)-1] }

// rank returns how many members are before a position.
func (m *members) rank(position int) int {
	k := sort.SearchInts(m.starts, position) - 1
	if k < 0 {
		return 0
	}
	return m.before[k] + min(position, m.ends[k]) - m.starts[k]
}

// massBefore returns how likely the cause is before a position, in proportion.
func (m *members) massBefore(position int) float64 {
	if m.prior == nil {
		return float64(m.rank(position))
	}
	k := sort.SearchInts(m.starts, position) - 1
	if k < 0 {
		return 0
	}
	return m.mass[k] + m.prior[min(position, m.ends[k])] - m.prior[m.starts[k]]
}

func (m *members) massOf(c Configuration) float64 {
	mass := 0.0
	for from, to := range c.spans() {
		mass += m.massBefore(to) - m.massBefore(from)
	}
	return mass
}

// at returns the position of a rank.
func (m *members) at(rank int) int {
	k := sort.SearchInts(m.before, rank+1) - 1
	return m.starts[k] + rank - m.before[k]
}

// slice returns the members with rank from..to-1. Its cost follows the runs between.
func (m *members) slice(from, to int) Configuration {
	b := builder{n: m.starts[len(m.starts)-1]}
	for k := sort.SearchInts(m.before, from+1) - 1; k < len(m.starts)-1 && m.before[k] < to; k++ {
		first, last := max(from, m.before[k]), min(to, m.before[k+1])
		b.add(m.starts[k]+first-m.before[k], m.starts[k]+last-m.before[k])
	}
	return b.configuration()
}

// advice returns the prior of all positions before each, mixed with one part
// in five of the uniform one, so that no element weighs less than that: a
// wrong prior then costs at most log2 5 trials per cause more than none. It is
// nil if all are alike.
func (s *space) advice() []float64 {
	if s.prior == nil {
		return nil
	}
	total := 0.0
	for _, w := range s.prior {
		total += w / float64(s.n)
	}
	before := make([]float64, s.n+1)
	for i, w := range s.prior {
		before[i+1] = before[i] + 0.2 + 0.8*w/total
	}
	return before
}

// mass returns how likely the cause is in a configuration, in proportion, by
// what advice returned: 0 for nothing.
func mass(advice []float64, c Configuration) float64 {
	sum := 0.0
	if advice != nil {
		for from, to := range c.spans() {
			sum += advice[to] - advice[from]
		}
	}
	return sum
}

// risks are how much likelier than others the elements of a stretch of
// positions have hidden requirements: of others, which counts when they are
// added, and others of them, which counts when they are dropped.
type risks struct {
	starts    []int
	add, drop []float64
}

func newRisks() *risks { return &risks{starts: []int{0}, add: []float64{1}, drop: []float64{1}} }

// cut makes a stretch start at a position, and returns its number.
func (r *risks) cut(position int) int {
	k, found := slices.BinarySearch(r.starts, position)
	if !found {
		r.starts = slices.Insert(r.starts, k, position)
		r.add = slices.Insert(r.add, k, r.add[k-1])
		r.drop = slices.Insert(r.drop, k, r.drop[k-1])
	}
	return k
}

// scale multiplies the risk of some stretches of n positions, and then all so
// that they are 1 in the mean: how many requirements there are is not theirs
// to say, but the rate's.
func (r *risks) scale(n int, parts [][2]int, add bool, factor float64) {
	for _, p := range parts {
		r.cut(p[0])
		r.cut(p[1])
	}
	of := r.drop
	if add {
		of = r.add
	}
	for _, p := range parts {
		for k := r.cut(p[0]); k < r.cut(p[1]); k++ {
			of[k] *= factor
		}
	}
	sum := 0.0
	for k, risk := range of {
		sum += risk * float64(r.end(k, n)-r.starts[k])
	}
	for k := range of {
		of[k] *= float64(n) / sum
	}
}

// end returns where a stretch of n positions ends.
func (r *risks) end(k, n int) int {
	if k+1 < len(r.starts) {
		return r.starts[k+1]
	}
	return n
}
