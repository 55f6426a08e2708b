package isolate

import (
	"iter"
	"math"
	"math/rand/v2"
)

// How many masks of a screening are worth it, and how finely they cut: of a group of
// neighbours that is cut in as many places as there are masks, or more, each is told
// from the others. More runs are dearer to compare.
const (
	mostMasks  = 256
	mostBlocks = 4096
)

// masks draws a round of masks of what is suspected.
func (x *screening) masks(f finding) plan { return recalled(x.run, func() plan { return x.drawn(f) }) }

func (x *screening) drawn(f finding) (p plan) {
	r := rand.New(rand.NewPCG(uint64(x.n)<<12|uint64(x.jobs), uint64(x.asked)))
	wanted := x.jobs
	if len(x.trail) == 2 {
		wanted -= 2 // the ends are tested beside
	}
	wanted = min(wanted, mostMasks)
	// Fine masks tell neighbours apart, and coarse ones resolve where requirements are hidden.
	fine := 4
	for 2*fine <= min(mostBlocks, x.presumed.Len()/2) && x.resolves(2*fine) > 0.85*x.resolves(4) {
		fine *= 2
	}
	had := map[Configuration]bool{}
	add := func(c Configuration) {
		if _, known := x.seen[c]; known || had[c] || x.isBroken(c) {
			return
		}
		had[c] = true
		p.configs, p.shares = append(p.configs, c), append(p.shares, x.share(c))
		p.exposed = append(p.exposed, exposure(x.n, c.Len(), c.count()/2))
	}
	if x.presumed != x.smallest { // it is high time to make sure of it
		add(x.required(x.presumed, Full(x.n)))
	}
	for i := 0; i < 2*wanted && len(p.configs) < wanted; i++ {
		at, k := (float64(len(p.configs))+0.5)/float64(wanted), 0
		for k < len(sizes)-1 && at > f.sizes[k] {
			at -= f.sizes[k]
			k++
		}
		blocks := fine
		if i%3 == 2 {
			blocks = max(1, fine/4)
		}
		add(x.required(x.pattern(r, x.asked+i, blocks, math.Exp2(-1/sizes[k].causes)), Full(x.n)))
	}
	return p
}

func (x *screening) resolves(blocks int) float64 {
	return x.rate.resolves(exposure(x.n, x.presumed.Len()/2, blocks))
}

// pattern returns a part of what is suspected: of so many blocks the same share of
// each, in one run that goes round its end. Neighbours are told apart where a run begins
// or ends. So from one pattern to the next, by its number, all runs begin further on by a
// golden section of half a block, which spreads any number of places evenly; and each
// by half a block more or not, at random, which makes blocks independent.
func (x *screening) pattern(r *rand.Rand, number, blocks int, share float64) Configuration {
	m := x.presumed.Len()
	blocks = min(blocks, m)
	_, phase := math.Modf(float64(number) / math.Phi)
	in := builder{n: m} // as ranks
	for b := range blocks {
		from, to := b*m/blocks, (b+1)*m/blocks
		size := to - from
		length := int(share*float64(size) + r.Float64())
		switch start := int((phase + float64(r.IntN(2))) / 2 * float64(size)); {
		case length >= size:
			in.add(from, to)
		case start+length <= size:
			in.add(from+start, from+start+length)
		default:
			in.add(from, from+start+length-size)
			in.add(from+start, to)
		}
	}
	if m == x.n {
		return in.configuration()
	}
	out := builder{n: x.n}
	before := 0 // ranks in the runs so far
	next, stop := iter.Pull2(x.presumed.spans())
	defer stop()
	from, to, _ := next()
	for a, b := range in.configuration().spans() {
		for a < b {
			for before+to-from <= a {
				before += to - from
				from, to, _ = next()
			}
			end := min(b, before+to-from)
			out.add(from+a-before, from+end-before)
			a = end
		}
	}
	return out.configuration()
}

func (x *screening) share(c Configuration) float64 {
	return max(1e-3, min(1-1e-3, float64(c.Intersect(x.presumed).Len())/float64(max(1, x.presumed.Len()))))
}
