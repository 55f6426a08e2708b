package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/isolate"
)

// passNodes runs the graph algorithm.
func passNodes(ctx context.Context, d *dag) error { return d.graphs(ctx, d) }

// An edge is one argument of a node.
type edge struct{ node, arg int }

// passNegations takes as many signs off edges as it finds can go together, and asks
// for each that is left alone.
func passNegations(ctx context.Context, d *dag) error {
	var signs []edge
	for node, n := range d.g.Nodes {
		for arg, to := range n.Args {
			if to.Not {
				signs = append(signs, edge{node, arg})
			}
		}
	}
	base := d.g
	d.sure = true
	_, err := d.minimise(ctx, len(signs), nil, func(kept isolate.Configuration) (*graph.Graph, bool) {
		h := &graph.Graph{Nodes: slices.Clone(base.Nodes), Roots: base.Roots}
		for i, e := range signs {
			if !kept.Has(i) {
				h.Nodes[e.node].Args = slices.Clone(h.Nodes[e.node].Args)
				h.Nodes[e.node].Args[e.arg].Not = false
			}
		}
		return h, true
	})
	return err
}
