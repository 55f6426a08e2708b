package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/sequence"
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

// PatchPaths returns the paths that a patch file reads, writes or removes,
// relative to the top: of a rename both names.
func (r *Repo) PatchPaths(ctx context.Context, patch string) ([]string, error) {
	var paths []string
	for _, reverse := range [][]string{nil, {"-R"}} { // git names the side it writes
		args := slices.Concat([]string{"apply", "--numstat", "-z"}, reverse, []string{patch})
		out, err := r.Git(ctx, args...)
		if err != nil {
			return nil, err
		}
		for record := range bytes.SplitSeq(out, []byte{0}) { // "added TAB removed TAB path"
			if fields := bytes.SplitN(record, []byte{'\t'}, 3); len(fields) == 3 {
				paths = append(paths, string(fields[2]))
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// Apply puts a patch file on the user's work tree: all of it or nothing, where
// its context lines stand. The index stays as it is.
func (r *Repo) Apply(ctx context.Context, patch string) error {
	_, err := r.Git(ctx, "apply", "--whitespace=nowarn", patch)
	return err
}

// Takes reports whether Apply would put a patch file on the user's work tree.
func (r *Repo) Takes(ctx context.Context, patch string) bool {
	_, err := r.Git(ctx, "apply", "--check", "--whitespace=nowarn", patch)
	return err == nil
}

// Applied returns the tree that a patch file makes of a tree, merging three ways
// where the lines around it have changed; the blobs that the patch names must be
// in the store or the repository. Changes of adjacent lines, which git does not merge,
// are merged by [sequence.Merge]. ok is false where they conflict. It uses the store's index.
func (s *Scratch) Applied(ctx context.Context, tree ID, patch string) (result ID, ok bool, err error) {
	if _, err := s.Git(ctx, "read-tree", string(tree)); err != nil {
		return "", false, err
	}
	if _, err := s.Git(ctx, "apply", "--cached", "--3way", "--whitespace=nowarn", patch); refused(err) {
		if ok, err = s.resolveConflicts(ctx); !ok {
			return "", false, err
		}
	} else if err != nil {
		return "", false, err
	}
	out, err := s.Git(ctx, "write-tree")
	return ID(bytes.TrimSpace(out)), err == nil, err
}

// resolveConflicts merges line by line the files that a three-way merge of git has left as conflicts in the store's index. ok is
// false if there are no such files, or one of these cannot be merged.
func (s *Scratch) resolveConflicts(ctx context.Context) (ok bool, err error) {
	out, err := s.Git(ctx, "ls-files", "--unmerged", "-z")
	if err != nil {
		return false, err
	}
	versions := map[string][3]Entry{} // of each file: what both sides come from, the tree's, the patch's
	for line := range bytes.SplitSeq(out, []byte{0}) {
		e, stage, path, ok, err := indexed(line)
		if err != nil {
			return false, err
		}
		if ok {
			v := versions[path]
			v[stage-1] = e
			versions[path] = v
		}
	}
	var list bytes.Buffer
	for path, v := range versions {
		var lines [3][][]byte
		for i, e := range v {
			if e.Mode != v[0].Mode || !e.Mode.IsFile() { // also where a side has none
				return false, nil
			}
			text, err := s.Blob(ctx, e.ID)
			if err != nil {
				return false, err
			}
			if bytes.IndexByte(text, 0) >= 0 {
				return false, nil
			}
			lines[i] = slices.Collect(bytes.Lines(text))
		}
		merged, ok := sequence.Merge(lines[0], lines[1], lines[2])
		if !ok {
			return false, nil
		}
		id, err := s.Put("blob", bytes.Join(merged, nil))
		if err != nil {
			return false, err
		}
		fmt.Fprintf(&list, "%v %s\t%s\x00", v[0].Mode, id, path)
	}
	if list.Len() == 0 {
		return false, nil
	}
	_, err = s.place.run(ctx, &list, "update-index", "-z", "--index-info")
	return err == nil, err
}

// TakenBack returns the tree of which a patch file makes a tree, where the lines of the patch stand in the latter; else it
// is an error. It uses the store's index.
func (s *Scratch) TakenBack(ctx context.Context, tree ID, patch string) (ID, error) {
	if _, err := s.Git(ctx, "read-tree", string(tree)); err != nil {
		return "", err
	}
	if _, err := s.Git(ctx, "apply", "--cached", "--reverse", "--whitespace=nowarn", patch); err != nil {
		return "", err
	}
	out, err := s.Git(ctx, "write-tree")
	return ID(bytes.TrimSpace(out)), err
}

// A Path is a file, a symlink or a submodule somewhere in a tree.
type Path struct {
	Path string // from the tree's root
	Mode Mode
	ID   ID
}

// PathsBelow lists what a tree has at a path: the one entry of that path, or all
// that lie below the directory, in git's order. Nothing is there when the list is
// empty. The names are as the tree has them, sound or not.
func (r *Repo) PathsBelow(ctx context.Context, tree ID, path string) ([]Path, error) {
	out, err := r.Git(ctx, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", string(tree), "--", path)
	if err != nil {
		return nil, err
	}
	var list []Path
	for line := range bytes.SplitSeq(out, []byte{0}) {
		var p Path
		head, name, ok := bytes.Cut(line, []byte{'\t'}) // "mode kind id TAB path"
		if !ok {
			continue
		}
		var kind string
		if _, err := fmt.Sscanf(string(head), "%o %s %s", &p.Mode, &kind, &p.ID); err != nil {
			return nil, fmt.Errorf("list %s: git ls-tree said %q", path, line)
		}
		p.Path = string(name)
		list = append(list, p)
	}
	return list, nil
}

// CheckoutPaths writes some files of a tree into dir, which must be empty, each
// at its path, as `git checkout` of the whole tree would: its attributes count,
// filters run, hooks do not.
func (s *Scratch) CheckoutPaths(ctx context.Context, tree ID, dir string, paths []Path) error {
	at, _, done, err := s.privateIndex(dir)
	if err != nil {
		return err
	}
	defer done()
	if _, err := at.run(ctx, nil, "read-tree", string(tree)); err != nil {
		return fmt.Errorf("check out: %w", err)
	}
	var list bytes.Buffer
	for _, p := range paths {
		list.WriteString(p.Path)
		list.WriteByte(0)
	}
	if _, err := at.run(ctx, &list, "checkout-index", "-z", "--stdin"); err != nil {
		return fmt.Errorf("check out: %w", err)
	}
	return nil
}

// privateIndex is the place of git commands on the work tree dir with an index
// that nobody else uses, and that does not exist yet; done removes it.
func (s *Scratch) privateIndex(dir string) (at place, index string, done func(), err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return at, "", nil, fmt.Errorf("check out: %w", err)
	}
	private, err := os.MkdirTemp(filepath.Dir(s.objects), "checkout-")
	if err != nil {
		return at, "", nil, fmt.Errorf("check out: %w", err)
	}
	index = filepath.Join(private, "index")
	at = s.repo.place(dir, dir, append(s.env(), "GIT_INDEX_FILE="+index)...)
	return at, index, func() { os.RemoveAll(private) }, nil
}

// Checkout writes all files of a tree into dir, an empty directory, as `git
// checkout` would: filters run, hooks do not. dir does not become a repository.
func (s *Scratch) Checkout(ctx context.Context, tree ID, dir string) error {
	at, _, done, err := s.privateIndex(dir)
	if err != nil {
		return err
	}
	defer done()
	if _, err := at.run(ctx, nil, "-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u", "--no-recurse-submodules", string(tree)); err != nil {
		return fmt.Errorf("check out %s: %w", dir, err)
	}
	return nil
}
