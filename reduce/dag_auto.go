package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/isolate"
)

// auto goes through the graph once, from the roots down, and puts in the place of
// what it finds a leaf or something deeper (descend); then it makes shorter what is
// left (collapse, ground, share, bypass). It supposes that what makes the input fail
// is some nodes, and that those above them only lead there. That need not be so:
// nothing else but the number of trials and the size of the graph depends on it.
//
// For m nodes that are left of n it takes about m log2(n/m) trials where the leaves
// of a level are sought in groups, and for each of the m as many as there are
// branches below it to rule out.
func (d *dag) auto(ctx context.Context) error {
	for _, step := range []func(context.Context) error{d.sparing, d.descend, d.collapse, d.ground, d.share, d.bypass} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sparing takes as many roots out as it finds can go together, of those that may.
func (d *dag) sparing(ctx context.Context) error {
	spares := d.spares()
	w := d.workspace()
	_, err := d.minimise(ctx, len(spares), func(kept isolate.Configuration) (*graph.Graph, bool) {
		roots := slices.DeleteFunc(slices.Clone(w.roots), func(root int) bool {
			i := slices.Index(spares, root)
			return i >= 0 && !kept.Has(i)
		})
		return (&workspace{d, w.nodes, roots}).graph(), true
	})
	return err
}

// descend goes from the roots down. Of the nodes that lie below settled ones alone
// it replaces as many as it finds can be by fresh leaves; in the place of each of
// the others it puts the deepest that can be there, and that is settled.
func (d *dag) descend(ctx context.Context) error {
	w := d.workspace()
	settled := map[int]bool{}
	for _, root := range w.roots {
		settled[root] = true
	}
	for top := true; ; top = false {
		frontier := w.frontier(settled)
		if len(frontier) == 0 {
			return nil
		}
		before := w
		without := func(kept isolate.Configuration) *workspace {
			return before.freed(leftOut(frontier, kept))
		}
		// About three in four stay; of several all go one time in forty. Nodes keep their numbers.
		d.dense, d.key = true, func(i int) editKey { return keyOf("free", frontier[i]) }
		kept, err := d.minimise(ctx, len(frontier), func(kept isolate.Configuration) (*graph.Graph, bool) {
			return without(kept).graph(), true
		})
		d.dense, d.key = false, nil
		if err != nil {
			return err
		}
		w = without(kept)
		for i := range kept.All() {
			var at int
			if w, at, err = w.hoist(ctx, frontier[i], top); err != nil {
				return err
			}
			settled[at] = true
		}
	}
}

// frontier returns the nodes below settled ones alone, the deepest first, without
// leaves that are fresh already, or zero.
func (w *workspace) frontier(settled map[int]bool) []int {
	waiting := make([]bool, len(w.nodes))
	var frontier []int
	for _, i := range slices.Backward(w.order(w.roots...)) {
		if settled[i] {
			continue
		}
		if n := w.nodes[i]; !waiting[i] && !w.language.IsFresh(n) && !w.language.IsZero(n) {
			frontier = append(frontier, i)
		}
		for _, r := range w.nodes[i].Args {
			waiting[r.To] = true
		}
	}
	slices.Reverse(frontier)
	return frontier
}

// collapse puts a bridge in the place of chains: of a node, and one below it, each
// of which needs but one that is no leaf.
func (d *dag) collapse(ctx context.Context) error {
	for {
		w := d.workspace()
		var tops []int
		for i := range w.nodes {
			if !slices.Contains(w.roots, i) && w.chain(i) >= 0 {
				tops = append(tops, i)
			}
		}
		slices.Reverse(tops)
		made, err := w.each(ctx, len(tops), func(w *workspace, i int) (*workspace, bool) {
			if end := w.chain(tops[i]); end >= 0 {
				return w.bridged(tops[i], end), true
			}
			return nil, false
		})
		if made == 0 || err != nil {
			return err
		}
	}
}

// chain returns what is below a node and below the one node in between, -1 if it or
// that need other than one that is no leaf, or if no bridge can be there.
func (w *workspace) chain(node int) int {
	end := node
	for range 2 {
		if end = w.only(end); end < 0 {
			return -1
		}
	}
	if !w.canBecome(w.nodes[end].Sort, w.nodes[node].Sort) {
		return -1
	}
	return end
}

// only returns what is below a node that needs but one that is no leaf; else -1.
func (w *workspace) only(node int) int {
	only := -1
	for _, r := range w.nodes[node].Args {
		if !w.leaf(r.To) && r.To != only {
			if only >= 0 {
				return -1
			}
			only = r.To
		}
	}
	return only
}

// ground puts zero in the place of as many fresh leaves as it finds can be together.
func (d *dag) ground(ctx context.Context) error {
	var leaves []int
	for i, n := range d.g.Nodes {
		if d.language.IsFresh(n) {
			leaves = append(leaves, i)
		}
	}
	base := d.g
	_, err := d.minimise(ctx, len(leaves), func(kept isolate.Configuration) (*graph.Graph, bool) {
		h, ok := d.language.Replace(base, leftOut(leaves, kept), graph.Zero)
		if ok {
			h = d.simplified(h)
		}
		return h, ok
	})
	return err
}

// mostShared is how many nodes are tried in the place of one leaf.
const mostShared = 4

// share puts another node of the same sort, if it is not above it, in the place of
// each leaf, and of each node with the same operator.
func (d *dag) share(ctx context.Context) error {
	type pair struct{ node, by int }
	for {
		w := d.workspace()
		held := map[int]bool{}
		for _, n := range w.nodes {
			for arg, r := range n.Args {
				held[r.To] = held[r.To] || d.language.Holds != nil && d.language.Holds(n, arg)
			}
		}
		var pairs []pair
		for i, n := range w.nodes {
			if held[i] || slices.Contains(w.roots, i) {
				continue
			}
			above := make([]bool, len(w.nodes))
			above[i] = true
			for k := i; k < len(above); k++ {
				above[k] = above[k] || slices.ContainsFunc(w.nodes[k].Args, func(r graph.Ref) bool { return above[r.To] })
			}
			tried := 0
			for k, other := range slices.Backward(w.nodes) {
				if !above[k] && !slices.Contains(w.roots, k) && other.Sort == n.Sort && (w.leaf(i) || other.Op == n.Op) && tried < mostShared {
					pairs = append(pairs, pair{i, k})
					tried++
				}
			}
		}
		made, err := w.each(ctx, len(pairs), func(w *workspace, i int) (*workspace, bool) {
			p := pairs[i]
			order := w.order(w.roots...)
			if !slices.Contains(order, p.node) || slices.Contains(w.order(p.by), p.node) {
				return nil, false // by what was made before
			}
			return w.via(map[int]graph.Ref{p.node: {To: p.by}}), true
		})
		if made == 0 || err != nil {
			return err
		}
	}
}

// bypass puts what is below it in the place of each node that needs but one that is no
// leaf, as it is and complemented, if it is of the same sort: where the failure is in
// what a node does with it, descend had to leave the node.
func (d *dag) bypass(ctx context.Context) error {
	type past struct {
		node int
		to   graph.Ref
	}
	for {
		w := d.workspace()
		var pasts []past
		for i, n := range w.nodes {
			below := w.only(i)
			if below < 0 || w.nodes[below].Sort != n.Sort || slices.Contains(w.roots, i) {
				continue
			}
			pasts = append(pasts, past{i, graph.Ref{To: below}})
			if !n.Sort.Array() {
				pasts = append(pasts, past{i, graph.Ref{To: below, Not: true}})
			}
		}
		made, err := w.each(ctx, len(pasts), func(w *workspace, i int) (*workspace, bool) {
			return w.via(map[int]graph.Ref{pasts[i].node: pasts[i].to}), true
		})
		if made == 0 || err != nil {
			return err
		}
	}
}
