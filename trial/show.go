package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

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

// show makes the workspace hold a tree that set composed: only paths that
// differ from what it holds are written, with one new modification time for
// all of them. *unfitError when the file system cannot hold the tree.
func (w *workspace) show(ctx context.Context, set *changes.Set, tree *changes.Tree) error {
	patched, err := w.patches.on(ctx, set, tree)
	if err != nil {
		return err
	}
	err = w.lay(ctx, set, tree, patched)
	if errors.Is(err, fs.ErrPermission) { // that a test has taken away
		makeWritable(w.dir)
		err = w.lay(ctx, set, tree, patched)
	}
	return err
}

// lay is show with what the patches make of the tree.
func (w *workspace) lay(ctx context.Context, set *changes.Set, tree *changes.Tree, patched map[string]entry) error {
	w.patched = patched
	if err := w.present(); err != nil {
		return err
	}
	if err := w.relink(); err != nil {
		return err
	}
	if err := w.track(ctx, set, false); err != nil {
		return err
	}
	var submodules pins
	var err error
	if w.library != nil {
		if submodules, err = w.wantedModules(ctx, set, tree); err == nil {
			err = w.vacateModules(ctx, submodules)
		}
	}
	if err == nil {
		err = w.change(ctx, set, tree)
	}
	if errors.Is(err, errDisturbed) {
		err = w.restore(ctx, set, tree)
	}
	if err == nil {
		err = w.pin(ctx)
	}
	if err == nil {
		err = w.showModules(ctx, w.repo, "", submodules)
	}
	if err == nil {
		err = w.bringKept(ctx, true)
	}
	if err != nil {
		w.shownAt = ""
		return err
	}
	w.shown, w.shownAt = tree.Files, set.Good.Tree
	return nil
}

// restore is change for a workspace in which a test has put something else in
// the place of a directory. The files below it are lost, not only those that
// this configuration asks for. So the obstacles are removed, git brings back
// what it misses then, and the configuration is shown once more.
func (w *workspace) restore(ctx context.Context, set *changes.Set, tree *changes.Tree) error {
	w.writer.force = true
	defer func() { w.writer.force = false }()
	if err := w.change(ctx, set, tree); err != nil {
		return err
	}
	if err := w.reset(ctx); err != nil {
		return err
	}
	return w.change(ctx, set, tree)
}

// track begins to watch the paths that set can change. fresh: the workspace
// has just been checked out, and what lies there can be trusted.
func (w *workspace) track(ctx context.Context, set *changes.Set, fresh bool) error {
	if _, ok := w.sets[set]; ok {
		return nil
	}
	offset, err := w.offset(ctx, set.Good.Tree)
	if err != nil {
		return err
	}
	paths := slices.Concat(set.AffectedPaths(), slices.Collect(maps.Keys(offset)), slices.Collect(maps.Keys(w.overlay.files)), w.patches.touches())
	more, err := w.watched(ctx, set, paths)
	if err != nil {
		return err
	}
	paths = append(paths, more...)
	for _, p := range paths {
		if w.tracked[p] != nil {
			continue
		}
		base, err := w.trees.entry(ctx, w.base, p)
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
		if w.overlay.hides(p) {
			t.base, t.fixed = w.overlay.files[p], true
		}
		w.tracked[p] = t
	}
	w.sets[set] = offset
	return w.conv.learn(ctx, paths)
}

// offset returns the entries of the tree that base has otherwise.
func (w *workspace) offset(ctx context.Context, good git.ID) (map[string]entry, error) {
	offset := map[string]entry{}
	if good == w.base {
		return offset, nil
	}
	deltas, err := w.repo.DiffTrees(ctx, w.base, good, nil)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	for _, d := range deltas {
		if d.OldPath != "" && d.Status != 'C' {
			offset[d.OldPath] = entry{}
		}
	}
	for _, d := range deltas {
		if d.NewPath != "" && d.NewMode != 0 {
			offset[d.NewPath] = entry{d.NewMode, d.NewID}
		}
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

// change does the work of show.
func (w *workspace) change(ctx context.Context, set *changes.Set, tree *changes.Tree) error {
	steps, err := w.plan(set, tree)
	if err != nil || len(steps) == 0 {
		return err
	}
	// What disappears does so first and from below: a file may turn into a
	// directory and a directory into a file.
	for _, s := range slices.Backward(steps) {
		if s.want.mode == 0 {
			if err := w.take(s); err != nil {
				return err
			}
		}
	}
	// Attribute files come before the files that they decide about, and also
	// about files that would otherwise stay as they are.
	now := time.Now()
	if err := w.placeAll(ctx, set, steps, now, isAttributes); err != nil {
		return err
	}
	if w.conv.stale {
		if err := w.relearn(ctx); err != nil {
			return err
		}
		if steps, err = w.plan(set, tree); err != nil {
			return err
		}
	}
	return w.placeAll(ctx, set, steps, now, func(string) bool { return true })
}

// relearn asks for all attributes again. What they decide otherwise now is looked
// at again.
func (w *workspace) relearn(ctx context.Context) error {
	paths := slices.Collect(maps.Keys(w.tracked))
	before := w.conv.rules
	w.conv.rules, w.conv.stale = map[string]rule{}, false
	if err := w.conv.learn(ctx, paths); err != nil {
		w.conv.stale = true
		return err
	}
	for _, p := range paths {
		if before[p] != w.conv.rules[p] {
			w.tracked[p].sure = false
		}
	}
	return nil
}

// take removes what the tree does not have.
func (w *workspace) take(s step) error {
	s.t.sure = false
	if err := w.writer.remove(s.path); err != nil {
		return err
	}
	s.t.holds, s.t.stamp, s.t.sure = entry{}, stamp{}, true
	w.conv.changed(s.path)
	return nil
}

// placeAll writes the entries of the paths that which selects.
func (w *workspace) placeAll(ctx context.Context, set *changes.Set, steps []step, now time.Time, which func(string) bool) error {
	for _, s := range steps {
		if s.want.mode == 0 || !which(s.path) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.place(ctx, set, s, now); err != nil {
			return err
		}
	}
	return nil
}

// plan returns the paths, sorted, at which the workspace does not hold what
// the tree wants there.
func (w *workspace) plan(set *changes.Set, tree *changes.Tree) ([]step, error) {
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
func (w *workspace) wanted(set *changes.Set, tree *changes.Tree) func(p string, t *tracked) entry {
	offset := w.sets[set]
	return func(p string, t *tracked) entry {
		if t.fixed {
			return t.base
		}
		if e, ok := w.patched[p]; ok {
			return e
		}
		i, ok := slices.BinarySearchFunc(tree.Files, p, func(f changes.File, p string) int { return strings.Compare(f.Path, p) })
		if ok {
			return entry{tree.Files[i].Mode, tree.Files[i].ID}
		}
		if e, ok := offset[p]; ok {
			return e
		}
		return t.base
	}
}

// place writes one entry, unless the workspace is seen to hold it already.
func (w *workspace) place(ctx context.Context, set *changes.Set, s step, now time.Time) error {
	// A test that only touched a file has not changed it: to write it again
	// would rebuild what depends on it.
	maybe := s.t.holds == s.want || !s.t.sure
	size, err := w.large(ctx, s)
	if err != nil {
		return err
	}
	var touched bool
	var content []byte
	if size > 0 {
		touched = maybe && w.sameLarge(s, size)
	} else {
		if content, err = w.content(ctx, set, s); err != nil {
			return err
		}
		touched = maybe && w.same(s, content)
	}
	s.t.sure = false
	switch {
	case touched:
	case size > 0:
		err = w.writer.writeFrom(s.path, s.want.mode, func(f io.Writer) error { return w.repo.CopyBlob(ctx, s.want.id, size, f) }, now)
	default:
		err = w.writer.write(s.path, w.conv.onDisk(s.want.mode), content, now)
	}
	if err != nil {
		return err
	}
	if !touched {
		w.conv.changed(s.path)
	}
	stamp, err := stampOf(w.handle, s.path)
	if err != nil {
		return err
	}
	s.t.holds, s.t.stamp, s.t.sure = s.want, stamp, true
	return nil
}

// largeBlob is from which size on a blob of the repository is not held in memory.
const largeBlob = 8 << 20

// large returns the size of what s wants if that is a large blob of the repository
// which nothing converts, else 0.
func (w *workspace) large(ctx context.Context, s step) (int64, error) {
	regular := s.want.mode&0o170000 == 0o100000
	if s.want.id == w.repo.HashObject("blob", nil) {
		return 0, nil // a file without its content: the repository need not have it
	}
	if !regular || s.t.fixed || w.patched[s.path] == s.want || s.made.Mode != 0 && !s.made.Stored() || !w.conv.rules[s.path].plain {
		return 0, nil
	}
	size, err := w.repo.BlobSize(ctx, s.want.id)
	if err != nil {
		return 0, fmt.Errorf("read %q: %w", s.path, err)
	}
	if size < largeBlob {
		return 0, nil
	}
	return size, nil
}

// sameLarge is same for a large blob.
func (w *workspace) sameLarge(s step, size int64) bool {
	if !s.stamp.looksLike(s.want.mode) {
		return false
	}
	f, err := w.writer.root.Open(s.path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return false
	}
	same, err := w.repo.IsBlob(s.want.id, size, f)
	return err == nil && same
}

// same reports whether the file has the wanted type, permission and content.
func (w *workspace) same(s step, content []byte) bool {
	mode := w.conv.onDisk(s.want.mode)
	if !s.stamp.looksLike(mode) {
		return false
	}
	if mode == git.Symlink {
		target, err := w.writer.root.Readlink(s.path)
		return err == nil && target == string(content)
	}
	there, err := w.writer.root.ReadFile(s.path)
	return err == nil && bytes.Equal(there, content)
}

// content returns the bytes to write: of the overlay, of the composed tree, or
// of the repository, and as git would write them.
func (w *workspace) content(ctx context.Context, set *changes.Set, s step) ([]byte, error) {
	var blob []byte
	var err error
	switch {
	case s.want.mode == git.Gitlink:
		return nil, nil
	case s.t.fixed:
		return w.overlay.read(s.path, s.want.mode)
	case w.patched[s.path] == s.want:
		blob, err = w.patches.content(ctx, s.want.id)
	case s.made.Mode != 0:
		blob, err = set.Content(s.made)
	default:
		blob, err = w.repo.Blob(ctx, s.want.id)
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", s.path, err)
	}
	if s.want.mode == git.Symlink {
		return blob, nil
	}
	return w.conv.convert(ctx, s.path, blob)
}

// distance returns at how many paths the workspace differs from a tree of set.
func (w *workspace) distance(set *changes.Set, tree *changes.Tree) int {
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
