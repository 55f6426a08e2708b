package changes

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// A ConflictError says that a subset is not closed under the requirements: it has
// a change without another change that this change requires.
type ConflictError struct {
	Path            string
	Change, Missing int // numbers of the two changes
	What, Needs     string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("change %d (%s) cannot be applied without change %d (%s): add it, or leave both out", e.Change, e.What, e.Missing, e.Needs)
}

// Compose returns the tree that has the given changes applied, in whatever order
// they come. A subset that is not closed under Requires gives a *ConflictError.
// Nothing is written; good's content of a file is read only when some but not
// all of the file's text changes are applied.
//
// Safe for concurrent use. Time: O(n) with a small constant, and linear in the
// partly changed files and in the tree objects above the changed paths.
func (s *Set) Compose(applied iter.Seq[int]) (*Tree, error) {
	has := make([]bool, len(s.Changes))
	count := 0
	for i := range applied {
		if i < 0 || i >= len(has) {
			return nil, fmt.Errorf("compose: there is no change %d, only 0 to %d", i, len(has)-1)
		}
		if !has[i] {
			has[i] = true
			count++
		}
	}
	files, err := s.compose(has)
	if err != nil {
		return nil, err
	}
	if count == len(has) && count > 0 && s.beyondFiles {
		return &Tree{ID: s.Bad.Tree, Files: files}, nil
	}
	id, err := s.root.write(s.repo, files, nil)
	if err != nil {
		return nil, fmt.Errorf("compose %d of %d changes: %w", count, len(has), err)
	}
	return &Tree{ID: id, Files: files}, nil
}

// compose returns the entries that differ from good's, sorted by path.
func (s *Set) compose(has []bool) ([]File, error) {
	var gone, here []File
	for i := 0; i < len(has); i++ {
		if !has[i] {
			continue
		}
		f := s.spots[i].file
		end := s.files[f].end
		for j := i; j < end; j++ {
			if !has[j] {
				continue
			}
			for _, r := range s.Requires[j] {
				if !has[r] {
					return nil, &ConflictError{s.Changes[j].Path, j, r, s.Changes[j].String(), s.Changes[r].String()}
				}
			}
		}
		was, is, err := s.state(f, has)
		if err != nil {
			return nil, err
		}
		if was.Path != "" && was.Path != is.Path {
			gone = append(gone, File{Path: was.Path})
		}
		if is.Path != "" && !is.Equal(was) {
			here = append(here, is)
		}
		i = end - 1
	}
	byPath := func(a, b File) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(here, byPath)
	for i := 1; i < len(here); i++ {
		if here[i].Path == here[i-1].Path {
			return nil, fmt.Errorf("compose: two files would be named %s", printable(here[i].Path))
		}
	}
	files := here
	for _, g := range gone {
		// A path that one file leaves and another takes is not gone, and not even
		// changed when both have the same content.
		i, taken := slices.BinarySearchFunc(here, g, byPath)
		if !taken {
			files = append(files, g)
		} else if here[i].Equal(s.GoodFile(g.Path)) {
			here[i].Mode = ^git.Mode(0)
		}
	}
	files = slices.DeleteFunc(files, func(f File) bool { return f.Mode == ^git.Mode(0) })
	slices.SortFunc(files, byPath)
	return files, nil
}

// GoodFile returns good's entry at one of the affected paths; its Mode is 0 when
// good has no file there.
func (s *Set) GoodFile(path string) File {
	e, ok := s.root.entry(path)
	if !ok {
		return File{Path: path}
	}
	return File{Path: path, Mode: e.Mode, ID: e.ID}
}

// GoodFiles returns good's regular files in a directory that holds an affected path, "." for the top, in git's order.
// There are none where good has no such directory, or where reading a file may have to fetch it.
func (s *Set) GoodFiles(directory string) (files []File) {
	d := s.root.at(directory)
	if d == nil || s.repo.IsPartial() {
		return nil
	}
	for _, e := range d.entries {
		if e.Mode.IsFile() {
			files = append(files, File{Path: path.Join(directory, e.Name), Mode: e.Mode, ID: e.ID})
		}
	}
	return files
}

// state returns where a file is under good and what it is with the changes
// applied; a zero File stands for a path that it does not have.
func (s *Set) state(n int, has []bool) (was, is File, err error) {
	f := &s.files[n]
	if !f.created() && !f.copied {
		was = File{Path: f.old.path, Mode: f.old.mode, ID: f.old.id}
	}
	is = was
	full := f.new.id // the content when every text change is applied
	if f.deleted() {
		full = s.empty
	}
	var texts []int
	total := 0
	for i := f.first; i < f.end; i++ {
		c := &s.Changes[i]
		if c.Kind == Text {
			total++
			if has[i] {
				texts = append(texts, i)
			}
			continue
		}
		if !has[i] {
			continue
		}
		switch c.Kind {
		case Created:
			is = File{Path: f.new.path, Mode: f.new.mode, ID: c.NewBlob}
		case Copied:
			is = File{Path: f.new.path, Mode: f.old.mode, ID: f.old.id}
		case Deleted:
			is = File{}
		case Renamed:
			is.Path = f.new.path
		case Type:
			is.Mode, is.ID = f.new.mode, f.new.id
		case Mode:
			is.Mode = f.new.mode
		case Symlink, Binary, Submodule:
			is.ID = f.new.id
		}
	}
	switch {
	case len(texts) == 0 || is.Path == "":
	case len(texts) == total:
		is.ID = full
	default:
		is.recipe = s.recipe(n, texts)
		if is.ID, err = s.blobID(is.recipe); err != nil {
			err = fmt.Errorf("compose %s: %w", printable(is.Path), err)
		}
	}
	return was, is, err
}

// recipe encodes how a content is made: the file, then the spans applied to it.
// Spans that touch are one, so that many subsets share a recipe.
func (s *Set) recipe(file int, texts []int) string {
	b := binary.AppendUvarint(nil, uint64(file))
	var open span
	flush := func() {
		if open != (span{}) {
			for _, v := range [...]int{open.oldOff, open.oldEnd, open.newOff, open.newEnd} {
				b = binary.AppendUvarint(b, uint64(v))
			}
		}
	}
	for _, i := range texts {
		next := s.spots[i].span
		if open.oldEnd == next.oldOff && open.newEnd == next.newOff && open != (span{}) {
			open.oldEnd, open.newEnd = next.oldEnd, next.newEnd
			continue
		}
		flush()
		open = next
	}
	flush()
	return string(b)
}

// blobID returns the id of the content that the recipe makes.
func (s *Set) blobID(recipe string) (git.ID, error) {
	if id, ok := s.cache.known(recipe); ok {
		return id, nil
	}
	content, err := s.cook(recipe)
	if err != nil {
		return "", err
	}
	id := s.repo.HashObject("blob", content)
	s.cache.remember(recipe, id)
	s.cache.put(id, content)
	return id, nil
}

// cook makes the content of a recipe from the blobs of good and bad.
func (s *Set) cook(recipe string) ([]byte, error) {
	b := []byte(recipe)
	next := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			b = nil
			return 0
		}
		b = b[n:]
		return int(v)
	}
	f := &s.files[next()]
	var old, new []byte
	var err error
	if !f.created() {
		if old, err = s.blob(f.old.id); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	at := 0
	// Invariant: out is old[:at] with the spans so far applied.
	for len(b) > 0 {
		p := span{next(), next(), next(), next()}
		out.Write(old[at:p.oldOff])
		at = p.oldEnd
		if p.newOff == p.newEnd {
			continue
		}
		if new == nil {
			if new, err = s.blob(f.new.id); err != nil {
				return nil, err
			}
		}
		out.Write(new[p.newOff:p.newEnd])
	}
	out.Write(old[at:])
	if f.repair != nil {
		return f.repair(out.Bytes()), nil
	}
	return out.Bytes(), nil
}

// blob reads a blob through the cache. The caller must not change it.
func (s *Set) blob(id git.ID) ([]byte, error) {
	if id == s.empty {
		return nil, nil
	}
	if content, ok := s.cache.get(id); ok {
		return content, nil
	}
	// Composing is a computation for its callers; one blob is soon read.
	content, err := s.repo.Blob(context.Background(), id)
	if err != nil {
		return nil, err
	}
	s.cache.put(id, content)
	return content, nil
}

// Content returns the bytes of a file of a composed tree, of this set or of one
// that it was split from; for a symbolic link that is its target. The caller
// must not change them. A submodule or an absent file has none: an error.
func (s *Set) Content(f File) ([]byte, error) {
	content, err := s.content(f)
	if err != nil {
		return nil, fmt.Errorf("content of %s: %w", printable(f.Path), err)
	}
	return content, nil
}

func (s *Set) content(f File) ([]byte, error) {
	switch {
	case f.Mode == 0:
		return nil, errors.New("the file is absent from that tree")
	case f.Mode == git.Gitlink:
		return nil, errors.New("it is a submodule")
	case f.recipe == "":
		return s.blob(f.ID)
	}
	if content, ok := s.cache.get(f.ID); ok {
		return content, nil
	}
	content, err := s.cook(f.recipe)
	if err == nil {
		s.cache.put(f.ID, content)
	}
	return content, err
}
