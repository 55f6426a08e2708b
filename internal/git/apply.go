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
)

// EditedPaths returns those of the paths, relative to the top, at which the
// user's work tree or index differs from HEAD or holds an untracked file.
func (r *Repo) EditedPaths(ctx context.Context, paths []string) ([]string, error) {
	args := append([]string{"--literal-pathspecs", "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--"}, paths...)
	out, err := r.Git(ctx, args...)
	if err != nil {
		return nil, err
	}
	var edited []string
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		if len(entry) > 3 { // "XY path"
			edited = append(edited, string(entry[3:]))
		}
	}
	slices.Sort(edited)
	return slices.Compact(edited), nil
}

// PatchPaths returns the paths that a patch file writes or removes, relative
// to the top.
func (r *Repo) PatchPaths(ctx context.Context, patch string) ([]string, error) {
	out, err := r.Git(ctx, "apply", "--numstat", "-z", patch)
	if err != nil {
		return nil, err
	}
	var paths []string
	for record := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		// "added TAB removed TAB path"; of a rename both names are records.
		fields := bytes.SplitN(record, []byte{'\t'}, 3)
		if path := fields[len(fields)-1]; len(path) > 0 {
			paths = append(paths, string(path))
		}
	}
	return paths, nil
}

// Apply puts a patch file on the user's work tree: all of it or nothing, where
// its context lines stand. The index stays as it is.
func (r *Repo) Apply(ctx context.Context, patch string) error {
	_, err := r.Git(ctx, "apply", "--whitespace=nowarn", patch)
	return err
}

// Checkout writes all files of a tree into dir, an empty directory, as `git
// checkout` would: filters run, hooks do not. dir does not become a repository.
func (s *Scratch) Checkout(ctx context.Context, tree ID, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("check out: %w", err)
	}
	index := filepath.Join(filepath.Dir(s.objects), "checkout.index")
	if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("check out: %w", err)
	}
	at := s.repo.place(dir, dir, append(s.env(), "GIT_INDEX_FILE="+index)...)
	if _, err := at.run(ctx, nil, "-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u", "--no-recurse-submodules", string(tree)); err != nil {
		return fmt.Errorf("check out %s: %w", dir, err)
	}
	return os.Remove(index)
}
