package grouping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// bindings ties the hunks of a file by the names that one of them binds, however short:
// by an import for the whole file, or by a declaration within a function or another symbol.
// Only names count that one hunk binds, and that nothing there binds on the other side of
// the difference. A hunk that brings a use of such a name requires the hunk that binds it;
// a hunk that takes a binding away requires those that take the uses away. The same holds of the
// only hunk that gives a variable a value, in a language where it is declared with a type and may
// have none. Cost: three scans of both sides.
func (f *file) bindings(all []facts, list []changes.Change, sides [2]side, old, new []byte) {
	if len(f.text) < 2 {
		return
	}
	l := languageOf(f.path, new)
	if wholeOnly(l) || syntaxOf(l).family == "" || l == golang {
		return
	}
	declarations := [2][]declaration{sides[good].declarations, sides[bad].declarations}
	if syntaxOf(l).declaresByType() {
		declarations = f.overloads(list, sides)
	}
	var read [2]boundSide
	for which, content := range [2][]byte{old, new} {
		read[which] = newBoundSide(l, content, declarations[which])
		read[which].spans = f.spans(list, which)
	}
	// bound and set have the changes in whose lines a name is bound, or a variable gets a value; -1 = none.
	var bound, set [2]map[boundName][]int
	for which := range bound {
		bound[which], set[which] = map[boundName][]int{}, map[boundName][]int{}
		elsewhere := map[boundName]bool{} // that get a value in another way, too
		read[which].each(func(t token, i int, symbol string, head bool) {
			p := boundName{symbol, string(t.text)}
			if b, ok := read[which].binding(t, symbol, head); ok {
				put(bound[which], b, i)
			}
			if t.sets {
				put(set[which], p, i)
			}
			elsewhere[p] = elsewhere[p] || head || t.address
		})
		for p := range set[which] {
			if bound[which][p] == nil || elsewhere[p] {
				delete(set[which], p)
			}
		}
	}
	f.tie(all, read, bound, func(token) bool { return true })
	f.tie(all, read, set, func(t token) bool { return !t.binds })
}

// tie ties the uses of a name to the only hunk that does something with it that they need, see bindings: by
// has the hunks that do so, and isUse tells uses.
func (f *file) tie(all []facts, read [2]boundSide, by [2]map[boundName][]int, isUse func(token) bool) {
	// ties has the names with which one change alone does it, on one side alone.
	type tie struct{ which, binder int }
	ties := map[boundName]tie{}
	for which := range by {
		for p, binders := range by[which] {
			slices.Sort(binders)
			if binders = slices.Compact(binders); len(binders) == 1 && binders[0] >= 0 && by[1-which][p] == nil {
				ties[p] = tie{which, binders[0]}
			}
		}
	}
	if len(ties) == 0 {
		return
	}
	script := seesOuter(read[good].language)
	// said has the changes in whose lines such a name stands; -1 = none.
	var said [2]map[boundName][]int
	for which := range said {
		said[which] = map[boundName][]int{}
		read[which].each(func(t token, i int, symbol string, head bool) {
			if !isUse(t) {
				return
			}
			p := boundName{symbol, string(t.text)}
			if script && !head { // the innermost function that binds the name is meant
				for p.symbol != "" && by[good][p] == nil && by[bad][p] == nil {
					p.symbol = read[which].outer[p.symbol]
				}
			}
			if _, ok := ties[p]; ok {
				put(said[which], p, i)
			}
			if p.symbol = ""; symbol == "" || script && !head {
				return
			}
			if _, ok := ties[p]; ok {
				put(said[which], p, i)
			}
		})
	}
	for p, t := range ties {
		for _, user := range said[t.which][p] {
			switch {
			case user < 0 || user == t.binder || slices.Contains(said[1-t.which][p], user):
			case t.which == bad:
				all[user].requires = append(all[user].requires, t.binder)
			default:
				all[t.binder].requires = append(all[t.binder].requires, user)
			}
		}
	}
}

// seesOuter reports whether a function sees what those around it bind.
func seesOuter(l language) bool { return syntaxOf(l).family == "javascript" }

// A boundName is a name within a symbol, or with "" within the file.
type boundName struct{ symbol, name string }

// put adds a change to those of a name, unless it is the last one there.
func put(to map[boundName][]int, p boundName, i int) {
	if have := to[p]; len(have) == 0 || have[len(have)-1] != i {
		to[p] = append(have, i)
	}
}

// A boundSide is one side of a file, with the changes, imports and symbols that its lines belong to.
type boundSide struct {
	content  []byte
	language language
	spans    []span
	imports  []bool
	symbols  []string
	outer    map[string]string // symbol -> the one around it
}

func newBoundSide(l language, content []byte, declarations []declaration) boundSide {
	s := boundSide{content: content, language: l, imports: importRows(content)}
	s.symbols, s.outer = symbolRows(declarations, len(s.imports))
	return s
}

// binding returns what a name that each has found binds, if it does.
func (s *boundSide) binding(t token, symbol string, head bool) (p boundName, ok bool) {
	p = boundName{symbol, string(t.text)}
	switch {
	case s.imports[t.line] && !importWords[p.name]:
		return boundName{"", p.name}, s.language != java || bytes.HasPrefix(s.content[t.end:], []byte(";"))
	case symbol == "" && syntaxOf(s.language).declaresByType(): // as the parameter of a prototype
		return p, false
	case t.binds && head && seesOuter(s.language) && p.name == symbol[strings.LastIndexByte(symbol, '.')+1:]:
		return boundName{s.outer[symbol], p.name}, true
	}
	return p, t.binds || head
}

// each calls f with every name but members: the change in whose lines it stands, or -1, the
// symbol around it, and whether it stands in the first line of that, which has the parameters.
// What an import of Java binds is the last name of a path, and no member.
func (s *boundSide) each(f func(t token, change int, symbol string, head bool)) {
	for t := range tokens(s.content, s.language, 1) {
		if t.line < len(s.imports) && (!t.member || s.language == java && s.imports[t.line]) {
			symbol := s.symbols[t.line]
			f(t, owner(s.spans, t.line), symbol, symbol != "" && s.symbols[t.line-1] != symbol)
		}
	}
}

// symbolRows returns the innermost declaration around each line, from 1, and around each declaration.
func symbolRows(declarations []declaration, lines int) (rows []string, outer map[string]string) {
	rows, outer = make([]string, lines+1), map[string]string{}
	for _, d := range declarations { // outer ones come before those in them
		if d.end <= d.start {
			continue
		}
		if _, ok := outer[d.symbol]; !ok { // the first alone: so a symbol is never around itself
			outer[d.symbol] = rows[min(max(1, d.start), lines)]
		}
		for line := max(1, d.start); line <= min(d.end, lines); line++ {
			rows[line] = d.symbol
		}
	}
	return rows, outer
}

var importWords = map[string]bool{
	"import": true, "from": true, "as": true, "use": true, "using": true, "const": true, "let": true, "var": true,
	"require": true, "type": true, "static": true, "crate": true, "self": true, "super": true, "pub": true, "function": true,
}

// importStarts are how a line that begins an import begins.
var importStarts = [][]byte{
	[]byte("import "), []byte("import{"), []byte("from "), []byte("use "), []byte("using "), []byte("pub use "),
}

var requireCall = []byte("require(")

// importRows tells the lines, from 1, that belong to an import: those that begin one, and
// what follows until its brackets are closed.
func importRows(content []byte) []bool {
	rows := make([]bool, 1, bytes.Count(content, []byte{'\n'})+2)
	open := 0
	for row := range bytes.Lines(content) {
		text := bytes.TrimSpace(row)
		is := open > 0 || bytes.Contains(text, requireCall)
		for _, start := range importStarts {
			is = is || bytes.HasPrefix(text, start)
		}
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
