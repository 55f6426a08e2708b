package isolate

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// Causes of three elements and more are too many to list, so they are sampled:
// by reversible-jump Markov chains (Green, Biometrika 82, 1995) over sets of
// cells, of which every passing configuration lacks one. That is how Bayesian
// group testing decodes when defectives are many (Knill, Schliep and Torney,
// "Interpretation of Pooling Experiments Using the Markov Chain Monte Carlo
// Method", Journal of Computational Biology 3, 1996).
const (
	chains      = 48  // at most, and one for four cells
	chainSteps  = 240 // of each
	chainBurnIn = 120
	chainStride = 8
	maxCause    = 12
	manyCauses  = 9   // in the mean: more of them are found as fast by pce, and more surely
	moreCauses  = 0.4 // how much likelier d causes are beforehand than d+1, d >= 2
	neverSure   = 0.9 // of three causes or more, while one or two suffice
)

// A chain is a set of cells and what it must miss of each passing configuration.
type chain struct {
	*coding
	random *rand.Rand
	sums   []float64 // of the shares of the cells up to each
	cells  []int32
}

// sample adds hypotheses of three causes and more, with as much weight as the
// chains spend on them.
func (c *coding) sample(r *rand.Rand) {
	if len(c.cells) == 0 || c.several {
		return
	}
	sums := make([]float64, len(c.cells))
	total := 0.0
	for a := range c.cells {
		total += c.cells[a].share
		sums[a] = total
	}
	counts := map[string]int{} // of each set of three and more
	var sets []hypothesis
	few, many := 0, 0
	for range min(chains, 1+len(c.cells)/4) {
		x := chain{coding: c, random: r, sums: sums}
		if !x.start() {
			continue
		}
		for step := range chainSteps {
			x.step(total)
			if step < chainBurnIn || step%chainStride != 0 {
				continue
			}
			if len(x.cells) < 3 {
				few++
				continue
			}
			many++
			set := slices.Sorted(slices.Values(x.cells))
			key := keyOf(set)
			if counts[key]++; counts[key] == 1 {
				sets = append(sets, hypothesis{cells: set})
			}
		}
	}
	if many == 0 {
		return
	}
	share := float64(many) / float64(few+many)
	if len(c.hypotheses) > 0 {
		share = min(share, neverSure)
	}
	for i := range c.hypotheses {
		c.hypotheses[i].weight *= 1 - share
	}
	for _, h := range sets {
		h.weight = share * float64(counts[keyOf(h.cells)]) / float64(many)
		c.hypotheses = append(c.hypotheses, h)
	}
}

// keyOf returns a key for a map by cells.
func keyOf(cells []int32) string {
	var key []byte
	for _, a := range cells {
		key = binary.AppendUvarint(key, uint64(a))
	}
	return string(key)
}

// start takes cells at random until each passing configuration lacks one.
func (x *chain) start() bool {
	for range maxCause {
		missing := x.missing(-1)
		if missing.isEmpty() {
			return len(x.cells) > 0 || x.add(missing)
		}
		if !x.add(missing) {
			return false
		}
	}
	return x.missing(-1).isEmpty()
}

// missing returns the passing configurations that hold all cells but the one
// in a slot.
func (x *chain) missing(slot int) bitset {
	missing := newBitset(len(x.passed))
	for r := range x.passed {
		missing.add(r)
	}
	for i, a := range x.cells {
		if i != slot {
			missing.intersect(x.coding.cells[a].all)
		}
	}
	return missing
}

// add takes in a random cell of those that the first configuration of missing
// lacks.
func (x *chain) add(missing bitset) bool {
	first := make(bitset, len(missing))
	if !missing.isEmpty() {
		first.add(missing.first())
	}
	a, ok := x.draw(first)
	if ok {
		x.cells = append(x.cells, a)
	}
	return ok
}

// draw returns a random cell that some configurations all lack.
func (x *chain) draw(missing bitset) (int32, bool) {
	if missing.isEmpty() {
		at, _ := slices.BinarySearch(x.sums, x.random.Float64()*x.sums[len(x.sums)-1])
		return int32(min(at, len(x.sums)-1)), true
	}
	total, drawn := 0.0, int32(-1)
	for a := range x.coding.cells {
		if y := &x.coding.cells[a]; !missing.meets(y.all) {
			if total += y.share; x.random.Float64()*total < y.share {
				drawn = int32(a)
			}
		}
	}
	return drawn, drawn >= 0
}

// step takes a cell in, out, or replaces one, as Metropolis and Hastings have
// it. total is the share of all cells.
func (x *chain) step(total float64) {
	d := len(x.cells)
	switch x.random.IntN(4) {
	case 0:
		if a, _ := x.draw(nil); d < maxCause && x.random.Float64() < total*odds(d) {
			x.cells = append(x.cells, a)
		}
	case 1:
		if slot := x.random.IntN(d); d > 1 && x.missing(slot).isEmpty() && x.random.Float64()*total*odds(d-1) < 1 {
			x.cells = slices.Delete(x.cells, slot, slot+1)
		}
	default:
		slot := x.random.IntN(d)
		if a, ok := x.draw(x.missing(slot)); ok {
			x.cells[slot] = a
		}
	}
}

// odds returns how much likelier d+1 causes are than d.
func odds(d int) float64 {
	if d == 1 {
		return twoCauses / oneCause
	}
	return moreCauses
}

// size returns how many causes are expected.
func (c *coding) size() float64 {
	mean := 0.0
	for _, h := range c.hypotheses {
		mean += h.weight * float64(len(h.cells))
	}
	return mean
}
