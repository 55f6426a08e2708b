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

// early makes what the passes propose about a file as a whole. One or two trials may make all that follows
// much cheaper: where all numbers of a formula can be the same, the formula becomes one of few clauses.
func (r *reduction) early(ctx context.Context, path string) error {
	for _, p := range r.chosen {
		if p.whole == nil {
			continue
		}
		t, err := r.opened(path)
		if t == nil || err != nil {
			return err
		}
		r.enter(p.name)
		if _, err := t.first(ctx, p.whole(t)); err != nil {
			return err
		}
	}
	return nil
}

// opened is a file for passes over texts; nil for one that they are not for: a graph, and a patch, of
// which is asked which of its lines are needed, not what may stand in them, which takes hundreds of trials.
func (r *reduction) opened(path string) (*text, error) {
	i := r.fileAt(path)
	if i < 0 {
		return nil, nil
	}
	_, d, err := r.elements(i) // for the format
	if err != nil || d != nil || r.formats[path] == "patch" && r.opts.Passes == nil {
		return nil, err
	}
	return r.open(i, rulesOfFormat(r.formats[path], r.archives.nameOf(path))), nil
}

// turn runs one pass over a file, if it is one for what is in it.
func (r *reduction) turn(ctx context.Context, p pass, path string) error {
	if p.run != nil {
		t, err := r.opened(path)
		if t == nil || err != nil {
			return err
		}
		r.enter(p.name)
		return p.run(ctx, t)
	}
	i := r.fileAt(path)
	if i < 0 {
		return nil
	}
	s, d, err := r.elements(i)
	if err != nil || (d == nil) != (p.graph == nil) {
		return err
	}
	r.enter(p.name)
	switch {
	case d != nil:
		return p.graph(ctx, d)
	case p.name == structurePass:
		return r.structure(ctx, s)
	}
	return p.tree(ctx, s)
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
