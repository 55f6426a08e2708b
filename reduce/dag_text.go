package reduce

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
)

// readsGraph reports whether file i of the best input is reduced as a graph.
func (r *reduction) readsGraph(i int) bool {
	if len(r.best.Files[i].Content) == 0 {
		return false
	}
	_, d, err := r.elements(i)
	return err == nil && d != nil
}

// countNodes counts the nodes of all graphs before the first of them is reduced.
func (r *reduction) countNodes() {
	for _, f := range r.best.Files {
		name := r.archives.nameOf(f.Path)
		format := r.kinds.guess(name, f.Content)
		if r.opts.Format != "" {
			format = r.kinds.must(r.opts.Format)
		}
		if format.graph == nil || f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		if d, err := format.graph(f.Content); err == nil {
			r.nodes[f.Path] = len(d.g.Nodes)
		}
	}
}

// bare tells the user if a single constant is left of the input, a graph: what the
// command fails on is elsewhere, as where it fails on an empty file.
func (r *reduction) bare() {
	if r.best.Dir || len(r.best.Files) != 1 || r.accepted == 0 || !r.readsGraph(0) {
		return
	}
	if _, d, _ := r.elements(0); len(d.g.Nodes) == 2 && d.language.IsZero(d.g.Nodes[0]) {
		r.note("the command fails the same way on a graph of a single constant: what it fails on is not in the input")
	}
}

// canonical writes a graph as all candidates are written, if it is not: what it
// does not need is dropped, and numbers are in order. One that fails only as it was
// written is reduced as lines: whether it does costs a trial.
func (r *reduction) canonical(ctx context.Context, path string) error {
	i := r.fileAt(path)
	if i < 0 || r.taken[path] != "" && r.kinds.must(r.taken[path]).graph == nil {
		return nil
	}
	_, d, err := r.elements(i)
	if err != nil || d == nil {
		return err
	}
	if text, _ := d.text(d.g); bytes.Equal(text, d.content) {
		return nil
	}
	r.enter("canonical")
	why := "it fails only as it is, not when it is written again"
	if in, ok := d.with(d.g); !ok {
		why = "written again, without comments and what no root needs, it would lose text that is to be kept"
	} else {
		if ok, err = r.ask(ctx, in); err != nil {
			return err
		}
		if ok {
			r.accept(in)
			return r.err(ctx)
		}
		if err = r.err(ctx); err != nil {
			return err // the budget ended with it
		}
	}
	r.note(fmt.Sprintf("%s is reduced as lines: %s", r.archives.nameOf(path), why))
	r.taken[path] = "lines"
	return nil
}
