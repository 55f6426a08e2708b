package grouping

import (
	"path"
	"strings"
)

// A space keeps apart names that cannot mean the same thing.
type space uint8

const (
	nameSpace   space = iota // scope: the language family; any identifier
	localSpace               // scope: the language family and the file; an identifier that other files cannot mean
	memberSpace              // scope: the language family; an identifier behind ".", "->" or "::"
	symbolSpace              // scope: directory or family; a whole symbol, to see that a declaration moved
	goPackage                // scope: directory and package; a package-level name
	goMember                 // no scope; a method or field
	goContract               // no scope; a method of an interface. Only defined, never used
	goImported               // scope: import path; a package-level name, seen from another package. Only used, never defined
	goImport                 // scope: the file; the local name of an import
	goRequire                // no scope; a module path
	goLocal                  // scope: file and function; a variable that Go wants used
	goBound                  // scope: file and function; a parameter, result, constant or type in it
	goChain                  // scope: directory; "a.b", a member selected from a name
	goLanguage               // no scope; a version of the language. Only used, never defined
	goSum                    // no scope; "module version" as in go.sum
	fileSpace                // no scope; a path
	importSpace              // scope: the importing directory; a path as an import writes it. Only used, never defined
)

// A key is a name that one change can define and another can use.
type key struct {
	space       space
	scope, name string
}

// hash is the 64-bit FNV-1a hash of a key; see presence.
func (k key) hash() uint64 {
	h := uint64(offset64)
	h = (h ^ uint64(k.space)) * prime64
	h = hashBytes(h, k.scope)
	h *= prime64 // a zero byte between scope and name
	return hashBytes(h, k.name)
}

const offset64, prime64 = 14695981039346656037, 1099511628211

func hashBytes[T string | []byte](h uint64, s T) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime64
	}
	return h
}

// A presence is the set of keys that occur on one side of the difference, as
// hashes: a collision can only drop a prediction, never make one.
type presence map[uint64]struct{}

func (p presence) add(k key)      { p[k.hash()] = struct{}{} }
func (p presence) has(k key) bool { _, ok := p[k.hash()]; return ok }

// goPackageIn reports whether an import of importPath can mean the package in
// directory dir: the module's path is not known here, so the path must end in
// the directory, or (for the module's root) be outside the standard library
// and end in the package's name.
func goPackageIn(importPath, dir, packageName string) bool {
	if dir == "." {
		first, _, _ := strings.Cut(importPath, "/")
		return strings.Contains(first, ".") && importName(importPath) == packageName
	}
	return importPath == dir || strings.HasSuffix(importPath, "/"+dir) ||
		dir == "vendor/"+importPath || strings.HasSuffix(dir, "/vendor/"+importPath)
}

// importName is the name a package most likely has, going by its import
// path: "gopkg.in/yaml.v3" and "example.com/yaml/v3" are both called yaml.
func importName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion(base) {
		base = path.Base(path.Dir(importPath))
	}
	if i := strings.LastIndex(base, ".v"); i > 0 && majorVersion(base[i+1:]) {
		base = base[:i]
	}
	return strings.TrimPrefix(strings.TrimSuffix(base, "-go"), "go-")
}

func majorVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// inModule reports whether importPath lies in module.
func inModule(importPath, module string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}
