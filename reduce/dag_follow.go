package reduce

import (
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/gitdd/gitdd/graph"
)

// A replacement is nodes of a graph that are replaced by leaves of one kind.
type replacement struct {
	nodes []int
	kind  graph.Kind
	step  int // where the algorithm stands with it
	parts int // of ddmin: into so many runs the nodes are cut
}

// kindsOf yields the replacements of nodes by each kind, false when no more are
// wanted.
func (r replacement) kindsOf(yield func(replacement) bool) bool {
	for _, r.kind = range graph.Kinds {
		if !yield(r) {
			return false
		}
	}
	return true
}

// manyAhead is how many proposals are drawn before the first of them is asked
// about. It bounds what -j can look ahead; what is asked does not depend on it.
const manyAhead = 64

// firstOf makes the first of the graphs with which the input still fails. made
// says which proposal that was; ok is false if there is none. What is proposed
// must not depend on what is made.
func firstOf[P any](ctx context.Context, d *dag, all iter.Seq[P], graphOf func(P) (*graph.Graph, bool)) (made P, ok bool, err error) {
	var some []P
	ask := func() bool {
		var i int
		i, err = d.first(ctx, len(some), func(i int) (*graph.Graph, bool) { return graphOf(some[i]) })
		if i >= 0 {
			made, ok = some[i], true
		}
		some = some[:0]
		return !ok && err == nil
	}
	for p := range all {
		if some = append(some, p); len(some) == manyAhead && !ask() {
			return made, ok, err
		}
	}
	ask()
	return made, ok, err
}

// firstReplaced makes the first of the replacements with which the input still
// fails.
func (d *dag) firstReplaced(ctx context.Context, all iter.Seq[replacement]) (made replacement, ok bool, err error) {
	return firstOf(ctx, d, all, func(r replacement) (*graph.Graph, bool) { return d.replaced(r.nodes, r.kind) })
}

// origins returns for each node of the graph which node of the graph before a
// replacement it was, -1 for one that it was not. No two were the same.
func (d *dag) origins(was *graph.Graph, made replacement) []int {
	var gone []int
	for _, i := range made.nodes {
		if made.kind != graph.Fresh || !d.language.IsFresh(was.Nodes[i]) {
			gone = append(gone, i)
		}
	}
	h, _ := d.language.Replace(was, made.nodes, made.kind)
	return d.throughRules(keptFrom(was, h, gone), h)
}

// throughRules returns the origins of the nodes of the graph by those of what it
// was before it was simplified.
func (d *dag) throughRules(from []int, h *graph.Graph) []int {
	if !d.simplify || len(d.g.Nodes) == len(h.Nodes) && reflect.DeepEqual(d.g, h) {
		return from
	}
	all := simplifiedFrom(h, d.g)
	for i, old := range all {
		if old >= 0 {
			all[i] = from[old]
		}
	}
	return all
}

// keptFrom returns for each node of a graph which node of another it was, -1 for one
// that it was not: new is what became of old when the nodes in gone were replaced,
// and nothing else happened. Both are walked through from their roots at once.
func keptFrom(old, new *graph.Graph, gone []int) []int {
	o := newOrigin(old, new)
	for _, i := range gone {
		o.taken[i] = true
	}
	for i, root := range new.Roots {
		o.pair(old.Roots[i], root)
	}
	return o.of
}

// simplifiedFrom is keptFrom, where new is what became of old when it was simplified.
// First it pairs what has the same below it, as nothing else in its graph has; then
// what is the same above that; then what stands in the same place; and what stands
// where something else went is looked for below that. What is not found counts as
// new, so that it costs no questions: the bounds of algorithms that ask about each
// node once hold. It takes time linear in nodes and edges, but for what went and for
// nodes that very many others share.
func simplifiedFrom(old, new *graph.Graph) []int {
	o := newOrigin(old, new)
	classes, count := graph.Classes(old, new)
	a, b := classes[0], classes[1]
	only := make([]int, count) // the one node of old of that class, -1 = there are none or several
	several := make([]bool, count)
	for k := range only {
		only[k] = -1
	}
	for i, k := range a {
		if only[k] >= 0 {
			several[k] = true
		}
		only[k] = i
	}
	inNew := make([]int, count)
	for _, k := range b {
		inNew[k]++
	}
	for i, k := range slices.Backward(b) {
		if inNew[k] == 1 && only[k] >= 0 && !several[k] {
			o.pair(only[k], i)
		}
	}
	o.above()
	for i, root := range new.Roots {
		o.pair(old.Roots[i], root)
	}
	for i, n := range slices.Backward(new.Nodes) { // each before what is below it
		for k, r := range n.Args {
			if o.of[i] >= 0 {
				o.pair(old.Nodes[o.of[i]].Args[k].To, r.To)
			}
		}
	}
	for len(o.differ) > 0 {
		p := o.differ[0]
		o.differ = o.differ[1:]
		o.below(p[0], p[1], a, b)
	}
	return o.of
}

// An origin is which nodes of one graph those of another were, as far as it is
// known.
type origin struct {
	old, new *graph.Graph
	taken    []bool   // by node of old: it is that of a node of new, or of none
	of       []int    // by node of new; -1 = it is not known
	differ   [][2]int // nodes that stand in the same place and are not the same
}

func newOrigin(old, new *graph.Graph) *origin {
	return &origin{old: old, new: new, taken: make([]bool, len(old.Nodes)), of: slices.Repeat([]int{-1}, len(new.Nodes))}
}

// pair pairs two nodes that stand in the same place, if they are the same but for
// what is below them, and then what is below them.
func (o *origin) pair(old, new int) {
	open := [][2]int{{old, new}}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		a, b := p[0], p[1]
		if o.of[b] >= 0 {
			continue
		}
		if o.taken[a] || !alike(o.old.Nodes[a], o.new.Nodes[b]) {
			o.differ = append(o.differ, p)
			continue
		}
		o.taken[a], o.of[b] = true, a
		for i, r := range slices.Backward(o.new.Nodes[b].Args) {
			open = append(open, [2]int{o.old.Nodes[a].Args[i].To, r.To})
		}
	}
}

// above pairs nodes whose arguments are paired, where it is clear which: of the nodes
// of old that are the same but for what is below them, the one that has most of these
// arguments in the same places.
func (o *origin) above() {
	type place struct{ node, arg int }
	parents := make([][]place, len(o.old.Nodes))
	for i, n := range o.old.Nodes {
		for k, r := range n.Args {
			parents[r.To] = append(parents[r.To], place{i, k})
		}
	}
	for i, n := range o.new.Nodes {
		if o.of[i] >= 0 {
			continue
		}
		shared := map[int]int{}
		best, most, several := -1, 0, false
		for k, r := range n.Args {
			if o.of[r.To] < 0 {
				continue
			}
			for _, p := range parents[o.of[r.To]] {
				if p.arg != k || o.taken[p.node] || !alike(o.old.Nodes[p.node], n) {
					continue
				}
				shared[p.node]++
				switch c := shared[p.node]; {
				case c > most:
					best, most, several = p.node, c, false
				case c == most:
					several = true
				}
			}
		}
		if best >= 0 && !several {
			o.taken[best], o.of[i] = true, best
		}
	}
}

// below pairs a node of new with what is the same below a node of old that stood in
// its place. What has the same number counts for more.
func (o *origin) below(old, new int, a, b []int) {
	if o.of[new] >= 0 {
		return
	}
	seen := map[int]bool{old: true}
	found := -1
	for open := []int{old}; len(open) > 0; open = open[1:] {
		i := open[0]
		if !o.taken[i] && alike(o.old.Nodes[i], o.new.Nodes[new]) && (found < 0 || a[i] == b[new]) {
			if found = i; a[i] == b[new] {
				break
			}
		}
		for _, r := range o.old.Nodes[i].Args {
			if !seen[r.To] {
				seen[r.To] = true
				open = append(open, r.To)
			}
		}
	}
	if found >= 0 {
		o.pair(found, new)
	}
}

// alike reports whether two nodes are the same but for what is below them.
func alike(a, b graph.Node) bool {
	return a.Op == b.Op && a.Sort == b.Sort && a.Text == b.Text && len(a.Args) == len(b.Args) && slices.Equal(a.Numbers, b.Numbers)
}
