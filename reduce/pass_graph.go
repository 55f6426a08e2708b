package reduce

import (
	"context"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/isolate"
)

// passNodes runs the graph algorithm.
func passNodes(ctx context.Context, d *dag) error { return d.graphs(ctx, d) }

// passNegations takes as many signs off edges as it finds can go together, and asks
// for each that is left alone.
func passNegations(ctx context.Context, d *dag) error {
	base, signs := d.g, d.g.Negations()
	d.sure = true
	_, err := d.minimise(ctx, len(signs), nil, func(kept isolate.Configuration) (*graph.Graph, bool) {
		var gone []graph.Edge
		for i, e := range signs {
			if !kept.Has(i) {
				gone = append(gone, e)
			}
		}
		return base.Affirm(gone), true
	})
	return err
}
