package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// byClosuresAndFiles runs the pass closures and then the pass files, and both again as long as the pass files takes
// something out: then a name may mean fewer units, so that the pass closures may take out more.
func (r *reduction) byClosuresAndFiles(ctx context.Context) error {
	for before := -1; r.accepted > before; {
		if err := r.byClosures(ctx); err != nil {
			return err
		}
		before = r.accepted
		if err := r.byFiles(ctx); err != nil {
			return err
		}
		r.closed = r.best.Size()
		if !r.hasClosures() {
			return nil
		}
	}
	return nil
}

// hasClosures reports whether the best input is a directory whose files are read for what they mention. One of very
// many files is not: what they require would take too much memory.
func (r *reduction) hasClosures() bool {
	files := len(r.best.Files)
	return r.closures && r.best.Dir && files > 1 && files < mostUnits && r.opts.Declarations != nil
}

// byClosures takes out files, declarations, imports and entries of manifests, by Binary Reduction. It keeps a unit
// together with all units that it requires, directly or not, so that most inputs that it asks about can be built, and
// few trials take out most of a large project. What a unit requires is guessed from names. A wrong guess
// costs trials, or leaves a unit that a later pass takes out.
func (r *reduction) byClosures(ctx context.Context) error {
	if !r.hasClosures() {
		return nil
	}
	r.enter(closuresPass)
	p := r.project()
	weights := make([]int, len(p.units))
	for i, u := range p.units {
		weights[i] = max(1, u.size)
	}
	base := r.best
	return list{
		reduction: r, n: len(p.units), weights: weights, algorithm: "binary", requires: p.requires, nonEmpty: true,
		offer: func(c isolate.Configuration) (testcase.Input, bool) {
			in, ok := p.only(base, c)
			return in, ok && smaller(in, base) && r.keepsFiles(in)
		},
		made: func(_ isolate.Configuration, in testcase.Input) bool { return smaller(in, r.best) },
	}.minimise(ctx)
}

// only returns the input with the units of c, without those imports and entries of manifests among them that no unit
// of c uses; false if it would not be well-formed, or would lack text that has to stay.
func (p *project) only(base testcase.Input, c isolate.Configuration) (testcase.Input, bool) {
	in := testcase.Input{Dir: base.Dir}
	for i, f := range base.Files {
		if !c.Has(i) {
			continue
		}
		if p.trees[i] != nil {
			text, formed := p.trees[i].Render(p.removals(i, c))
			if !formed || !p.keeps(f.Path, text) {
				return in, false
			}
			f.Content = text
		}
		in.Files = append(in.Files, f)
	}
	return in, true
}

// removals takes out of a file what is not in c, or is not used there. What a unit is a part of has a smaller number.
func (p *project) removals(file int, c isolate.Configuration) Edits {
	edits := Edits{}
	needed := map[int]bool{} // units with a unit within them that stays
	for _, number := range slices.Backward(p.inFile[file]) {
		u := p.units[number]
		used := len(p.users[number]) == 0 || needed[number] || slices.ContainsFunc(p.users[number], c.Has)
		if c.Has(number) && used {
			needed[u.parent] = true
			continue
		}
		for _, n := range u.nodes {
			edits[n] = Removal(n)
		}
	}
	return edits
}
