package grouping

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/internal/lexical"
)

// withoutMacros returns a source in C or C++ with blanks for the macros that no grammar can know, because it does not see what
// they stand for, and all else where it was. A macro is recognised by its name, which has no small letters, and by where it
// stands: no name of a type or a constant can be there. A few constructs that the grammar does not know are blanked, too.
// Cost: linear, as each rule looks at no more than mostPieces.
func withoutMacros(content []byte) []byte {
	m := macroReader{text: bytes.Clone(content), source: content}
	m.cut()
	m.place = make([]int, len(m.pieces))
	for m.at = len(m.pieces) - 1; m.at >= 0; m.at-- {
		// Invariant: rest has what stands behind this piece, without the macros there, the last one first.
		m.place[m.at] = len(m.rest)
		if !m.read() {
			m.rest = append(m.rest, m.at)
		}
	}
	return m.text
}

// A piece is a word, a literal, or one character of other code; or, as '#', a line of the preprocessor.
type piece struct {
	first    byte // its first character, but 'a' for a word and '0' for a literal
	from, to int
	pair     int // the bracket that belongs to this one; -1 = none
}

// mostPieces is how many pieces a rule looks at.
const mostPieces = 64

// A macroReader reads the pieces of a source from the last to the first.
type macroReader struct {
	source, text []byte
	pieces       []piece
	at           int   // the piece that is read
	rest         []int // the pieces behind it
	place        []int // by piece: its place in rest
}

// cut fills in the pieces.
func (m *macroReader) cut() {
	var open []int
	s := lexical.NewScanner(m.source, syntaxOf(cpp).Rules, lexical.Names)
	begins := true // a line
	for kind, from, to := s.Next(); kind != lexical.None; kind, from, to = s.Next() {
		p := piece{m.source[from], from, to, -1}
		switch kind {
		case lexical.Space:
			begins = begins || bytes.IndexByte(m.source[from:to], '\n') >= 0
			continue
		case lexical.Comment:
			continue
		case lexical.Word:
			p.first = 'a'
		case lexical.Number, lexical.String:
			p.first = '0'
		case lexical.Opener:
			open = append(open, len(m.pieces))
		case lexical.Closer:
			if top := len(open) - 1; top >= 0 {
				p.pair = open[top]
				m.pieces[p.pair].pair = len(m.pieces)
				open = open[:top]
			}
		default:
			if p.first == '#' && begins {
				p.to = directiveEnd(m.source, from)
				m.condition(from, p.to)
				s.At = p.to
			}
		}
		begins = false
		m.pieces = append(m.pieces, p)
	}
}

// directiveEnd returns the end of the line of the preprocessor that begins at an offset, and of the lines that continue it.
func directiveEnd(text []byte, at int) int {
	for {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		if line := bytes.TrimRight(text[at:at+end], " \t\r"); !bytes.HasSuffix(line, []byte{'\\'}) {
			return at + end
		}
		at += end + 1
	}
}

// condition writes 1 in the place of a condition that asks for a file, because "<file>" is no expression.
func (m *macroReader) condition(from, to int) {
	word, rest := firstWord(bytes.TrimLeft(m.source[from+1:to], " \t"))
	if (string(word) == "if" || string(word) == "elif") && (bytes.Contains(rest, []byte("(<")) || bytes.Contains(rest, []byte(`("`))) {
		m.write(to-len(rest), to, "1")
	}
}

// write writes a short text in the place of another one, and blanks for what is left of it.
func (m *macroReader) write(from, to int, text string) {
	for i := from + copy(m.text[from:to], text); i < to; i++ {
		if m.text[i] != '\n' && m.text[i] != '\r' {
			m.text[i] = ' '
		}
	}
}

// read takes the next piece out, with the brackets that belong to it, if that is a macro, and reports whether it was.
func (m *macroReader) read() bool {
	p, behind := m.pieces[m.at], len(m.rest)
	switch word := m.word(m.at); {
	case word == "extern" && m.next(behind, 0) == "template": // no grammar knows it
		m.write(p.from, p.to, "")
		return true
	case p.first == '{' && p.pair == m.at+1 && m.before(1) == "=" && (m.next(behind, 1) == "," || m.next(behind, 1) == ")"): // nor "= {}" of a parameter
		m.write(p.from, m.pieces[p.pair].to, "0")
		m.rest = m.rest[:behind-1]
		return true
	case p.first != 'a' || !isMacro(word):
		return false
	}
	to, arguments := p.to, m.next(behind, 0) == "(" && m.closer(behind) >= 0
	if arguments {
		behind = m.closer(behind)
		to = m.pieces[m.rest[behind]].to
	}
	switch {
	case arguments && m.wraps(behind):
		return true
	case arguments && m.isParameter(behind):
		m.write(p.from, to, "int")
	case m.precedesDeclaration(behind), m.followsFunction(behind), m.standsAlone(behind, to, arguments),
		m.before(2) == "using" && m.next(behind, 0) == "=":
		m.write(p.from, to, "")
	default:
		return false
	}
	m.rest = m.rest[:behind]
	return true
}

// isMacro reports whether a word may be the name of a macro.
func isMacro(word string) bool {
	letters := 0
	for i := range len(word) {
		switch c := word[i]; {
		case 'A' <= c && c <= 'Z':
			letters++
		case c != '_' && !isDigit(c):
			return false
		}
	}
	return letters > 1
}

// word returns the text of a word, and of another piece its first character; "" where there is none.
func (m *macroReader) word(piece int) string {
	switch {
	case piece < 0:
		return ""
	case m.pieces[piece].first == 'a':
		return string(m.source[m.pieces[piece].from:m.pieces[piece].to])
	}
	return string(m.pieces[piece].first)
}

// before returns the word of the kth piece before the one that is read, from 1 on.
func (m *macroReader) before(k int) string { return m.word(m.at - k) }

// behind returns the kth piece behind a place in rest, from 0 on; -1 if there is none.
func (m *macroReader) behind(place, k int) int {
	if place <= k {
		return -1
	}
	return m.rest[place-1-k]
}

// next returns the word of that piece.
func (m *macroReader) next(place, k int) string { return m.word(m.behind(place, k)) }

// isName reports whether a piece is a word, and may be a name of a type, or another name.
func (m *macroReader) isName(piece int) bool {
	word := m.word(piece)
	return piece >= 0 && m.pieces[piece].first == 'a' && !notTypes[word] && !notNames[word]
}

// closer returns the place of the bracket that closes the one that comes behind a place; -1 if there is none.
func (m *macroReader) closer(place int) int {
	open := m.behind(place, 0)
	if open < 0 || m.pieces[open].pair < open {
		return -1
	}
	return m.place[m.pieces[open].pair]
}

// precedesDeclaration reports whether a declaration goes on behind a place, and the macro is not its type.
func (m *macroReader) precedesDeclaration(place int) bool {
	before, next := m.before(1), m.next(place, 0)
	switch {
	case before == "." || before == ":" && m.before(2) == ":" || before == ">" && m.before(2) == "-": // a member
		return false
	case beginDeclarations[next] || next == "~", next == "operator" && m.isName(m.behind(place, 1)):
		return true
	case !m.isName(m.behind(place, 0)):
		return false
	}
	end := m.typeEnd(place)
	switch {
	case (m.isName(m.behind(end, 0)) || m.next(end, 0) == "operator") && !isMacro(next): // "API type name"
		return true
	case m.next(end, 0) == "(" && m.closer(end) >= 0: // "API Constructor(...) : member(...)"
		end = m.closer(end)
		for m.isName(m.behind(end, 0)) {
			end--
		}
		if m.next(end, 0) == ":" && m.next(end, 1) != ":" {
			return true
		}
	case m.nameOfType():
		return m.body(end)
	}
	switch { // "type API name"
	case next == "const" || next == "volatile":
		return false
	case before == "*" || before == "&" || before == ">" || basicTypes[before] && !qualifiers[before]:
		return true
	}
	return m.isName(m.at-1) && !qualifiers[before] && !beginDeclarations[before] && before != "volatile"
}

// nameOfType reports whether nothing but macros stands between a word such as "class" and the macro.
func (m *macroReader) nameOfType() bool {
	for i := m.at - 1; i >= 0 && i > m.at-mostPieces; i-- {
		switch word := m.word(i); {
		case word == "class" || word == "struct" || word == "union" || word == "enum":
			return true
		case word == ")" && m.pieces[i].pair > 0:
			i = m.pieces[i].pair
		case !isMacro(word):
			return false
		}
	}
	return false
}

// body reports whether the body of a type comes behind its name.
func (m *macroReader) body(place int) bool {
	for k := range mostPieces {
		switch word := m.next(place, k); {
		case word == "{":
			return true
		case k == 0 && word != ":" || word == "" || word == ";" || word == ")" || word == "=":
			return false
		}
	}
	return false
}

// typeEnd returns the place behind a type that comes behind a place.
func (m *macroReader) typeEnd(place int) int {
	named, angles := false, 0
	for range mostPieces {
		switch word := m.next(place, 0); {
		case angles > 0 && (word == ";" || word == "{" || word == "}"), word == "":
			return place
		case word == "<" && named:
			angles++
		case word == ">" && angles > 0:
			angles--
		case angles > 0 || word == "*" || word == "&" || word == "const" || word == "typename":
		case word == ":" && m.next(place, 1) == ":":
			named = false
			place--
		case m.isName(m.behind(place, 0)) && !named:
			named = true
		default:
			return place
		}
		place--
	}
	return place
}

// followsFunction reports whether the macro stands where "const" may stand behind the parameters of a function, or behind the
// size of an array.
func (m *macroReader) followsFunction(place int) bool {
	switch next := m.next(place, 0); {
	case next != "" && bytes.Contains([]byte("{;:=,-"), []byte(next)), behindFunctions[next]:
	default:
		return false
	}
	before := m.at - 1
	for before > m.at-mostPieces && (isMacro(m.word(before)) || behindFunctions[m.word(before)]) {
		before--
	}
	switch m.word(before) {
	case "]":
		return true
	case ")":
		open := m.pieces[before].pair
		return m.isName(open-1) && !basicTypes[m.word(open-1)] ||
			slices.Contains([]string{m.word(open - 2), m.word(open - 3)}, "operator")
	}
	return false
}

// standsAlone reports whether the macro, which ends at an offset, is a statement, or all that stands in its lines, and what
// stands before it and behind it is neither the begin or the end of something, nor an enumerator: a statement, a block or a line
// of the preprocessor ends before it, or a block begins.
func (m *macroReader) standsAlone(place, to int, arguments bool) bool {
	before, next := m.before(1), m.next(place, 0)
	switch before {
	case ";", "}", "{", "#", "":
		if arguments && next == ";" {
			return true
		}
	default:
		if !isMacro(before) {
			return false
		}
	}
	if m.at > 0 && !bytes.Contains(m.source[m.pieces[m.at-1].to:m.pieces[m.at].from], []byte("\n")) ||
		next != "" && !bytes.Contains(m.source[to:m.pieces[m.behind(place, 0)].from], []byte("\n")) {
		return false
	}
	switch next {
	case "#", "}":
		return before == ";" || before == "}" || arguments || before == "{" && next == "#"
	}
	return next == "" || next == "~" || m.pieces[m.behind(place, 0)].first == 'a'
}

// wraps reports whether the brackets of the macro stand around the parameters of a function, as in "int f OF((int n));". It takes
// the macro and them away.
func (m *macroReader) wraps(place int) bool {
	open, close := m.behind(len(m.rest), 0), m.rest[place]
	if m.pieces[open+1].pair != close-1 || m.word(open+1) != "(" || !m.isName(m.at-1) || qualifiers[m.before(1)] || basicTypes[m.before(1)] {
		return false
	}
	switch next := m.next(place, 0); {
	case next == ";", next == "{", isMacro(next):
	default:
		return false
	}
	m.write(m.pieces[m.at].from, m.pieces[open].to, "")
	m.write(m.pieces[close].from, m.pieces[close].to, "")
	m.rest = slices.Delete(m.rest[:len(m.rest)-1], place, place+1)
	for k := place; k < len(m.rest); k++ {
		m.place[m.rest[k]] = k
	}
	return true
}

// isParameter reports whether the macro with its brackets is a parameter of a template.
func (m *macroReader) isParameter(place int) bool {
	if next := m.next(place, 0); next != "," && next != ">" {
		return false
	}
	angles := 0
	for i := m.at - 1; i > 0 && i > m.at-mostPieces; i-- {
		switch m.word(i) {
		case ")", "]", "}":
			if i = m.pieces[i].pair; i < 0 {
				return false
			}
		case ">":
			angles++
		case "<":
			if angles--; angles < 0 {
				return m.word(i-1) == "template"
			}
		case ";", "(", "[", "{":
			return false
		}
	}
	return false
}

var (
	// beginDeclarations are words that stand behind no name of a type.
	beginDeclarations = setOf("static", "inline", "constexpr", "consteval", "constinit", "extern", "virtual", "explicit", "friend", "typedef", "template",
		"using", "namespace", "class", "struct", "union", "enum", "typename", "void", "bool", "char", "short", "int", "long", "float", "double", "unsigned",
		"signed", "auto", "mutable", "register", "wchar_t", "char8_t", "char16_t", "char32_t", "thread_local", "static_assert")
	// behindFunctions may stand between the parameters and the body of a function.
	behindFunctions = setOf("const", "volatile", "noexcept", "override", "final", "try", "requires")
)
