package reduce

import (
	"context"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/isolate"
)

// passWidths makes bit-vectors and arrays narrower: as many classes of widths that have
// to agree as it finds can be as narrow as possible together, at first all, which is
// mostly what goes; then the others, each to the width that halving finds, of log2(width)
// questions. It ends when no narrowing that A. Vida proposes (see btor.Targets) goes
// any more: of a graph of which none goes it takes at most 4 for each class and the
// questions of minimise and of the halving.
//
// What is narrower has no more nodes, and is less by the measure of its language.
func passWidths(ctx context.Context, d *dag) error {
	if d.widths == nil {
		return nil
	}
	for {
		if err := d.narrow(ctx); err != nil {
			return err
		}
		_, ok, err := firstOf(ctx, d, d.widths(d.g).Singly(), func(h *graph.Graph) (*graph.Graph, bool) { return h, true })
		if !ok || err != nil {
			return err
		}
	}
}

// narrow makes all classes of the graph as narrow as it finds they can be.
func (d *dag) narrow(ctx context.Context) error {
	w := d.widths(d.g)
	var least []btor.Narrowing // of the classes that can be narrower at all
	for class, width := range w.Classes() {
		if n := w.Least(class); n < width {
			least = append(least, btor.Narrowing{Class: class, Width: n})
		}
	}
	kept, err := d.minimise(ctx, len(least), func(kept isolate.Configuration) (*graph.Graph, bool) {
		return w.Narrow(leftOut(least, kept)...)
	})
	if err != nil {
		return err
	}
	made := leftOut(least, kept)
	for i, n := range least {
		if !kept.Has(i) {
			continue
		}
		if made, err = d.halve(ctx, w, made, n); err != nil {
			return err
		}
	}
	return nil
}

// halve looks for the least width of a class, after what has been made, and returns
// that with what it made. least is a width that does not do, and the widths that do are
// taken for those from one on.
func (d *dag) halve(ctx context.Context, w *btor.Widths, made []btor.Narrowing, least btor.Narrowing) ([]btor.Narrowing, error) {
	low, high := least.Width, w.After(made...)[least.Class]
	// The width of the graph is high; low does not do, or cannot be.
	for high-low > 1 {
		n, to := possible(w, made, least.Class, low, high)
		if n == nil {
			return made, nil
		}
		h, _ := w.Narrow(n...)
		ok, err := d.try(ctx, h)
		switch {
		case err != nil:
			return made, err
		case ok:
			made, high = n, to
		default:
			low = to
		}
	}
	return made, nil
}

// possible returns what has been made and a narrowing of a class to a width between two
// others: to that in the middle, or to the power of two next to it, as shifts need them.
// nil = none of these is possible.
func possible(w *btor.Widths, made []btor.Narrowing, class, low, high int) (to []btor.Narrowing, width int) {
	middle := (low + high) / 2
	power := 1
	for power*2 <= middle {
		power *= 2
	}
	for _, width := range []int{middle, power, power * 2} {
		if width <= low || width >= high {
			continue
		}
		to := append(made[:len(made):len(made)], btor.Narrowing{Class: class, Width: width})
		if w.After(to...)[class] == width {
			return to, width
		}
	}
	return nil, 0
}
