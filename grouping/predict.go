package grouping

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// A name gives edges only while it says something: one defined by more than
// maxDefiners changes means several things, one used by more than maxUsers is
// too common for advice. (The name of a module of Go never is.)
const (
	maxDefiners = 3
	maxUsers    = 512
)

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.space, o.space), cmp.Compare(k.scope, o.scope), cmp.Compare(k.name, o.name))
}

// A roll says which changes define and which use a key, in increasing order.
type roll struct {
	definers, users map[key][]int
}

// A link is a name that connects changes: one that the difference introduces
// (it occurs nowhere in good) or retires (nowhere in bad).
type link struct {
	key             key
	definers, users []int
}

// links returns the names that one side of the difference has and the other
// has not, sorted. which is the side that has them.
func (v *survey) links(which int) []link {
	r := roll{make(map[key][]int), make(map[key][]int)}
	other := v.occurs[1-which]
	for i := range v.facts {
		for _, k := range v.facts[i].defines[which] {
			if k.space != symbolSpace && !other.has(k.occurrence()) {
				r.definers[k] = append(r.definers[k], i)
			}
		}
	}
	resolve := newResolver(r.definers, v.packages)
	for i := range v.facts {
		for _, k := range v.facts[i].uses[which] {
			k, ok := resolve.key(k)
			if _, defined := r.definers[k]; !ok || !defined {
				continue
			}
			if list := r.users[k]; len(list) == 0 || list[len(list)-1] != i {
				r.users[k] = append(list, i)
			}
		}
	}
	var list []link
	for k, users := range r.users {
		if definers := r.definers[k]; len(definers) <= maxDefiners && (len(users) <= maxUsers || k.space == goRequire) {
			list = append(list, link{k, definers, users})
		}
	}
	slices.SortFunc(list, func(a, b link) int { return a.key.compare(b.key) })
	return list
}

// occurrence is the key under which any mention of k's name is recorded.
func (k key) occurrence() key {
	switch k.space {
	case memberSpace:
		k.space = nameSpace
	case localSpace:
		if family, _, _ := strings.Cut(k.scope, " "); family != syntaxOf(java).family && family != syntaxOf(csharp).family {
			k.space, k.scope = nameSpace, family
		}
	}
	return k
}

// A resolver turns a use whose meaning depends on what is defined (an import
// path, a name behind one) into the key of the definition.
type resolver struct {
	imports  importIndex
	modules  []string
	scopes   map[string][]string // Go: name -> scopes that define it
	packages packageNames
}

func newResolver(definers map[key][]int, packages packageNames) *resolver {
	r := &resolver{imports: newImportIndex(definers), scopes: make(map[string][]string), packages: packages}
	for _, k := range slices.SortedFunc(maps.Keys(definers), key.compare) {
		switch k.space {
		case goRequire:
			r.modules = append(r.modules, k.name)
		case goPackage:
			r.scopes[k.name] = append(r.scopes[k.name], k.scope)
		}
	}
	return r
}

func (r *resolver) key(k key) (key, bool) {
	switch k.space {
	case importSpace:
		name, ok := r.imports.find(k.scope, k.name)
		return key{space: fileSpace, name: name}, ok
	case goRequire: // the longest module that holds the path
		best := ""
		for _, m := range r.modules {
			if len(m) > len(best) && inModule(k.name, m) {
				best = m
			}
		}
		return key{space: goRequire, name: best}, best != ""
	case goImported:
		for _, scope := range r.scopes[k.name] {
			if goPackageIn(k.scope, scope, r.packages[scope]) {
				return key{goPackage, scope, k.name}, true
			}
		}
		return key{}, false
	}
	return k, true
}

// mustBeUsed tells the names that Go refuses when nothing uses them.
func (k key) mustBeUsed() bool { return k.space == goImport || k.space == goLocal }

// edges collects requirements without doubles.
type edges struct {
	rows  [][]int
	known [][]int // structural: not repeated
}

func (e *edges) add(i, requires int) {
	if i != requires && !slices.Contains(e.known[i], requires) {
		e.rows[i] = append(e.rows[i], requires)
	}
}

// predict returns for each change the changes it most likely requires, in
// increasing order, structural ones left out; nil for none.
//
//   - A change that brings a use of an introduced name requires its definition, of
//     several the nearest.
//   - A change that retires a definition requires the changes that drop its uses, if it
//     is the nearest to them.
//   - The changes that give a name of a declaration a new name require each other (renamings).
//   - A declaration that moved is taken away and put back together.
//   - A public class of Java is renamed together with its file.
//   - Go refuses unused imports and variables, so these require their use if
//     only one change uses them.
//   - A hunk that does not parse alone requires its neighbours (syntax).
//   - A hunk of C that opens a condition of the preprocessor and the one that
//     closes it require each other (conditionals).
//   - The hunks of a file that a program made require each other (generated).
//   - A method that overrides one of a new supertype and the hunk that names the supertype require each other (overrides).
//   - Changed types and signatures go with what depends on them (types).
//   - What needs a newer Go requires the line that asks for it
//     (languageVersions); manifests and locks that are read
//     go by their entries (findUpdates), others go together (pairs).
func (v *survey) predict(s *changes.Set) [][]int {
	e := &edges{rows: make([][]int, len(s.Changes)), known: s.Requires}
	if e.known == nil {
		e.known = make([][]int, len(s.Changes))
	}
	for _, of := range []int{bad, good} {
		add := e.add
		if of == good { // what good has goes in the opposite order
			add = func(change, requires int) { e.add(requires, change) }
		}
		for _, l := range v.links(of) {
			for _, user := range l.users {
				if !slices.Contains(l.definers, user) {
					for _, definer := range nearest(s.Changes, l.key, user, l.definers, of) {
						add(user, definer)
					}
				}
			}
			if l.key.mustBeUsed() && len(l.users) == 1 {
				add(l.definers[0], l.users[0])
			}
		}
	}
	v.moves(e)
	v.renamedClasses(s.Changes, e)
	v.types(s, e)
	v.languageVersions(s, e)
	for _, t := range v.updates.Ties {
		e.add(t.Change, t.Requires)
	}
	pairs(s, v.updates.Read, e)
	for i := range v.facts {
		for _, j := range v.facts[i].requires {
			e.add(i, j)
		}
	}
	for i, row := range e.rows {
		slices.Sort(row)
		e.rows[i] = slices.Compact(row)
	}
	return e.rows
}

// nearest returns, of the changes that define a name, those that a change which uses the
// name is taken to mean: those in its own file or, if there are none, in the files whose
// paths have the most leading elements in common with its path. Sources and what is built of
// them define the same names, and each of them uses its own. In C, a function is defined in a
// source and declared in a header, and its callers need both, so headers are compared with
// headers alone. Keys of other spaces than nameSpace and memberSpace have a scope that says
// what is meant, or, as members in Go, may be those of an interface and of its
// implementation: of these all are meant. which is the side that the paths are of. Cost:
// linear in the definers.
func nearest(list []changes.Change, k key, user int, definers []int, which int) []int {
	if len(definers) == 1 || k.space != nameSpace && k.space != memberSpace {
		return definers
	}
	file := func(i int) string {
		if which == good {
			return list[i].OldPath
		}
		return list[i].Path
	}
	header := func(i int) bool { return syntaxOf(languageOf(file(i), nil)).family == "c" && isHeader(file(i)) }
	best := map[bool]int{}
	near := make([]int, len(definers))
	for n, definer := range definers {
		near[n] = inCommon(file(user), file(definer))
		best[header(definer)] = max(best[header(definer)], near[n])
	}
	var meant []int
	for n, definer := range definers {
		if near[n] == best[header(definer)] {
			meant = append(meant, definer)
		}
	}
	return meant
}

// inCommon returns the number of leading elements that two paths share.
func inCommon(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// renamedClasses ties the renaming of a file of Java to the change that renames the public class of this name.
func (v *survey) renamedClasses(list []changes.Change, e *edges) {
	classes := map[[2]string][]int{} // old and new path -> the changes that rename the class
	class := func(name string) key {
		return key{nameSpace, syntaxOf(java).family, strings.TrimSuffix(path.Base(name), ".java")}
	}
	for i := range list {
		c := &list[i]
		if c.Kind == changes.Text && c.Path != c.OldPath && languageOf(c.Path, nil) == java && bytes.Contains(c.New, []byte("public")) &&
			slices.Contains(v.facts[i].defines[bad], class(c.Path)) && slices.Contains(v.facts[i].defines[good], class(c.OldPath)) {
			classes[[2]string{c.OldPath, c.Path}] = append(classes[[2]string{c.OldPath, c.Path}], i)
		}
	}
	for i := range list {
		if list[i].Kind == changes.Renamed {
			for _, j := range classes[[2]string{list[i].OldPath, list[i].Path}] {
				e.circle([]int{i, j})
			}
		}
	}
}

// moves ties the change that removes a declaration to the one that puts the
// same declaration elsewhere: without the second it is missing, without the
// first it is declared twice. Only for declarations that are unique on both
// sides.
func (v *survey) moves(e *edges) {
	to := make(map[key]int)
	for i := range v.facts {
		for _, k := range v.facts[i].defines[bad] {
			if h := k.hash(); k.space == symbolSpace && v.declared[good][h] == 1 && v.declared[bad][h] == 1 {
				to[k] = i
			}
		}
	}
	for i := range v.facts {
		for _, k := range v.facts[i].defines[good] {
			if j, ok := to[k]; ok && k.space == symbolSpace {
				e.add(i, j)
				e.add(j, i)
			}
		}
	}
}
