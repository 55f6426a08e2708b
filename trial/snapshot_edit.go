package trial

import (
	"slices"
	"strings"
)

// find returns the entry at a path; no entry when there is none.
func (f *Folder) find(path string) (Entry, bool) {
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

// An edit says what a path of a folder becomes.
type edit struct {
	path string
	to   Entry // without its name; the zero entry = nothing
}

func (e edit) removes() bool { return e.to.File == nil && e.to.Folder == nil && e.to.Target == "" }

// byPath is the order of paths in which all that is below a directory follows it.
func byPath(a, b edit) int {
	for i := range min(len(a.path), len(b.path)) {
		x, y := a.path[i], b.path[i]
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
	return len(a.path) - len(b.path)
}

// with returns the folder with edits, which are in the order byPath, as a writer
// makes them: what is removed goes first, and with it the directories that are empty
// then; a file takes the place of whatever has its name, a directory stays where
// there is one, and one of what is removed stays if it holds anything else. Folders in
// which nothing is edited are those of f. Cost: the entries of those that are.
func (f *Folder) with(edits []edit) *Folder {
	if len(edits) == 0 {
		return f
	}
	made := &Folder{Entries: make([]Entry, 0, len(f.Entries)+len(edits))}
	old := f.Entries
	for len(edits) > 0 {
		name, _, _ := strings.Cut(edits[0].path, "/")
		n := 1
		for n < len(edits) && strings.HasPrefix(edits[n].path, name+"/") {
			n++
		}
		for len(old) > 0 && old[0].Name < name {
			made.Entries, old = append(made.Entries, old[0]), old[1:]
		}
		var now Entry
		if len(old) > 0 && old[0].Name == name {
			now, old = old[0], old[1:]
		}
		if now = now.edited(name, edits[:n]); now.Name != "" {
			made.Entries = append(made.Entries, now)
		}
		edits = edits[n:]
	}
	made.Entries = slices.Clip(append(made.Entries, old...))
	return made
}

// edited is with for one entry, which may be none, and the edits at its name and
// below.
func (e Entry) edited(name string, edits []edit) Entry {
	own := edit{path: "/"}
	if edits[0].path == name {
		own, edits = edits[0], edits[1:]
	}
	var below []edit // relative
	places := false
	for _, b := range edits {
		below = append(below, edit{b.path[len(name)+1:], b.to})
		places = places || !b.removes()
	}
	inner := e.Folder
	if inner == nil && places {
		inner = &Folder{}
	}
	if inner != nil {
		before := len(inner.Entries)
		if inner = inner.with(below); len(inner.Entries) == 0 && before > 0 {
			inner = nil
			e = Entry{}
		}
	}
	switch {
	case own.path == "/" || own.removes():
		if inner != nil && (own.path == "/" || len(inner.Entries) > 0) {
			return Entry{Name: name, Folder: inner}
		}
		if own.path != "/" {
			return Entry{}
		}
		return e
	case own.to.Folder != nil && inner != nil:
		return Entry{Name: name, Folder: inner}
	}
	e = own.to
	e.Name = name
	return e
}
