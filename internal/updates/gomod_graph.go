package updates

import (
	"go/version"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

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

// unbuilt reports whether the module cache lacks a go.mod that a build of the project would have read. A build reads the go.mod of each
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
	index := make(map[string]int) // in list, by path
	add := func(m moduleVersion) {
		if i, ok := index[m.path]; !ok {
			index[m.path] = len(list)
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
