package updates

import (
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
func readGoMod(name string, text []byte) ([]Entry, bool) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, false
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
	return list, true
}

// sourceOf is what the go command takes for a required module: the last line that replaces it counts.
func sourceOf(m module.Version, replaced []*modfile.Replace) Source {
	to := m
	for _, r := range replaced {
		if r.Old.Path == m.Path && (r.Old.Version == "" || r.Old.Version == m.Version) {
			to = r.New
		}
	}
	if modfile.IsDirectoryPath(to.Path) {
		return Source{}
	}
	return Source{Name: to.Path, Version: to.Version}
}

// readGoWork reads a go.work as far as it replaces modules.
func readGoWork(name string, text []byte) ([]Entry, bool) {
	f, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return nil, false
	}
	list := replacements(f.Replace)
	if f.Go != nil {
		list = append(list, at(f.Go.Syntax, Entry{ID: "go", Name: goCommand, Version: f.Go.Version, Exact: true}))
	}
	return list, true
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
func readGoSum(_ string, text []byte) (list []Entry, ok bool) {
	for n, line := range rows(text) {
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		if len(words) != 3 || !strings.Contains(words[2], ":") {
			return nil, false
		}
		list = append(list, Entry{
			ID: words[0] + " " + words[1], Name: words[0], Version: strings.TrimSuffix(words[1], "/go.mod"), Partial: true, From: n, To: n + 1,
		})
	}
	return list, true
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
func relateUnpruned(p *project, graph *moduleGraph) {
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
			for _, e := range b.entry {
				if e == nil || b.file != a.file || !strings.HasPrefix(e.ID, "require ") {
					continue
				}
				least, _ := graph.least(e.Name, e.Version)
				if slices.ContainsFunc(least, func(m moduleVersion) bool { return m.path == a.name() }) {
					p.circle([]int{a.changes[0], b.changes[0]}, a.file.Path+": "+e.Name+" "+e.Version+" requires "+a.name())
				}
			}
		}
	}
}

// relateSummed ties a module, of a go.mod with a version of Go before 1.17, to another one where both require a third module that
// the go.mod leaves out: if go.sum has no checksum of the version that the former requires, then the latter has to require a higher one.
func relateSummed(p *project, graph *moduleGraph) {
	sums := make(map[moduleVersion]bool)
	listed := make(map[string]bool)
	var required []*Entry
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
					required = append(required, e)
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
		least, _ := graph.least(e.Name, e.Version)
		for _, m := range least {
			if m.path != goCommand && !listed[m.path] {
				demands[m.path] = append(demands[m.path], demand{e, m.version})
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

// relateGo adds to the entries of a project what only both sides tell, and what the modules require.
func relateGo(p *project, modules Modules) {
	var unknown []string
	var asked []*Entry
	lowered := slices.ContainsFunc(p.altered, func(a *presence) bool {
		old, new := a.entry[good], a.entry[bad]
		return old != nil && len(old.Provides) > 0 && (new == nil || compareModules(old.Name, new.Version, old.Version) < 0)
	})
	relateSums(p)
	relateNested(p)
	relatePruning(p)
	relateUnpruned(p, p.graph(modules))
	relateIncompatible(p)
	relateSummed(p, p.graph(modules))
	for _, a := range p.altered {
		if path.Base(a.file.Path) == "go.mod" {
			for which, e := range a.entry {
				if which == good && !lowered { // whatever it requires, no version is lower at bad
					continue
				}
				if e == nil || !strings.HasPrefix(e.ID, "require ") {
					continue
				}
				asked = append(asked, e)
				if !p.graph(modules).require(e) {
					unknown = append(unknown, e.Name+" "+e.Version)
				}
			}
		}
	}
	// The go command does not read the go.mod of a module that no package is built of (go.dev/ref/mod, "Lazy
	// module loading"), so that some are missing from the cache of whoever has built both revisions.
	if len(unknown) < len(asked) || len(asked) < 2 {
		return
	}
	slices.Sort(unknown)
	for _, e := range asked {
		e.Together = append(e.Together, "unknown requirements")
	}
	name, at, _ := strings.Cut(unknown[0], " ")
	more := ""
	if n := len(unknown) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	p.note = fmt.Sprintf("updates of Go modules are tied to each other: the module cache has no go.mod of %s%s; `go mod download %s@%s` brings it", unknown[0], more, name, at)
}

func vendored(name string) bool { return strings.HasSuffix("/"+name, "/vendor/modules.txt") }

// readVendored reads vendor/modules.txt, which the go command compares with go.mod. A module begins with
// a line "# path version", or "# path => replacement", and has its packages below it.
func readVendored(_ string, text []byte) (list []Entry, ok bool) {
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
			return nil, false
		default:
			list[len(list)-1].To = n + 1
		}
	}
	return list, len(list) > 0
}

// Modules returns the go.mod of a version of a module; nil if it is not at hand.
type Modules func(path, version string) []byte

// require adds to a requirement of a go.mod what the go.mod of the module asks for. In a consistent go.mod
// each module stands at the version that minimal version selection chooses, which is no lower than any that
// is required (go.dev/ref/mod). It returns false if that file is not at hand.
func (g *moduleGraph) require(e *Entry) bool {
	least, ok := g.least(e.Name, e.Version)
	for _, m := range least {
		e.Needs = append(e.Needs, Need{
			Keys: []string{moduleKey(m.path)}, What: m.path + " " + m.version,
			Accepts: func(v string) bool { return compareModules(m.path, v, m.version) >= 0 },
		})
	}
	return ok
}

// compareModules compares two versions of a module, or of Go.
func compareModules(path, a, b string) int {
	if path == goCommand {
		return version.Compare("go"+a, "go"+b)
	}
	return semver.Compare(a, b)
}

type moduleVersion struct{ path, version string }

// A moduleGraph remembers the go.mod files that were read.
type moduleGraph struct {
	modules Modules
	files   map[string]*modfile.File // nil = not at hand
	leasts  map[moduleVersion][]moduleVersion
}

func (g *moduleGraph) file(path, version string) *modfile.File {
	if g.modules == nil {
		return nil
	}
	key := path + "@" + version
	f, ok := g.files[key]
	if !ok {
		if text := g.modules(path, version); text != nil {
			f, _ = modfile.ParseLax(key, text, nil)
		}
		g.files[key] = f
	}
	return f
}

// least returns the least version of each module that a version of a module requires, in a fixed order, as
// far as the go command loads the go.mod files: of a module with go 1.17 or later its own, of an older one
// also those of what it requires (go.dev/ref/mod, "Module graph pruning"). ok is false if its own is not at hand.
func (g *moduleGraph) least(path, version string) (list []moduleVersion, ok bool) {
	root := g.file(path, version)
	if root == nil {
		return nil, false
	}
	if list, ok := g.leasts[moduleVersion{path, version}]; ok {
		return list, true
	}
	defer func() { g.leasts[moduleVersion{path, version}] = list }()
	at := make(map[string]int)
	seen := map[moduleVersion]bool{{path, version}: true}
	for queue := []*modfile.File{root}; len(queue) > 0; {
		f := queue[0]
		queue = queue[1:]
		add := func(m moduleVersion) {
			if i, ok := at[m.path]; !ok {
				at[m.path] = len(list)
				list = append(list, m)
			} else if compareModules(m.path, list[i].version, m.version) < 0 {
				list[i].version = m.version
			}
		}
		if f.Go != nil {
			add(moduleVersion{goCommand, f.Go.Version})
		}
		pruned := f.Go != nil && compareModules(goCommand, f.Go.Version, "1.17") >= 0
		for _, r := range f.Require {
			m := moduleVersion{r.Mod.Path, r.Mod.Version}
			add(m)
			if next := g.file(m.path, m.version); !pruned && !seen[m] && next != nil {
				queue = append(queue, next)
			}
			seen[m] = true
		}
	}
	return list, true
}

func newModuleGraph(modules Modules) *moduleGraph {
	return &moduleGraph{modules, make(map[string]*modfile.File), make(map[moduleVersion][]moduleVersion)}
}
