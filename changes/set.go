package changes

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
)

// A Set is the difference between two revisions, cut into changes. It does not change,
// except that Set.Blame fills in commits and that callers may set the fields Declarations and
// Nodes. Any number of goroutines may use it.
type Set struct {
	Good, Bad git.Revision
	Changes   []Change // sorted by path, then position
	// Requires[i] lists, in increasing order, the changes that must be present
	// when change i is; nil for none.
	Requires [][]int
	// Declarations gives Split its first choice of places to cut at; nil = none.
	Declarations Declarations
	// Nodes gives Split the places to cut at within lines; nil = none.
	Nodes Nodes

	repo  *git.Repo
	files []file         // the same ones, in the same order, after a Split
	byOld map[string]int // files by the OldPath of their changes
	byNew map[string]int // files by the Path of their changes
	spots []spot         // spots[i] is where change i stands
	root  *dir           // good's trees above the changed paths
	cache *cache
	empty git.ID // of the empty blob

	// beyondFiles is set when bad's tree differs from good's in more than its files:
	// an empty directory, or a mode that git reads as another. What git's own
	// diff does not show comes with the full set only.
	beyondFiles bool
}

// Len returns the number of changes.
func (s *Set) Len() int { return len(s.Changes) }

// AffectedPaths returns, sorted, every path at which the tree of some subset differs
// from good.
func (s *Set) AffectedPaths() []string {
	var paths []string
	for _, f := range s.files {
		if f.old.path != "" && !f.copied {
			paths = append(paths, f.old.path)
		}
		if f.new.path != "" {
			paths = append(paths, f.new.path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// OldContent returns the content under good of the file that some change has as
// its OldPath: nil for a file that is created there, or a submodule. The caller
// must not change it.
func (s *Set) OldContent(path string) ([]byte, error) {
	n, ok := s.byOld[path]
	if !ok {
		return nil, fmt.Errorf("old content of %s: no change touches it", printable(path))
	}
	return s.sideContent(s.files[n].old)
}

// NewContent returns the content under bad of the file that some change has as
// its Path: nil for a file that is deleted there, or a submodule. The caller
// must not change it.
func (s *Set) NewContent(path string) ([]byte, error) {
	n, ok := s.byNew[path]
	if !ok {
		return nil, fmt.Errorf("new content of %s: no change touches it", printable(path))
	}
	return s.sideContent(s.files[n].new)
}

// WholeFile returns what a change that creates, deletes or replaces a file as a whole takes away and brings: nil of a side
// that has no file. A file of more than most bytes is not read, nor any of a partial clone: an error. The caller must not change the contents.
func (s *Set) WholeFile(c *Change, most int64) (old, new []byte, err error) {
	read := func(mode git.Mode, id git.ID) ([]byte, error) {
		switch {
		case id == "", id == s.empty, mode == git.Gitlink:
			return nil, nil
		case s.repo.IsPartial():
			return nil, fmt.Errorf("%s may have to be fetched", printable(c.Path))
		}
		if size, err := s.repo.BlobSize(context.Background(), id); err != nil || size > most {
			return nil, cmp.Or(err, fmt.Errorf("%s has %d bytes", printable(c.Path), size))
		}
		return s.blob(id)
	}
	if c.Kind != Created && c.Kind != Deleted && c.Kind != Type {
		return nil, nil, nil
	}
	if old, err = read(c.OldMode, c.OldBlob); err == nil {
		new, err = read(c.NewMode, c.NewBlob)
	}
	return old, new, err
}

// indexPaths finds the files by the paths of their changes. Where a deleted and
// a created file share one, the one with a content on that side counts.
func (s *Set) indexPaths() {
	s.byOld, s.byNew = make(map[string]int, len(s.files)), make(map[string]int, len(s.files))
	for n := range s.files {
		f := &s.files[n]
		path, oldPath := f.paths()
		if _, taken := s.byOld[oldPath]; !taken || !f.created() {
			s.byOld[oldPath] = n
		}
		if _, taken := s.byNew[path]; !taken || !f.deleted() {
			s.byNew[path] = n
		}
	}
}

func (s *Set) sideContent(v side) ([]byte, error) {
	if v.path == "" || v.mode == git.Gitlink {
		return nil, nil
	}
	return s.blob(v.id)
}

// Store writes the objects of a composed tree that the repository lacks, blobs
// first, into the scratch store.
func (s *Set) Store(ctx context.Context, t *Tree, scratch *git.Scratch) error {
	put := func(kind string, want git.ID, content []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		id, err := scratch.Put(kind, content)
		if err != nil {
			return fmt.Errorf("store %s: %w", kind, err)
		}
		if id != want {
			return fmt.Errorf("store %s: it was composed as %s but is %s", kind, want, id)
		}
		return nil
	}
	if t.ID == s.Good.Tree || t.ID == s.Bad.Tree {
		return nil
	}
	for _, f := range t.Files {
		if f.recipe == "" && f.ID != s.empty { // the repository may have no empty blob
			continue
		}
		content, err := s.Content(f)
		if err != nil {
			return err
		}
		if err := put("blob", f.ID, content); err != nil {
			return err
		}
	}
	_, err := s.root.write(s.repo, t.Files, func(id git.ID, body []byte) error { return put("tree", id, body) })
	return err
}
