package reduce

import (
	"context"
	"slices"
)

// file reduces what is in one file. First the passes that make room for each
// other, in their order: as long as something goes it is the turn of the
// structure again, and of those that worked when they ran last. Then the others,
// once. A graph has passes of its own, each of them once, and its algorithm never
// again: what the certificate makes makes no more room.
func (r *reduction) file(ctx context.Context, path string) error {
	if err := r.canonical(ctx, path); err != nil {
		return err
	}
	idle := map[string]bool{}
	for {
		before := r.accepted
		for _, p := range r.chosen {
			if p.last || p.graph != nil || idle[p.name] {
				continue
			}
			at := r.accepted
			if err := r.turn(ctx, p, path); err != nil {
				return err
			}
			idle[p.name] = p.name != structurePass && r.accepted == at
		}
		if r.accepted == before {
			break
		}
	}
	for _, p := range r.chosen {
		if !p.last && p.graph == nil || p.name == nodesPass && r.searched[path] {
			continue
		}
		if err := r.turn(ctx, p, path); err != nil {
			return err
		}
		r.searched[path] = r.searched[path] || p.name == nodesPass
	}
	return nil
}

// turn runs one pass over a file, if it is one for what is in it.
func (r *reduction) turn(ctx context.Context, p pass, path string) error {
	i := r.fileAt(path)
	if i < 0 {
		return nil
	}
	s, d, err := r.elements(i) // for the format, if not for the tree
	if err != nil || (d == nil) != (p.graph == nil) {
		return err
	}
	if d != nil {
		r.enter(p.name)
		return p.graph(ctx, d)
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
	return p.run(ctx, r.open(i, rulesOfFormat(r.formats[path], r.archives.nameOf(path))))
}

// structured reports whether the structure of all files is reduced, and the nodes
// of all graphs.
func (r *reduction) structured() bool {
	chosen := func(name string) bool {
		return slices.ContainsFunc(r.chosen, func(p pass) bool { return p.name == name })
	}
	if !chosen(structurePass) && !chosen(nodesPass) {
		return false
	}
	for _, f := range r.best.Files {
		if f, ok := r.formats[f.Path]; ok && !chosen(r.structureOf(f)) {
			return false
		}
	}
	return true
}

// structureOf names the pass that takes out what a format calls elements.
func (r *reduction) structureOf(format string) string {
	if r.kinds.must(format).graph != nil {
		return nodesPass
	}
	return structurePass
}
