package updates

import (
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

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
		if a.inGoMod() {
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
func relatePruning(p *project, graphs [2]*moduleGraph) {
	if pruned(graphs[good].project) == pruned(graphs[bad].project) {
		return
	}
	var all []int
	name := ""
	for _, a := range p.altered {
		if a.inGoMod() {
			all, name = append(all, a.changes[0]), a.file.Path
		}
	}
	p.circle(all, name+": since go 1.17 it names all modules that are needed")
}

// relateUnpruned ties a module that is no longer required, or now is, by a go.mod with a version of Go before 1.17, to
// each module that requires it in either of its versions: such a go.mod leaves out what another module asks for.
func relateUnpruned(p *project, graphs [2]*moduleGraph) {
	if pruned(graphs[good].project) || pruned(graphs[bad].project) {
		return
	}
	for _, a := range p.altered {
		if !a.inGoMod() || a.entry[good] != nil && a.entry[bad] != nil {
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
	if pruned(graphs[good].project) || pruned(graphs[bad].project) {
		return // it leaves out none that packages are built of
	}
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
			case strings.HasSuffix(a.file.Path, ".sum"):
				if e.ID == e.Name+" "+e.Version {
					sums[moduleVersion{e.Name, e.Version}] = true
				}
			case e.requires():
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
		if slices.ContainsFunc(a.entry[:], func(e *Entry) bool { return e != nil && e.requires() }) {
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

// inGoMod reports whether the entry is of the go.mod of its project.
func (a *presence) inGoMod() bool { return path.Base(a.file.Path) == "go.mod" }

// requires reports whether an entry is the requirement of a go.mod.
func (e *Entry) requires() bool { return strings.HasPrefix(e.ID, "require ") }

// relateGo adds to the entries of a project what only both sides tell, and what the modules require. projectIn returns the project in a
// directory; nil if nothing changes there.
func relateGo(p *project, modules Modules, projectIn func(home string) *project) {
	relateSums(p)
	relateNested(p)
	i := slices.IndexFunc(p.present, func(a *presence) bool { return a.inGoMod() })
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
			if beside := projectIn(path.Join(p.home, dir)); beside != nil {
				return beside.goMod(which)
			}
			return nil
		})
	}
	relatePruning(p, graphs)
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
	relateFolders(p, graphs, projectIn)
}

// goMod is a side of the go.mod of a project; nil if it has none that changes.
func (p *project) goMod(which int) []byte {
	for _, a := range p.present {
		if a.inGoMod() {
			return [][]byte{a.file.Old, a.file.New}[which]
		}
	}
	return nil
}

// relateFolders lets what a go.mod in a folder of the project requires, if a module is replaced by that folder, be a need of the
// modules that this project requires.
func relateFolders(p *project, graphs [2]*moduleGraph, projectIn func(home string) *project) {
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
			beside := projectIn(path.Join(p.home, to.Path))
			if beside == nil || beside == p {
				continue
			}
			own, err := modfile.ParseLax("go.mod", beside.goMod(which), nil)
			for _, b := range beside.altered {
				asks := b.entry[which]
				if asks == nil || !b.inGoMod() || len(asks.Provides) == 0 {
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
