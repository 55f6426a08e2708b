package gostandard

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"strings"
)

// An Importer is a types.Importer of the standard library. It remembers the packages. One goroutine at a time may use it.
type Importer struct {
	context  build.Context
	files    *token.FileSet
	packages map[string]*types.Package // nil while it is read, and if it cannot be read
}

// New returns an importer of the standard library of the go command that this machine has, without cgo.
func New() *Importer {
	i := &Importer{context: build.Default, files: token.NewFileSet(), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	i.context.CgoEnabled = false
	if i.context.GOROOT == "" {
		if name, err := exec.LookPath("go"); err == nil {
			if name, err = filepath.EvalSymlinks(name); err == nil {
				i.context.GOROOT = filepath.Dir(filepath.Dir(name))
			}
		}
	}
	return i
}

// Import returns a package. It is an error if the standard library has none of this path, or if it cannot be read. Cost: the
// package and all that it imports are read the first time, 5 to 30 MB a second.
func (i *Importer) Import(path string) (*types.Package, error) {
	p, known := i.packages[path]
	if !known {
		i.packages[path] = nil
		p = i.read(path)
		i.packages[path] = p
	}
	if p == nil {
		return nil, errors.New("it is not in the standard library, or cannot be read")
	}
	return p, nil
}

func (i *Importer) read(path string) *types.Package {
	first, _, _ := strings.Cut(path, "/")
	root := filepath.Join(i.context.GOROOT, "src")
	if strings.Contains(first, ".") { // the standard library has copies of some that others have, too
		root = filepath.Join(root, "vendor")
	}
	if i.context.GOROOT == "" || !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil
	}
	dir := filepath.Join(root, filepath.FromSlash(path))
	found, err := i.context.ImportDir(dir, 0)
	if err != nil {
		return nil
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(i.files, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		files = append(files, file)
	}
	config := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         i,
		Sizes:            types.SizesFor("gc", i.context.GOARCH),
		Error:            func(error) {},
	}
	p, _ := config.Check(path, i.files, files, nil)
	return p
}
