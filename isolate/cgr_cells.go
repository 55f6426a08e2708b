package isolate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A cell is some suspects in a row that are not told apart yet.
type cell struct {
	members Configuration
	size    int
	share   float64 // of the prior probability
	// The passing configurations that hold all of the cell, and those that hold any
	// of it; and how much of it each holds, if neither all nor nothing.
	all, any bitset
	part     map[int]float64
	reached  bitset  // the failing configurations that hold most of the cell; if there are several causes
	marginal float64 // the weight of the hypotheses that it is in
}

// A piece is a run of positions of a cell.
type piece struct{ from, to, cell int }

// A hypothesis is a set of cells, of one element each, that cause the failure
// together. A cell that is there twice holds two of them.
type hypothesis struct {
	cells  []int32
	weight float64
	class  int32 // of those that the masks picked so far do not tell apart
}

// maxCells bounds the cells, and so the hypotheses to n(n+3)/2 of it: as many
// as pay for so many masks.
func maxCells(jobs int) int {
	switch {
	case jobs < 3:
		return 64
	case jobs < 6:
		return 128
	}
	return 200
}

// split cuts the likely suspects into small cells, and the others, which only
// many causes together could hold, into a few large ones.
func (c *coding) split(likely Configuration) {
	most := maxCells(c.jobs)
	c.cells, c.pieces = c.cells[:0], c.pieces[:0]
	others := c.failing.Minus(c.base).Minus(likely)
	if others.IsEmpty() {
		c.cutCells(likely, most)
		return
	}
	c.cutCells(likely, most-most/8)
	c.cutCells(others, most/8)
	slices.SortFunc(c.pieces, func(p, q piece) int { return cmp.Compare(p.from, q.from) })
}

// cutCells cuts suspects into at most so many cells of about one size, at
// borders of coarse groups where there are any near.
func (c *coding) cutCells(suspects Configuration, most int) {
	if suspects.IsEmpty() {
		return
	}
	most += len(c.cells)
	size := (suspects.Len() + most - len(c.cells) - 1) / (most - len(c.cells))
	b := builder{n: c.n}
	filled := 0 // of the cell being built
	flush := func() {
		if filled > 0 {
			c.cells = append(c.cells, cell{members: b.configuration(), size: filled})
			b, filled = builder{n: c.n}, 0
		}
	}
	for from, to := range suspects.spans() {
		for from < to {
			// Invariant: the suspects before from are in cells.
			end, last := min(to, from+size-filled), len(c.cells) >= most-1
			fills := end-from == size-filled && !last
			switch near := end; {
			case fills:
				end += coarsest(size/6, func(away int) int { return c.levelNear(near+away, from+1, to) })
			case last:
				end = to
			}
			b.add(from, end)
			c.pieces = append(c.pieces, piece{from, end, len(c.cells)})
			filled += end - from
			if fills {
				flush()
			}
			from = end
		}
	}
	flush()
}

// levelNear returns the level at which a group starts at a position, if that
// lies from low to high, which are ends of a run: then none ends there either.
func (s *space) levelNear(position, low, high int) int {
	switch {
	case position < low || position > high:
		return math.MaxInt
	case position >= s.n:
		return 0
	}
	return s.border[position]
}

// weigh lists the hypotheses that the outcomes leave, with their posterior
// probabilities: a configuration that holds all of the cause does not pass.
func (c *coding) weigh() {
	c.compare()
	c.hypotheses = c.hypotheses[:0]
	for a := range c.cells {
		x := &c.cells[a]
		like := 1.0
		if !x.all.isEmpty() {
			like = 0
		}
		for _, f := range x.part {
			like *= 1 - f
		}
		if like > 0 {
			c.hypotheses = append(c.hypotheses, hypothesis{cells: []int32{int32(a)}, weight: oneCause * x.share * like * c.excused(x, x)})
		}
		if x.size > 1 && like > 0 {
			like = 1
			for _, f := range x.part {
				like *= 1 - f*f
			}
			twice := x.share * x.share * float64(x.size-1) / float64(x.size)
			c.hypotheses = append(c.hypotheses, hypothesis{cells: []int32{int32(a), int32(a)}, weight: twoCauses * twice * like * c.excused(x, x)})
		}
		for b := a + 1; b < len(c.cells); b++ {
			y := &c.cells[b]
			if x.all.meets(y.all) {
				continue
			}
			like := 1.0
			if x.any.meets(y.any) {
				for r := range c.passed {
					like *= 1 - x.held(r)*y.held(r)
				}
			}
			if like > 0 {
				c.hypotheses = append(c.hypotheses, hypothesis{cells: []int32{int32(a), int32(b)}, weight: twoCauses * 2 * x.share * y.share * like * c.excused(x, y)})
			}
		}
	}
	total := 0.0
	for _, h := range c.hypotheses {
		total += h.weight
	}
	for i := range c.hypotheses {
		c.hypotheses[i].weight /= total
	}
}

// excused returns how likely the failing configurations that do not hold two
// cells would have failed all the same, for another cause.
func (c *coding) excused(x, y *cell) float64 {
	if !c.several {
		return 1
	}
	return math.Ldexp(1, x.reached.common(y.reached)-len(c.failed))
}

// How likely it is beforehand that there is one cause, or that two interact.
const (
	oneCause  = 0.75
	twoCauses = 0.25
)

// held returns how much of the cell passing configuration r holds.
func (x *cell) held(r int) float64 {
	if !x.any.has(r) {
		return 0
	}
	if f, ok := x.part[r]; ok {
		return f
	}
	return 1
}

// compare finds out how much of each cell the passing configurations hold, and
// its share of the prior.
func (c *coding) compare() {
	for a := range c.cells {
		x := &c.cells[a]
		x.all, x.any, x.part = newBitset(len(c.passed)), newBitset(len(c.passed)), nil
		x.share = c.share(x.members, x.size)
		x.reached = newBitset(len(c.failed))
	}
	for r, failed := range c.failed {
		if !c.several {
			break // then no hypothesis lies outside of it
		}
		for a, held := range c.holds(failed) {
			if x := &c.cells[a]; 2*held > x.size {
				x.reached.add(r)
			}
		}
	}
	for r, passed := range c.passed {
		for a, held := range c.holds(passed) {
			x := &c.cells[a]
			if held == 0 {
				continue
			}
			x.any.add(r)
			if held == x.size {
				x.all.add(r)
			} else {
				if x.part == nil {
					x.part = map[int]float64{}
				}
				x.part[r] = float64(held) / float64(x.size)
			}
		}
	}
}

// share returns how likely a cause lies in a cell beforehand.
func (c *coding) share(members Configuration, size int) float64 {
	if c.advice == nil {
		return float64(size) / float64(c.suspected)
	}
	return mass(c.advice, members) / c.total
}

// holds returns how many elements of each cell a configuration holds.
func (c *coding) holds(config Configuration) []int {
	held := make([]int, len(c.cells))
	k := 0
	for from, to := range config.spans() {
		for k < len(c.pieces) && c.pieces[k].to <= from {
			k++
		}
		for j := k; j < len(c.pieces) && c.pieces[j].from < to; j++ {
			p := c.pieces[j]
			held[p.cell] += min(p.to, to) - max(p.from, from)
		}
	}
	return held
}

// marginal finds the weight of each cell and returns the elements of the
// likeliest, which have nearly all of it.
func (c *coding) marginal() Configuration {
	const nearly = 0.98
	total := 0.0
	for a := range c.cells {
		c.cells[a].marginal = 0
	}
	for _, h := range c.hypotheses {
		for _, a := range h.cells {
			c.cells[a].marginal += h.weight
			total += h.weight
		}
	}
	order := make([]int, len(c.cells)) // by the weight of an element
	for a := range order {
		order[a] = a
	}
	density := func(a int) float64 { return c.cells[a].marginal / float64(c.cells[a].size) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density(b), density(a)) })
	likely := make([]bool, len(c.cells))
	sum, least := 0.0, 0.0
	for _, a := range order {
		if d := density(a); d == 0 || sum > nearly*total && d < least {
			break
		}
		least = density(a)
		likely[a] = true
		sum += c.cells[a].marginal
	}
	return c.unmask(likely)
}

// elements returns the suspects of the cells of a hypothesis.
func (c *coding) elements(h hypothesis) Configuration {
	e := Empty(c.n)
	for _, a := range h.cells {
		e = e.Union(c.cells[a].members)
	}
	return e
}

// isConcrete reports whether h is of single elements.
func (c *coding) isConcrete(h hypothesis) bool {
	return !slices.ContainsFunc(h.cells, func(a int32) bool { return c.cells[a].size > 1 })
}

// likeliest returns the concrete hypotheses, the likeliest first, as many as
// two rounds could test.
func (c *coding) likeliest() []hypothesis {
	var best []hypothesis
	for _, h := range c.hypotheses {
		if c.isConcrete(h) {
			best = append(best, h)
		}
	}
	slices.SortStableFunc(best, func(g, h hypothesis) int { return cmp.Compare(h.weight, g.weight) })
	return best[:min(len(best), 2*c.jobs+2)]
}

// sampled returns at most so many hypotheses that stand for all: each of them
// is taken as often as its weight says (systematic resampling).
func sampled(all []hypothesis, most int, r *rand.Rand) []hypothesis {
	if len(all) <= most {
		return slices.Clone(all)
	}
	out := make([]hypothesis, 0, most)
	next := r.Float64() / float64(most)
	sum := 0.0
	for _, h := range all {
		sum += h.weight
		if taken := math.Ceil((sum - next) * float64(most)); taken > 0 {
			h.weight = taken / float64(most)
			out = append(out, h)
			next += h.weight
		}
	}
	return out
}
