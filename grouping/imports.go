package grouping

import (
	"bytes"
	"path"
	"strings"
)

// moduleLines reads go.mod and go.sum: a go.sum line defines a module's
// version, a require in go.mod uses it, and defines the module for imports, as
// does the line that says what module this is.
func moduleLines(l language, text []byte, first int) (defines, uses []occurrence) {
	line := first - 1
	for row := range bytes.Lines(text) {
		line++
		row, _, _ = bytes.Cut(row, []byte("//"))
		words := strings.Fields(string(row))
		if len(words) > 0 && words[0] == "require" {
			words = words[1:]
		}
		if l == goModule && len(words) == 2 && words[0] == "module" {
			defines = append(defines, occurrence{key{space: goRequire, name: strings.Trim(words[1], "\"`")}, line})
		}
		if len(words) < 2 || !strings.Contains(words[0], ".") || !majorVersion(words[1][:min(2, len(words[1]))]) {
			continue
		}
		sum := key{space: goSum, name: words[0] + " " + words[1]}
		switch {
		case l == goSums:
			defines = append(defines, occurrence{sum, line})
		case len(words) == 2:
			defines = append(defines, occurrence{key{space: goRequire, name: words[0]}, line})
			uses = append(uses, occurrence{sum, line}, occurrence{key{space: goSum, name: sum.name + "/go.mod"}, line})
		}
	}
	return defines, uses
}

// importLines adds the files that the changed lines of text name: included,
// imported, sourced or built.
func importLines(name string, text []byte, first int, spans []span, s *side) {
	l := languageOf(name, text)
	read := importers[l]
	if read == nil || len(spans) == 0 {
		return
	}
	line := first - 1
	for row := range bytes.Lines(text) {
		line++
		if owner(spans, line) < 0 {
			continue
		}
		for _, target := range read(string(bytes.TrimSpace(row))) {
			s.uses = append(s.uses, occurrence{key{importSpace, path.Dir(name), target}, line})
		}
	}
}

// importers return what a line imports, written as a path: with a leading
// "./" or "../" it starts at the importing file's directory.
var importers = [languages]func(line string) []string{
	cLanguage: includes, cpp: includes, python: pythonImports,
	javascript: scriptImports, typescript: scriptImports, tsx: scriptImports,
	java: javaImports, rust: rustModules, ruby: rubyRequires, php: quotedAfter("require", "include", "require_once", "include_once"),
	bash: sourced, css: quotedAfter("@import"), makefile: built,
}

func includes(line string) []string {
	rest, ok := strings.CutPrefix(line, "#")
	if rest = strings.TrimSpace(rest); !ok || !strings.HasPrefix(rest, "include") {
		return nil
	}
	if i := strings.IndexAny(rest, `"<`); i >= 0 {
		if end := strings.IndexAny(rest[i+1:], `">`); end > 0 {
			return []string{rest[i+1 : i+1+end]}
		}
	}
	return nil
}

func pythonImports(line string) (list []string) {
	words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == ',' || c == '(' || c == ')' || c == '\t' })
	if len(words) < 2 {
		return nil
	}
	switch words[0] {
	case "from":
		base := pythonPath(words[1])
		list = append(list, base+".py", base+"/__init__.py")
		for _, w := range words[min(3, len(words)):] {
			if w == "as" || w == "#" {
				break
			}
			list = append(list, base+"/"+w+".py")
		}
	case "import":
		for _, w := range words[1:] {
			if w == "as" {
				break
			}
			list = append(list, pythonPath(w)+".py", pythonPath(w)+"/__init__.py")
		}
	}
	return list
}

// pythonPath turns "..a.b" into "../a/b".
func pythonPath(module string) string {
	dots := len(module) - len(strings.TrimLeft(module, "."))
	p := strings.ReplaceAll(module[dots:], ".", "/")
	if dots == 0 {
		return p
	}
	return "./" + strings.Repeat("../", dots-1) + p
}

func scriptImports(line string) (list []string) {
	for _, word := range []string{"from ", "require(", "import(", "import "} {
		_, rest, ok := strings.Cut(line, word)
		if rest = strings.TrimSpace(rest); !ok || rest == "" || rest[0] != '"' && rest[0] != '\'' && rest[0] != '`' {
			continue
		}
		target, _, ok := strings.Cut(rest[1:], rest[:1])
		if !ok || !strings.HasPrefix(target, ".") {
			continue
		}
		list = append(list, target)
		for _, ext := range []string{".js", ".ts", ".tsx", ".jsx", ".mjs", ".json", ".css", "/index.js", "/index.ts", "/index.tsx"} {
			list = append(list, target+ext)
		}
		if plain, ok := strings.CutSuffix(target, ".js"); ok { // TypeScript names the output
			list = append(list, plain+".ts", plain+".tsx")
		}
	}
	return list
}

func javaImports(line string) []string {
	rest, ok := strings.CutPrefix(line, "import ")
	if !ok {
		return nil
	}
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "static "), ";")
	if i := strings.LastIndexByte(rest, '.'); i > 0 {
		p := strings.ReplaceAll(rest, ".", "/")
		return []string{p + ".java", p[:i] + ".java"} // a class, or a static member of one
	}
	return nil
}

func rustModules(line string) []string {
	line = strings.TrimPrefix(line, "pub(crate) ")
	rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "pub "), "mod ")
	name, end := strings.CutSuffix(rest, ";")
	if !ok || !end {
		return nil
	}
	return []string{"./" + name + ".rs", "./" + name + "/mod.rs"}
}

func rubyRequires(line string) []string {
	list := quotedAfter("require_relative", "require", "load")(line)
	for i, target := range list {
		if !strings.HasSuffix(target, ".rb") {
			list[i] = target + ".rb"
		}
	}
	return list
}

// quotedAfter reads the first quoted string of a line that starts with one of
// the words.
func quotedAfter(words ...string) func(string) []string {
	return func(line string) []string {
		for _, w := range words {
			rest, ok := strings.CutPrefix(line, w)
			if !ok || rest == "" || isLetter(rest[0]) {
				continue
			}
			if i := strings.IndexAny(rest, `"'`); i >= 0 {
				if target, _, ok := strings.Cut(rest[i+1:], rest[i:i+1]); ok {
					return []string{strings.TrimPrefix(target, "/")}
				}
			}
		}
		return nil
	}
}

func sourced(line string) []string {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "source" && words[0] != "." {
		return nil
	}
	return []string{path.Base(strings.Trim(words[1], `"'`))}
}

// built lists the source files a line of a build description names, also by
// their objects.
func built(line string) (list []string) {
	for _, w := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t:=+()\\'\",[]", c) }) {
		switch ext := path.Ext(w); ext {
		case ".o", ".lo", ".obj":
			stem := strings.TrimSuffix(w, ext)
			list = append(list, "./"+stem+".c", "./"+stem+".cc", "./"+stem+".cpp", "./"+stem+".S", "./"+stem+".rs")
		case ".c", ".h", ".cc", ".cpp", ".hpp", ".S", ".py", ".java", ".rs", ".ts", ".js", ".sh":
			list = append(list, "./"+w)
		}
	}
	return list
}

// An importIndex finds the file among some paths that an import means.
type importIndex map[string][]string // base name -> paths

func newImportIndex(keys map[key][]int) importIndex {
	x := make(importIndex)
	for k := range keys {
		if k.space == fileSpace {
			x[path.Base(k.name)] = append(x[path.Base(k.name)], k.name)
		}
	}
	return x
}

// find returns the path that an import from directory dir means: the one
// relative to dir, else the only one that ends in it.
func (x importIndex) find(dir, target string) (string, bool) {
	candidates := x[path.Base(target)]
	if len(candidates) == 0 {
		return "", false
	}
	relative := path.Join(dir, target)
	found, n := "", 0
	for _, c := range candidates {
		if c == relative {
			return c, true
		}
		if !strings.HasPrefix(target, ".") && (c == target || strings.HasSuffix(c, "/"+target)) {
			found = c
			n++
		}
	}
	return found, n == 1
}
