package reduce

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/gitdd/gitdd/graph"
)

// A redirection is one argument of a node that leads to another node than before.
type redirection struct {
	node, arg int
	to        graph.Ref
}

// changeref leads edges to other nodes of the same sort, and so drops what was
// between (A. Vida, "Random Test Case Generation and Delta Debugging for Bit-Vector
// Logic with Arrays", JKU Linz, 2008, chapter 4). It comes to each node once, depth
// first from the roots; for each of its edges it asks about those nodes that lie as
// deep as what the edge leads to, or deeper, the deepest first, and keeps the first
// with which the input still fails. How deep a node is is the longest path to it, so
// that none of these is above the edge. (The thesis takes the length of the path
// that it came by, which closes circles.) The graph may be as large afterwards. It
// takes at most n questions for each edge.
func (d *dag) changeref(ctx context.Context) error {
	return d.redirect(ctx, func(deeper []int, ask func(int) bool) bool {
		for _, i := range slices.Backward(deeper) {
			if !ask(i) {
				return false
			}
		}
		return true
	})
}

// changerefPlus is changeref that leaves out most of the nodes that an edge could
// lead to: first it asks about the middle one, by depth, then about the one in the
// middle of those less deep, and so on. It takes at most log2(n + 1) questions,
// rounded up, for each edge.
func (d *dag) changerefPlus(ctx context.Context) error {
	return d.redirect(ctx, func(deeper []int, ask func(int) bool) bool {
		for high := len(deeper); high > 0; {
			high /= 2
			if !ask(deeper[high]) {
				return false
			}
		}
		return true
	})
}

// redirect comes to each edge once. probe asks about some of the nodes that it may
// lead to, ascending by depth, until ask says that this is enough; it returns what
// ask said at last.
func (d *dag) redirect(ctx context.Context, probe func(deeper []int, ask func(int) bool) bool) error {
	visited := make([]bool, len(d.g.Nodes)) // the node at which it stands is not
	at, arg := -1, 0                        // edges of this node from this one on; -1 = of the next one
	for {
		was := d.g
		order := depthFirst(was)
		made, ok, err := firstOf(ctx, d, d.redirections(order, visited, at, arg, probe), func(e redirection) (*graph.Graph, bool) {
			return d.simplified(was.Redirect(e.node, e.arg, e.to)), true
		})
		if !ok || err != nil {
			return err
		}
		for _, i := range order {
			if i == made.node {
				break
			}
			visited[i] = true
		}
		h := redirected(was, made)
		from := d.throughRules(keptFrom(h, h.Canonical(), nil), h.Canonical())
		visited = carried(visited, from)
		if at, arg = slices.Index(from, made.node), made.arg+1; at < 0 {
			arg = 0
		}
	}
}

// redirections yields the edges of nodes that were not visited, in their order, each with
// what it could lead to instead.
func (d *dag) redirections(order []int, visited []bool, at, arg int, probe func(deeper []int, ask func(int) bool) bool) iter.Seq[redirection] {
	g := d.g
	return func(yield func(redirection) bool) {
		depths := g.Depths()
		bySort := map[graph.Sort][]int{} // ascending by depth
		for i, n := range g.Nodes {
			if depths[i] >= 0 {
				bySort[n.Sort] = append(bySort[n.Sort], i)
			}
		}
		for _, nodes := range bySort {
			slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(depths[a], depths[b]) })
		}
		for _, i := range order {
			if visited[i] {
				continue
			}
			for k, r := range g.Nodes[i].Args {
				if i == at && k < arg || d.language.Holds != nil && d.language.Holds(g.Nodes[i], k) {
					continue
				}
				same := bySort[g.Nodes[r.To].Sort]
				first, _ := slices.BinarySearchFunc(same, depths[r.To], func(j, depth int) int { return cmp.Compare(depths[j], depth) })
				deeper := slices.DeleteFunc(slices.Clone(same[first:]), func(j int) bool { return j == r.To })
				if !probe(deeper, func(j int) bool { return yield(redirection{i, k, graph.Ref{To: j, Not: r.Not}}) }) {
					return
				}
			}
		}
	}
}

// redirected returns g with one edge led elsewhere, and all numbers as they are.
func redirected(g *graph.Graph, e redirection) *graph.Graph {
	nodes := slices.Clone(g.Nodes)
	nodes[e.node].Args = slices.Clone(nodes[e.node].Args)
	nodes[e.node].Args[e.arg] = e.to
	return &graph.Graph{Nodes: nodes, Roots: g.Roots}
}

// depthFirst lists the nodes depth first from the roots, each before what is below
// it.
func depthFirst(g *graph.Graph) []int {
	seen := make([]bool, len(g.Nodes))
	var order, open []int
	for _, root := range slices.Backward(g.Roots) {
		open = append(open, root)
	}
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		order = append(order, i)
		for _, r := range slices.Backward(g.Nodes[i].Args) {
			open = append(open, r.To)
		}
	}
	return order
}
