package grouping

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"io"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// How much Go a Wellformed type-checks.
const (
	typedSources   = 16 << 20  // bytes of all packages at most
	typedBytes     = 256 << 20 // each time that they are checked
	mostTypeErrors = 200       // of a package
)

// Compile returns what a compiler of Go says of a configuration, in the compiler's form: all errors of the packages that
// changes touch, but for those that an end has, too. standard imports the standard library; packages that lie elsewhere
// are not read, and what depends on them is taken to be right. tests says whether the sources of tests are compiled, too. It is
// advice, as what Check returns.
//
// Cost: each package of which some changes and not all are applied, its own ones and those of packages that it imports, is
// type-checked once for each set of these, 5 to 20 MB a second, and no more than typedBytes in all.
func (w *Wellformed) Compile(applied iter.Seq[int], standard types.Importer, tests bool) []byte {
	if w == nil {
		return nil
	}
	if w.golang == nil {
		w.golang = newGoChecks(w, standard, tests)
	}
	var said bytes.Buffer
	var has []bool
	checked := map[*goDirectory]goChecked{}
	for _, p := range w.golang.packages {
		if p.skip {
			continue
		}
		if has == nil {
			has = w.composed(applied)
		}
		key, mixed := hashMixture(p.changes, has)
		if !mixed {
			continue
		}
		key = hashBytes(hashBytes(key, p.dir), p.suffix)
		list, known := w.golang.known[key]
		if !known {
			w.golang.check(p, has, checked)
			list = slices.DeleteFunc(slices.Clone(checked[p].errors), func(line string) bool { return p.usual[unplaced(line)] })
			w.golang.known[key] = list
		}
		for _, line := range list {
			said.WriteString(line)
			said.WriteByte('\n')
		}
	}
	return said.Bytes()
}

// hashMixture returns a hash of which of some changes are applied, and whether these are some and not all.
func hashMixture(list []int, has []bool) (hash uint64, mixed bool) {
	hash = offset64
	count := 0
	for _, i := range list {
		b := uint64(1)
		if has[i] {
			count++
			b = 2
		}
		hash = (hash ^ b) * prime64
	}
	return hash, count > 0 && count < len(list)
}

// unplaced returns an error without its place.
func unplaced(line string) string {
	_, text, _ := strings.Cut(line, ": ")
	return text
}

// A goChecks type-checks the packages of Go that changes touch. It is a part of a Wellformed.
type goChecks struct {
	*Wellformed
	standard types.Importer
	tests    bool
	set      *gotoken.FileSet
	packages []*goDirectory          // those of tests behind those that they test
	paths    map[string]*goDirectory // by import path
	known    map[uint64][]string     // by mixture: the errors of a package that no end has
	parsed   map[int]goSource        // by file of the index: the mixture of it that was read last
	checked  int                     // bytes
}

// A goDirectory is a package of which changes touch sources.
type goDirectory struct {
	dir     string
	path    string          // by which it is imported
	suffix  string          // "_test" of the package of the tests of another one, or ""
	files   []int           // of the index
	beside  []*ast.File     // sources that no change touches
	size    int             // bytes of those
	changes []int           // of the package and of all that it imports, in increasing order
	usual   map[string]bool // errors of the ends, without their places
	skip    bool            // it is too large, or cannot be read
}

// A goSource is a source in a configuration.
type goSource struct {
	name string
	hash uint64
	file *ast.File // nil if it is not compiled on this machine
	ok   bool      // it parses
}

// A goChecked is what a check of a package in a configuration has found.
type goChecked struct {
	*types.Package          // nil if it could not be checked
	errors         []string // as a compiler prints them
	empty          bool     // it has no source
}

func newGoChecks(w *Wellformed, standard types.Importer, tests bool) *goChecks {
	g := &goChecks{
		Wellformed: w, standard: standard, tests: tests, set: gotoken.NewFileSet(),
		paths: map[string]*goDirectory{}, known: map[uint64][]string{}, parsed: map[int]goSource{},
	}
	g.find()
	ends := [2][]bool{make([]bool, w.set.Len()), slices.Repeat([]bool{true}, w.set.Len())}
	g.relate(ends)
	if g.checked > 2*typedSources {
		g.packages = nil
	}
	for _, end := range ends {
		checked := map[*goDirectory]goChecked{}
		for _, p := range g.packages {
			g.check(p, end, checked)
			p.skip = p.skip || len(checked[p].errors) == mostTypeErrors
			for _, line := range checked[p].errors {
				p.usual[unplaced(line)] = true
			}
		}
	}
	return g
}

// relate finds out which changes a package depends on, by what it imports at the ends.
func (g *goChecks) relate(ends [2][]bool) {
	imports := map[*goDirectory][]*goDirectory{}
	for _, p := range g.packages {
		for _, end := range ends {
			files, _ := g.sources(p, end)
			for _, file := range files {
				for _, spec := range file.Imports {
					if q := g.paths[pathOf(spec)]; q != nil {
						imports[p] = append(imports[p], q)
					}
				}
			}
		}
	}
	for _, p := range g.packages {
		seen := map[*goDirectory]bool{}
		var visit func(q *goDirectory)
		visit = func(q *goDirectory) {
			if seen[q] {
				return
			}
			seen[q] = true
			for _, n := range q.files {
				p.changes = append(p.changes, g.files[n].members...)
			}
			for _, r := range imports[q] {
				visit(r)
			}
		}
		visit(p)
		slices.Sort(p.changes)
		p.changes = slices.Compact(p.changes)
	}
}

// find finds the packages, and reads the sources of them that no change touches.
func (g *goChecks) find() {
	in := map[string]*goDirectory{}
	for n := range g.files {
		f := &g.files[n]
		for _, name := range []string{f.oldPath, f.path} {
			if !g.isSource(name) {
				continue
			}
			suffixes := []string{""}
			if isGoTest(name) { // of which package it is, its text says
				suffixes = append(suffixes, "_test")
			}
			for _, suffix := range suffixes {
				id := path.Dir(name) + suffix
				if in[id] == nil {
					in[id] = &goDirectory{dir: path.Dir(name), suffix: suffix, usual: map[string]bool{}}
					g.packages = append(g.packages, in[id])
				}
				if p := in[id]; !slices.Contains(p.files, n) {
					p.files = append(p.files, n)
				}
			}
		}
	}
	for _, p := range g.packages {
		p.path = p.dir
		for _, importPath := range g.pathsOf(p.dir) {
			if p.path = importPath; p.suffix == "" {
				g.paths[importPath] = p
			}
		}
	}
	total := 0
	for _, p := range g.packages {
		touched := map[string]bool{}
		for _, n := range p.files {
			touched[g.files[n].oldPath], touched[g.files[n].path] = true, true
		}
		for _, f := range g.Wellformed.set.GoodFiles(p.dir) {
			if touched[f.Path] || !g.isSource(f.Path) || p.skip {
				continue
			}
			content, err := g.Wellformed.set.Content(f)
			p.size += len(content)
			total += len(content)
			is := g.parse(f.Path, content)
			p.skip = err != nil || !is.ok || total > typedSources
			if is.in(p) {
				p.beside = append(p.beside, is.file)
			}
		}
	}
}

// isSource reports whether a file is a source that is compiled.
func (g *goChecks) isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && (g.tests || !isGoTest(name))
}

func isGoTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// pathsOf returns the import paths of a directory at the two ends, by the nearest go.mod.
func (g *goChecks) pathsOf(dir string) (paths []string) {
	for at := dir; ; at = path.Dir(at) {
		name := path.Join(at, "go.mod")
		old, err := g.Wellformed.set.OldContent(name)
		if err != nil {
			old, _ = g.Wellformed.set.Content(g.Wellformed.set.GoodFile(name))
		}
		new, _ := g.Wellformed.set.NewContent(name)
		for _, content := range [][]byte{old, new} {
			if module := modfile.ModulePath(content); module != "" {
				paths = append(paths, path.Join(module, strings.TrimPrefix(strings.TrimPrefix(dir, at), "/")))
			}
		}
		if len(paths) > 0 || at == "." {
			return paths
		}
	}
}

// pathOf returns what a source imports.
func pathOf(spec *ast.ImportSpec) string {
	importPath, _ := strconv.Unquote(spec.Path.Value)
	return importPath
}

// parse parses a source. Where it imports what is not read, it gets the name that this most likely has.
func (g *goChecks) parse(name string, content []byte) goSource {
	is := goSource{name: name}
	on := build.Default
	on.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	match, err := on.MatchFile(path.Dir(name), path.Base(name))
	if is.ok = err == nil; !match || !is.ok {
		return is
	}
	file, err := parser.ParseFile(g.set, name, content, parser.SkipObjectResolution)
	if is.ok = err == nil; !is.ok {
		return is
	}
	is.file = file
	for _, spec := range file.Imports {
		importPath := pathOf(spec)
		if called := importName(importPath); spec.Name == nil && g.paths[importPath] == nil && called != path.Base(importPath) {
			spec.Name = &ast.Ident{NamePos: spec.Path.Pos(), Name: called}
		}
	}
	return is
}

// in reports whether a source is of a package, and compiled.
func (s goSource) in(p *goDirectory) bool {
	return s.file != nil && path.Dir(s.name) == p.dir && (p.suffix != "") == (isGoTest(s.name) && strings.HasSuffix(s.file.Name.Name, "_test"))
}

// sources returns the sources of a package in a configuration, by name. ok is false if one of them does not parse.
func (g *goChecks) sources(p *goDirectory, has []bool) (files []*ast.File, ok bool) {
	files = slices.Clone(p.beside)
	for _, n := range p.files {
		name := g.pathIn(&g.files[n], has)
		if name == "" || path.Dir(name) != p.dir || !g.isSource(name) {
			continue
		}
		is := g.source(n, name, has)
		if !is.ok {
			return nil, false
		}
		if is.in(p) {
			files = append(files, is.file)
		}
	}
	called := func(f *ast.File) string { return g.set.File(f.FileStart).Name() }
	slices.SortFunc(files, func(a, b *ast.File) int { return cmp.Compare(called(a), called(b)) })
	return files, true
}

// source returns a file of the index in a configuration, in which it has a name.
func (g *goChecks) source(n int, name string, has []bool) goSource {
	f := &g.files[n]
	hash, _ := hashMixture(f.members, has)
	was := g.parsed[n]
	if was.name == name && was.hash == hash {
		return was
	}
	if was.file != nil {
		g.set.RemoveFile(g.set.File(was.file.FileStart))
	}
	var is goSource
	if content, err := g.content(f, has); err == nil {
		g.checked += len(content)
		is = g.parse(name, content)
	}
	is.name, is.hash = name, hash
	g.parsed[n] = is
	return is
}

// content returns what a file has in a configuration that has it.
func (g *goChecks) content(f *file, has []bool) ([]byte, error) {
	if f.whole && f.new {
		return g.Wellformed.set.NewContent(f.path)
	}
	if !f.old {
		return g.mixed(f, nil, has), nil
	}
	old, err := g.Wellformed.set.OldContent(f.oldPath)
	return g.mixed(f, old, has), err
}

// check type-checks a package in a configuration, with those that it imports and changes touch, unless checked has it. Where
// a source does not parse, or the budget is spent, nothing is found.
func (g *goChecks) check(p *goDirectory, has []bool, checked map[*goDirectory]goChecked) {
	if _, done := checked[p]; done {
		return
	}
	checked[p] = goChecked{} // for what it imports: a cycle
	if p.skip || g.checked > typedBytes {
		return
	}
	files, ok := g.sources(p, has)
	if !ok || len(files) == 0 {
		checked[p] = goChecked{empty: ok}
		return
	}
	g.checked += p.size
	var found goChecked
	unread, absent := map[string]bool{}, map[string]bool{}
	report := func(at gotoken.Pos, text string) {
		if len(found.errors) < mostTypeErrors {
			text, continues := strings.CutPrefix(text, "\t") // it says more of the error before
			line := fmt.Sprintf("%s: %s", g.set.Position(at), text)
			if continues {
				line = "\t" + line
			}
			found.errors = append(found.errors, line)
		}
	}
	config := types.Config{
		FakeImportC: true,
		Importer: importing(func(importPath string) *types.Package {
			if q := g.paths[importPath]; q != nil && q != p {
				g.check(q, has, checked)
				absent[importPath] = checked[q].empty
				return checked[q].Package
			}
			found, _ := g.standard.Import(importPath)
			unread[importPath] = found == nil
			return found
		}),
		Sizes: types.SizesFor("gc", build.Default.GOARCH),
		Error: func(err error) {
			if e, is := err.(types.Error); is && !strings.HasPrefix(e.Msg, "could not import ") {
				report(e.Pos, e.Msg)
			}
		},
	}
	found.Package, _ = config.Check(p.path+p.suffix, g.set, files, nil)
	for _, file := range files { // what is imported of a package that is not read counts as right, if it is used
		for _, spec := range file.Imports {
			switch importPath := pathOf(spec); {
			case absent[importPath]:
				report(spec.Path.Pos(), "no required module provides package "+importPath)
			case unread[importPath] && !uses(file, spec):
				report(spec.Pos(), spec.Path.Value+" imported and not used")
			}
		}
	}
	checked[p] = found
}

// uses reports whether a source uses an import, by its name.
func uses(file *ast.File, spec *ast.ImportSpec) (used bool) {
	name := importName(pathOf(spec))
	if spec.Name != nil {
		name = spec.Name.Name
	}
	if name == "_" || name == "." {
		return true
	}
	for n := range ast.Preorder(file) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name {
				return true
			}
		}
	}
	return false
}

// An importing returns a package, nil if it is not read.
type importing func(importPath string) *types.Package

// Import makes importing a types.Importer.
func (f importing) Import(importPath string) (*types.Package, error) {
	if p := f(importPath); p != nil {
		return p, nil
	}
	return nil, errors.New("it is not read")
}
