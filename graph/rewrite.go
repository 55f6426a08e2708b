package graph

import "slices"

// Rewrite returns g with all edges to node i led to via[i] instead, canonical; signs
// multiply. Numbers from len(g.Nodes) on are those of leaves, new nodes without
// arguments. Where via leads to is not led further. It is for the caller to see that
// sorts agree; edges that close a circle are a panic. Linear in nodes and edges.
func (g *Graph) Rewrite(via []Ref, leaves []Node) *Graph {
	made, _ := (&plan{Graph: g, via: via, leaves: leaves}).build(g.Roots)
	return made
}

// Same returns the edges that [Graph.Rewrite] leaves all as they are, to begin with.
func (g *Graph) Same() []Ref {
	via := make([]Ref, len(g.Nodes))
	for i := range via {
		via[i].To = i
	}
	return via
}

// Redirect returns g with argument arg of node led to another node, canonical. It is
// for the caller to see that sorts agree and that to is not above node: if its depth,
// by [Graph.Depths], is that of the argument or greater, it is not. Edges that close a
// circle are a panic. Linear in nodes and edges.
func (g *Graph) Redirect(node, arg int, to Ref) *Graph {
	nodes := slices.Clone(g.Nodes)
	nodes[node].Args = slices.Clone(nodes[node].Args)
	nodes[node].Args[arg] = to
	return (&Graph{Nodes: nodes, Roots: g.Roots}).Canonical()
}
