package graph

import "slices"

// An Edge is an argument of a node.
type Edge struct{ Node, Arg int }

// Negations returns the edges with a sign, in the order of nodes and their arguments.
func (g *Graph) Negations() []Edge {
	var edges []Edge
	for i, n := range g.Nodes {
		for arg, r := range n.Args {
			if r.Not {
				edges = append(edges, Edge{i, arg})
			}
		}
	}
	return edges
}

// Affirm returns g without the signs of some edges, canonical. Linear in nodes and edges.
func (g *Graph) Affirm(edges []Edge) *Graph {
	nodes := slices.Clone(g.Nodes)
	for i, e := range edges {
		// A copy of its arguments for each node: other graphs may share them.
		if i == 0 || edges[i-1].Node != e.Node {
			nodes[e.Node].Args = slices.Clone(nodes[e.Node].Args)
		}
		nodes[e.Node].Args[e.Arg].Not = false
	}
	return (&Graph{Nodes: nodes, Roots: g.Roots}).Canonical()
}
