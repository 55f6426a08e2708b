package grouping

import (
	"container/heap"
	"slices"
)

// A graph has an edge from a to b when a requires b: b goes first.
type graph [][]int

// arrange orders 0..len(g)-1 such that what is required comes first, and else
// by rank (distinct numbers). Nodes that require each other in a circle stand
// together, by rank. Time: O(nodes log nodes + edges).
func (g graph) arrange(rank []int) []int {
	circle, circles := g.circles()
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

// circles numbers the strongly connected components: circle[v] is v's.
// R. Tarjan, "Depth-first search and linear graph algorithms" (1972), without
// recursion.
func (g graph) circles() (circle []int, n int) {
	circle = make([]int, len(g))
	index, low := make([]int, len(g)), make([]int, len(g)) // 0 = not seen
	at := make([]int, len(g))                              // the next edge to follow
	var path, stack []int
	seen := 0
	open := make([]bool, len(g))
	for root := range g {
		if index[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if index[v] == 0 {
				seen++
				index[v], low[v] = seen, seen
				stack = append(stack, v)
				open[v] = true
			}
			descended := false
			for at[v] < len(g[v]) {
				w := g[v][at[v]]
				at[v]++
				if index[w] == 0 {
					path = append(path, w)
					descended = true
					break
				}
				if open[w] {
					low[v] = min(low[v], index[w])
				}
			}
			if descended {
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[w] = false
				circle[w] = n
				if w == v {
					break
				}
			}
			n++
		}
	}
	return circle, n
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
