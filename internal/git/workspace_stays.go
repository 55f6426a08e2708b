package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The methods here are for a workspace that one process after the other uses, and a person, too. Its index
// has the tree that is shown, so that `git diff` shows there what the person has edited.

// OpenWorkspace opens a workspace that [Repo.NewWorkspace] has made, in this process or another one. Of its methods only those in
// this file can be used, and Git. The error wraps fs.ErrNotExist if there is no repository in dir.
func (r *Repo) OpenWorkspace(dir string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir, repo: r}
	if info, err := os.Lstat(w.gitDir()); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", w.gitDir())
	}
	w.place = r.place(dir, dir, asStored)
	w.place.gitDir = w.gitDir()
	return w, nil
}

// Keep makes w one that is used after this process has ended: it removes what only [Workspace.Renew] needs, which lies
// beside Dir.
func (w *Workspace) Keep() error { return os.RemoveAll(w.savedIndex()) }

// Renewed makes the git directory again, with HEAD at a commit and the objects that the repository knows now, but with the index
// that is there. It returns the tree of that index, whose files need not be there.
func (w *Workspace) Renewed(ctx context.Context, commit ID) (ID, error) {
	name := filepath.Join(w.gitDir(), "index")
	index, err := os.ReadFile(name)
	if err == nil {
		err = w.repo.borrow(ctx, w.gitDir(), string(commit), "")
	}
	if err == nil {
		err = os.WriteFile(name, index, 0o666)
	}
	if err != nil {
		return "", err
	}
	return w.Indexed(ctx)
}

// An EditedError says that files of a workspace are not as git left them, and that the next tree has something else there.
type EditedError struct {
	Dir   string
	Paths []string
}

func (e *EditedError) Error() string {
	const most = 5
	text := strings.Join(e.Paths[:min(len(e.Paths), most)], ", ")
	if more := len(e.Paths) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s has files that were edited or made there, and that the next configuration has otherwise: %s", e.Dir, text)
}

// Indexed returns the tree that the index has.
func (w *Workspace) Indexed(ctx context.Context) (ID, error) {
	out, err := w.Git(ctx, "write-tree", "--missing-ok")
	return ID(bytes.TrimSpace(out)), err
}

// CanSwitch returns an *EditedError if Switch would.
func (w *Workspace) CanSwitch(ctx context.Context, from, to ID) error {
	return w.merge(ctx, from, to, "-n", "-m", "-u")
}

// Switch makes a workspace that shows the tree from show the tree to: git writes the files that differ between the two, and
// no others. If one of them is not as it is in from, Switch changes nothing, and the error is an *EditedError. After any
// other error some files may be those of to, and [Workspace.Repair] goes on.
func (w *Workspace) Switch(ctx context.Context, from, to ID) error {
	return w.merge(ctx, from, to, "-m", "-u")
}

func (w *Workspace) merge(ctx context.Context, from, to ID, how ...string) error {
	if err := w.refresh(ctx); err != nil {
		return err
	}
	_, err := w.Git(ctx, slices.Concat([]string{"read-tree"}, how, []string{"--no-recurse-submodules", string(from), string(to)})...)
	failed, ok := errors.AsType[*Error](err)
	if !ok || !failed.says("not uptodate", "would be overwritten", "would be removed", "would lose untracked") {
		return err
	}
	paths, err := w.edited(ctx, from, to)
	if err == nil {
		err = &EditedError{w.Dir, paths}
	}
	return err
}

// refresh makes the index know which files are as it has them. It takes away the lock of a git that was killed.
func (w *Workspace) refresh(ctx context.Context) error {
	if err := os.RemoveAll(filepath.Join(w.gitDir(), "index.lock")); err != nil {
		return err
	}
	if _, err := w.Git(ctx, "update-index", "-q", "--ignore-submodules", "--refresh"); err != nil && !refused(err) {
		return err // it fails where files differ
	}
	return nil
}

// edited returns the paths of the files that differ between two trees and are not as they are in from. What lies
// above or below one of them counts, too: a directory in the place of a file, say.
func (w *Workspace) edited(ctx context.Context, from, to ID) ([]string, error) {
	differ, err := w.differing(ctx, from, to)
	if err != nil {
		return nil, err
	}
	out, err := w.Git(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored", "--ignore-submodules")
	if err != nil {
		return nil, err
	}
	staged, err := w.Git(ctx, "diff-index", "--cached", "-z", "--name-only", "--no-renames", string(from))
	if err != nil {
		return nil, err
	}
	candidates := strings.Split(string(staged), "\x00")
	for _, line := range strings.Split(string(out), "\x00") {
		if len(line) > 3 && line[1] != ' ' { // in the index it is something else
			candidates = append(candidates, strings.TrimSuffix(line[3:], "/"))
		}
	}
	slices.Sort(candidates)
	var paths []string
	for _, path := range slices.Compact(candidates) {
		if path != "" && slices.ContainsFunc(differ, func(d Delta) bool {
			return d.NewPath == path || strings.HasPrefix(d.NewPath, path+"/") || strings.HasPrefix(path, d.NewPath+"/")
		}) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// differing returns the paths at which two trees differ.
func (w *Workspace) differing(ctx context.Context, from, to ID) ([]Delta, error) {
	out, err := w.Git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--raw", string(from), string(to))
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

// Repair makes a workspace show the tree to in which [Workspace.Switch] from the tree from was cut short: it writes the
// files that differ between the two, and no others. A file that is neither as in from nor as in to was half written, or
// edited since: it is moved to the directory saved first, below which it keeps its path, and its path is returned.
func (w *Workspace) Repair(ctx context.Context, from, to ID, saved string) (moved []string, err error) {
	if err := w.refresh(ctx); err != nil {
		return nil, err
	}
	list, err := w.differing(ctx, from, to)
	if err != nil {
		return nil, err
	}
	if moved, err = w.saveOthers(ctx, list, saved); err != nil {
		return moved, err
	}
	var there bytes.Buffer
	for _, c := range list {
		if c.NewMode != 0 {
			there.WriteString(c.NewPath + "\x00")
		} else if err := w.removeFile(c.NewPath); err != nil {
			return moved, err
		}
	}
	if _, err := w.Git(ctx, "read-tree", string(to)); err != nil {
		return moved, err
	}
	if _, err := w.place.run(ctx, &there, "checkout-index", "-f", "-u", "-z", "--stdin"); err != nil {
		return moved, err
	}
	return moved, w.refresh(ctx)
}

// saveOthers moves those of the files at which two trees differ that are as in neither of them.
func (w *Workspace) saveOthers(ctx context.Context, list []Delta, saved string) (moved []string, err error) {
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, c := range list {
		info, err := root.Lstat(filepath.FromSlash(c.NewPath))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		id, err := w.hashed(ctx, root, c.NewPath)
		if err != nil {
			return moved, err
		}
		if id == c.OldID || id == c.NewID || info.Size() == 0 {
			continue
		}
		name := filepath.Join(saved, filepath.FromSlash(c.NewPath))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return moved, err
		}
		if err := os.Rename(filepath.Join(w.Dir, filepath.FromSlash(c.NewPath)), name); err != nil {
			return moved, err
		}
		moved = append(moved, c.NewPath)
	}
	return moved, nil
}

// hashed returns the id of a file as git would store it.
func (w *Workspace) hashed(ctx context.Context, root *os.Root, path string) (ID, error) {
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	out, err := w.place.run(ctx, io.Reader(f), "hash-object", "--stdin", "--path", path)
	return ID(bytes.TrimSpace(out)), err
}

// removeFile removes a file, and the directories above it that are empty then.
func (w *Workspace) removeFile(path string) error {
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(filepath.FromSlash(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if root.Remove(dir) != nil {
			break
		}
	}
	return nil
}
