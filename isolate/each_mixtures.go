package isolate

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A mixing proposes random configurations that tell something about several classes at once. Each
// follows a configuration that resolved, but for the elements that are in a candidate of some class.
// These are cut into runs of about the same length, and each run is taken with some probability. So
// the fewer candidates are left, the less a mixture differs from what resolved, and the likelier it
// resolves.
type mixing struct {
	*run
	random   *rand.Rand
	ready    []mixture
	hidden   *hidden
	resolved []Configuration // for some target
}

// A mixture is a configuration between positions.
type mixture struct {
	config Configuration
	bits   float64 // what it was worth at this step
}

const (
	mixturesKept  = 16 // the best of them: so what is tried ahead of the path is likely to be asked soon
	mixturesDrawn = 24 // beside these, at each step
	smallGap      = 2  // so many elements between two runs are taken as well: that breaks no more requirements than two borders do
)

func newMixing(s *run) *mixing {
	random := rand.New(rand.NewPCG(uint64(s.n), 0))
	return &mixing{run: s, random: random, hidden: newHidden(s.n, len(s.milestones) > 0, random)}
}

// draw draws mixtures of the elements of some candidates, and returns the best ones by what they
// are worth.
func (m *mixing) draw(among Configuration, worth func(Configuration) float64) []mixture {
	for range mixturesDrawn {
		c := m.required(m.mixture(among), Full(m.n))
		if !m.isBroken(c) && !slices.ContainsFunc(m.ready, func(x mixture) bool { return x.config == c }) {
			m.ready = append(m.ready, mixture{config: c})
		}
	}
	for i := range m.ready {
		m.ready[i].bits = rounded(worth(m.ready[i].config))
	}
	slices.SortStableFunc(m.ready, func(a, b mixture) int { return cmp.Compare(b.bits, a.bits) })
	m.ready = m.ready[:min(len(m.ready), mixturesKept)]
	return m.ready
}

// mixture returns one.
func (m *mixing) mixture(among Configuration) Configuration {
	n := among.Len()
	blocks := min(n, 2<<m.random.IntN(10))
	density := 0.5 + 0.1*float64(m.random.IntN(4))
	shift := m.random.IntN(n)
	c := builder{n: m.n}
	for i := range blocks + 1 {
		if m.random.Float64() >= density {
			continue
		}
		block := among.slice(max(0, (i*n-shift)/blocks), min(n, ((i+1)*n-shift)/blocks))
		for from, to := range block.spans() {
			if c.to > 0 && from-c.to <= smallGap {
				from = c.to
			}
			c.add(from, to)
		}
	}
	follows := m.resolved[m.random.IntN(len(m.resolved))]
	return follows.Minus(among).Union(c.configuration())
}

// take takes in whether a configuration resolved for any target.
func (m *mixing) take(c Configuration, resolved bool) {
	m.hidden.take(c, resolved)
	if resolved {
		m.resolved = append(m.resolved, c)
	}
	m.ready = slices.DeleteFunc(m.ready, func(x mixture) bool { return x.config == c })
}
