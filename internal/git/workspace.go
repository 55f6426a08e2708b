package git

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
)

// A Workspace is a directory with the files of a commit or a tree, and with a git directory of its
// own that borrows the objects of the user's repository. Neither making it nor running git in it
// writes to that repository, except that a partial clone keeps the objects that it fetches.
type Workspace struct {
	Dir string // absolute

	repo       *Repo
	head, tree ID
	paths      int // of the index of the first checkout
	place      place
	files      borrower // of .git, as Renew wrote them
}

// NewWorkspace makes dir, which must be absent or empty, a workspace at commit,
// with all its files as `git checkout` writes them: filters (LFS, line endings)
// run, hooks do not, a sparse checkout of the user's does not make it sparse,
// submodule directories stay empty. HEAD is detached there; refs, config and what
// else git knows of the repository are the user's, but for the programs that its
// config names.
//
// commit may be the id of a tree. Then the files are the tree's, and HEAD is the
// repository's HEAD, or any commit if that has none: a commit made up for it would
// be one that the user's repository does not have.
//
// Parallel calls are safe, in one process and in several.
func (r *Repo) NewWorkspace(ctx context.Context, dir string, commit ID) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	// What is there already is not ours to remove when something fails.
	if entries, err := os.ReadDir(dir); len(entries) > 0 {
		return nil, fmt.Errorf("make workspace: %s is not empty", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	w := &Workspace{Dir: dir, repo: r}
	if w.head, w.tree, err = r.headFor(ctx, commit); err != nil {
		return nil, fmt.Errorf("make workspace %s: %w", dir, err)
	}
	w.place = r.place(dir, dir, asStored)
	w.place.gitDir = w.gitDir()
	err = os.MkdirAll(dir, 0o777)
	if err == nil {
		err = w.Renew(ctx)
	}
	if err == nil {
		err = w.checkOut(ctx)
	}
	if err == nil {
		err = copyIndex(w.savedIndex(), filepath.Join(w.gitDir(), "index"))
	}
	if err == nil {
		w.paths, err = pathsIn(w.savedIndex())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make workspace %s: %w", dir, err), w.Remove())
	}
	return w, nil
}

// headFor returns the commit for HEAD and the tree for the files.
func (r *Repo) headFor(ctx context.Context, id ID) (head, tree ID, err error) {
	rev, err := r.Resolve(ctx, string(id))
	if err != nil || rev.Commit != "" {
		return rev.Commit, rev.Tree, err
	}
	if head, err := r.Resolve(ctx, "HEAD^{commit}"); err == nil {
		return head.Commit, rev.Tree, nil
	}
	out, err := r.Git(ctx, "rev-list", "--all", "--max-count=1")
	if err != nil {
		return "", "", err
	}
	if len(out) == 0 {
		return "", "", errors.New("the repository has no commit, which a workspace needs even for a plain tree: commit the trees first")
	}
	return ID(strings.TrimSpace(string(out))), rev.Tree, nil
}

// Paths returns how many paths of the tree were checked out.
func (w *Workspace) Paths() int { return w.paths }

func (w *Workspace) gitDir() string { return filepath.Join(w.Dir, ".git") }

// savedIndex is the name of a copy of the index as the checkout has left it.
func (w *Workspace) savedIndex() string { return w.Dir + ".index" }

// checkOut writes the files that differ from the tree's, or are not there.
func (w *Workspace) checkOut(ctx context.Context) error {
	at := w.place
	if w.repo.fetching.allowed() {
		// What a partial clone fetches now is fetched once for all workspaces.
		at.env = append([]string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(w.repo.commonDir, "objects")}, at.env...)
	}
	// A user who lets git see fewer changes of files in the checkout may not do so here, where tests make them.
	_, err := at.run(ctx, nil, "-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
		"read-tree", "--reset", "-u", "--no-recurse-submodules", string(w.tree))
	return err
}

// Renew makes the git directory again as NewWorkspace made it, with the index of the first
// checkout. It does not touch the other files.
func (w *Workspace) Renew(ctx context.Context) error {
	if err := w.repo.borrow(ctx, w.gitDir(), string(w.head), ""); err != nil {
		return err
	}
	files, err := w.repo.borrower(ctx)
	if err != nil {
		return err
	}
	w.files = files
	return copyIndex(filepath.Join(w.gitDir(), "index"), w.savedIndex()) // there is none while it is being made
}

// Mend renews the repository if a test has removed it, or has put another one in
// its place, and reports whether it did.
func (w *Workspace) Mend(ctx context.Context) (bool, error) {
	if w.broken() {
		return true, w.Renew(ctx)
	}
	// No process of a test is left that could hold it.
	return false, os.RemoveAll(filepath.Join(w.gitDir(), "index.lock"))
}

// broken reports whether .git is not what Renew has made.
func (w *Workspace) broken() bool {
	for _, name := range []string{".", "objects", "refs"} {
		if info, err := os.Lstat(filepath.Join(w.gitDir(), name)); err != nil || !info.IsDir() {
			return true
		}
	}
	for _, name := range []string{"HEAD", "config", "index"} {
		if info, err := os.Lstat(filepath.Join(w.gitDir(), name)); err != nil || !info.Mode().IsRegular() {
			return true
		}
	}
	borrows, err := os.ReadFile(filepath.Join(w.gitDir(), alternatesFile))
	return err != nil || string(borrows) != string(w.files[alternatesFile])
}

// Reset makes HEAD, the index and the tracked files as they were when the
// workspace was new.
func (w *Workspace) Reset(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(w.gitDir(), "HEAD"), []byte(w.head+"\n"), 0o666); err != nil {
		return err
	}
	return w.checkOut(ctx)
}

// Git runs git in the workspace.
func (w *Workspace) Git(ctx context.Context, args ...string) ([]byte, error) {
	return w.place.run(ctx, nil, args...)
}

// Remove deletes the workspace with everything in it, whatever state a test has
// left it in.
func (w *Workspace) Remove() error {
	if err := errors.Join(disk.RemoveAll(w.Dir), disk.RemoveAll(w.savedIndex())); err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	return nil
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o666)
}

// pathsIn returns how many paths an index has. The number stands in its header.
func pathsIn(index string) (int, error) {
	f, err := os.Open(index)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var header [12]byte
	_, err = io.ReadFull(f, header[:])
	return int(binary.BigEndian.Uint32(header[8:])), err
}
