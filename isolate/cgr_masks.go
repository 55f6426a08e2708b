package isolate

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

const (
	maskSamples    = 4096 // hypotheses that masks are weighed by
	maskCandidates = 20   // masks to pick each from; more when there are few to pick
	exhausted      = 0.1  // what a mask teaches at least, where telling two halves apart is 1
	mostlyCovered  = 0.9  // of the probability: then cores are tested and no masks
)

// masks returns the configurations to be tested in one round, at most s.slots(), none
// of them known: masks of cells that tell hypotheses apart, and the cores of
// single hypotheses when few are left.
func (c *coding) masks(r *rand.Rand) []Configuration {
	m := &masking{coding: c, random: r, most: c.slots()}
	if c.passes >= suspicious {
		m.add(c.core(c.failing.Minus(c.base)))
	}
	likeliest := c.likeliest()
	covered := 0.0
	for _, h := range likeliest[:min(len(likeliest), 2*c.jobs)] {
		covered += h.weight
	}
	if covered >= mostlyCovered {
		if m.cores(likeliest); len(m.configs) > 0 {
			return m.configs
		}
	}
	for range 2 { // the second time as if the first masks were unresolved
		m.split()
		m.cores(likeliest)
	}
	return m.configs
}

// A masking picks the masks of one round.
type masking struct {
	*coding
	random     *rand.Rand
	hypotheses []hypothesis // a sample
	classes    int
	most       int // configurations
	configs    []Configuration
}

func (m *masking) full() bool { return len(m.configs) >= m.most }

// add takes a configuration into the round, unless it is known, and reports
// whether it did.
func (m *masking) add(config Configuration) bool {
	if _, known := m.seen[config]; known || m.full() || m.isBroken(config) || slices.Contains(m.configs, config) {
		return false
	}
	m.configs = append(m.configs, config)
	return true
}

// cores adds the cores of hypotheses, and what makes an answer of one: its
// context.
func (m *masking) cores(likeliest []hypothesis) {
	for _, h := range likeliest {
		if m.full() {
			return
		}
		config := m.core(m.elements(h))
		if o, known := m.seen[config]; known && o == Unresolved {
			config = m.among(h)
		}
		m.add(config)
	}
	for _, h := range likeliest {
		if m.full() || h.weight < 0.1 {
			return
		}
		m.add(m.leave(m.core(m.elements(h)), m.elements(h)))
	}
}

// split adds masks that tell hypotheses apart, until none does or the round is
// full.
func (m *masking) split() {
	m.hypotheses = sampled(m.coding.hypotheses, maskSamples, m.random)
	for i := range m.hypotheses {
		m.hypotheses[i].class = 0
	}
	m.classes = 1
	for tries := 0; !m.full() && tries < 2*m.most+2; tries++ {
		mask, information := m.pick()
		if information < exhausted {
			return
		}
		config := m.base.Union(m.required(m.unmask(mask), Full(m.n)))
		if m.stuck() && tries%2 == 1 {
			config = m.leaving(mask)
		}
		if m.add(config) {
			m.divide(config)
		}
	}
}

// leaving returns the smallest failing configuration without the cells that are
// not in a mask, and what requires them: other than a mask alone it lacks
// nothing that only suspects which were cleared long ago could bring.
func (c *coding) leaving(mask []bool) Configuration {
	out := make([]bool, len(mask))
	for a := range mask {
		out[a] = !mask[a] && c.cells[a].marginal > 0
	}
	left := c.unmask(out).Intersect(c.smallest)
	return c.smallest.Minus(c.dependents(left, c.smallest)).Union(c.base)
}

// among returns leaving of the cells of a hypothesis.
func (c *coding) among(h hypothesis) Configuration {
	mask := make([]bool, len(c.cells))
	for _, a := range h.cells {
		mask[a] = true
	}
	return c.leaving(mask)
}

// pick returns the best of some masks, which says of each cell whether it is
// in, and what it teaches if it resolves.
func (m *masking) pick() (best []bool, teaches float64) {
	bestScore := 0.0
	consider := func(mask []bool) {
		information := m.information(mask)
		if score := information * m.rate.resolves(m.maskExposure(mask)); score > bestScore {
			best, bestScore, teaches = mask, score, information
		}
	}
	even := math.Pow(0.5, 1/m.size()) // the density at which a configuration fails as often as it passes
	levels := bits.Len(uint(len(m.cells) - 1))
	for range maskCandidates * min(3, max(1, 12/m.jobs)) {
		blocks := 1 << m.random.IntN(min(levels, 8)+1)
		consider(m.pattern(blocks, math.Pow(even, []float64{1, 0.6, 1.6}[m.random.IntN(3)])))
	}
	for _, share := range []float64{0.5, 0.75} {
		consider(m.prefix(share))
	}
	return best, teaches
}

// pattern returns a mask of so many blocks of about equal weight, each in with
// a probability.
func (m *masking) pattern(blocks int, density float64) []bool {
	total := 0.0
	for _, x := range m.cells {
		total += x.marginal
	}
	mask := make([]bool, len(m.cells))
	sum, in, block := 0.0, false, -1
	for a, x := range m.cells {
		if b := int(sum / total * float64(blocks)); b != block {
			block, in = b, m.random.Float64() < density
		}
		mask[a] = in && x.marginal > 0
		sum += x.marginal
	}
	return mask
}

// prefix returns a mask of the first cells, with a share of the weight.
func (m *masking) prefix(share float64) []bool {
	total := 0.0
	for _, x := range m.cells {
		total += x.marginal
	}
	mask := make([]bool, len(m.cells))
	sum := 0.0
	for a, x := range m.cells {
		if sum += x.marginal; sum-x.marginal/2 > share*total {
			break
		}
		mask[a] = x.marginal > 0
	}
	return mask
}

// information returns how well a mask tells the hypotheses of each class
// apart, from 0 to 1: their Gini impurity, which costs no logarithms.
func (m *masking) information(mask []bool) float64 {
	inside, outside := make([]float64, m.classes), make([]float64, m.classes)
	for i := range m.hypotheses {
		h := &m.hypotheses[i]
		if within(h.cells, mask) {
			inside[h.class] += h.weight
		} else {
			outside[h.class] += h.weight
		}
	}
	sum := 0.0
	for k, in := range inside {
		if out := outside[k]; in > 0 && out > 0 {
			sum += 4 * in * out / (in + out)
		}
	}
	return sum
}

func within(cells []int32, mask []bool) bool {
	for _, a := range cells {
		if !mask[a] {
			return false
		}
	}
	return true
}

// divide splits the classes by a configuration, as it is after closing.
func (m *masking) divide(config Configuration) {
	mask := m.maskOf(config)
	inside := make([]int32, m.classes) // the new class of those inside, 0 = none yet
	for i := range m.hypotheses {
		if h := &m.hypotheses[i]; within(h.cells, mask) {
			if inside[h.class] == 0 {
				inside[h.class] = int32(m.classes)
				m.classes++
			}
			h.class = inside[h.class]
		}
	}
}

// chances returns how likely the outcomes of a configuration are.
func (c *coding) chances(config Configuration) chances {
	mask := c.maskOf(config)
	inside := 0.0
	for _, h := range c.hypotheses {
		if within(h.cells, mask) {
			inside += h.weight
		}
	}
	resolved := c.rate.resolves(c.exposure(config))
	return chances{Unresolved: 1 - resolved, Pass: resolved * (1 - inside), Fail: resolved * inside}
}

// maskOf returns of which cells a configuration holds more than half.
func (c *coding) maskOf(config Configuration) []bool {
	mask := make([]bool, len(c.cells))
	for a, held := range c.holds(config) {
		mask[a] = 2*held > c.cells[a].size
	}
	return mask
}

// unmask returns the elements of a mask.
func (c *coding) unmask(mask []bool) Configuration {
	b := builder{n: c.n}
	for _, p := range c.pieces {
		if mask[p.cell] {
			b.add(p.from, p.to)
		}
	}
	return b.configuration()
}

// maskExposure is exposure of the elements of a mask on the base, nearly.
func (m *masking) maskExposure(mask []bool) float64 {
	members, runs, last := 0, 0, false
	for a, in := range mask {
		if in {
			members += m.cells[a].size
			if !last {
				runs++
			}
		}
		last = in
	}
	return exposure(m.n, min(m.n, members), runs)
}
