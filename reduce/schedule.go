package reduce

import (
	"context"
	"slices"
)

// file reduces what is in one file. First the passes that make room for each
// other, in their order: as long as something goes it is the turn of the
// structure again, and of those that worked when they ran last. Then the others,
// once.
func (r *reduction) file(ctx context.Context, path string) error {
	idle := map[string]bool{}
	for {
		before := r.best
		for _, p := range r.chosen {
			if p.last || idle[p.name] {
				continue
			}
			at := r.best
			if err := r.turn(ctx, p, path); err != nil {
				return err
			}
			idle[p.name] = p.name != structurePass && !smaller(r.best, at)
		}
		if !smaller(r.best, before) {
			break
		}
	}
	for _, p := range r.chosen {
		if p.last {
			if err := r.turn(ctx, p, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// turn runs one pass over a file, if there is anything in it.
func (r *reduction) turn(ctx context.Context, p pass, path string) error {
	i := r.fileAt(path)
	if i < 0 {
		return nil
	}
	s, err := r.elements(i) // for the format, if not for the tree
	if err != nil {
		return err
	}
	if p.run != nil && r.formats[path] == "patch" && r.opts.Passes == nil {
		return nil // what is asked of a patch is which of its lines, not what may stand in them; hundreds of trials
	}
	r.enter(p.name)
	switch {
	case p.name == structurePass:
		return r.structure(ctx, s)
	case p.tree != nil:
		return p.tree(ctx, s)
	}
	return p.run(ctx, r.open(i, styleOf(r.formats[path], r.archives.nameOf(path))))
}

// structured reports whether the structure of files is reduced.
func (r *reduction) structured() bool {
	return slices.ContainsFunc(r.chosen, func(p pass) bool { return p.name == structurePass })
}
