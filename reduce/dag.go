package reduce

import (
	"bytes"
	"context"
	"slices"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// A digraph is what a format of graphs makes of a text.
type digraph struct {
	g        *graph.Graph // canonical
	language graph.Language
	text     func(*graph.Graph) (text []byte, ok bool) // of a canonical graph; ok is false if the format has no words for it
	notes    []string                                  // sentences for the user
	widths   func(*graph.Graph) *btor.Widths           // what may be narrower; nil = nothing
}

// A dag is one graph that is being reduced within the input. Graph algorithms and
// passes propose graphs; only a dag asks.
//
// A graph with more nodes than the one that is there is never asked about, nor is
// one that reads the same. What else has to hold so that nothing goes round in
// circles, who proposes has to see to: what replaces nodes makes the graph less by
// graph.Language.Measure (replaced does), what leads edges elsewhere comes to each
// edge a limited number of times.
type dag struct {
	*reduction
	digraph                      // g is what the best input says
	simplify bool                // what comes of a replacement is simplified
	list     string              // the list algorithm that minimise uses, see isolate.MinimizeAlgorithms; "" = auto
	dense    bool                // minimise does not ask first whether all elements can go
	sure     bool                // minimise ends with a sweep that asks for each element that is left alone
	key      func(i int) editKey // see list

	file    int            // its number in the input
	base    testcase.Input // the best one when this began: but for the file it stays as it is
	content []byte         // of the file, now
}

// with returns the input with another graph, and whether it is worth a question.
func (d *dag) with(h *graph.Graph) (in testcase.Input, ok bool) {
	text, ok := d.text(h)
	if !ok || bytes.Equal(text, d.content) || !d.keeps(d.base.Files[d.file].Path, text) {
		return in, false
	}
	in = testcase.Input{Files: slices.Clone(d.base.Files), Dir: d.base.Dir}
	in.Files[d.file].Content = text
	return in, true
}

// set takes note of a graph that becomes the best one.
func (d *dag) set(h *graph.Graph) {
	d.pass.Nodes += len(d.g.Nodes) - len(h.Nodes)
	d.pass.Bits += d.language.Measure(d.g).Widths - d.language.Measure(h).Widths
	d.g, d.nodes[d.base.Files[d.file].Path] = h, len(h.Nodes)
	d.content, _ = d.text(h)
}

// simplified returns a graph simplified, if it shall be.
func (d *dag) simplified(h *graph.Graph) *graph.Graph {
	if !d.simplify || d.language.Simplify == nil {
		return h
	}
	return d.language.Simplify(h)
}

// replaced returns the graph with the nodes of a set replaced by one kind, and
// simplified if it shall be. ok is false if it is not less than it was.
func (d *dag) replaced(set []int, k graph.Kind) (h *graph.Graph, ok bool) {
	h, ok = d.language.Replace(d.g, set, k)
	if !ok {
		return nil, false
	}
	h = d.simplified(h)
	return h, d.less(h, d.g)
}

// less is the order in which replacing nodes goes down.
func (d *dag) less(h, g *graph.Graph) bool {
	return d.language.Measure(h).Less(d.language.Measure(g))
}

// try makes a graph if the input then still fails.
func (d *dag) try(ctx context.Context, h *graph.Graph) (bool, error) {
	i, err := d.first(ctx, 1, func(int) (*graph.Graph, bool) { return h, true })
	return i == 0, err
}

// first makes the first of n graphs with which the input still fails, and returns
// its number; -1 if there is none. Options.Jobs of them are tested at once, in
// their order. ok says whether there is a graph of that number.
func (d *dag) first(ctx context.Context, n int, propose func(i int) (h *graph.Graph, ok bool)) (int, error) {
	return d.offers(n, propose).first(ctx)
}

// each asks about n graphs one after the other, and makes those that it can. A
// graph may depend on what was made before it: propose is called for i again
// whenever one before it was made. It returns how many were made.
func (d *dag) each(ctx context.Context, n int, propose func(i int) (h *graph.Graph, ok bool)) (made int, err error) {
	return d.offers(n, propose).each(ctx)
}

// offers are the inputs with one of n graphs each.
func (d *dag) offers(n int, propose func(i int) (*graph.Graph, bool)) offers {
	return offers{
		reduction: d.reduction, n: n,
		offer: func(i int) (in testcase.Input, made func(), ok bool) {
			h, ok := propose(i)
			if !ok || len(h.Nodes) > len(d.g.Nodes) {
				return in, nil, false
			}
			in, ok = d.with(h)
			return in, func() { d.set(h) }, ok
		},
	}
}

// minimise finds as many of n elements as it can that can be left out together,
// makes the graph without them, and returns those that are kept. candidate makes
// the graph of the elements that are kept, of the graph as it was at the
// beginning; it is called by several goroutines. One that is not less than that
// graph is not asked about.
//
// The error is isolate.ErrBudget, that of ctx, of the test, or of
// Options.Improved; what was made by then stays made.
func (d *dag) minimise(ctx context.Context, n int, candidate func(kept isolate.Configuration) (*graph.Graph, bool)) (kept isolate.Configuration, err error) {
	kept = isolate.Full(n)
	if n == 0 {
		return kept, d.err(ctx)
	}
	base := *d // whether to ask depends on no answer
	err = list{
		reduction: d.reduction, n: n, algorithm: d.list, sure: d.sure, dense: d.dense, key: d.key,
		offer: func(c isolate.Configuration) (in testcase.Input, ok bool) {
			h, ok := candidate(c)
			if !ok || len(h.Nodes) > len(base.g.Nodes) || !d.less(h, base.g) {
				return in, false
			}
			return base.with(h)
		},
		made: func(c isolate.Configuration, in testcase.Input) bool {
			h, ok := candidate(c)
			ok = ok && len(h.Nodes) <= len(d.g.Nodes) && d.less(h, d.g)
			if ok {
				kept = c
				d.set(h)
			}
			return ok
		},
	}.minimise(ctx)
	return kept, err
}

// leftOut returns the elements of a list that are not kept.
func leftOut[T any](list []T, kept isolate.Configuration) (gone []T) {
	for i, x := range list {
		if !kept.Has(i) {
			gone = append(gone, x)
		}
	}
	return gone
}
