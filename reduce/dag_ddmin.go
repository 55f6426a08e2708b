package reduce

import (
	"context"
	"iter"
	"slices"
)

// ddmin is what the thesis makes of Zeller's algorithm (A. Vida, "Random Test Case
// Generation and Delta Debugging for Bit-Vector Logic with Arrays", JKU Linz,
// 2008, chapter 4): nodes are not taken out but replaced, by three kinds of
// leaves. They are cut into two runs, four, eight and so on; each run is replaced,
// then each complement of one. When the input still fails they are listed anew and
// cut into two again, or, with keep, which is ours and takes fewer questions, into as
// many runs as before. It ends when they are cut into single ones and nothing can be
// replaced: then no single node can, by none of the kinds. (Step 5 of the thesis takes
// the greater of the number of nodes and twice that of runs, and so would ask for
// single nodes at once. What it replaces by what, and forbids here, is in
// docs/btor.md: read by the letter it does not end.)
//
// Of n nodes a round takes at most 6n questions, and at most 2n of them succeed: an
// operator becomes a leaf, a leaf zero. That makes at most 18n to each success and to
// the end, 18n(2n + 1); with keep 6n(2n + log2 n + 1), the logarithm rounded up.
//
// Options.MaxPartitions is another algorithm, see onePass.
func (d *dag) ddmin(ctx context.Context, keep bool) error {
	return d.minimiseLevels(ctx, keep, func() [][]int {
		return [][]int{d.language.Replaceable(d.g)}
	})
}

// hdd is hierarchical delta debugging (Misherghi and Su, ICSE 2006; thesis,
// chapter 4): ddmin, with keep, among the nodes of one level after the other, from the roots down. A
// level is the nodes to which the longest path from a root has one length, in the
// graph as it is then. Level 0, the roots, cannot be replaced. What is below a node
// that was replaced, and below no other, goes with it.
//
// It takes at most the sum of the bounds of ddmin over the levels.
func (d *dag) hdd(ctx context.Context) error {
	return d.minimiseLevels(ctx, true, func() [][]int { return d.levels() })
}

// levels lists the nodes that can be replaced by their level. There may be none
// in a level, but the last of all nodes is in the last level.
func (d *dag) levels() [][]int {
	depths := d.g.Depths()
	var levels [][]int
	for _, depth := range depths {
		for depth >= len(levels) {
			levels = append(levels, nil)
		}
	}
	for _, i := range d.language.Replaceable(d.g) {
		levels[depths[i]] = append(levels[depths[i]], i)
	}
	return levels
}

// minimiseLevels does ddmin in one list of nodes after the other. lists returns
// them as they are in the graph now.
func (d *dag) minimiseLevels(ctx context.Context, keep bool, lists func() [][]int) error {
	if d.opts.MaxPartitions > 0 {
		for level := range lists() {
			err := d.onePass(ctx, func() []int {
				if all := lists(); level < len(all) {
					return all[level]
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	for level, parts := 0, 2; ; {
		made, ok, err := d.firstReplaced(ctx, roundsFrom(lists(), level, parts))
		if !ok || err != nil {
			return err
		}
		if level, parts = made.step, made.parts; !keep {
			parts = 2
		}
	}
}

// onePass goes once through each round of ddmin, up to that of Options.MaxPartitions
// runs: what can be replaced is, and then it goes on with the run behind it. So must
// ddmin have been what the figures of the thesis were taken of: 57 to 394 questions
// about 732 to 2,278 nodes, of which half were left. With 8 runs there are at most
// 78, with 16 at most 174, whatever the graph; 18m with m.
func (d *dag) onePass(ctx context.Context, list func() []int) error {
	for parts, last := 2, false; !last; parts *= 2 {
		nodes := list()
		parts = min(parts, len(nodes), d.opts.MaxPartitions)
		last = parts == min(len(nodes), d.opts.MaxPartitions)
		runs := make([][]int, parts)
		for i := range runs {
			runs[i] = runOf(nodes, i, parts)
		}
		for at := 0; ; {
			was := d.g
			made, ok, err := d.firstReplaced(ctx, func(yield func(replacement) bool) {
				for i := at; i < 2*parts && (i < parts || parts > 2); i++ {
					r := replacement{step: i}
					if i < parts {
						r.nodes = runs[i]
					} else {
						r.nodes = slices.Concat(slices.Concat(runs[:i-parts]...), slices.Concat(runs[i-parts+1:]...))
					}
					if len(r.nodes) > 0 && !r.kindsOf(yield) {
						return
					}
				}
			})
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			at = made.step + 1
			from := d.origins(was, made)
			for i := range runs {
				runs[i] = leftOf(runs[i], from)
			}
		}
	}
	return nil
}

// roundsFrom yields what ddmin asks in lists of nodes, as long as nothing is made:
// from one list on, which is cut into so many runs first.
func roundsFrom(lists [][]int, level, parts int) iter.Seq[replacement] {
	return func(yield func(replacement) bool) {
		for ; level < len(lists); level, parts = level+1, 2 {
			nodes := lists[level]
			for last := len(nodes) == 0; !last; parts *= 2 {
				parts = min(parts, len(nodes))
				last = parts == len(nodes)
				if !round(nodes, replacement{step: level, parts: parts}, yield) {
					return
				}
			}
		}
	}
}

// round yields each run of so many, then each complement of one, where that is not
// the other run.
func round(nodes []int, r replacement, yield func(replacement) bool) bool {
	for i := range r.parts {
		r.nodes = runOf(nodes, i, r.parts)
		if !r.kindsOf(yield) {
			return false
		}
	}
	for i := 0; i < r.parts && r.parts > 2; i++ {
		r.nodes = slices.Concat(nodes[:i*len(nodes)/r.parts], nodes[(i+1)*len(nodes)/r.parts:])
		if !r.kindsOf(yield) {
			return false
		}
	}
	return true
}

// runOf returns one of so many runs of nearly the same length.
func runOf(nodes []int, i, parts int) []int {
	return nodes[i*len(nodes)/parts : (i+1)*len(nodes)/parts]
}

// hddPlus is hdd, and then bfs until that does not make the graph smaller.
func (d *dag) hddPlus(ctx context.Context) error {
	if err := d.hdd(ctx); err != nil {
		return err
	}
	return d.shrinking(ctx, d.bfs)
}

// shrinking does something again until the graph has no fewer nodes afterwards.
func (d *dag) shrinking(ctx context.Context, run func(context.Context) error) error {
	for {
		size := len(d.g.Nodes)
		if err := run(ctx); err != nil || len(d.g.Nodes) >= size {
			return err
		}
	}
}
