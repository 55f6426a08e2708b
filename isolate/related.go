package isolate

import (
	"iter"
	"math"
)

// related holds requirements between positions in both directions.
type related struct {
	to, from links      // to.of(i) = what i requires, from.of(j) = what requires j
	pairs    [][2]int32 // all of them, if they are a few
}

const fewPairs = 64

// links holds a row of positions for each position, and of each block of rows
// the least and the greatest position they lead to, so that those which lead
// out of an interval are found without a look at all the others.
type links struct {
	start         []int32 // row i is ends[start[i]:start[i+1]]; nil = all rows are empty
	ends          []int32
	least, latest []int32 // by block
}

const linksBlock = 64 // rows

// of returns the positions that i leads to.
func (l *links) of(i int) []int32 {
	if l.start == nil {
		return nil
	}
	return l.ends[l.start[i]:l.start[i+1]]
}

// leaving yields the positions in from..to-1 that lead to one outside, in order.
func (l *links) leaving(from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if l.start == nil {
			return
		}
		for i := from; i < to; i++ {
			if block := i / linksBlock; i%linksBlock == 0 || i == from {
				if int(l.least[block]) >= from && int(l.latest[block]) < to {
					i = (block+1)*linksBlock - 1
					continue
				}
			}
			for _, j := range l.of(i) {
				if int(j) < from || int(j) >= to {
					if !yield(i) {
						return
					}
					break
				}
			}
		}
	}
}

// newRelated renumbers edges; those that leave the space are dropped.
func newRelated(edges [][]int, position []int, n int, mirrored bool) related {
	if edges == nil {
		return related{}
	}
	pairs := func(yield func(i, j int)) {
		for e, required := range edges {
			for _, f := range required {
				i, j := position[e], position[f]
				if i < 0 || j < 0 || i == j {
					continue
				}
				if mirrored { // e cannot stay when f is gone
					i, j = j, i
				}
				yield(i, j)
			}
		}
	}
	r := related{
		to:   newLinks(n, pairs),
		from: newLinks(n, func(yield func(i, j int)) { pairs(func(i, j int) { yield(j, i) }) }),
	}
	if len(r.to.ends) <= fewPairs {
		pairs(func(i, j int) { r.pairs = append(r.pairs, [2]int32{int32(i), int32(j)}) })
	}
	return r
}

// newLinks makes rows of the pairs (i, j), which it goes through twice.
func newLinks(n int, pairs func(yield func(i, j int))) links {
	l := links{start: make([]int32, n+1)}
	pairs(func(i, j int) { l.start[i+1]++ })
	for i := range n {
		l.start[i+1] += l.start[i]
	}
	if l.start[n] == 0 {
		return links{}
	}
	l.ends = make([]int32, l.start[n])
	next := make([]int32, n)
	copy(next, l.start)
	blocks := (n + linksBlock - 1) / linksBlock
	l.least, l.latest = make([]int32, blocks), make([]int32, blocks)
	for b := range blocks {
		l.least[b], l.latest[b] = math.MaxInt32, -1
	}
	pairs(func(i, j int) {
		l.ends[next[i]] = int32(j)
		next[i]++
		b := i / linksBlock
		l.least[b], l.latest[b] = min(l.least[b], int32(j)), max(l.latest[b], int32(j))
	})
	return l
}

// broken yields the requirements (i, j) that c breaks and other does not, and possibly
// some that both break. Its cost follows the difference of c from other, or from all or
// nothing, and not its size; where there are a few requirements, their number.
func (r *related) broken(c, other Configuration) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if len(r.to.ends) <= fewPairs {
			for _, e := range r.pairs {
				if i, j := int(e[0]), int(e[1]); c.Has(i) && !c.Has(j) && !yield(i, j) {
					return
				}
			}
			return
		}
		base := nearest(c, other)
		for from, to := range c.Minus(base).spans() {
			for i := range r.to.leaving(from, to) {
				for _, j := range r.to.of(i) {
					if !c.Has(int(j)) && !yield(i, int(j)) {
						return
					}
				}
			}
		}
		for from, to := range base.Minus(c).spans() {
			for j := range r.from.leaving(from, to) {
				for _, i := range r.from.of(j) {
					if c.Has(int(i)) && !yield(int(i), j) {
						return
					}
				}
			}
		}
	}
}

// nearest returns the base that differs least from c: the given, or the empty or the full
// configuration, which break no requirement between positions.
func nearest(c, base Configuration) Configuration {
	away, size := c.away(base), c.Len()
	switch {
	case size <= c.n-size && size <= away:
		return Empty(c.n)
	case c.n-size <= away:
		return Full(c.n)
	}
	return base
}
