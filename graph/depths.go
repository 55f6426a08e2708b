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
