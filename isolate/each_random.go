package isolate

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A generator proposes random configurations that tell something about several classes at once. Each
// follows a configuration that resolved, but for the elements that are in a candidate of some class.
// These are cut into runs of about the same length, and each run is taken with some probability. So
// the fewer candidates are left, the less a random configuration differs from what resolved, and the
// likelier it resolves.
type generator struct {
	*run
	random   *rand.Rand
	ready    []generated
	hidden   *hidden
	resolved []Configuration // for some target
}

// A generated configuration is one between positions.
type generated struct {
	config Configuration
	bits   float64 // what it was worth at this step
}

const (
	randomKept  = 16 // the best of them: so what is tried ahead of the path is likely to be asked soon
	randomDrawn = 24 // beside these, at each step
	smallGap    = 2  // so many elements between two runs are taken as well: that breaks no more requirements than two borders do
)

func newGenerator(s *run) *generator {
	random := rand.New(rand.NewPCG(uint64(s.n), 0))
	return &generator{run: s, random: random, hidden: newHidden(s.n, len(s.milestones) > 0, random)}
}

// draw draws random configurations of the elements of some candidates, and returns the best ones by
// what they are worth.
func (g *generator) draw(among Configuration, worth func(Configuration) float64) []generated {
	for range randomDrawn {
		c := g.required(g.configuration(among), Full(g.n))
		if !g.isBroken(c) && !slices.ContainsFunc(g.ready, func(x generated) bool { return x.config == c }) {
			g.ready = append(g.ready, generated{config: c})
		}
	}
	for i := range g.ready {
		g.ready[i].bits = rounded(worth(g.ready[i].config))
	}
	slices.SortStableFunc(g.ready, func(a, b generated) int { return cmp.Compare(b.bits, a.bits) })
	g.ready = g.ready[:min(len(g.ready), randomKept)]
	return g.ready
}

// configuration draws one.
func (g *generator) configuration(among Configuration) Configuration {
	n := among.Len()
	blocks := min(n, 2<<g.random.IntN(10))
	density := 0.5 + 0.1*float64(g.random.IntN(4))
	shift := g.random.IntN(n)
	c := builder{n: g.n}
	for i := range blocks + 1 {
		if g.random.Float64() >= density {
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
	follows := g.resolved[g.random.IntN(len(g.resolved))]
	return follows.Minus(among).Union(c.configuration())
}

// take takes in whether a configuration resolved for any target.
func (g *generator) take(c Configuration, resolved bool) {
	g.hidden.take(c, resolved)
	if resolved {
		g.resolved = append(g.resolved, c)
	}
	g.ready = slices.DeleteFunc(g.ready, func(x generated) bool { return x.config == c })
}
