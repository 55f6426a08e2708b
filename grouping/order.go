package grouping

import (
	"container/heap"
	"slices"

	"github.com/gitdd/gitdd/internal/components"
)

// A graph has an edge from a to b when a requires b: b goes first.
type graph [][]int

// arrange orders 0..len(g)-1 such that what is required comes first, and else
// by rank (distinct numbers). Nodes that require each other in a circle stand
// together, by rank. Time: O(nodes log nodes + edges).
func (g graph) arrange(rank []int) []int {
	circle, circles := components.Of(g)
	members := make([][]int, circles)
	for v, c := range circle {
		members[c] = append(members[c], v)
	}
	first := make([]int, circles) // the rank of a circle is that of its first member
	for c, list := range members {
		slices.SortFunc(list, func(a, b int) int { return rank[a] - rank[b] })
		first[c] = rank[list[0]]
	}
	waits := make([]int, circles) // edges to circles not yet placed
	frees := make([][]int, circles)
	for v, row := range g {
		for _, w := range row {
			if circle[v] != circle[w] {
				waits[circle[v]]++
				frees[circle[w]] = append(frees[circle[w]], circle[v])
			}
		}
	}
	ready := &byRank{rank: first}
	for c, n := range waits {
		if n == 0 {
			heap.Push(ready, c)
		}
	}
	order := make([]int, 0, len(g))
	// Invariant: everything that a circle in ready requires is in order.
	for ready.Len() > 0 {
		c := heap.Pop(ready).(int)
		order = append(order, members[c]...)
		for _, d := range frees[c] {
			if waits[d]--; waits[d] == 0 {
				heap.Push(ready, d)
			}
		}
	}
	return order
}

// byRank is a heap of circles.
type byRank struct{ rank, list []int }

func (h *byRank) Len() int           { return len(h.list) }
func (h *byRank) Less(i, j int) bool { return h.rank[h.list[i]] < h.rank[h.list[j]] }
func (h *byRank) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *byRank) Push(x any)         { h.list = append(h.list, x.(int)) }
func (h *byRank) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}
