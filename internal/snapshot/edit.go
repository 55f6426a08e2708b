package snapshot

import (
	"slices"
	"strings"
)

// An Edit says what a path of a folder becomes.
type Edit struct {
	Path string // relative to the folder, slash-separated; a Leaf in To has its path from the top
	To   Entry  // without its name; the zero entry = nothing
}

func (e Edit) removes() bool { return e.To.File == nil && e.To.Folder == nil && e.To.Target == "" }

// byPath is the order of paths in which all that is below a directory follows it.
func byPath(a, b Edit) int {
	for i := range min(len(a.Path), len(b.Path)) {
		x, y := a.Path[i], b.Path[i]
		switch {
		case x == y:
		case x == '/':
			return -1
		case y == '/':
			return 1
		default:
			return int(x) - int(y)
		}
	}
	return len(a.Path) - len(b.Path)
}

// With returns f with the edits made. It sorts the slice. It edits as one who writes files: what is
// removed goes first, and with it the directories that are empty then; a file takes the place of
// whatever has its name; a directory stays where there is one, and one of what is removed stays if it
// holds anything else. Folders in which nothing is edited are those of f. Cost: the entries of
// all folders in which something is edited.
func With(f *Folder, edits []Edit) *Folder {
	slices.SortFunc(edits, byPath)
	return f.apply(edits)
}

// apply is With for edits in the order byPath.
func (f *Folder) apply(edits []Edit) *Folder {
	if len(edits) == 0 {
		return f
	}
	made := &Folder{Entries: make([]Entry, 0, len(f.Entries)+len(edits))}
	old := f.Entries
	for len(edits) > 0 {
		name, _, _ := strings.Cut(edits[0].Path, "/")
		n := 1
		for n < len(edits) && strings.HasPrefix(edits[n].Path, name+"/") {
			n++
		}
		for len(old) > 0 && old[0].Name < name {
			made.Entries, old = append(made.Entries, old[0]), old[1:]
		}
		var now Entry
		if len(old) > 0 && old[0].Name == name {
			now, old = old[0], old[1:]
		}
		if now = now.applyAt(name, edits[:n]); now.Name != "" {
			made.Entries = append(made.Entries, now)
		}
		edits = edits[n:]
	}
	made.Entries = slices.Clip(append(made.Entries, old...))
	return made
}

// applyAt is apply for one entry, which may be none, and the edits at its name and
// below.
func (e Entry) applyAt(name string, edits []Edit) Entry {
	own := Edit{Path: "/"}
	if edits[0].Path == name {
		own, edits = edits[0], edits[1:]
	}
	var below []Edit // relative
	places := false
	for _, b := range edits {
		below = append(below, Edit{b.Path[len(name)+1:], b.To})
		places = places || !b.removes()
	}
	inner := e.Folder
	if inner == nil && places {
		inner = &Folder{}
	}
	if inner != nil {
		before := len(inner.Entries)
		if inner = inner.apply(below); len(inner.Entries) == 0 && before > 0 {
			inner = nil
			e = Entry{}
		}
	}
	switch {
	case own.Path == "/" || own.removes():
		if inner != nil && (own.Path == "/" || len(inner.Entries) > 0) {
			return Entry{Name: name, Folder: inner}
		}
		if own.Path != "/" {
			return Entry{}
		}
		return e
	case own.To.Folder != nil && inner != nil:
		return Entry{Name: name, Folder: inner}
	}
	e = own.To
	e.Name = name
	return e
}
