package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The methods here are for a workspace that one process after the other uses, and a person, too. Its index
// has the tree that is shown, so that `git diff` shows there what the person has edited, and `git diff --cached`
// what differs from HEAD.

// OpenWorkspace opens a workspace that [Repo.NewWorkspace] has made, in this process or another one. Of its methods only
// Git, Switch and Repair can be used. The error wraps fs.ErrNotExist if there is no repository in dir.
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

// Leave makes w one that stays when this process ends: it removes what only [Workspace.Renew] needs, which lies beside Dir.
func (w *Workspace) Leave() error { return os.RemoveAll(w.savedIndex()) }

// An EditedError says that files of a workspace are not as git left them, and that the next tree has something else there.
type EditedError struct {
	Dir   string
	Paths []string // as git printed them
}

func (e *EditedError) Error() string {
	return fmt.Sprintf("%s has files that were edited or made there, and that the next configuration has otherwise: %s", e.Dir, strings.Join(e.Paths, ", "))
}

// Switch makes a workspace that shows the tree from show the tree to: git writes the files that differ between the two, and
// no others. If one of them is not as it is in from, Switch changes nothing, and the error is an *EditedError.
func (w *Workspace) Switch(ctx context.Context, from, to ID) error {
	if err := os.RemoveAll(filepath.Join(w.gitDir(), "index.lock")); err != nil { // of a git that was killed
		return err
	}
	if _, err := w.Git(ctx, "update-index", "-q", "--ignore-submodules", "--refresh"); err != nil && !refused(err) {
		return err
	}
	_, err := w.Git(ctx, "read-tree", "-m", "-u", "--no-recurse-submodules", string(from), string(to))
	if failed := (*Error)(nil); errors.As(err, &failed) {
		if paths := inTheWay(failed.Stderr); len(paths) > 0 {
			return &EditedError{w.Dir, paths}
		}
	}
	return err
}

// inTheWay returns the paths that git names when it will not overwrite files: of several that may be the first one.
func inTheWay(stderr string) (paths []string) {
	for line := range strings.Lines(stderr) {
		for _, problem := range []string{"not uptodate", "would be overwritten", "would be removed", "would lose untracked"} {
			_, rest, quoted := strings.Cut(line, "'")
			if end := strings.LastIndexByte(rest, '\''); quoted && end >= 0 && strings.Contains(line, problem) {
				paths = append(paths, rest[:end])
				break
			}
		}
	}
	return paths
}

// Repair makes a workspace show the tree to in which [Workspace.Switch] from the tree from was cut short: it writes the
// files that differ between the two, and no others.
func (w *Workspace) Repair(ctx context.Context, from, to ID) error {
	if err := os.RemoveAll(filepath.Join(w.gitDir(), "index.lock")); err != nil {
		return err
	}
	list, err := w.Git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-status", string(from), string(to))
	if err != nil {
		return err
	}
	var there bytes.Buffer
	field := strings.Split(string(list), "\x00")
	for i := 0; i+1 < len(field); i += 2 {
		if field[i] != "D" {
			there.WriteString(field[i+1] + "\x00")
			continue
		}
		if err := w.removeFile(field[i+1]); err != nil {
			return err
		}
	}
	if _, err := w.Git(ctx, "read-tree", string(to)); err != nil {
		return err
	}
	if _, err := w.place.run(ctx, &there, "checkout-index", "-f", "-u", "-z", "--stdin"); err != nil {
		return err
	}
	if _, err := w.Git(ctx, "update-index", "-q", "--ignore-submodules", "--refresh"); err != nil && !refused(err) {
		return err
	}
	return nil
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
