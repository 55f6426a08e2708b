package grouping

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/changes"
)

// bindings ties the hunks of a file by the names that one of them binds, however short:
// by an import for the whole file, or by a declaration within a function or another symbol.
// Only names count that one hunk binds, and that nothing there binds on the other side of
// the difference. A hunk that brings a use of such a name requires the hunk that binds it;
// a hunk that takes a binding away requires those that take the uses away. Cost: one scan of
// both sides.
func (f *file) bindings(all []facts, list []changes.Change, sides [2]side, old, new []byte) {
	if len(f.text) < 2 {
		return
	}
	l := languageOf(f.path, new)
	if wholeOnly(l) || syntaxOf(l).family == "" || l == golang {
		return
	}
	type place struct{ symbol, name string }
	var said, bound [2]map[place][]int // the changes in whose lines a name stands, and of these those that bind it; -1 = none
	for which, content := range [2][]byte{old, new} {
		said[which], bound[which] = map[place][]int{}, map[place][]int{}
		spans := f.spans(list, which)
		imports := importRows(content)
		symbols := symbolRows(sides[which].declarations, len(imports))
		put := func(to map[place][]int, p place, i int) {
			if have := to[p]; len(have) == 0 || have[len(have)-1] != i {
				to[p] = append(have, i)
			}
		}
		for s := newScanner(content, l, 1); ; {
			t, ok := s.next()
			if !ok {
				break
			}
			if t.line >= len(imports) || t.member {
				continue
			}
			name, i, symbol := string(t.text), owner(spans, t.line), symbols[t.line]
			put(said[which], place{"", name}, i)
			if symbol != "" {
				put(said[which], place{symbol, name}, i)
			}
			switch {
			case imports[t.line] && !importWords[name]:
				put(bound[which], place{"", name}, i)
			case t.binds || symbol != "" && symbols[t.line-1] != symbol: // the line of a declaration has the parameters
				put(bound[which], place{symbol, name}, i)
			}
		}
	}
	for which := range bound {
		for p, binders := range bound[which] {
			slices.Sort(binders)
			if binders = slices.Compact(binders); len(binders) != 1 || binders[0] < 0 || bound[1-which][p] != nil {
				continue
			}
			for _, user := range said[which][p] {
				switch {
				case user < 0 || user == binders[0] || slices.Contains(said[1-which][p], user):
				case which == bad:
					all[user].requires = append(all[user].requires, binders[0])
				default:
					all[binders[0]].requires = append(all[binders[0]].requires, user)
				}
			}
		}
	}
}

// symbolRows returns the innermost declaration around each line, from 1.
func symbolRows(declarations []declaration, lines int) []string {
	rows := make([]string, lines+1)
	for _, d := range declarations { // outer ones come before those in them
		if d.end <= d.start {
			continue
		}
		for line := max(1, d.start); line <= min(d.end, lines); line++ {
			rows[line] = d.symbol
		}
	}
	return rows
}

var importWords = map[string]bool{
	"import": true, "from": true, "as": true, "use": true, "using": true, "const": true, "let": true, "var": true,
	"require": true, "type": true, "static": true, "crate": true, "self": true, "super": true, "pub": true, "function": true,
}

// importRows tells the lines, from 1, that belong to an import: those that begin one, and
// what follows until its brackets are closed.
func importRows(content []byte) []bool {
	rows := make([]bool, 1, bytes.Count(content, []byte{'\n'})+2)
	open := 0
	for row := range bytes.Lines(content) {
		text := bytes.TrimSpace(row)
		begins := false
		for _, word := range [][]byte{[]byte("import "), []byte("from "), []byte("use "), []byte("using "), []byte("pub use ")} {
			begins = begins || bytes.HasPrefix(text, word)
		}
		begins = begins || bytes.HasPrefix(text, []byte("import{")) || bytes.Contains(text, []byte("require("))
		is := begins || open > 0
		rows = append(rows, is)
		if !is {
			continue
		}
		for _, c := range text {
			switch c {
			case '(', '{':
				open++
			case ')', '}':
				open--
			}
		}
		if open < 0 || len(text) == 0 {
			open = 0
		}
	}
	return rows
}
