package workspace

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
)

// An entry is what a tree has at a path; the zero entry is nothing.
type entry struct {
	mode git.Mode
	id   git.ID
}

// A tracked path and what the workspace holds there.
type tracked struct {
	base  entry // what was checked out; what is wanted when fixed
	fixed bool  // the overlay decides, the configuration does not

	holds entry
	stamp stamp // of what was written; valid when sure
	sure  bool
}

// track begins to watch the paths that set can change. fresh: the workspace
// has just been checked out, and what lies there can be trusted.
func (w *Workspace) track(ctx context.Context, set *changes.Set, fresh bool) error {
	if _, ok := w.sets[set]; ok {
		return nil
	}
	offset, err := w.offset(ctx, set.Good.Tree)
	if err != nil {
		return err
	}
	paths := slices.Concat(set.AffectedPaths(), slices.Collect(maps.Keys(offset)), slices.Collect(maps.Keys(w.source.overlay.files)), w.source.patches.touches())
	more, err := w.watched(ctx, set, paths)
	if err != nil {
		return err
	}
	paths = append(paths, more...)
	for _, p := range paths {
		if w.tracked[p] != nil {
			continue
		}
		base, err := w.source.trees.entry(ctx, w.base, p)
		if err != nil {
			return err
		}
		t := &tracked{base: base, holds: base}
		if fresh {
			if t.stamp, err = stampOf(w.handle, p); err != nil {
				return err
			}
			t.sure = true
		}
		if w.source.overlay.hides(p) {
			t.base, t.fixed = w.source.overlay.files[p], true
		}
		w.tracked[p] = t
	}
	w.sets[set] = offset
	return w.conv.learn(ctx, paths)
}

// offset returns the entries of the tree that base has otherwise.
func (w *Workspace) offset(ctx context.Context, good git.ID) (map[string]entry, error) {
	offset := map[string]entry{}
	if good == w.base {
		return offset, nil
	}
	deltas, err := w.source.repo.DiffPaths(ctx, w.base, good)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	for _, d := range deltas {
		offset[d.NewPath] = entry{d.NewMode, d.NewID} // the zero entry where it is deleted
	}
	return offset, nil
}

// A step is a path on the way from one configuration to the next.
type step struct {
	path  string
	t     *tracked
	want  entry
	made  changes.File // the composed tree's, if it brings the entry: no object of the repository need have it
	stamp stamp        // what is there now
}

// plan returns the paths, sorted, at which the workspace does not hold what
// the tree wants there.
func (w *Workspace) plan(set *changes.Set, tree *changes.Tree) ([]step, error) {
	made := make(map[string]changes.File, len(tree.Files))
	for _, f := range tree.Files {
		made[f.Path] = f
	}
	want := w.wanted(set, tree)
	// covered: a file or a symlink is wanted where p would need a directory, or
	// a submodule with files of its own, so p is absent whatever can be seen
	// under its name.
	covered := func(p string, t *tracked) bool {
		for above := path.Dir(p); above != "."; above = path.Dir(above) {
			if a := w.tracked[above]; a != nil {
				mode := want(above, a).mode
				if mode == git.Gitlink && t.sure && t.holds.mode == 0 || mode != git.Gitlink && mode != 0 {
					return true
				}
			}
		}
		return false
	}
	// hidden: a file or a symlink was written where p would need a directory, so
	// whatever can be seen under its name lies behind that.
	hidden := func(p string) bool {
		for above := path.Dir(p); above != "."; above = path.Dir(above) {
			a := w.tracked[above]
			if a != nil && a.sure && a.holds.mode != 0 && a.holds.mode != git.Gitlink {
				now, err := stampOf(w.handle, above)
				return err == nil && now == a.stamp
			}
		}
		return false
	}
	var steps []step
	for p, t := range w.tracked {
		now, err := stampOf(w.handle, p)
		if err != nil {
			return nil, err
		}
		e := want(p, t)
		var there bool
		switch {
		case e.mode == 0:
			there = !now.exists() || now.directory() && t.holds.mode != git.Gitlink || covered(p, t) || hidden(p)
		case e.mode == git.Gitlink:
			there = now.directory() && t.sure && t.holds.mode == git.Gitlink
		default:
			there = t.sure && t.holds == e && t.stamp == now
		}
		if there {
			t.holds, t.stamp, t.sure = e, now, true
			continue
		}
		steps = append(steps, step{p, t, e, made[p], now})
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.path, b.path) })
	return steps, nil
}

// wanted returns what a tree of set has at a path that is tracked.
func (w *Workspace) wanted(set *changes.Set, tree *changes.Tree) func(p string, t *tracked) entry {
	offset := w.sets[set]
	return func(p string, t *tracked) entry {
		if t.fixed {
			return t.base
		}
		if e, ok := w.patched[p]; ok {
			return e
		}
		if f, ok := tree.File(p); ok {
			return entry{f.Mode, f.ID}
		}
		if e, ok := offset[p]; ok {
			return e
		}
		return t.base
	}
}

// Distance returns at how many paths the tree that was shown last differs from a tree of set. If that was of a set with
// another good tree, it returns more than any other tree has.
func (w *Workspace) Distance(set *changes.Set, tree *changes.Tree) int {
	if w.shownAt != set.Good.Tree {
		return len(w.tracked) + len(tree.Files) + 1
	}
	n := 0
	a, b := w.shown, tree.Files
	for len(a) > 0 && len(b) > 0 {
		switch order := strings.Compare(a[0].Path, b[0].Path); {
		case order < 0:
			n, a = n+1, a[1:]
		case order > 0:
			n, b = n+1, b[1:]
		default:
			if !a[0].Equal(b[0]) {
				n++
			}
			a, b = a[1:], b[1:]
		}
	}
	return n + len(a) + len(b)
}
