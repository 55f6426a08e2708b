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
	_, err := d.minimise(ctx, len(signs), func(kept isolate.Configuration) (*graph.Graph, bool) {
		return base.Affirm(leftOut(signs, kept)), true
	})
	return err
}
