package graph

// Depths returns the length of the longest path from a root to each node, in edges; -1
// for a node that none leads to. A node with the depth of another, or a greater one, is
// not above it. Linear in nodes and edges.
func (g *Graph) Depths() []int {
	depths := make([]int, len(g.Nodes))
	for i := range depths {
		depths[i] = -1
	}
	for _, root := range g.Roots {
		depths[root] = 0
	}
	// What refers to a node has a greater number, so its depth is known.
	for i := len(depths) - 1; i >= 0; i-- {
		if depths[i] < 0 {
			continue
		}
		for _, r := range g.Nodes[i].Args {
			depths[r.To] = max(depths[r.To], depths[i]+1)
		}
	}
	return depths
}

// Unreached is what [Graph.Dominators] says of a node that no root leads to.
const Unreached = -2

// Dominators returns for each node the nearest one that is on all paths from the roots
// to it, so that goes out of reach with it: its immediate dominator, -1 where there is
// none. One that no root leads to has [Unreached]. The number of a dominator is greater.
// It takes edges times the logarithm of nodes.
func (g *Graph) Dominators() []int {
	// A tree that grows by leaves, from what is above all roots down; in it the nearest
	// common dominator of two nodes is their nearest common ancestor. See Myers, "An
	// applicative random-access stack", IPL 17 (1983), for the jumps.
	top := len(g.Nodes)
	parent, jump, level := make([]int, top+1), make([]int, top+1), make([]int, top+1)
	for i := range top {
		parent[i] = Unreached
	}
	parent[top], jump[top] = top, top
	for _, root := range g.Roots {
		parent[root] = top
	}
	common := func(a, b int) int {
		if level[a] < level[b] {
			a, b = b, a
		}
		for level[a] > level[b] {
			if level[jump[a]] >= level[b] {
				a = jump[a]
			} else {
				a = parent[a]
			}
		}
		for a != b {
			if jump[a] != jump[b] {
				a, b = jump[a], jump[b]
			} else {
				a, b = parent[a], parent[b]
			}
		}
		return a
	}
	for i := top - 1; i >= 0; i-- {
		p := parent[i]
		if p == Unreached {
			continue
		}
		level[i] = level[p] + 1
		if jump[i] = p; level[p]-level[jump[p]] == level[jump[p]]-level[jump[jump[p]]] {
			jump[i] = jump[jump[p]]
		}
		for _, r := range g.Nodes[i].Args {
			if parent[r.To] == Unreached {
				parent[r.To] = i
			} else {
				parent[r.To] = common(parent[r.To], i)
			}
		}
	}
	dominators := parent[:top]
	for i, d := range dominators {
		if d == top {
			dominators[i] = -1
		}
	}
	return dominators
}
