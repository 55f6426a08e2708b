package graph

import "slices"

// Canonical returns g with what its roots need and nothing else, numbered depth first:
// the arguments of a node before it, from left to right, and the roots in their order;
// of two roots one of which needs the other, that one comes first. Graphs that differ in
// numbers alone become deeply equal. Equal nodes are not merged. Linear in nodes and
// edges.
func (g *Graph) Canonical() *Graph {
	made, _ := (&plan{Graph: g}).build(g.Roots)
	return made
}

// Without returns g without one of its roots, canonical. It panics if root is none.
func (g *Graph) Without(root int) *Graph {
	at := slices.Index(g.Roots, root)
	if at < 0 {
		panic("graph: Without is given a node that is no root")
	}
	roots := slices.Concat(g.Roots[:at], g.Roots[at+1:])
	made, _ := (&plan{Graph: g}).build(roots)
	return made
}

// A plan is a graph some of whose nodes are to be others.
type plan struct {
	*Graph
	leaves []Node // numbered behind the nodes of the graph, without arguments
	via    []Ref  // by node of the graph: what edges to it lead to; nil = each to itself
}

// node returns a node of the plan, a new one, too.
func (p *plan) node(i int) *Node {
	if n := len(p.Nodes); i >= n {
		return &p.leaves[i-n]
	}
	return &p.Nodes[i]
}

// end says where an edge leads to. Signs multiply.
func (p *plan) end(r Ref) Ref {
	if p.via == nil {
		return r
	}
	to := p.via[r.To]
	return Ref{to.To, to.Not != r.Not}
}

// build makes the canonical graph of a plan, and says whether an edge of it leads to
// another node than before. It panics where edges close a circle.
func (p *plan) build(roots []int) (*Graph, bool) {
	order, number, edges, changed := p.walk(roots)
	made := &Graph{Nodes: make([]Node, len(order)), Roots: make([]int, len(roots))}
	for i, root := range roots {
		made.Roots[i] = number[root]
	}
	if !slices.IsSorted(made.Roots) {
		// Whoever reads the text of it meets the roots in the order of their numbers.
		roots = slices.Clone(roots)
		slices.SortFunc(roots, func(a, b int) int { return number[a] - number[b] })
		return p.build(roots)
	}
	args := make([]Ref, 0, edges)
	for i, old := range order {
		n := *p.node(old)
		from := len(args)
		for _, r := range n.Args {
			r = p.end(r)
			args = append(args, Ref{number[r.To], r.Not})
		}
		n.Args = nil
		if len(args) > from {
			n.Args = args[from:len(args):len(args)]
		}
		if len(n.Numbers) == 0 {
			n.Numbers = nil
		}
		made.Nodes[i] = n
	}
	return made, changed
}

// walk lists what the roots need, depth first in post-order; number is its inverse, -1
// where a node is not in it.
func (p *plan) walk(roots []int) (order, number []int, edges int, changed bool) {
	const open = -2 // its arguments are being walked through
	number = make([]int, len(p.Nodes)+len(p.leaves))
	for i := range number {
		number[i] = -1
	}
	order = make([]int, 0, len(number))
	type step struct{ node, arg int }
	var path []step // from a root down, each with its next argument
	for _, root := range roots {
		if number[root] >= 0 {
			continue
		}
		number[root] = open
		path = append(path, step{node: root})
		for len(path) > 0 {
			at := &path[len(path)-1]
			args := p.node(at.node).Args
			if at.arg == len(args) {
				edges += len(args)
				number[at.node] = len(order)
				order = append(order, at.node)
				path = path[:len(path)-1]
				continue
			}
			next := p.end(args[at.arg]).To
			changed = changed || next != args[at.arg].To
			at.arg++
			switch number[next] {
			case -1:
				number[next] = open
				path = append(path, step{node: next})
			case open:
				panic("graph: edges close a circle")
			}
		}
	}
	return order, number, edges, changed
}
