package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// Show makes the workspace hold a tree that set composed: only paths that
// differ from what it holds are written, with one new modification time for
// all of them. The error is Impossible if this tree cannot be shown here.
func (w *Workspace) Show(ctx context.Context, set *changes.Set, tree *changes.Tree) error {
	patched, err := w.source.patches.on(ctx, set, tree)
	if err != nil {
		return err
	}
	err = w.lay(ctx, set, tree, patched)
	if errors.Is(err, fs.ErrPermission) { // that a test has taken away
		disk.MakeWritable(w.Dir)
		err = w.lay(ctx, set, tree, patched)
	}
	return err
}

// lay is Show with what the patches make of the tree.
func (w *Workspace) lay(ctx context.Context, set *changes.Set, tree *changes.Tree, patched map[string]entry) error {
	w.patched = patched
	if err := w.Present(); err != nil {
		return err
	}
	if err := w.mend(ctx); err != nil {
		return err
	}
	if err := w.track(ctx, set, false); err != nil {
		return err
	}
	var submodules gitlinks
	var err error
	if w.source.library != nil {
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
		err = w.setGitlinks(ctx)
	}
	if err == nil {
		err = w.showModules(ctx, w.source.repo, "", submodules)
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
func (w *Workspace) restore(ctx context.Context, set *changes.Set, tree *changes.Tree) error {
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

// change does the work of Show.
func (w *Workspace) change(ctx context.Context, set *changes.Set, tree *changes.Tree) error {
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
func (w *Workspace) relearn(ctx context.Context) error {
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
func (w *Workspace) take(s step) error {
	s.t.sure = false
	if err := w.writer.remove(s.path); err != nil {
		return err
	}
	s.t.holds, s.t.stamp, s.t.sure = entry{}, stamp{}, true
	w.conv.changed(s.path)
	return nil
}

// placeAll writes the entries of the paths that which selects.
func (w *Workspace) placeAll(ctx context.Context, set *changes.Set, steps []step, now time.Time, which func(string) bool) error {
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

// place writes one entry, unless the workspace is seen to hold it already.
func (w *Workspace) place(ctx context.Context, set *changes.Set, s step, now time.Time) error {
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
	mtime := now
	if s.t.fixed {
		if mtime, err = w.source.overlay.modTime(s.path, now); err != nil {
			return err
		}
	}
	switch {
	case touched:
	case size > 0:
		err = w.writer.writeFrom(s.path, s.want.mode, func(f io.Writer) error { return w.source.repo.CopyBlob(ctx, s.want.id, size, f) }, mtime)
	default:
		err = w.writer.write(s.path, w.conv.onDisk(s.want.mode), content, mtime)
	}
	if err != nil {
		return err
	}
	if !touched {
		w.conv.changed(s.path)
		w.writer.dropBytecode(s.path, mtime, max(size, int64(len(content))))
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
func (w *Workspace) large(ctx context.Context, s step) (int64, error) {
	if s.want.id == w.source.repo.HashObject("blob", nil) {
		return 0, nil // a file without its content: the repository need not have it
	}
	if !s.want.mode.IsFile() || s.t.fixed || w.patched[s.path] == s.want || s.made.Mode != 0 && !s.made.Stored() || !w.conv.rules[s.path].plain {
		return 0, nil
	}
	size, err := w.source.repo.BlobSize(ctx, s.want.id)
	if err != nil {
		return 0, fmt.Errorf("read %q: %w", s.path, err)
	}
	if size < largeBlob {
		return 0, nil
	}
	return size, nil
}

// sameLarge is same for a large blob.
func (w *Workspace) sameLarge(s step, size int64) bool {
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
	same, err := w.source.repo.IsBlob(s.want.id, size, f)
	return err == nil && same
}

// same reports whether the file has the wanted type, permission and content.
func (w *Workspace) same(s step, content []byte) bool {
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
func (w *Workspace) content(ctx context.Context, set *changes.Set, s step) ([]byte, error) {
	var blob []byte
	var err error
	switch {
	case s.want.mode == git.Gitlink:
		return nil, nil
	case s.t.fixed:
		return w.source.overlay.read(s.path, s.want.mode)
	case w.patched[s.path] == s.want:
		blob, err = w.source.patches.content(ctx, s.want.id)
	case s.made.Mode != 0:
		blob, err = set.Content(s.made)
	default:
		blob, err = w.source.repo.Blob(ctx, s.want.id)
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", s.path, err)
	}
	if s.want.mode == git.Symlink {
		return blob, nil
	}
	return w.conv.convert(ctx, s.path, blob)
}
