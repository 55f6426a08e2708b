package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind says what a token looks like.
type Kind uint8

const (
	None   Kind = iota
	Word        // a name or a keyword
	Number      // from its first digit on, with point, exponent and suffix
	String      // with its delimiters; also a character
	Operator
	Comment // to its end, without the line feed after it
	Opener  // ( [ {
	Closer  // ) ] }
	Space   // white space, as long as it goes
)

// A Mode says how what may be no comment or string is read.
type Mode uint8

const (
	// Exact: what nothing closes is neither a comment nor a string.
	Exact Mode = iota
	// Fragment: the text may be a part of a file. A comment, or a string in tripled
	// delimiters or backquotes, that nothing closes goes on to its end.
	Fragment
	// Names: the names in code are looked for. Any string that nothing closes goes on
	// to the end of the line, or of the text; code within strings is cut as code, and
	// operators into characters.
	Names
)

// class says what a byte can start. From letter to foreign, names are made of it.
type class uint8

const (
	other class = iota
	blank
	quote
	opener
	closer
	letter
	digit
	foreign // not ASCII
	special // of some rules: may start a comment, or something else
)

var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c == ' ', '\t' <= c && c <= '\r':
			table[c] = blank
		case c == '_', 'a' <= c|0x20 && c|0x20 <= 'z':
			table[c] = letter
		case '0' <= c && c <= '9':
			table[c] = digit
		case c >= utf8.RuneSelf:
			table[c] = foreign
		case strings.IndexByte(quotes, byte(c)) >= 0:
			table[c] = quote
		case strings.IndexByte("([{", byte(c)) >= 0:
			table[c] = opener
		case strings.IndexByte(")]}", byte(c)) >= 0:
			table[c] = closer
		}
	}
	return table
}()

const (
	quotes  = "\"'`|"
	tripled = "\"\"\"'''```|||"
)

// A Scanner cuts a text into tokens, one behind the other without gaps. It knows
// comments and strings as far as its rules do, and goes on after anything: no text
// is an error. It takes time linear in the text, whatever the text.
type Scanner struct {
	*Rules
	Text []byte
	At   int // where the next token begins

	mode    Mode
	letters string // what names have beside letters, digits and _
	plain   class  // of the bytes that names are made of whatever stands around them, the last, counted from letter
	last    byte   // the first byte of the last token that is neither space nor comment
	braces  []int  // open braces per nested code of templates

	// open is, by kind of quote, up to where nothing that one starts is closed: an
	// earlier one has looked through, and one that stands within it, behind a
	// backslash, is read as that one was.
	open [len(quotes)]int
	lost map[string]bool // the ends that do not come any more
}

// NewScanner returns a scanner of a text. In the mode Exact, names have $ in them.
func NewScanner(text []byte, r *Rules, mode Mode) Scanner {
	s := Scanner{Rules: r, Text: text, mode: mode, plain: digit - letter}
	switch mode {
	case Exact:
		s.letters = "$"
	case Fragment:
		s.letters = r.Letters
	case Names:
		s.plain = foreign - letter
	}
	return s
}

// Next returns the next token: where it begins and ends, and None at the end of the text.
func (s *Scanner) Next() (kind Kind, from, to int) {
	text, from := s.Text, s.At
	if from >= len(text) {
		return None, from, from
	}
	to = from + 1
	c := text[from]
	switch class := s.classes[c]; {
	case class == blank:
		for to < len(text) && classes[text[to]] == blank {
			to++
		}
		s.At = to
		return Space, from, to
	case class == letter:
		kind, to = Word, s.wordEnd(to)
	case class == other && s.mode == Names:
		kind = Operator
	case class == opener && s.braces == nil:
		kind = Opener
	case class == closer && s.braces == nil:
		kind = Closer
	default:
		kind, to = s.token(from, c)
	}
	s.At = to
	switch kind {
	case Comment:
	case String:
		s.last = '"'
	default:
		s.last = text[from]
	}
	return kind, from, to
}

// token is Next for what may be of several kinds.
func (s *Scanner) token(at int, c byte) (Kind, int) {
	if s.classes[c] == special {
		if end := s.comment(at); end > 0 {
			return Comment, end
		}
	}
	switch classes[c] {
	case quote:
		if end := s.quoted(at, c); end > 0 {
			return String, end
		}
	case opener:
		if top := len(s.braces) - 1; top >= 0 && c == '{' {
			s.braces[top]++
		}
		return Opener, at + 1
	case closer:
		if top := len(s.braces) - 1; top >= 0 && c == '}' {
			if s.braces[top]--; s.braces[top] < 0 {
				s.braces = s.braces[:top]
				return String, s.template(at + 1)
			}
		}
		return Closer, at + 1
	}
	switch {
	case s.Lisp && s.mode == Exact:
		return s.atom(at)
	case classes[c] == letter:
		return Word, s.wordEnd(at + 1)
	case classes[c] == digit, c == '.' && at+1 < len(s.Text) && classes[s.Text[at+1]] == digit && (at == 0 || s.Text[at-1] != '.'):
		return Number, s.number(at + 1)
	case c == '#' && s.mode == Fragment && strings.Contains(s.Keywords, "#"): // a directive
		return Word, s.wordEnd(at + 1)
	case c == '/' && s.Regex && s.mode == Names && (strings.IndexByte("(,=:[!&|?{};\x00", s.last) >= 0 || s.last == 'r' && s.follows(at, "return")):
		return String, s.regexEnd(at)
	}
	if end := s.wordEnd(at); end > at {
		return Word, end
	}
	return Operator, s.operator(at)
}

// comment returns where a comment that begins here ends, 0 if none does.
func (s *Scanner) comment(at int) int {
	rest := s.Text[at:]
	for _, marks := range s.Block {
		mark, first := strings.CutPrefix(marks[0], "\n")
		if !bytes.HasPrefix(rest, []byte(mark)) || first && (at == 0 || s.Text[at-1] != '\n') {
			continue
		}
		if end := s.enclosed(at+len(mark), marks[1]); end > 0 {
			return end
		}
	}
	for _, mark := range s.Line {
		if !bytes.HasPrefix(rest, []byte(mark)) || s.Apart && at > 0 && strings.IndexByte(" \t\r\n;", s.Text[at-1]) < 0 {
			continue
		}
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return len(s.Text)
		}
		return at + len(bytes.TrimRight(rest[:end], "\r"))
	}
	return 0
}

// enclosed returns where that ends which begins before an offset and which a mark
// ends, 0 if nothing does.
func (s *Scanner) enclosed(at int, end string) int {
	if !s.lost[end] {
		if i := bytes.Index(s.Text[at:], []byte(end)); i >= 0 {
			return at + i + len(end)
		}
	}
	if s.mode != Exact {
		return len(s.Text)
	}
	if s.lost == nil {
		s.lost = map[string]bool{}
	}
	s.lost[end] = true
	return 0
}

// quoted returns where a string that begins here ends, 0 if none does.
func (s *Scanner) quoted(at int, c byte) int {
	short, long := strings.IndexByte(s.Quotes, c) >= 0, strings.IndexByte(s.Long, c) >= 0 || c == '`' && s.Template
	switch {
	case c == '\'' && s.Char:
		return s.character(at)
	case !short && !long || s.mode == Names && strings.IndexByte(s.Expands, c) >= 0:
		return 0
	case c == '`' && s.Template && s.mode == Names:
		return s.template(at + 1)
	case s.Triple && at+2 < len(s.Text) && s.Text[at+1] == c && s.Text[at+2] == c:
		which := 3 * strings.IndexByte(quotes, c)
		if end := s.enclosed(at+3, tripled[which:which+3]); end > 0 {
			return end
		}
	case short && c == '\'' && at > 0 && classes[s.Text[at-1]] >= letter && len(s.Line)+len(s.Block) == 0:
		return 0 // don't
	}
	return s.stringEnd(at, c, long)
}

// stringEnd returns where the string ends that begins at an offset, 0 if it is none.
func (s *Scanner) stringEnd(at int, c byte, long bool) int {
	which := strings.IndexByte(quotes, c)
	if which >= 0 && at < s.open[which] {
		return 0
	}
	raw := strings.IndexByte(s.Raw, c) >= 0
	i := at + 1
	for ; i < len(s.Text) && (long || s.Text[i] != '\n'); i++ {
		switch b := s.Text[i]; {
		case b == c:
			return i + 1
		case b == '\\' && !raw && i+1 < len(s.Text):
			i++
		}
	}
	if s.mode == Names || s.mode == Fragment && c == '`' {
		return i
	}
	s.open[which] = i
	return 0
}

// regexEnd returns where the regular expression ends that begins at an offset: at the latest with the line.
func (s *Scanner) regexEnd(at int) int {
	i, class := at+1, false
	for ; i < len(s.Text) && s.Text[i] != '\n'; i++ {
		switch s.Text[i] {
		case '\\':
			if i+1 < len(s.Text) && s.Text[i+1] != '\n' {
				i++
			}
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return i
}

// follows reports whether nothing but white space is between a word and an offset.
func (s *Scanner) follows(at int, word string) bool {
	return bytes.HasSuffix(bytes.TrimRight(s.Text[:at], " \t\r\n"), []byte(word))
}

// character returns where 'c' or '\n' ends; 'a as in Rust is none.
func (s *Scanner) character(at int) int {
	i := at + 1
	if i < len(s.Text) && s.Text[i] == '\\' {
		for i += 2; i < min(at+12, len(s.Text)); i++ {
			if s.Text[i] == '\'' {
				return i + 1
			}
		}
		return 0
	}
	_, size := utf8.DecodeRune(s.Text[min(i, len(s.Text)):])
	if i += size; i > at+1 && i < len(s.Text) && s.Text[i] == '\'' && s.Text[at+1] != '\n' {
		return i + 1
	}
	return 0
}

// template returns where the text of a template literal ends, or the code in it begins.
func (s *Scanner) template(at int) int {
	for ; at < len(s.Text); at++ {
		switch c := s.Text[at]; {
		case c == '`':
			return at + 1
		case c == '\\':
			at++
		case c == '$' && at+1 < len(s.Text) && s.Text[at+1] == '{':
			s.braces = append(s.braces, 0)
			return at + 2
		}
	}
	return len(s.Text)
}

// atom returns where a word of a Lisp ends.
func (s *Scanner) atom(at int) (Kind, int) {
	i := at
	if i+2 < len(s.Text) && s.Text[i] == '#' && s.Text[i+1] == '\\' {
		_, size := utf8.DecodeRune(s.Text[i+2:])
		i += 2 + size
	}
	for i < len(s.Text) && classes[s.Text[i]] != blank && strings.IndexByte("()[]{}\"';`,", s.Text[i]) < 0 && (s.Text[i] != '|' || i == at) {
		i++
	}
	switch {
	case i == at:
		return Operator, at + 1
	case classes[s.Text[at]] == digit:
		return Number, i
	}
	return Word, i
}

// number returns where a number ends of which some digits stand before i.
func (s *Scanner) number(i int) int {
	begin := i - 1
	is := func(at int, c class) bool { return at < len(s.Text) && classes[s.Text[at]] == c }
	for ; i < len(s.Text); i++ {
		switch c := s.Text[i]; {
		case classes[c] >= letter:
		case c == '.' && is(i+1, digit):
		case (c == '+' || c == '-') && is(i+1, digit) && exponent(s.Text[begin:i]):
		case c == '\'' && (is(i+1, digit) || is(i+1, letter)) && (s.Char || strings.IndexByte(s.Quotes, c) >= 0): // 1'000
		default:
			return i
		}
	}
	return i
}

// exponent reports whether a number ends with the mark of its exponent.
func exponent(text []byte) bool {
	hex := len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x'
	c := text[len(text)-1] | 0x20
	return c == 'e' && !hex || c == 'p' && hex
}

// wordEnd returns where a word ends that begins at an offset, or goes on there: the
// offset itself if none does.
func (s *Scanner) wordEnd(at int) int {
	text := s.Text
	for {
		for at < len(text) && classes[text[at]]-letter <= s.plain {
			at++
		}
		switch {
		case at == len(text):
			return at
		case classes[text[at]] == foreign:
			r, size := utf8.DecodeRune(text[at:])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
				return at
			}
			at += size
		case s.letters != "" && strings.IndexByte(s.letters, text[at]) >= 0:
			at++
		default:
			return at
		}
	}
}

// operator returns where the operator at an offset ends.
func (s *Scanner) operator(at int) int {
	if s.mode != Names {
		return at + OperatorLength(s.Text[at:])
	}
	if s.Text[at] == '\\' && at+1 < len(s.Text) && s.Text[at+1] != '\n' {
		return at + 2 // an escaped quote outside a string, as in shell
	}
	return at + 1
}

// operators are those of more than one character.
var operators = func() map[string]bool {
	m := map[string]bool{}
	for _, op := range strings.Fields("<<= >>= ... === !== **= >>> ??= &&= ||= <=> -> :: ++ -- && || == != <= >= += -= *= /= %= &= |= ^= => << >> ** // ?? ?. := .. ~= =~ !~ &^ <- |> ## ;; </ />") {
		m[op] = true
	}
	return m
}()

// OperatorLength returns how long the operator is that a text begins with: any other
// character is one, too.
func OperatorLength(text []byte) int {
	for n := min(3, len(text)); n > 1; n-- {
		if operators[string(text[:n])] {
			return n
		}
	}
	_, size := utf8.DecodeRune(text)
	return size
}
