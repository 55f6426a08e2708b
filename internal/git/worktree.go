package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockReason, followed by the real path of its directory, is why git finds a
// worktree of gitdd locked, and so neither prunes nor moves it. It is the first
// thing that git writes about a worktree and the last that gitdd removes: by it
// [Repo.PruneWorktrees] knows what to do, whenever the owner was killed.
const lockReason = "gitdd tests in "

// WorktreePrefix begins the base name of a worktree's directory, and so the name
// of its git directory: when git was killed before it wrote whose worktree it
// makes, or the machine went down before that was on the disk, the name says it.
const WorktreePrefix = "gitdd-"

// Worktree is a linked worktree that gitdd made. While its process lives it
// holds a lock on the file Dir + ".lock".
type Worktree struct {
	Dir string // absolute

	admin string // its git directory, below .git/worktrees
	place place
	owner *ownerLock
}

// AddWorktree makes dir, which must be absent or empty, a linked worktree of the
// repository, detached at commit, with all its files as `git checkout` writes
// them: filters (LFS, line endings) run, hooks do not, a sparse main worktree
// does not make it sparse, submodule directories stay empty.
//
// commit may be the id of a tree. Then the files are the tree's, and HEAD is the
// repository's HEAD, or any commit if that has none: a worktree cannot be
// without one, and a commit made up for it would have to be written into the
// user's repository.
//
// Parallel calls are safe, in one process and in several.
func (r *Repo) AddWorktree(ctx context.Context, dir string, commit ID) (*Worktree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("add worktree: %w", err)
	}
	// What is there already is not ours to remove when something fails.
	if entries, err := os.ReadDir(dir); len(entries) > 0 {
		return nil, fmt.Errorf("add worktree: %s is not empty", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("add worktree: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, fmt.Errorf("add worktree: %w", err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return nil, fmt.Errorf("add worktree: %w", err)
	}
	head, tree, err := r.headFor(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("add worktree %s: %w", dir, err)
	}
	// Before the worktree exists: at no time does it look abandoned.
	owner, err := lockOwner(dir + ".lock")
	if err != nil {
		return nil, fmt.Errorf("add worktree: %w", err)
	}
	w := &Worktree{Dir: dir, owner: owner}
	reason := lockReason + filepath.Join(parent, filepath.Base(dir))
	if err := w.add(ctx, r, reason, head, tree); err != nil {
		return nil, errors.Join(fmt.Errorf("add worktree %s: %w", dir, err), w.Remove(context.WithoutCancel(ctx)))
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
		return "", "", errors.New("the repository has no commit, which a worktree needs even for a plain tree: commit the trees first")
	}
	return ID(strings.TrimSpace(string(out))), rev.Tree, nil
}

func (w *Worktree) add(ctx context.Context, r *Repo, reason string, head, tree ID) error {
	err := retry(ctx, func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		// It writes no files of the tree, so it is not worth stopping: between its
		// first directory and the reason nobody could tell whose that is.
		_, err := r.Git(context.WithoutCancel(ctx), "worktree", "add", "--quiet", "--detach", "--no-checkout", "--lock", "--reason", reason, w.Dir, string(head))
		return err
	})
	err = cmp.Or(err, ctx.Err())
	// Also after an error: git may have been done with most of it.
	link, linkErr := os.ReadFile(filepath.Join(w.Dir, ".git"))
	if linkErr == nil {
		w.admin = strings.TrimSuffix(strings.TrimPrefix(string(link), "gitdir: "), "\n")
	}
	if err := cmp.Or(err, linkErr); err != nil {
		return err
	}
	w.place = r.place(w.Dir, w.Dir, asStored)
	w.place.gitDir = w.admin
	if err := w.unsparse(ctx); err != nil {
		return err
	}
	_, err = w.Git(ctx, "read-tree", "--reset", "-u", "--no-recurse-submodules", string(tree))
	return err
}

// unsparse takes back what `git worktree add` copies from a sparse main
// worktree. Without patterns git checks out everything, even when the shared
// config still says core.sparseCheckout.
func (w *Worktree) unsparse(ctx context.Context) error {
	err := os.Remove(filepath.Join(w.admin, "info", "sparse-checkout"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	own := filepath.Join(w.admin, "config.worktree")
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, key := range []string{"core.sparseCheckout", "index.sparse"} {
		if _, err := w.Git(ctx, "config", "--file", own, key, "false"); err != nil {
			return err
		}
	}
	return nil
}

// Git runs git in the worktree.
func (w *Worktree) Git(ctx context.Context, args ...string) ([]byte, error) {
	return w.place.run(ctx, nil, args...)
}

// Remove deletes the worktree with everything in it, and all that git keeps
// about it, whatever state a test has left it in. Its files go first: a killed
// Remove leaves what [Repo.PruneWorktrees] can find.
func (w *Worktree) Remove(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.owner == nil {
		return nil
	}
	if err := removeWorktree(w.Dir, w.admin); err != nil {
		return err
	}
	err := w.owner.release()
	w.owner = nil
	return err
}

// removeWorktree deletes a worktree's directory and then its git directory (""
// for either if there is none), like `git worktree remove --force --force` but without
// trusting the links between them, which a test may have changed.
func removeWorktree(dir, admin string) error {
	if dir != "" {
		if err := removeAll(dir); err != nil {
			return fmt.Errorf("remove worktree: %w", err)
		}
	}
	if admin == "" {
		return nil
	}
	// Without the file gitdir git does not take it for a worktree any more, so
	// that no git which lists worktrees meanwhile stumbles over half of one.
	entries, err := os.ReadDir(admin)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove worktree: %w", err)
	}
	names := []string{"gitdir"}
	for _, entry := range entries {
		if entry.Name() != "locked" {
			names = append(names, entry.Name())
		}
	}
	for _, name := range append(names, "locked", ".") {
		if err := os.RemoveAll(filepath.Join(admin, name)); err != nil {
			return fmt.Errorf("remove worktree: %w", err)
		}
	}
	// Like git: the directory goes with the last worktree. It stays when
	// another one is in it.
	_ = os.Remove(filepath.Dir(admin))
	return nil
}

// removeAll is os.RemoveAll for trees with read-only directories in them, such
// as a Go module cache.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// retry calls add again while it fails because another process works on the
// same directory or lock file, for a second or so.
func retry(ctx context.Context, add func() error) error {
	pause := 5 * time.Millisecond
	for {
		err := add()
		if !contended(err) || pause > time.Second {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause *= 2
	}
}

// contended reports whether git met another git: all that lies below
// .git/worktrees may come and go while it looks, and so does that directory
// itself with the first and the last worktree.
func contended(err error) bool {
	failed := (*Error)(nil)
	if !errors.As(err, &failed) || !strings.Contains(failed.Stderr, "/worktrees") {
		return false
	}
	for _, lasting := range []string{"Permission denied", "Read-only file system", "No space left"} {
		if strings.Contains(failed.Stderr, lasting) {
			return false
		}
	}
	return true
}
