package changes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// A Tree is a composed tree.
type Tree struct {
	ID    git.ID
	Files []File // the paths whose entry differs from good's, sorted by path
}

// File returns the file of t.Files at the path. Its cost is logarithmic.
func (t *Tree) File(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(t.Files, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
	if !ok {
		return File{}, false
	}
	return t.Files[i], true
}

// A dir is a directory of good that some change may touch, held ready to be
// rewritten: its tree object and where the entries lie in it.
type dir struct {
	id      git.ID
	body    []byte
	entries []entry // in git's order
	dirs    map[string]*dir
}

type entry struct {
	git.Entry
	off, end int // within body
}

// loadTrees reads good's trees that lie on the way to the paths, which are sorted.
// It refuses trees with an entry that no tree may have.
func loadTrees(ctx context.Context, repo *git.Repo, id git.ID, paths []string) (*dir, error) {
	d := &dir{id: id, dirs: make(map[string]*dir)}
	listed, err := readTree(ctx, repo, id)
	if err != nil {
		return nil, err
	}
	for _, e := range listed {
		e.off = len(d.body)
		if d.body, err = e.Append(d.body); err != nil {
			return nil, fmt.Errorf("tree %s: entry %s: %w", id, printable(e.Name), err)
		}
		e.end = len(d.body)
		d.entries = append(d.entries, e)
	}
	for len(paths) > 0 {
		name, _, below := strings.Cut(paths[0], "/")
		if !below {
			paths = paths[1:]
			continue
		}
		n := 1
		for n < len(paths) && strings.HasPrefix(paths[n], name+"/") {
			n++
		}
		if i, ok := d.find(name, git.Directory); ok {
			inner := make([]string, n)
			for j, p := range paths[:n] {
				inner[j] = p[len(name)+1:]
			}
			sub, err := loadTrees(ctx, repo, d.entries[i].ID, inner)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", printable(name), err)
			}
			d.dirs[name] = sub
		}
		paths = paths[n:]
	}
	return d, nil
}

// readTree reads one tree and refuses it when git would not check it out.
func readTree(ctx context.Context, repo *git.Repo, id git.ID) ([]entry, error) {
	listed, err := repo.Tree(ctx, id)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(listed))
	out := make([]entry, len(listed))
	for i, l := range listed {
		e := entry{Entry: l}
		if err := checkName(e.Name, e.Mode); err != nil {
			return nil, fmt.Errorf("tree %s: %w", id, err)
		}
		if names[e.Name] {
			return nil, refuse("tree %s has two entries named %s", id, printable(e.Name))
		}
		names[e.Name] = true
		if i > 0 && out[i-1].Compare(l) >= 0 {
			return nil, refuse("tree %s is not sorted: %s stands after %s", id, printable(e.Name), printable(out[i-1].Name))
		}
		out[i] = e
	}
	return out, nil
}

// find returns where the entry of the name and of a type that sorts like mode
// is, or would be.
func (d *dir) find(name string, mode git.Mode) (int, bool) {
	want := git.Entry{Name: name, Mode: mode}
	i, ok := slices.BinarySearchFunc(d.entries, want, func(e entry, want git.Entry) int { return e.Compare(want) })
	// "a" of a file and "a/" of a directory never compare equal, so a hit has
	// the right type: names hold no slash.
	return i, ok
}

// An update is one entry that differs from good's, in order of the components
// of the paths, so that what is below one directory is together.
type update struct {
	path string // below the directory at hand
	file *File
}

// write composes the tree that has the given entries and otherwise good's, and
// hands every tree object that it makes to put. It returns good's own id when
// nothing differs. The files must be sorted by path.
//
// Time: linear in the sizes of the trees on the way to the files.
func (d *dir) write(repo *git.Repo, files []File, put func(id git.ID, body []byte) error) (git.ID, error) {
	if len(files) == 0 {
		return d.id, nil
	}
	updates := make([]update, len(files))
	for i := range files {
		updates[i] = update{files[i].Path, &files[i]}
	}
	slices.SortFunc(updates, func(a, b update) int { return comparePaths(a.path, b.path) })
	w := writer{repo: repo, put: put}
	id, err := w.dir(d, updates)
	if err == nil && id == "" {
		return w.object(nil) // only the root may be empty
	}
	return id, err
}

// comparePaths compares component by component: "a/b" before "a-b".
func comparePaths(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	at := func(s string) int {
		switch {
		case n == len(s):
			return -2
		case s[n] == '/':
			return -1
		}
		return int(s[n])
	}
	return at(a) - at(b)
}

type writer struct {
	repo *git.Repo
	put  func(id git.ID, body []byte) error
}

func (w writer) object(body []byte) (git.ID, error) {
	id := w.repo.HashObject("tree", body)
	if w.put != nil {
		return id, w.put(id, body)
	}
	return id, nil
}

// An edit replaces off..end of a tree object by one entry, or by nothing.
type edit struct {
	off, end int
	entry    entry // id "" = nothing
}

// dir returns the id of d's tree with the updates, "" when nothing is left in it.
// A nil d is a directory that good does not have.
func (w writer) dir(d *dir, updates []update) (git.ID, error) {
	if d == nil {
		d = &dir{}
	}
	var edits []edit
	for len(updates) > 0 {
		name, _, below := strings.Cut(updates[0].path, "/")
		var leaf *File
		if !below {
			leaf, updates = updates[0].file, updates[1:]
		}
		n := 0
		for n < len(updates) && strings.HasPrefix(updates[n].path, name+"/") {
			updates[n].path = updates[n].path[len(name)+1:]
			n++
		}
		es, err := w.name(d, name, leaf, updates[:n])
		if err != nil {
			return "", err
		}
		edits = append(edits, es...)
		updates = updates[n:]
	}
	// An entry that goes and one that comes at the same offset are two edits; the
	// new one stands before the place of the old.
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.end, b.end), a.entry.Compare(b.entry.Entry))
	})
	body := make([]byte, 0, len(d.body)+len(edits)*64)
	at := 0
	for _, e := range edits {
		body = append(body, d.body[at:e.off]...)
		at = e.end
		if e.entry.ID != "" {
			var err error
			if body, err = e.entry.Append(body); err != nil {
				return "", fmt.Errorf("tree entry %s: %w", printable(e.entry.Name), err)
			}
		}
	}
	body = append(body, d.body[at:]...)
	if len(body) == 0 {
		return "", nil
	}
	return w.object(body)
}

// name returns the edits of d for one name: leaf, unless nil, says that a file
// comes or goes there, and below what changes in the directory of that name.
func (w writer) name(d *dir, name string, leaf *File, below []update) ([]edit, error) {
	var edits []edit
	free := true // no entry of good keeps the name
	fileAt, isFile := d.find(name, git.Regular)
	dirAt, isDir := d.find(name, git.Directory)
	keep := func(at int, e entry) { // replaces good's entry or removes it
		edits = append(edits, edit{d.entries[at].off, d.entries[at].end, e})
	}
	add := func(at int, e entry) {
		off := len(d.body)
		if at < len(d.entries) {
			off = d.entries[at].off
		}
		edits = append(edits, edit{off, off, e})
	}

	if isFile {
		switch {
		case leaf == nil:
			free = false
		case leaf.Mode == 0:
			keep(fileAt, entry{Entry: git.Entry{Name: name}})
		default:
			keep(fileAt, entry{Entry: git.Entry{Name: name, Mode: leaf.Mode, ID: leaf.ID}})
			free = false
		}
	} else if leaf != nil && leaf.Mode != 0 {
		add(fileAt, entry{Entry: git.Entry{Name: name, Mode: leaf.Mode, ID: leaf.ID}})
		free = false
	}
	switch {
	case isDir:
		id := d.entries[dirAt].ID
		if len(below) > 0 {
			var err error
			if id, err = w.dir(d.dirs[name], below); err != nil {
				return nil, err
			}
			keep(dirAt, entry{Entry: git.Entry{Name: name, Mode: git.Directory, ID: id}})
		}
		if id != "" && !free {
			return nil, fmt.Errorf("%s would be both a file and a directory", printable(name))
		}
	case len(below) > 0:
		id, err := w.dir(nil, below)
		if err != nil {
			return nil, err
		}
		if id != "" {
			if !free {
				return nil, fmt.Errorf("%s would be both a file and a directory", printable(name))
			}
			add(dirAt, entry{Entry: git.Entry{Name: name, Mode: git.Directory, ID: id}})
		}
	}
	return edits, nil
}

// entry returns good's entry at the path, below the directories that were loaded.
func (d *dir) entry(path string) (entry, bool) {
	for {
		name, rest, below := strings.Cut(path, "/")
		if !below {
			if i, ok := d.find(name, git.Regular); ok {
				return d.entries[i], true
			}
			return entry{}, false
		}
		sub, ok := d.dirs[name]
		if !ok {
			return entry{}, false
		}
		d, path = sub, rest
	}
}

// at returns the directory with the path, "." for d itself; nil if it was not loaded.
func (d *dir) at(path string) *dir {
	for path != "." && d != nil {
		name, rest, below := strings.Cut(path, "/")
		if d = d.dirs[name]; !below {
			break
		}
		path = rest
	}
	return d
}
