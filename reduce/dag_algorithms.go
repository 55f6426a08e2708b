package reduce

import (
	"context"
	"slices"
)

// A graphAlgorithm reduces a graph.
type graphAlgorithm struct {
	name, what string
	run        func(d *dag, ctx context.Context) error // a method of a dag
}

// graphAlgorithms is what a reduction can do with a graph.
func graphAlgorithms() []graphAlgorithm {
	return []graphAlgorithm{
		{"auto", "what takes the fewest trials to the smallest graph", (*dag).auto},
	}
}

// graphStructure returns the graph algorithm of a name; "" is auto.
func graphStructure(name string) (run func(context.Context, *dag) error, err error) {
	if name == "" {
		name = "auto"
	}
	all := graphAlgorithms()
	i := slices.IndexFunc(all, func(a graphAlgorithm) bool { return a.name == name })
	if i < 0 {
		return nil, unknownAlgorithm(name, name)
	}
	return func(ctx context.Context, d *dag) error { return all[i].run(d, ctx) }, nil
}
