package changes

import (
	"github.com/gitdd/gitdd/internal/git"
)

// A File is an entry of a composed tree.
type File struct {
	Path string
	Mode git.Mode // 0 = absent in this tree
	ID   git.ID   // "" = absent; of a submodule its commit

	// recipe says how a content that no object of the repository holds is made;
	// "" when the repository holds it. It depends on nothing but the file and
	// the text, so that it outlives the Set that the tree was composed from.
	recipe string
}

// Equal reports whether f and g are the same entry: path, mode and content.
func (f File) Equal(g File) bool { return f.Path == g.Path && f.Mode == g.Mode && f.ID == g.ID }

// Stored reports whether the content is an object of the repository: of good or of
// bad, not composed.
func (f File) Stored() bool { return f.recipe == "" }

// A side is one file under good or under bad; path "" means that it is absent.
type side struct {
	path string
	mode git.Mode
	id   git.ID
}

// A file is what becomes of one file from good to bad. Its changes are first..end
// of the set: at most one that creates, deletes, moves, copies or retypes it,
// at most one of its mode, then its content's in their order.
type file struct {
	old, new   side
	copied     bool // old stays where it is
	first, end int

	repair func([]byte) []byte // Cutter's; nil = none
}

// created reports whether the file's path under bad comes from nothing.
func (f *file) created() bool { return f.old.path == "" }

// deleted reports whether the file has no path under bad.
func (f *file) deleted() bool { return f.new.path == "" }

// paths gives Path and OldPath of the file's changes.
func (f *file) paths() (path, oldPath string) {
	switch {
	case f.created():
		return f.new.path, f.new.path
	case f.deleted():
		return f.old.path, f.old.path
	}
	return f.new.path, f.old.path
}

// leaves gives the path that the file vacates when its first change is applied.
func (f *file) leaves() (string, bool) {
	return f.old.path, f.old.path != "" && !f.copied && f.old.path != f.new.path
}

// arrives gives the path that the file takes when its first change is applied.
func (f *file) arrives() (string, bool) {
	return f.new.path, f.new.path != "" && (f.copied || f.old.path != f.new.path)
}

// A span is where a text change stands: in the file's old content it replaces
// oldOff..oldEnd by newOff..newEnd of its new content.
type span struct{ oldOff, oldEnd, newOff, newEnd int }

// A spot ties a change to its file.
type spot struct {
	file  int
	span  span  // of text changes
	depth depth // how finely the change was cut
}

// depth says how often Split has cut what became this change.
type depth uint8

const (
	uncut    depth = iota // as Between found it
	declared              // a piece from one declaration to the next
	line                  // a piece of one line: not to be cut into lines
	inner                 // a piece within a line: not to be cut further
)
