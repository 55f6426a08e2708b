package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// byClosuresAndFiles takes out closures and then files until neither goes: where files went that no closure told
// from what is needed, a name has fewer meanings left.
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

// byClosures takes out files, declarations, imports and what manifests list, by Binary Reduction: what is needed
// stays, and all that it mentions, and what that mentions. So most of what is asked about can be built, and
// few trials take out most of a large project. What a name means is guessed. A wrong guess costs trials, or
// leaves something for a later pass.
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

// only returns an input with the units of c alone; false if it would not be well-formed.
func (p *project) only(base testcase.Input, c isolate.Configuration) (testcase.Input, bool) {
	in := testcase.Input{Dir: base.Dir}
	for i, f := range base.Files {
		if !c.Has(i) {
			continue
		}
		if p.trees[i] != nil {
			edits := Edits{}
			for _, number := range p.inFile[i] {
				unused := len(p.users[number]) > 0 && !slices.ContainsFunc(p.users[number], c.Has)
				if unused || !c.Has(number) {
					for _, n := range p.units[number].nodes {
						edits[n] = Removal(n)
					}
				}
			}
			text, formed := p.trees[i].Render(edits)
			if !formed || !p.keeps(f.Path, text) {
				return in, false
			}
			f.Content = text
		}
		in.Files = append(in.Files, f)
	}
	return in, true
}
