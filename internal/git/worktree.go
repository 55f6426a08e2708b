package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Worktree names the user's checkout where a revision is wanted.
const Worktree = "worktree"

// An unmergedError says that the user's index has files with conflicts.
type unmergedError struct {
	Paths []string // relative to the top, sorted
}

func (e *unmergedError) Error() string {
	first := e.Paths[0]
	if more := len(e.Paths) - 1; more > 0 {
		first += fmt.Sprintf(" and %d more", more)
	}
	return "the checkout has unmerged files: " + first + ": end the merge first, or git add what you have resolved"
}

// recordWorktree stores the tracked files of the user's checkout as a commit whose parent is HEAD:
// the one that `git add -u` and `git commit` would make now. It applies filters and converts line
// endings, and includes files added with git add -N and the commits that submodules have checked
// out. Files that a sparse checkout leaves out are taken from the index. Only the store is written
// to, except by a filter such as Git LFS, which keeps its own files where it always does.
//
// A checkout without edits is HEAD itself. The error is an [*unmergedError] where a merge
// has left conflicts.
func (s *Scratch) recordWorktree(ctx context.Context, when time.Time) (Revision, error) {
	r := s.repo
	if r.top == "" {
		return Revision{}, fmt.Errorf("%s: the repository has no checkout here", Worktree)
	}
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		return Revision{}, fmt.Errorf("%s: %w", Worktree, err)
	}
	tree, err := s.worktreeTree(ctx)
	if err != nil {
		return Revision{}, fmt.Errorf("%s: %w", Worktree, err)
	}
	if tree == head.Tree {
		return Revision{Rev: Worktree, Commit: head.Commit, Tree: tree}, nil
	}
	// As git blame calls what is not committed.
	who := fmt.Sprintf("Not Committed Yet <not.committed.yet> %d +0000", when.Unix())
	text := fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\nUncommitted changes of the checkout, as gitdd has recorded them\n", tree, head.Commit, who, who)
	commit, err := s.Put("commit", []byte(text))
	return Revision{Rev: Worktree, Commit: commit, Tree: tree, Base: head.Commit}, err
}

// worktreeTree stores the tree of the user's checkout, by a copy of the index.
func (s *Scratch) worktreeTree(ctx context.Context) (ID, error) {
	at, index, done, err := s.privateIndex(s.repo.top)
	if err != nil {
		return "", err
	}
	defer done()
	if err := copyIndex(index, filepath.Join(s.repo.gitDir, "index")); err != nil {
		return "", err
	}
	unmerged, err := at.run(ctx, nil, "ls-files", "--unmerged", "-z")
	if err != nil {
		return "", err
	}
	if paths := pathsOf(unmerged); len(paths) > 0 {
		return "", &unmergedError{Paths: paths}
	}
	if _, err := at.run(ctx, nil, "-c", "core.safecrlf=false", "add", "--update"); err != nil {
		return "", err
	}
	out, err := at.run(ctx, nil, "write-tree", "--missing-ok")
	return ID(bytes.TrimSpace(out)), err
}

// copyIndex copies an index with its time: git compares that with the times of files to
// know which may have been edited since. Most builds of git know times in whole seconds only, and
// would miss an edit in the second of the checkout. There is no index where nothing was ever added.
func copyIndex(to, from string) error {
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = copyFile(to, from)
	}
	if err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return err
}

// pathsOf returns the paths of "mode id stage TAB path NUL" records, each once.
func pathsOf(records []byte) []string {
	var paths []string
	for record := range bytes.SplitSeq(records, []byte{0}) {
		if _, path, ok := strings.Cut(string(record), "\t"); ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Untracked lists what lies in the user's checkout and is neither tracked nor ignored,
// relative to the top: directories whole, with a slash at the end.
func (r *Repo) Untracked(ctx context.Context) ([]string, error) {
	return r.others(ctx, "--exclude-standard")
}

// Ignored lists what lies in the user's checkout and is ignored, like Untracked.
func (r *Repo) Ignored(ctx context.Context) ([]string, error) {
	return r.others(ctx, "--exclude-standard", "--ignored")
}

func (r *Repo) others(ctx context.Context, which ...string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--others", "--directory", "--no-empty-directory"}, which...)
	out, err := r.Git(ctx, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// AddObjects makes r find the objects of s as if they were its own, and so everything that is made from
// r after the call, such as another Scratch, and those of the repositories that s borrows from. Objects that are
// written to s later are found, too. It must not be called while r is used elsewhere.
func (r *Repo) AddObjects(ctx context.Context, s *Scratch) error {
	others, err := s.borrowed()
	if err != nil {
		return err
	}
	r.added = append(append(r.added, s.objects), others...)
	r.borrowed = nil
	return errors.Join(r.store.close(), r.openStore(ctx))
}
