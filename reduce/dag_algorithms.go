package reduce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A graphAlgorithm reduces a graph. All but auto are those of A. Vida, "Random Test
// Case Generation and Delta Debugging for Bit-Vector Logic with Arrays", JKU Linz,
// 2008, chapter 4, but for ddmin/keep; where its listings do not end, or do not do what
// its text says, they are mended as their comments tell.
type graphAlgorithm struct {
	name, what string
	run        func(d *dag, ctx context.Context) error // a method of a dag
}

// graphAlgorithms is what a reduction can do with a graph.
func graphAlgorithms() []graphAlgorithm {
	return []graphAlgorithm{
		{"auto", "what takes the fewest trials to the smallest graph", (*dag).auto},
		{"ddmin", "the list of all nodes: runs and their complements, ever finer", func(d *dag, ctx context.Context) error { return d.ddmin(ctx, false) }},
		{"ddmin/keep", "as ddmin, which after a success keeps the number of runs", func(d *dag, ctx context.Context) error { return d.ddmin(ctx, true) }},
		{"hdd", "ddmin/keep in one level after the other, from the roots down", (*dag).hdd},
		{"hdd+", "hdd, then bfs until the graph gets no smaller", (*dag).hddPlus},
		{"hdd*", "hdd until the graph gets no smaller", func(d *dag, ctx context.Context) error { return d.shrinking(ctx, d.hdd) }},
		{"bfs", "each node alone, breadth first", (*dag).bfs},
		{"lw", "all nodes of a level at once, level by level", (*dag).lw},
		{"changeref", "each edge to the deepest node of its sort that it can lead to", (*dag).changeref},
		{"changeref+", "the same by halving, which looks at few of those nodes", (*dag).changerefPlus},
		{"deltabtor", "blocks of nodes in the order of the file, ever smaller", (*dag).deltabtor},
	}
}

// again, as the last of several graph algorithms, is all of them in turn until the
// graph gets no smaller.
const again = "*"

// graphStructure returns the graph algorithm of a name; "" is auto. Of several with
// commas between them each is done until the graph gets no smaller, and then the
// next; with a * as the last of them all of that until nothing does:
// ddmin,hdd,bfs,lw,changeref+,changeref,*.
func graphStructure(name string) (run func(context.Context, *dag) error, err error) {
	names := strings.Split(cmp.Or(name, "auto"), ",")
	loop := len(names) > 1 && names[len(names)-1] == again
	if loop {
		names = names[:len(names)-1]
	}
	all := graphAlgorithms()
	var steps []func(*dag, context.Context) error
	for _, part := range names {
		i := slices.IndexFunc(all, func(a graphAlgorithm) bool { return a.name == part })
		if i < 0 {
			return nil, unknownGraphAlgorithm(name, part)
		}
		steps = append(steps, all[i].run)
	}
	if len(steps) == 1 && !loop {
		return func(ctx context.Context, d *dag) error { return steps[0](d, ctx) }, nil
	}
	list := func(ctx context.Context, d *dag) error {
		for _, step := range steps {
			if err := d.shrinking(ctx, func(ctx context.Context) error { return step(d, ctx) }); err != nil {
				return err
			}
		}
		return nil
	}
	if !loop {
		return list, nil
	}
	return func(ctx context.Context, d *dag) error {
		return d.shrinking(ctx, func(ctx context.Context) error { return list(ctx, d) })
	}, nil
}

// cutsLists reports whether Options.MaxPartitions says anything to the graph
// algorithm of a name.
func cutsLists(name string) bool {
	return slices.ContainsFunc(strings.Split(name, ","), func(part string) bool {
		return strings.HasPrefix(part, "ddmin") || strings.HasPrefix(part, "hdd")
	})
}

func unknownGraphAlgorithm(name, part string) error {
	return fmt.Errorf("unknown algorithm %s; for graphs there are %s; several with commas, and with %s as the last of them all until nothing gets smaller",
		partOf(name, part), strings.Join(GraphAlgorithms(), ", "), again)
}

// noAlgorithm says what is wrong with a name that is neither one for trees nor one
// for graphs: what it would be if it were one of those that only graphs have.
func noAlgorithm(name string, forTrees, forGraphs error) error {
	for part := range strings.SplitSeq(name, ",") {
		if slices.Contains(GraphAlgorithms(), part) && !slices.Contains(treeNames(), part) {
			return forGraphs
		}
	}
	return forTrees
}

// GraphAlgorithms returns the names of the algorithms for graphs.
func GraphAlgorithms() []string {
	var names []string
	for _, a := range graphAlgorithms() {
		names = append(names, a.name)
	}
	return names
}
