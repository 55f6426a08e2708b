package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/graph"
)

// certify asks for each single node whether one of graph.Kinds can stand in its
// place, and replaces those that can be, until none can: what is left is 1-minimal
// for replacements, whatever made it. What was asked before, of the same text, is
// not asked again: so of a graph that is 1-minimal it takes at most three trials for
// each node.
//
// A node is asked about before those below it: where it can go they go with it.
func (d *dag) certify(ctx context.Context) error {
	for {
		spared, err := d.spare(ctx)
		if err != nil {
			return err
		}
		made, err := d.singles(ctx)
		if err != nil || made+spared == 0 {
			return err
		}
	}
}

// singly returns the graphs that the certificate is about: those with one node
// replaced, or without one root that may go.
func (d *dag) singly() []*graph.Graph {
	var all []*graph.Graph
	for _, root := range d.spares() {
		all = append(all, d.simplified(d.g.Without(root)))
	}
	for _, node := range d.topmost() {
		for _, k := range graph.Kinds {
			if h, ok := d.replaced([]int{node}, k); ok {
				all = append(all, h)
			}
		}
	}
	return all
}

// spares returns the roots that may go.
func (d *dag) spares() []int {
	if d.language.Spare == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.g.Roots), func(root int) bool { return !d.language.Spare(d.g.Nodes[root]) })
}

// spare takes roots out that may go, and returns how many. The last ones go first.
func (d *dag) spare(ctx context.Context) (made int, err error) {
	n := len(d.spares())
	return d.each(ctx, n, func(i int) (*graph.Graph, bool) {
		return d.simplified(d.g.Without(d.spares()[n-1-i])), true // those behind it that are left are of those before
	})
}

// singles asks for each single node, and returns how many it replaced. Where one was
// replaced it goes on with what is in its place.
func (d *dag) singles(ctx context.Context) (made int, err error) {
	of := d.g
	nodes := d.topmost()
	kinds := len(graph.Kinds)
	from, rank := 0, 0 // graph number from is the first of the node that is number rank
	// Twice can a node be replaced: by a fresh leaf, and that by zero.
	return d.each(ctx, 3*kinds*len(nodes), func(i int) (*graph.Graph, bool) {
		if of != d.g {
			rank += (i - 1 - from) / kinds // for i-1 was made
			of, nodes, from = d.g, d.topmost(), i
		}
		at := rank + (i-from)/kinds
		if at >= len(nodes) {
			return nil, false
		}
		return d.replaced(nodes[at:at+1], graph.Kinds[(i-from)%kinds])
	})
}

// topmost returns the nodes that can be replaced, each before those below it.
func (d *dag) topmost() []int {
	nodes := d.language.Replaceable(d.g)
	slices.Reverse(nodes)
	return nodes
}
