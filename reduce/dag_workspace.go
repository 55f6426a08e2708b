package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/testcase"
)

// A workspace is a graph whose nodes keep their numbers while it is edited: edges
// may lead to greater ones, and nodes may be out of reach. It is not changed once
// it is made.
type workspace struct {
	*dag
	nodes []graph.Node
	roots []int
}

func (d *dag) workspace() *workspace { return &workspace{d, d.g.Nodes, d.g.Roots} }

// graph returns the graph of a workspace.
func (w *workspace) graph() *graph.Graph {
	return (&graph.Graph{Nodes: w.nodes, Roots: w.roots}).Canonical()
}

// via returns the workspace in which all edges to some nodes lead to others. Signs
// multiply.
func (w *workspace) via(via map[int]graph.Ref) *workspace {
	nodes := slices.Clone(w.nodes)
	for i, n := range nodes {
		cloned := false
		for k, r := range n.Args {
			to, ok := via[r.To]
			if !ok {
				continue
			}
			if !cloned {
				n.Args = slices.Clone(n.Args)
				nodes[i].Args, cloned = n.Args, true
			}
			n.Args[k] = graph.Ref{To: to.To, Not: to.Not != r.Not}
		}
	}
	return &workspace{w.dag, nodes, w.roots}
}

// freed returns the workspace with a fresh leaf in the place of each node of a set.
func (w *workspace) freed(set []int) *workspace {
	via := map[int]graph.Ref{}
	nodes := slices.Clip(w.nodes)
	for _, i := range set {
		via[i] = graph.Ref{To: len(nodes)}
		nodes = append(nodes, w.language.Fresh(w.nodes[i].Sort))
	}
	return (&workspace{w.dag, nodes, w.roots}).via(via)
}

// bridged returns the workspace with another node, which is not above it, in the
// place of a node: as it is if sorts agree, else behind a bridge.
func (w *workspace) bridged(node, by int) *workspace {
	nodes := slices.Clip(w.nodes)
	to, first := by, len(nodes)
	if from := w.nodes[by].Sort; from != w.nodes[node].Sort {
		for _, n := range w.language.Bridge(from, w.nodes[node].Sort) {
			n.Args = slices.Clone(n.Args)
			for k, r := range n.Args {
				if n.Args[k].To = first + r.To; r.To < 0 {
					n.Args[k].To = by
				}
			}
			to = len(nodes)
			nodes = append(nodes, n)
		}
	}
	return (&workspace{w.dag, nodes, w.roots}).via(map[int]graph.Ref{node: {To: to}})
}

// canBecome reports whether a node of one sort can stand in the place of one of
// another.
func (w *workspace) canBecome(from, to graph.Sort) bool {
	return from == to || w.language.Bridge != nil
}

// order returns what is in reach of some nodes, with them, each behind what it
// needs. Linear in nodes and edges.
func (w *workspace) order(from ...int) []int {
	seen := make([]bool, len(w.nodes))
	var order []int
	type place struct{ node, arg int }
	for _, top := range from {
		if seen[top] {
			continue
		}
		seen[top] = true
		for open := []place{{node: top}}; len(open) > 0; {
			at := &open[len(open)-1]
			if at.arg == len(w.nodes[at.node].Args) {
				order = append(order, at.node)
				open = open[:len(open)-1]
				continue
			}
			to := w.nodes[at.node].Args[at.arg].To
			at.arg++
			if !seen[to] {
				seen[to] = true
				open = append(open, place{node: to})
			}
		}
	}
	return order
}

// leaf reports whether a node has no arguments.
func (w *workspace) leaf(node int) bool { return len(w.nodes[node].Args) == 0 }

// first makes the first of n workspaces, with which the input still fails, and
// returns it and its number; nil and -1 if there is none. One with as many nodes as
// there are is not asked about.
func (w *workspace) first(ctx context.Context, n int, propose func(i int) (*workspace, bool), key func(i int) editKey) (made *workspace, at int, err error) {
	o := w.offers(n, propose, func(e *workspace) { made = e })
	o.key = key
	at, err = o.first(ctx)
	return made, at, err
}

// each asks about n workspaces one after the other, each made of the last one with
// which the input failed, and returns how many did.
func (w *workspace) each(ctx context.Context, n int, propose func(w *workspace, i int) (*workspace, bool)) (made int, err error) {
	last := w
	return w.offers(n, func(i int) (*workspace, bool) { return propose(last, i) }, func(e *workspace) { last = e }).each(ctx)
}

// offers are the inputs with one of n workspaces each, if it has fewer nodes than
// there are. made is told which becomes the best one.
func (w *workspace) offers(n int, propose func(i int) (*workspace, bool), made func(*workspace)) offers {
	return offers{
		reduction: w.reduction, n: n,
		offer: func(i int) (in testcase.Input, set func(), ok bool) {
			e, ok := propose(i)
			if !ok {
				return in, nil, false
			}
			h := e.graph()
			if len(h.Nodes) >= len(w.g.Nodes) {
				return in, nil, false
			}
			in, ok = w.with(h)
			return in, func() { w.set(h); made(e) }, ok
		},
	}
}
