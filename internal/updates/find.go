package updates

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A File is a file that both revisions have, with the changes of its text.
type File struct {
	Path     string // below the root of the repository, with slashes
	Old, New []byte
	Hunks    []Hunk
}

// A Hunk is a change of text: it replaces the old lines OldFrom to before OldTo by the new lines NewFrom to
// before NewTo. Lines count from 0.
type Hunk struct {
	Change                         int
	OldFrom, OldTo, NewFrom, NewTo int
}

// A Whole is a change of another kind than text.
type Whole struct {
	Change   int
	Path     string
	Old, New string // of a submodule its commits; "" otherwise
}

// An Update takes a package from one version to another one.
type Update struct {
	Name     string
	Old, New string // versions; "" = the package was added, or removed
	Changes  []int  // increasing
}

// String is the update for a reader: "golang.org/x/net v0.17.0 → v0.23.0", "lodash 4.17.21 (added)".
func (u Update) String() string {
	switch {
	case u.Old == "":
		return fmt.Sprintf("%s %s (added)", u.Name, u.New)
	case u.New == "":
		return fmt.Sprintf("%s %s (removed)", u.Name, u.Old)
	case u.Old == u.New:
		return u.Name + " " + u.New
	}
	return fmt.Sprintf("%s %s → %s", u.Name, u.Old, u.New)
}

// A Tie says that a change has to be accompanied by another one.
type Tie struct {
	Change, Requires int
	// Reason is the constraint: "go.mod: golang.org/x/net v0.23.0 requires golang.org/x/text v0.14.0";
	// "" if both are of one update.
	Reason string
}

// Found is what the manifests and lock files say of changes.
type Found struct {
	Updates []Update
	Ties    []Tie
	Read    map[string]bool // paths of the files that were read as entries
	Notes   []string        // why more is tied than has to be, one each
}

// Find reads the files of known formats among the changes of a difference. modules may be nil.
//
// Every set of changes that is closed under the ties keeps the files consistent, as far as the entries
// tell. The converse does not hold: of several ways to keep a requirement, the ties allow one.
//
// Cost: that of reading the files, and for each requirement at most 2^mostFree evaluations.
func Find(files []File, wholes []Whole, modules Modules) Found {
	found := Found{Read: make(map[string]bool)}
	projects := make(map[string]*project)
	var order []string
	locks := make(map[string]bool) // system and directory
	for i := range files {
		if f := formatOf(files[i].Path); f != nil && f.lock {
			locks[f.system+" "+f.home(files[i].Path)] = true
		}
	}
	for i := range files {
		file := &files[i]
		f := formatOf(file.Path)
		if f == nil {
			continue
		}
		home := f.home(file.Path)
		for dir := home; !f.lock; dir = path.Dir(dir) { // of a package in a workspace
			if locks[f.system+" "+dir] {
				home = dir
				break
			}
			if dir == "." || dir == "/" {
				break
			}
		}
		s, err := f.sides(f.below(home, file.Path), file.Old, file.New)
		if err != nil {
			if err != errNothing {
				found.Notes = append(found.Notes, f.cutByLines(file.Path, err))
			}
			continue
		}
		found.Read[file.Path] = true
		key := f.system + " " + home
		if projects[key] == nil {
			projects[key] = &project{system: f.system, home: home}
			order = append(order, key)
		}
		projects[key].add(file, f, s)
	}
	slices.Sort(order)
	for _, key := range order {
		p := projects[key]
		p.wholes = wholes
		if p.system == "go" {
			relateGo(p, modules, func(home string) *project { return projects["go "+home] })
		}
		found.Ties = append(found.Ties, p.ties()...)
		found.Updates = append(found.Updates, p.updates()...)
		if p.note != "" {
			found.Notes = append(found.Notes, p.note)
		}
	}
	for _, w := range wholes {
		if w.Old != "" && w.New != "" {
			found.Updates = append(found.Updates, Update{w.Path, short(w.Old), short(w.New), []int{w.Change}})
		}
	}
	return found
}

func short(id string) string { return id[:min(len(id), 9)] }

// A project is the files of one package manager that are about the same packages.
type project struct {
	system, home string
	present      []*presence // all entries, of all files
	altered      []*presence // those that some change touches
	wholes       []Whole
	note         string
	unknown      *unknown // of Go; nil = its go.mod does not change
	single       string   // the only module that a go.mod has otherwise, so that all of go.sum is of its update; "" = there are several

	sets  disjoint
	edges []Tie
}

// A presence is an entry on both sides, of which one may be missing.
type presence struct {
	file    *File
	entry   [2]*Entry
	changes []int // that touch it; none = it is the same on both sides
}

// add takes a file into the project.
func (p *project) add(file *File, f *format, s sides) {
	p.sets.init()
	at := make(map[string]*presence)
	for which := range s {
		for i := range s[which] {
			e := &s[which][i]
			here := at[e.ID]
			if here == nil {
				here = &presence{file: file}
				at[e.ID] = here
				p.present = append(p.present, here)
			}
			here.entry[which] = e
		}
	}
	text := [2][][]byte{rows(file.Old), rows(file.New)}
	file.Hunks = slices.DeleteFunc(slices.Clone(file.Hunks), func(h Hunk) bool { // of another text
		return h.OldFrom > h.OldTo || h.OldTo > len(text[good]) || h.NewFrom > h.NewTo || h.NewTo > len(text[bad])
	})
	owned := make(map[int]bool)
	for _, id := range slices.Sorted(maps.Keys(at)) {
		here := at[id]
		if here.same(text, f.json) {
			continue
		}
		for _, h := range file.Hunks {
			if here.touched(h) != [2]bool{} {
				here.changes = append(here.changes, h.Change)
				owned[h.Change] = true
			}
		}
		if len(here.changes) > 0 {
			p.altered = append(p.altered, here)
		}
	}
	var structure []int
	for _, h := range file.Hunks {
		holds := structural
		if owned[h.Change] {
			holds = unbalanced
		}
		if holds(text[good][h.OldFrom:h.OldTo]) || holds(text[bad][h.NewFrom:h.NewTo]) {
			structure = append(structure, h.Change)
		}
	}
	p.circle(structure, "")
	if len(structure) == 0 {
		return
	}
	for _, h := range file.Hunks { // lines that come need what they are in, which cannot go before them
		if !owned[h.Change] {
			continue
		}
		old, new := text[good][h.OldFrom:h.OldTo], text[bad][h.NewFrom:h.NewTo]
		if len(old) == 0 || len(new) > 0 && indentation(old[0]) != indentation(new[0]) {
			p.tie(h.Change, structure[0], "")
		}
		if len(new) == 0 || len(old) > 0 && indentation(old[0]) != indentation(new[0]) {
			p.tie(structure[0], h.Change, "")
		}
	}
}

// indentation is how far a line is indented, in bytes. An entry with another one is in something else.
func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// same reports whether an entry has the same text on both sides, and is at the same place among the lines
// that are the same.
func (h *presence) same(text [2][][]byte, json bool) bool {
	var lines [2][]byte
	for which, e := range h.entry {
		if e == nil {
			return false
		}
		lines[which] = bare(bytes.Join(text[which][e.From:e.To], nil), json)
	}
	if !bytes.Equal(lines[good], lines[bad]) {
		return false
	}
	for _, k := range h.file.Hunks {
		if t := h.touched(k); t[good] != t[bad] {
			return false // it moves
		}
	}
	return true
}

// touched reports which sides of an entry a hunk has lines of.
func (h *presence) touched(k Hunk) (t [2]bool) {
	if e := h.entry[good]; e != nil {
		t[good] = k.OldFrom < e.To && k.OldTo > e.From
	}
	if e := h.entry[bad]; e != nil {
		t[bad] = k.NewFrom < e.To && k.NewTo > e.From
	}
	return t
}

// structural reports whether lines between entries are such that entries need: the beginning or the end
// of what entries are in.
func structural(lines [][]byte) bool {
	for _, l := range lines {
		if l = bytes.TrimSpace(l); len(l) > 0 && l[0] != '#' && (l[0] == '[' || l[len(l)-1] == ':') {
			return true
		}
	}
	return unbalanced(lines)
}

// unbalanced reports whether lines open a bracket that they do not close, or the other way round.
func unbalanced(lines [][]byte) bool {
	depth := 0
	for _, l := range lines {
		for _, c := range l {
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth < 0 {
					return true
				}
			}
		}
	}
	return depth != 0
}

// vendored are the changes of files that the project has copies of a module in. A file is of the module with the longest path that it lies
// below, as the copies of a module may lie below those of another one.
func (p *project) vendored(name string) (list []int) {
	if p.system != "go" {
		return nil
	}
	names := make(map[string]bool)
	for _, h := range p.present {
		names[h.name()] = true
	}
	for _, w := range p.wholes {
		below, ok := strings.CutPrefix(w.Path, path.Join(p.home, "vendor")+"/")
		if !ok {
			continue
		}
		of := path.Dir(below)
		for of != "." && !names[of] {
			of = path.Dir(of)
		}
		if of == name {
			list = append(list, w.Change)
		}
	}
	return list
}

func (p *project) tie(change, requires int, reason string) {
	if change != requires {
		p.edges = append(p.edges, Tie{change, requires, reason})
	}
}

// circle makes changes require each other, with as few ties as that takes.
func (p *project) circle(list []int, reason string) {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	for k, i := range list {
		p.tie(i, list[(k+1)%len(list)], reason)
		p.sets.join(list[0], i)
	}
}

// ties returns the ties of the project.
func (p *project) ties() []Tie {
	labels := make(map[string][]int)
	for _, h := range p.altered {
		p.circle(append(slices.Clone(h.changes), p.vendored(h.name())...), "")
		for _, e := range h.entry {
			if e != nil {
				for _, label := range e.Together {
					labels[label] = append(labels[label], h.changes[0])
				}
			}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		p.circle(labels[label], "")
	}
	p.needs()
	if p.unknown != nil {
		p.unknown.tie(p)
	}
	slices.SortFunc(p.edges, func(a, b Tie) int {
		return cmp.Or(a.Change-b.Change, a.Requires-b.Requires, -strings.Compare(a.Reason, b.Reason))
	})
	return slices.CompactFunc(p.edges, func(a, b Tie) bool { return a.Change == b.Change && a.Requires == b.Requires })
}

// name is the package that an entry is about.
func (h *presence) name() string {
	for _, e := range h.entry {
		if e != nil && e.Name != "" {
			return e.Name
		}
	}
	return ""
}

// updates gives the changes of the project's packages their names. A package that is there in several
// versions has an update for each pair of versions.
func (p *project) updates() (list []Update) {
	type key struct{ name, old, new string }
	at := make(map[key]int)
	first := make(map[string]int)
	put := func(k key, changes []int) {
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, Update{Name: k.name, Old: k.old, New: k.new})
			if _, ok := first[k.name]; !ok {
				first[k.name] = i
			}
		}
		list[i].Changes = append(list[i].Changes, changes...)
	}
	whole := func(h *presence) (k key, exact, partial bool) {
		k.name, exact, partial = h.name(), true, true
		for which, e := range h.entry {
			if e == nil {
				continue
			}
			exact, partial = exact && e.Exact, partial && e.Partial
			*[2]*string{&k.old, &k.new}[which] = e.Version
		}
		return k, exact, partial
	}
	var came, went = make(map[string][]*presence), make(map[string][]*presence)
	for _, h := range p.altered {
		if k, exact, partial := whole(h); exact && !partial && k.name != "" {
			switch {
			case h.entry[good] == nil:
				came[k.name] = append(came[k.name], h)
			case h.entry[bad] == nil:
				went[k.name] = append(went[k.name], h)
			default:
				put(k, append(p.vendored(k.name), h.changes...))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(came)) {
		list := came[name]
		if len(list) == 1 && len(went[name]) == 1 { // one entry that has another ID now
			old := went[name][0]
			put(key{name, old.entry[good].Version, list[0].entry[bad].Version}, append(append(p.vendored(name), old.changes...), list[0].changes...))
			delete(went, name)
			continue
		}
		for _, h := range list {
			put(key{name, "", h.entry[bad].Version}, append(p.vendored(name), h.changes...))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(went)) {
		for _, h := range went[name] {
			put(key{name, h.entry[good].Version, ""}, append(p.vendored(name), h.changes...))
		}
	}
	for _, partial := range []bool{false, true} {
		for _, h := range p.altered {
			k, exact, part := whole(h)
			if exact && !part || k.name == "" || part != partial {
				continue
			}
			if strings.HasSuffix(h.file.Path, ".sum") { // a change of it may be about several modules
				k.name = p.single
			}
			if i, ok := first[k.name]; ok {
				list[i].Changes = append(list[i].Changes, h.changes...)
			} else if !partial {
				put(k, h.changes)
			}
		}
	}
	for i := range list {
		list[i].Changes = slices.Compact(slices.Sorted(slices.Values(list[i].Changes)))
	}
	slices.SortStableFunc(list, func(a, b Update) int { return a.Changes[0] - b.Changes[0] })
	return list
}

// disjoint are disjoint sets of changes that come and go together.
type disjoint map[int]int

func (d *disjoint) init() {
	if *d == nil {
		*d = make(disjoint)
	}
}

func (d disjoint) find(i int) int {
	for {
		parent, ok := d[i]
		if !ok {
			return i
		}
		i = parent
	}
}

func (d disjoint) join(i, j int) {
	if i, j = d.find(i), d.find(j); i != j {
		d[max(i, j)] = min(i, j)
	}
}
