package updates

import (
	"cmp"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// goCommand is the name by which a go.mod requires a version of Go, as the go command does
// (go.dev/ref/mod, "go directive").
const goCommand = "go"

// readGoMod reads a go.mod: an entry for each requirement, replacement and exclusion, and for the
// version of Go. What the modules require is not in it: see relateGo.
func readGoMod(name string, text []byte) ([]Entry, error) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, modError(err)
	}
	var list []Entry
	for _, r := range f.Require {
		m := r.Mod
		list = append(list, at(r.Syntax, Entry{
			ID: "require " + m.Path, Name: m.Path, Version: m.Version, Exact: true, Source: sourceOf(m, f.Replace),
			Provides: []string{moduleKey(m.Path)},
			Together: []string{"vendored " + m.Path},
		}))
	}
	list = append(list, replacements(f.Replace)...)
	for _, x := range f.Exclude {
		list = append(list, at(x.Syntax, Entry{ID: "exclude " + x.Mod.String(), Name: x.Mod.Path, Version: x.Mod.Version, Partial: true}))
	}
	if f.Go != nil {
		list = append(list, at(f.Go.Syntax, Entry{
			ID: "go", Name: goCommand, Version: f.Go.Version, Exact: true, Provides: []string{moduleKey(goCommand)},
		}))
	}
	if f.Toolchain != nil { // the go line asks for at least this, or the toolchain line for more
		list = append(list, at(f.Toolchain.Syntax, Entry{ID: "toolchain", Name: goCommand, Version: f.Toolchain.Name, Partial: true}))
	}
	return list, nil
}

// sourceOf is what the go command takes for a required module.
func sourceOf(m module.Version, replaced []*modfile.Replace) Source {
	to := replacement(m, replaced)
	if modfile.IsDirectoryPath(to.Path) {
		return Source{}
	}
	return Source{Name: to.Path, Version: to.Version}
}

// replacement is the module, or the directory, in the place of a module: the last line that replaces it counts.
func replacement(m module.Version, replaced []*modfile.Replace) module.Version {
	to := m
	for _, r := range replaced {
		if r.Old.Path == m.Path && (r.Old.Version == "" || r.Old.Version == m.Version) {
			to = r.New
		}
	}
	return to
}

// modError is the first error of a go.mod or go.work.
func modError(err error) error {
	var list modfile.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return atLine(list[0].Pos.Line-1, "%v", list[0].Err)
	}
	return err
}

// readGoWork reads a go.work as far as it replaces modules.
func readGoWork(name string, text []byte) ([]Entry, error) {
	f, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return nil, modError(err)
	}
	list := replacements(f.Replace)
	if f.Go != nil {
		list = append(list, at(f.Go.Syntax, Entry{ID: "go", Name: goCommand, Version: f.Go.Version, Exact: true}))
	}
	return list, nil
}

// replacements are the entries of lines that replace a module: each goes together with the requirement.
func replacements(list []*modfile.Replace) (out []Entry) {
	for _, r := range list {
		out = append(out, at(r.Syntax, Entry{
			ID: "replace " + r.Old.String(), Name: r.Old.Path, Version: strings.TrimSpace(r.New.Path + " " + r.New.Version),
			Together: []string{"vendored " + r.Old.Path},
		}))
	}
	return out
}

// at places an entry on the lines of a directive.
func at(l *modfile.Line, e Entry) Entry {
	e.From, e.To = l.Start.Line-1, l.End.Line
	return e
}

func moduleKey(path string) string { return "module " + path }

// readGoSum reads a go.sum or go.work.sum.
func readGoSum(_ string, text []byte) (list []Entry, err error) {
	for n, line := range rows(text) {
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		if len(words) != 3 || !strings.Contains(words[2], ":") {
			return nil, atLine(n, "want a module, a version and a checksum")
		}
		list = append(list, Entry{
			ID: words[0] + " " + words[1], Name: words[0], Version: strings.TrimSuffix(words[1], "/go.mod"), Partial: true, From: n, To: n + 1,
		})
	}
	return list, nil
}

// relateSums ties go.mod and go.sum, which may have more lines than the modules need, but not fewer. So all that go.sum
// gains is needed by every change of a go.mod, and what it loses needs all of them. If these changes are about one
// module, all of go.sum goes with that.
func relateSums(p *project) {
	var asking []int
	names := make(map[string]bool)
	var sums [2][]int
	for _, a := range p.altered {
		switch {
		case a.name() == goCommand: // needs no sum
		case !strings.HasSuffix(a.file.Path, ".sum"):
			asking = append(asking, a.changes...)
			names[a.name()] = true
		case a.entry[bad] != nil:
			sums[bad] = append(sums[bad], a.changes...)
		default:
			sums[good] = append(sums[good], a.changes...)
		}
	}
	if len(names) == 1 {
		p.circle(slices.Concat(asking, sums[good], sums[bad]), "")
		p.single = slices.Collect(maps.Keys(names))[0]
		return
	}
	for which, list := range sums {
		p.circle(list, "")
		for _, i := range asking {
			if len(list) > 0 && which == bad {
				p.tie(i, list[0], "")
			} else if len(list) > 0 {
				p.tie(list[0], i, "")
			}
		}
	}
}

// relateNested ties a module that is no longer required, or now is, to others that change and whose paths
// begin with its path, or the other way round: packages may have moved between them.
func relateNested(p *project) {
	var list []*presence
	for _, a := range p.altered {
		if path.Base(a.file.Path) == "go.mod" {
			list = append(list, a)
		}
	}
	for _, a := range list {
		if a.entry[good] != nil && a.entry[bad] != nil {
			continue
		}
		for _, b := range list {
			x, y := a.name()+"/", b.name()+"/"
			if a.file == b.file && x != y && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x)) {
				p.circle([]int{a.changes[0], b.changes[0]}, a.file.Path+": packages may have moved between "+a.name()+" and "+b.name())
			}
		}
	}
}

// relatePruning ties all of a go.mod that goes from a version of Go before 1.17 to a later one, or back: the later one
// has all modules that packages are built of, the earlier one only those that no other module asks for.
func relatePruning(p *project) {
	prunes := func(e *Entry) bool { return e != nil && compareModules(goCommand, e.Version, "1.17") >= 0 }
	for _, a := range p.altered {
		if a.name() != goCommand || path.Base(a.file.Path) != "go.mod" || prunes(a.entry[good]) == prunes(a.entry[bad]) {
			continue
		}
		var all []int
		for _, b := range p.altered {
			if b.file == a.file {
				all = append(all, b.changes[0])
			}
		}
		p.circle(all, a.file.Path+": since go 1.17 it names all modules that are needed")
	}
}

// relateUnpruned ties a module that is no longer required, or now is, by a go.mod with a version of Go before 1.17, to
// each module that requires it in either of its versions: such a go.mod leaves out what another module asks for.
func relateUnpruned(p *project, graphs [2]*moduleGraph) {
	pruned := make(map[*File]bool)
	for _, a := range p.present {
		for _, e := range a.entry {
			if e != nil && e.ID == "go" && compareModules(goCommand, e.Version, "1.17") >= 0 {
				pruned[a.file] = true
			}
		}
	}
	for _, a := range p.altered {
		if path.Base(a.file.Path) != "go.mod" || pruned[a.file] || a.entry[good] != nil && a.entry[bad] != nil {
			continue
		}
		for _, b := range p.altered {
			for which, e := range b.entry {
				if e == nil || b.file != a.file || !e.requires() {
					continue
				}
				least, _ := graphs[which].least(e.Name, e.Version)
				if slices.ContainsFunc(least, func(m moduleVersion) bool { return m.path == a.name() }) {
					p.circle([]int{a.changes[0], b.changes[0]}, a.file.Path+": "+e.Name+" "+e.Version+" requires "+a.name())
				}
			}
		}
	}
}

// relateSummed ties a module, of a go.mod with a version of Go before 1.17, to another one where both require a third module that
// the go.mod leaves out: if go.sum has no checksum of the version that the former requires, then the latter has to require a higher one.
func relateSummed(p *project, graphs [2]*moduleGraph) {
	sums := make(map[moduleVersion]bool)
	listed := make(map[string]bool)
	type requirement struct {
		*Entry
		which int
	}
	var required []requirement
	for _, a := range p.present {
		for which, e := range a.entry {
			switch {
			case e == nil:
			case e.ID == "go" && path.Base(a.file.Path) == "go.mod" && compareModules(goCommand, e.Version, "1.17") >= 0:
				return // it leaves out none that packages are built of
			case strings.HasSuffix(a.file.Path, ".sum"):
				if e.ID == e.Name+" "+e.Version {
					sums[moduleVersion{e.Name, e.Version}] = true
				}
			case strings.HasPrefix(e.ID, "require "):
				listed[e.Name] = true
				if which == good || len(a.changes) > 0 {
					required = append(required, requirement{e, which})
				}
			}
		}
	}
	type demand struct {
		by      *Entry
		version string
	}
	demands := make(map[string][]demand) // by the module that is left out
	for _, e := range required {
		least, _ := graphs[e.which].least(e.Name, e.Version)
		for _, m := range least {
			if m.path != goCommand && !listed[m.path] {
				demands[m.path] = append(demands[m.path], demand{e.Entry, m.version})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(demands)) {
		for _, d := range demands[name] {
			if sums[moduleVersion{name, d.version}] {
				continue
			}
			key := "checksum of " + name + " " + d.version
			d.by.Needs = append(d.by.Needs, Need{Keys: []string{key}, What: "a version of " + name + " with a checksum", Accepts: anyVersion})
			for _, higher := range demands[name] {
				if sums[moduleVersion{name, higher.version}] && compareModules(name, higher.version, d.version) > 0 && !slices.Contains(higher.by.Provides, key) {
					higher.by.Provides = append(higher.by.Provides, key)
				}
			}
		}
	}
}

// relateIncompatible ties a module without a go.mod, as one of a version v2 or later without that in its path is, to the
// requirements that come with its newer version, and that go with its older one: it may be built of any of these
// (go.dev/ref/mod, "+incompatible versions").
func relateIncompatible(p *project) {
	var list []*presence
	for _, a := range p.altered {
		if path.Base(a.file.Path) == "go.mod" && slices.ContainsFunc(a.entry[:], func(e *Entry) bool { return e != nil && strings.HasPrefix(e.ID, "require ") }) {
			list = append(list, a)
		}
	}
	silent := func(e *Entry) bool { return e != nil && strings.HasSuffix(e.Version, "+incompatible") }
	for _, a := range list {
		for _, b := range list {
			reason := a.file.Path + ": " + a.name() + " has no go.mod that says what it requires"
			switch {
			case a == b || a.file != b.file:
			case b.entry[good] == nil && silent(a.entry[bad]):
				p.tie(a.changes[0], b.changes[0], reason)
			case b.entry[bad] == nil && silent(a.entry[good]):
				p.tie(b.changes[0], a.changes[0], reason)
			}
		}
	}
}

// requires reports whether an entry is the requirement of a go.mod.
func (e *Entry) requires() bool { return strings.HasPrefix(e.ID, "require ") }

// relateGo adds to the entries of a project what only both sides tell, and what the modules require. at returns the project in a
// directory; nil if nothing changes there.
func relateGo(p *project, modules Modules, at func(home string) *project) {
	relateSums(p)
	relateNested(p)
	relatePruning(p)
	i := slices.IndexFunc(p.present, func(a *presence) bool { return path.Base(a.file.Path) == "go.mod" })
	if i < 0 {
		return
	}
	mod := p.present[i].file
	var graphs [2]*moduleGraph
	for which, text := range [][]byte{mod.Old, mod.New} {
		f, err := modfile.Parse(mod.Path, text, nil)
		if err != nil {
			return // it was read before
		}
		graphs[which] = newModuleGraph(modules, f, func(dir string) []byte {
			if path.IsAbs(dir) {
				return nil // it is not of the repository
			}
			if beside := at(path.Join(p.home, dir)); beside != nil {
				return beside.goMod(which)
			}
			return nil
		})
	}
	relateUnpruned(p, graphs)
	relateIncompatible(p)
	relateSummed(p, graphs)
	p.unknown = newUnknown(p)
	unbuilt := [2]bool{graphs[good].unbuilt(), graphs[bad].unbuilt()}
	for _, a := range p.altered {
		for which, e := range a.entry {
			if which == good && len(p.unknown.moved[good]) == 0 || e == nil || !e.requires() {
				continue // whatever it requires at good, no version is lower at bad
			}
			if missing := graphs[which].require(e); missing != (moduleVersion{}) && unbuilt[which] {
				p.unknown.add(which, a, missing)
			}
		}
	}
	relateFolders(p, graphs, at)
}

// goMod is a side of the go.mod of a project; nil if it has none that changes.
func (p *project) goMod(which int) []byte {
	for _, a := range p.present {
		if path.Base(a.file.Path) == "go.mod" {
			return [][]byte{a.file.Old, a.file.New}[which]
		}
	}
	return nil
}

// relateFolders lets what a go.mod in a folder of the project requires, if a module is replaced by that folder, be a need of the
// modules that this project requires.
func relateFolders(p *project, graphs [2]*moduleGraph, at func(home string) *project) {
	for _, a := range p.present {
		var shadows []*presence
		for which, e := range a.entry {
			if e == nil || !e.requires() {
				continue
			}
			to := replacement(module.Version{Path: e.Name, Version: e.Version}, graphs[which].project.Replace)
			if !modfile.IsDirectoryPath(to.Path) || path.IsAbs(to.Path) {
				continue
			}
			beside := at(path.Join(p.home, to.Path))
			if beside == nil || beside == p {
				continue
			}
			own, err := modfile.ParseLax("go.mod", beside.goMod(which), nil)
			for _, b := range beside.altered {
				asks := b.entry[which]
				if asks == nil || path.Base(b.file.Path) != "go.mod" || len(asks.Provides) == 0 {
					continue
				}
				shadow := Entry{Name: asks.Name, Version: asks.Version, Needs: []Need{atLeast(moduleVersion{asks.Name, asks.Version})}}
				if err == nil && !pruned(own) {
					graphs[which].require(&shadow)
				}
				s := &presence{file: b.file, changes: b.changes}
				s.entry[which] = &shadow
				shadows = append(shadows, s)
			}
		}
		p.present = append(p.present, shadows...)
	}
}

// An unknown has the requirements of a go.mod of which it is not known what the modules require. Both are by side.
type unknown struct {
	moved   [2][]int        // changes of modules whose version is higher there than on the other side, or which only that side requires
	list    [2][]*presence  // the requirements
	missing []moduleVersion // whose go.mod is not at hand; of a folder without a version
}

func newUnknown(p *project) *unknown {
	u := &unknown{}
	for _, a := range p.altered {
		if path.Base(a.file.Path) != "go.mod" {
			continue
		}
		for which, e := range a.entry {
			other := a.entry[1-which]
			if e != nil && len(e.Provides) > 0 && (other == nil || compareModules(e.Name, e.Version, other.Version) > 0) {
				u.moved[which] = append(u.moved[which], a.changes[0])
			}
		}
	}
	return u
}

func (u *unknown) add(which int, a *presence, missing moduleVersion) {
	u.list[which] = append(u.list[which], a)
	u.missing = append(u.missing, missing)
}

// tie lets each of the requirements, where it is as on its side, have all moved modules as they are on that side, too: it may
// require any of them. All ties go through one of the requirements, so that there are no more than that takes.
func (u *unknown) tie(p *project) {
	had := make(map[[2]int]bool) // which need no such reason
	for _, t := range p.edges {
		had[[2]int{t.Change, t.Requires}] = true
	}
	before := len(p.edges)
	for which, list := range u.list {
		if len(list) == 0 {
			continue
		}
		through := list[0]
		if i := slices.IndexFunc(list, func(a *presence) bool { return slices.Contains(u.moved[which], a.changes[0]) }); i >= 0 {
			through = list[i]
		}
		add := func(a *presence, needs int) {
			change, reason := a.changes[0], a.file.Path+": what "+a.entry[which].Name+" "+a.entry[which].Version+" requires is not known"
			if which == good { // applying a change takes away what is needed
				change, needs = needs, change
			}
			if !had[[2]int{change, needs}] {
				p.tie(change, needs, reason)
			}
		}
		for _, change := range u.moved[which] {
			add(through, change)
		}
		for _, a := range list {
			add(a, through.changes[0])
		}
	}
	if len(p.edges) == before {
		return
	}
	slices.SortFunc(u.missing, func(a, b moduleVersion) int { // folders last
		return cmp.Or(strings.Compare(b.version, "")-strings.Compare(a.version, ""), cmp.Compare(a.path, b.path), cmp.Compare(a.version, b.version))
	})
	u.missing = slices.Compact(u.missing)
	m, more := u.missing[0], ""
	if n := len(u.missing) - 1; n > 0 {
		more = fmt.Sprintf(" and of %d more", n)
	}
	p.note = "updates of Go modules are tied to each other, as it is not known what they require: "
	if m.version == "" {
		p.note += "the go.mod of " + m.path + more + " does not change, and was not read"
	} else {
		p.note += fmt.Sprintf("the module cache lacks the go.mod of %s %s%s", m.path, m.version, more)
		if module.Check(m.path, m.version) == nil { // else nobody should paste it
			p.note += fmt.Sprintf("; `go mod download %s@%s` brings it", m.path, m.version)
		}
	}
}

func vendored(name string) bool { return strings.HasSuffix("/"+name, "/vendor/modules.txt") }

// readVendored reads vendor/modules.txt, which the go command compares with go.mod. A module begins with
// a line "# path version", or "# path => replacement", and has its packages below it.
func readVendored(_ string, text []byte) (list []Entry, err error) {
	for n, line := range rows(text) {
		words := strings.Fields(string(line))
		switch {
		case len(words) == 0:
			continue
		case words[0] == "##" && len(list) == 0: // ## workspace
			continue
		case words[0] == "#" && len(words) >= 3:
			e := Entry{ID: words[1], Name: words[1], From: n, To: n + 1, Together: []string{"vendored " + words[1]}}
			if e.Exact = semver.IsValid(words[2]); e.Exact {
				e.Version = words[2]
			} else { // at the end of the file: the module is replaced in every version
				e.ID = "replace " + e.ID
			}
			list = append(list, e)
		case len(list) == 0:
			return nil, atLine(n, "want a module before its packages")
		default:
			list[len(list)-1].To = n + 1
		}
	}
	return list, nil
}

// Modules returns the go.mod of a version of a module; nil if it is not at hand.
type Modules func(path, version string) []byte

// require adds to a requirement of a go.mod what the go.mod of the module asks for. In a consistent go.mod
// each module stands at the version that minimal version selection chooses, which is no lower than any that
// is required (go.dev/ref/mod). missing is as least returns it.
func (g *moduleGraph) require(e *Entry) (missing moduleVersion) {
	least, missing := g.least(e.Name, e.Version)
	for _, m := range least {
		e.Needs = append(e.Needs, atLeast(m))
	}
	return missing
}

// atLeast requires a module in a version or a later one.
func atLeast(m moduleVersion) Need {
	return Need{
		Keys: []string{moduleKey(m.path)}, What: m.path + " " + m.version,
		Accepts: func(v string) bool { return compareModules(m.path, v, m.version) >= 0 },
	}
}

// compareModules compares two versions of a module, or of Go.
func compareModules(path, a, b string) int {
	if path == goCommand {
		return version.Compare("go"+a, "go"+b)
	}
	return semver.Compare(a, b)
}

// pruned reports whether of the modules that a go.mod requires no further go.mod is loaded.
func pruned(f *modfile.File) bool {
	return f.Go != nil && compareModules(goCommand, f.Go.Version, "1.17") >= 0
}

type moduleVersion struct{ path, version string }

// A moduleGraph has the go.mod files of modules as one revision of a project takes them, and remembers those that were read.
type moduleGraph struct {
	modules Modules
	project *modfile.File
	folder  func(dir string) []byte // the go.mod of a folder that a module is replaced by; nil = it is not at hand
	files   map[moduleVersion]*modfile.File
	leasts  map[moduleVersion]required
}

// A required is what a module requires: see least.
type required struct {
	least   []moduleVersion
	missing moduleVersion
}

func newModuleGraph(modules Modules, project *modfile.File, folder func(dir string) []byte) *moduleGraph {
	return &moduleGraph{modules, project, folder, make(map[moduleVersion]*modfile.File), make(map[moduleVersion]required)}
}

// unbuilt reports whether it is unlikely that the project was built with the module cache. The go command then has read the go.mod of each
// module that has a package of the build, such as those that the project itself imports, and of no module that it can do without, unless
// the project is of before go 1.17 (go.dev/ref/mod, "Lazy module loading").
func (g *moduleGraph) unbuilt() bool {
	return slices.ContainsFunc(g.project.Require, func(r *modfile.Require) bool {
		f, _ := g.file(moduleVersion{r.Mod.Path, r.Mod.Version})
		return f == nil && (!r.Indirect || !pruned(g.project))
	})
}

// file is the go.mod of a version of a module, or of what that is replaced by, which it returns, too; nil if it is not at hand.
func (g *moduleGraph) file(m moduleVersion) (f *modfile.File, key moduleVersion) {
	to := replacement(module.Version{Path: m.path, Version: m.version}, g.project.Replace)
	key = moduleVersion{to.Path, to.Version}
	f, ok := g.files[key]
	if !ok {
		var text []byte
		if modfile.IsDirectoryPath(to.Path) {
			text = g.folder(to.Path)
		} else if g.modules != nil {
			text = g.modules(to.Path, to.Version)
		}
		if text != nil {
			f, _ = modfile.ParseLax(to.Path, text, nil)
		}
		g.files[key] = f
	}
	return f, key
}

// least returns the least version of each module that a version of a module requires, in a fixed order, as
// far as the go command loads the go.mod files: of a module with go 1.17 or later its own, of an older one
// also those of what it requires (go.dev/ref/mod, "Module graph pruning"). missing is the module, or the folder in its place, if its
// own is not at hand.
func (g *moduleGraph) least(path, version string) (list []moduleVersion, missing moduleVersion) {
	root := moduleVersion{path, version}
	if known, ok := g.leasts[root]; ok {
		return known.least, known.missing
	}
	at := make(map[string]int)
	add := func(m moduleVersion) {
		if i, ok := at[m.path]; !ok {
			at[m.path] = len(list)
			list = append(list, m)
		} else if compareModules(m.path, list[i].version, m.version) < 0 {
			list[i].version = m.version
		}
	}
	seen := map[moduleVersion]bool{root: true}
	for queue := []moduleVersion{root}; len(queue) > 0; {
		m := queue[0]
		queue = queue[1:]
		f, key := g.file(m)
		if f == nil {
			if m == root {
				missing = key
			}
			continue // what only an older module requires the go command has read, if it needs it
		}
		if f.Go != nil {
			add(moduleVersion{goCommand, f.Go.Version})
		}
		for _, r := range f.Require {
			m := moduleVersion{r.Mod.Path, r.Mod.Version}
			add(m)
			if !pruned(f) && !seen[m] {
				queue = append(queue, m)
				seen[m] = true
			}
		}
	}
	g.leasts[root] = required{list, missing}
	return list, missing
}
