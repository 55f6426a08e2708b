package reduce

import (
	"context"
	"math/bits"
)

// mostBelow is how many nodes are considered at once in the place of one.
const mostBelow = 2048

// mostRefused is how many nodes are asked about in vain in the place of one that is
// not searched for: where two cannot be, hardly ever a third can.
const mostRefused = 2

// hoist puts in the place of a node the deepest below it that can be there, behind a
// bridge if sorts differ, and returns the workspace, and where that node is; the node
// itself if none can.
//
// It takes it that where one cannot be, none of those below that one can, for then
// something is missing. So one answer speaks for many nodes, and of those of which
// nothing is known it asks about the one that leaves the fewest, whatever the answer
// is, if search is set: then the node itself is as likely as any other, and it takes
// about as many questions as the logarithm of their number. Without, the node itself
// is the likeliest, and the one is asked about that speaks for the most, then one
// more of those that it says nothing of.
func (w *workspace) hoist(ctx context.Context, node int, search bool) (*workspace, int, error) {
	for {
		b := w.below(node)
		var queue []int // what to ask about, if all that is before it cannot be there
		n := len(b.nodes)
		if !search {
			n = min(n, mostRefused)
		}
		made, at, err := w.first(ctx, n, func(i int) (*workspace, bool) {
			for len(queue) <= i {
				next := b.next(search)
				if next < 0 {
					return nil, false
				}
				queue = append(queue, next)
			}
			return w.bridged(node, queue[i]), true
		}, func(i int) editKey { return keyOf("hoist", node, queue[i]) })
		if made != nil && at >= 0 {
			w, node = made, queue[at]
		}
		if at < 0 || err != nil {
			return w, node, err
		}
	}
}

// below is the nodes below a node that could be in its place.
type below struct {
	nodes []int
	cones [][]uint64 // by node: which of the nodes are in reach of it, itself as well
	open  []uint64   // the nodes of which nothing is known
}

// below returns the nodes below a node that have arguments and its sort, or another
// if there is more than an edge between, some of them if they are many. It takes
// nodes times mostBelow bits of memory, at most.
func (w *workspace) below(node int) *below {
	cone := w.order(node)
	direct := map[int]bool{}
	for _, r := range w.nodes[node].Args {
		direct[r.To] = true
	}
	b := &below{}
	for _, i := range cone {
		from, to := w.nodes[i].Sort, w.nodes[node].Sort
		if i != node && !w.leaf(i) && (from == to || !direct[i] && w.canBecome(from, to)) {
			b.nodes = append(b.nodes, i)
		}
	}
	if n := len(b.nodes); n > mostBelow {
		for i := range mostBelow {
			b.nodes[i] = b.nodes[i*n/mostBelow]
		}
		b.nodes = b.nodes[:mostBelow]
	}
	words := (len(b.nodes) + 63) / 64
	columns := map[int]int{}
	b.open = make([]uint64, words)
	for k, i := range b.nodes {
		columns[i] = k
		b.open[k/64] |= 1 << (k % 64)
	}
	reach := make(map[int][]uint64, len(cone))
	for _, i := range cone {
		row := make([]uint64, words)
		for _, r := range w.nodes[i].Args {
			for x, word := range reach[r.To] {
				row[x] |= word
			}
		}
		if k, ok := columns[i]; ok {
			row[k/64] |= 1 << (k % 64)
		}
		reach[i] = row
	}
	for _, i := range b.nodes {
		b.cones = append(b.cones, reach[i])
	}
	return b
}

// next returns the node to ask about, and takes it that the answer will be no; -1 if
// there is none. search is that of hoist.
func (b *below) next(search bool) int {
	left := 0
	for _, x := range b.open {
		left += bits.OnesCount64(x)
	}
	best, most := -1, -1
	for k := range b.nodes {
		if b.open[k/64]>>(k%64)&1 == 0 {
			continue
		}
		covered := 0
		for x, reached := range b.cones[k] {
			covered += bits.OnesCount64(reached & b.open[x])
		}
		if search {
			covered = min(covered, left+1-covered)
		}
		if covered > most {
			best, most = k, covered
		}
	}
	if best < 0 {
		return -1
	}
	for x, reached := range b.cones[best] {
		b.open[x] &^= reached
	}
	return b.nodes[best]
}
