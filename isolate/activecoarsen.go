package isolate

import (
	"math"
	"math/rand/v2"
)

// activeCoarsen is ActiveCoarsen of Liang, Tripp and Naik, "Learning Minimal Abstractions"
// (POPL 2011): each element is kept with the probability α, all others are
// left out at once, and are gone when the rest fails. If s elements have to stay, a test
// fails with the probability α^s, and α = e^(-1/s), where that is 1/e, leaves out most for
// each trial. As s is not known, α = 1/(1+e^-θ) is learned: it begins with 1/2, and each
// outcome y, which is 1 for Fail and else 0, moves θ by -η(y - 1/e), with η = 0.1. An
// element that was left out alone, and without which the rest did not fail, is kept from
// then on. When 30 are in question, ScanCoarsen of the same paper leaves out each of
// them alone. (We know it from its abstract and from the program of its authors, Chord's
// AbstractionMinimizer.java, which has these numbers.)
//
// There are three differences. θ is bounded so that of m elements in question one is
// expected to be left out at least, which is what s = m calls for: otherwise it rises
// for as long as nothing fails, and most draws leave nothing out. Such a draw is
// repeated, as in the program. ScanCoarsen begins with the last element, not with a
// random one. The random numbers follow from the number of elements, so that the path
// is the same each time.
//
// Cost: if s of n elements have to stay, independently of each other, e (s+1) ln n + s + 30
// trials on average at most; n where n is 30 or less. There is no bound that holds for every draw.
func activeCoarsen(m *minimization) Configuration {
	const (
		begin = 0.0 // θ for 1/2
		rate  = 0.1
		scan  = 30
	)
	r := rand.New(rand.NewPCG(uint64(m.N), 2011))
	c, open := Full(m.N), Full(m.N)
	// Invariant: c fails, open is within it, and the rest of c is kept.
	for theta := begin; open.Len() > scan; {
		theta = min(theta, math.Log(float64(open.Len()-1)))
		alpha := 1 / (1 + math.Exp(-theta))
		part := drawn(r, open, 1-alpha)
		if c.Minus(part) == c {
			continue
		}
		fails := 0.0
		if m.test(c.Minus(part)) == Fail {
			fails = 1
			c, open = c.Minus(part), open.Minus(part)
		} else if part.Len() == 1 {
			open = open.Minus(part)
		}
		theta -= rate * (fails - 1/math.E)
	}
	for k := open.Len() - 1; k >= 0; k-- {
		if rest := c.Minus(open.slice(k, k+1)); m.test(rest) == Fail {
			c = rest
		}
	}
	return c
}

// drawn returns a random subset, of which each element of c is with the probability p.
func drawn(r *rand.Rand, c Configuration, p float64) Configuration {
	b := builder{n: c.n}
	for i := range c.All() {
		if r.Float64() < p {
			b.add(i, i+1)
		}
	}
	return b.configuration()
}
