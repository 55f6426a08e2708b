package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"slices"
	"strings"
)

// A Snapshot is what a workspace holds, and does not change. Snapshots of one
// session share the folders in which they do not differ, so what was made of a *Folder
// can be kept under its address.
type Snapshot struct {
	Root *Folder

	// Read opens the contents of some of its files, in their order, and calls use with
	// each. It may have to wait for others; use must not call it. Cost: the writing of
	// what another configuration was shown in the meantime.
	Read func(ctx context.Context, files []*Leaf, use func(f *Leaf, content io.Reader) error) error
}

// A Folder is a directory; its entries are in the order of their names, as bytes.
type Folder struct{ Entries []Entry }

// An Entry is a file, a symbolic link or a folder: one of the three is set.
type Entry struct {
	Name   string
	File   *Leaf
	Target string // of a symbolic link
	Folder *Folder
}

// A Leaf is a regular file of a snapshot.
type Leaf struct {
	Path       string // from the top, slash-separated
	Executable bool
	Size       int64
	Sum        [32]byte // SHA-256 of its content
}

// Find returns the entry at a path, relative to the folder and slash-separated; no entry when there is none.
func Find(f *Folder, path string) (Entry, bool) {
	for {
		name, rest, below := strings.Cut(path, "/")
		at, ok := slices.BinarySearchFunc(f.Entries, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
		switch {
		case !ok:
			return Entry{}, false
		case !below:
			return f.Entries[at], true
		case f.Entries[at].Folder == nil:
			return Entry{}, false
		}
		f, path = f.Entries[at].Folder, rest
	}
}

// IsDir reports whether the folder has a directory at a path, which may lead through
// symlinks as long as they stay below it.
func IsDir(f *Folder, at string) bool {
	at = path.Clean(at)
	for links := 0; links <= 40; links++ {
		next, through := f.resolve(at)
		if !through {
			if next == "." {
				return true
			}
			e, ok := Find(f, next)
			return ok && e.Folder != nil
		}
		at = next
		if at == ".." || strings.HasPrefix(at, "../") || path.IsAbs(at) {
			return false
		}
	}
	return false
}

// resolve replaces the first symlink of a path by what it leads to, if there is one.
func (f *Folder) resolve(at string) (next string, through bool) {
	names := strings.Split(at, "/")
	for i := range names {
		e, ok := Find(f, path.Join(names[:i+1]...))
		if !ok || e.Target == "" {
			continue
		}
		if path.IsAbs(e.Target) {
			return e.Target, true
		}
		return path.Join(append(append(slices.Clone(names[:i]), e.Target), names[i+1:]...)...), true
	}
	return at, false
}

// ErrAltered says that a file of a workspace is not what it was.
var ErrAltered = errors.New("it is not what it was before: somebody has changed it, or a filter gives another content each time")

// A checked reader gives an error at its end unless what was read is the leaf.
type checked struct {
	from io.Reader
	leaf *Leaf
	sum  hash.Hash
}

// Check returns a reader of what from reads. It gives an error that wraps ErrAltered, at the end, if that is not the
// content of the leaf.
func Check(from io.Reader, leaf *Leaf) io.Reader { return checked{from, leaf, sha256.New()} }

func (c checked) Read(p []byte) (n int, err error) {
	n, err = c.from.Read(p)
	c.sum.Write(p[:n])
	if err == io.EOF && [32]byte(c.sum.Sum(nil)) != c.leaf.Sum {
		err = fmt.Errorf("%q: %w", c.leaf.Path, ErrAltered)
	}
	return n, err
}
