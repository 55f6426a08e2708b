package grouping

import (
	"cmp"
	"slices"
	"strings"
)

// A declaration is a named piece of a file. Lines count from 1, ranges
// include both ends.
type declaration struct {
	symbol     string // as a reader names it: "(*T).Name", "Class.method", "A::f"
	name       string // as code refers to it; "" = nothing can
	member     bool   // referred to through a value or a type: a method, a field
	unit       bool   // a piece to cut a file at: neither inside another piece nor a part of one
	doc        int    // line on which its comments, attributes and decorators begin
	start, end int    // lines of the declaration itself
	at         int    // line of its name
	scope      string // for Go: the directory and package that see it
}

// sortDeclarations puts outer declarations before the inner ones that start
// on the same line.
func sortDeclarations(list []declaration) {
	slices.SortStableFunc(list, func(a, b declaration) int {
		return cmp.Or(cmp.Compare(a.doc, b.doc), cmp.Compare(b.end, a.end))
	})
}

// symbolAt names the symbol that lines first..last lie in: the innermost
// declaration that covers them, else the outermost that begins inside them
// (a change that adds one or several, also without the first lines of its comment), else "". list is sorted.
func symbolAt(list []declaration, first, last int) string {
	covering, size := "", 0
	for i := range list {
		d := &list[i]
		if d.doc > first {
			break
		}
		if d.end >= last && d.symbol != "" && (size == 0 || d.end-d.doc <= size) {
			covering, size = d.symbol, d.end-d.doc
		}
	}
	if size > 0 || covering != "" {
		return covering
	}
	for i := range list {
		if d := &list[i]; d.start >= first && d.doc <= last && d.symbol != "" {
			return d.symbol
		}
	}
	return ""
}

// Declarations returns the lines (from 1, increasing) on which the top-level
// declarations of a file begin, each with the comments, attributes and
// decorators before it. Namespaces and preprocessor conditions are looked
// into, classes are not. Nil when the language has no declarations or the
// content does not read as one. Cost: one parse. Its type is
// changes.Declarations.
func Declarations(path string, content []byte) []int {
	p := newParsers()
	defer p.close()
	var starts []int
	for _, d := range outline(p, path, content, true) {
		if d.unit && (len(starts) == 0 || d.doc > starts[len(starts)-1]) {
			starts = append(starts, d.doc)
		}
	}
	return starts
}

// A Declared is a named piece of a file, see [Outline].
type Declared struct {
	Name     string // as code refers to it
	Member   bool   // code refers to it through a value or a type, as to a method
	From, To int    // its lines, from 1, with the comments, attributes and decorators before it; both ends are included
}

// Outline returns the declarations of a file that code can refer to, outer ones before those within
// them. It reads and costs what [Declarations] does.
func Outline(path string, content []byte) (list []Declared) {
	p := newParsers()
	defer p.close()
	for _, d := range outline(p, path, content, true) {
		if d.name != "" {
			list = append(list, Declared{Name: d.name, Member: d.member, From: d.doc, To: d.end})
		}
	}
	return list
}

// outline lists the declarations of a file, sorted; by the grammar of its
// language if parse is set and the grammar accepts it, else lexically.
func outline(p *parsers, path string, content []byte, parse bool) []declaration {
	l := languageOf(path, content)
	var list []declaration
	ok := false
	switch {
	case l == golang:
		var f *goFile
		if f, ok = parseGo(path, content, true); ok {
			list = f.declarations
		}
	case parse:
		list, ok = p.declarations(l, content)
	}
	if !ok {
		list = lexicalDeclarations(l, content)
	}
	sortDeclarations(list)
	return list
}

// lastName is the identifier other code refers to: f for "A::f", "" for what
// is no identifier.
func lastName(text string) string {
	if i := strings.LastIndexAny(text, ":."); i >= 0 {
		text = text[i+1:]
	}
	for i := range len(text) {
		if !wordByte(text[i]) || i == 0 && isDigit(text[i]) {
			return ""
		}
	}
	return text
}
