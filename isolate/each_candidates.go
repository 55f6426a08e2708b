package isolate

import "slices"

// Candidates are what the outcomes of a target leave of the causes of one or two elements: those that
// each failing configuration contains, and no passing one. It is advice about what to ask: a
// target may have another cause, and then nothing may be left, or what is left is wrong.
//
// They lie among some positions. Of more than mostCells of these they know cells only, which are runs of
// about the same number of them. A cause that is left lies in the cells that it has.
type candidates struct {
	among    Configuration
	n, cells int            // positions in among, and what they are divided into
	singles  bitset         // by cell: it has the whole cause
	pairs    map[int]bitset // by cell: the other cells, such that both have a member; each pair twice
	one, two float64        // how likely each single, and each pair, was beforehand
	total    float64        // how likely what is left was beforehand
}

const (
	mostCells = 1024
	ofTwo     = 0.25 // how likely a cause has two members beforehand
)

func newCandidates(among Configuration) *candidates {
	n := among.Len()
	b := &candidates{among: among, n: n, cells: min(n, mostCells), pairs: map[int]bitset{}}
	b.one, b.two = (1-ofTwo)/float64(b.cells), 2*ofTwo/float64(b.cells)/float64(max(1, b.cells-1))
	b.singles = b.set(among, true)
	for i := range b.cells {
		b.pairs[i] = slices.Clone(b.singles)
		b.pairs[i].remove(i)
	}
	b.weigh()
	return b
}

func (b *candidates) clone() *candidates {
	d := *b
	d.singles, d.pairs = slices.Clone(b.singles), make(map[int]bitset, len(b.pairs))
	for i, row := range b.pairs {
		d.pairs[i] = slices.Clone(row)
	}
	return &d
}

// set returns the cells of which all positions are in c, or else the cells of which one is.
func (b *candidates) set(c Configuration, all bool) bitset {
	words := newBitset(b.cells)
	for from, to := range c.ranksIn(b.among).spans() {
		first, last := from*b.cells/b.n, (to-1)*b.cells/b.n
		if all && b.start(first) < from {
			first++
		}
		if all && b.start(last+1) > to {
			last--
		}
		for i := first; i <= last; i++ {
			words.add(i)
		}
	}
	return words
}

// start returns how many of the positions come before a cell.
func (b *candidates) start(cell int) int { return (cell*b.n + b.cells - 1) / b.cells }

// positions returns the positions of cells.
func (b *candidates) positions(cells bitset) Configuration {
	c := builder{n: b.among.n}
	for i := range cells.all() {
		for from, to := range b.among.slice(b.start(i), b.start(i+1)).spans() {
			c.add(from, to)
		}
	}
	return c.configuration()
}

// collect adds the cells that have a member of a candidate.
func (b *candidates) collect(cells bitset) {
	cells.unite(b.singles)
	for i := range b.pairs {
		cells.add(i)
	}
}

func (b *candidates) cellsOf(cells ...int) bitset {
	set := newBitset(b.cells)
	for _, i := range cells {
		set.add(i)
	}
	return set
}

// take takes in the outcome of a configuration.
func (b *candidates) take(c Configuration, o Outcome) {
	switch o {
	case Fail: // the cause lies within c
		within := b.set(c, false)
		b.singles.intersect(within)
		for i, row := range b.pairs {
			if row.intersect(within); !within.has(i) {
				delete(b.pairs, i)
			}
		}
	case Pass: // it does not
		within := b.set(c, true)
		b.singles.subtract(within)
		for i, row := range b.pairs {
			if within.has(i) {
				row.subtract(within)
			}
		}
	default:
		return
	}
	b.weigh()
}

// weigh finds out how likely what is left was beforehand.
func (b *candidates) weigh() {
	n := 0
	for i, row := range b.pairs {
		k := row.len()
		if k == 0 {
			delete(b.pairs, i)
		}
		n += k
	}
	b.total = b.one*float64(b.singles.len()) + b.two/2*float64(n)
}

// expected returns how many bits the outcome of a configuration with these cells is expected to give.
func (b *candidates) expected(within bitset) float64 {
	if b.total == 0 {
		return 0
	}
	n := 0
	for i, row := range b.pairs {
		if within.has(i) {
			n += row.common(within)
		}
	}
	return entropy((b.one*float64(b.singles.common(within)) + b.two/2*float64(n)) / b.total)
}

// likeliest returns the likeliest cause and its probability, which is 0 if nothing is left.
func (b *candidates) likeliest() (c Configuration, p float64) {
	switch {
	case b.total == 0:
		return Empty(b.among.n), 0
	case b.singles.len() > 0:
		return b.positions(b.cellsOf(b.singles.first())), b.one / b.total
	}
	i := b.cells
	for k := range b.pairs {
		i = min(i, k)
	}
	return b.positions(b.cellsOf(i, b.pairs[i].first())), b.two / b.total
}
