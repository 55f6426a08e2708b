package reduce

import "slices"

// A span is where two sequences differ: the elements from of one stand in the place
// of those of the other; one side may be empty.
type span struct{ aFrom, aTo, bFrom, bTo int }

// mostEdits is how many insertions and deletions are looked for exactly: the cost is
// quadratic in them.
const mostEdits = 2000

// spans compares two sequences of elements and returns where they differ, in order.
// Up to mostEdits insertions and deletions they are as few as can be: Myers, "An
// O(ND) difference algorithm and its variations" (1986). Above, what occurs once
// in either sequence divides it. The elements between two spans are equal.
func spans(a, b []string) []span {
	ids := map[string]int{}
	number := func(list []string) []int {
		out := make([]int, len(list))
		for i, s := range list {
			id, ok := ids[s]
			if !ok {
				id = len(ids)
				ids[s] = id
			}
			out[i] = id
		}
		return out
	}
	d := differ{a: number(a), b: number(b)}
	d.compare(0, len(a), 0, len(b))
	return d.spans
}

type differ struct {
	a, b  []int
	spans []span
}

// add notes a difference, joined to one that it touches.
func (d *differ) add(s span) {
	if n := len(d.spans); n > 0 && d.spans[n-1].aTo == s.aFrom && d.spans[n-1].bTo == s.bFrom {
		d.spans[n-1].aTo, d.spans[n-1].bTo = s.aTo, s.bTo
		return
	}
	d.spans = append(d.spans, s)
}

// compare adds the differences of a[aFrom:aTo] and b[bFrom:bTo].
func (d *differ) compare(aFrom, aTo, bFrom, bTo int) {
	for aFrom < aTo && bFrom < bTo && d.a[aFrom] == d.b[bFrom] {
		aFrom, bFrom = aFrom+1, bFrom+1
	}
	for aFrom < aTo && bFrom < bTo && d.a[aTo-1] == d.b[bTo-1] {
		aTo, bTo = aTo-1, bTo-1
	}
	if aFrom == aTo && bFrom == bTo {
		return
	}
	if aFrom == aTo || bFrom == bTo || !d.exact(aFrom, aTo, bFrom, bTo) && !d.divide(aFrom, aTo, bFrom, bTo) {
		d.add(span{aFrom, aTo, bFrom, bTo})
	}
}

// exact is compare by the shortest sequence of edits, if there is one within
// mostEdits.
func (d *differ) exact(aFrom, aTo, bFrom, bTo int) bool {
	n, m := aTo-aFrom, bTo-bFrom
	most := min(n+m, mostEdits)
	reached := make([]int, 2*most+3) // by diagonal, how far in a
	at := func(k int) *int { return &reached[k+most+1] }
	var rounds [][]int
	for edits := 0; edits <= most; edits++ {
		rounds = append(rounds, slices.Clone(reached[most+1-edits:most+2+edits]))
		for k := -edits; k <= edits; k += 2 {
			x := 0
			if k == -edits || k != edits && *at(k - 1) < *at(k + 1) {
				x = *at(k + 1)
			} else {
				x = *at(k - 1) + 1
			}
			for x < n && x-k < m && d.a[aFrom+x] == d.b[bFrom+x-k] {
				x++
			}
			*at(k) = x
			if x >= n && x-k >= m {
				d.back(rounds, aFrom, bFrom, n, m)
				return true
			}
		}
	}
	return false
}

// back follows the edits back from the end and adds them in order. rounds[e] is how
// far each diagonal from -e to e had come before e edits.
func (d *differ) back(rounds [][]int, aFrom, bFrom, n, m int) {
	var found []span
	x, y := n, m
	for edits := len(rounds) - 1; edits > 0; edits-- {
		k := x - y
		before := func(k int) int { return rounds[edits][k+edits] }
		down := k == -edits || k != edits && before(k-1) < before(k+1)
		if down {
			x = before(k + 1)
			y = x - k - 1
			found = append(found, span{aFrom + x, aFrom + x, bFrom + y, bFrom + y + 1})
		} else {
			x = before(k - 1)
			y = x - k + 1
			found = append(found, span{aFrom + x, aFrom + x + 1, bFrom + y, bFrom + y})
		}
	}
	for _, s := range slices.Backward(found) {
		d.add(s)
	}
}

// divide is compare between the elements that occur once in either sequence and in
// the same order: it is false if there are none.
func (d *differ) divide(aFrom, aTo, bFrom, bTo int) bool {
	type places struct{ inA, inB, a, b int }
	where := map[int]*places{}
	get := func(id int) *places {
		if where[id] == nil {
			where[id] = &places{}
		}
		return where[id]
	}
	for i := aFrom; i < aTo; i++ {
		p := get(d.a[i])
		p.inA, p.a = p.inA+1, i
	}
	for i := bFrom; i < bTo; i++ {
		p := get(d.b[i])
		p.inB, p.b = p.inB+1, i
	}
	var anchors [][2]int // in the order of a
	for i := aFrom; i < aTo; i++ {
		if p := where[d.a[i]]; p.inA == 1 && p.inB == 1 {
			anchors = append(anchors, [2]int{p.a, p.b})
		}
	}
	anchors = increasing(anchors)
	if len(anchors) == 0 {
		return false
	}
	for _, p := range anchors {
		d.compare(aFrom, p[0], bFrom, p[1])
		aFrom, bFrom = p[0]+1, p[1]+1
	}
	d.compare(aFrom, aTo, bFrom, bTo)
	return true
}

// increasing returns a longest part of the pairs in which both numbers grow; the
// first ones do.
func increasing(pairs [][2]int) [][2]int {
	var tails []int // of the parts of each length, the pair that ends it with the least second number
	before := make([]int, len(pairs))
	for i, p := range pairs {
		at, _ := slices.BinarySearchFunc(tails, p[1], func(t, second int) int { return pairs[t][1] - second })
		before[i] = -1
		if at > 0 {
			before[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	var part [][2]int
	for i := tails[len(tails)-1]; i >= 0; i = before[i] {
		part = append(part, pairs[i])
	}
	slices.Reverse(part)
	return part
}
