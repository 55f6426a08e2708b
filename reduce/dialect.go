package reduce

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A dialect is what the scanner knows of the comments and strings of a text.
// Where it is wrong, elements are cut at odd places; no byte is lost.
type dialect struct {
	line   []string    // what starts a comment that ends with its line
	block  [][2]string // what starts and ends a longer one
	short  string      // string delimiters that end with their line at the latest
	char   bool        // ' stands around one character
	long   string      // string delimiters that may span lines
	triple bool        // a delimiter may be tripled, and then span lines
	escape bool        // a backslash takes the next character along
	lisp   bool        // words are all that is no bracket, quote or comment; ; does not end a statement
	smt    bool        // SMT-LIB: the terms are known
}

var (
	slashStars = [][2]string{{"/*", "*/"}}

	plainDialect  = &dialect{short: `"'`, escape: true}
	cDialect      = &dialect{line: []string{"//"}, block: slashStars, short: `"`, char: true, long: "`", escape: true}
	jsDialect     = &dialect{line: []string{"//"}, block: slashStars, short: `"'`, long: "`", escape: true}
	phpDialect    = &dialect{line: []string{"//", "#"}, block: slashStars, long: `"'`, escape: true}
	cssDialect    = &dialect{block: slashStars, short: `"'`, escape: true}
	scriptDialect = &dialect{line: []string{"#"}, short: `"'`, triple: true, escape: true}
	shellDialect  = &dialect{line: []string{"#"}, long: `"'`, escape: true}
	sqlDialect    = &dialect{line: []string{"--"}, block: slashStars, long: `'"`}
	luaDialect    = &dialect{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, short: `"'`, escape: true}
	percents      = &dialect{line: []string{"%"}}
	semicolons    = &dialect{line: []string{";"}, short: `"`, escape: true}
	lispDialect   = &dialect{line: []string{";"}, block: [][2]string{{"#|", "|#"}}, long: `"|`, escape: true, lisp: true}
	smtDialect    = &dialect{line: []string{";"}, long: `"|`, lisp: true, smt: true}
)

// dialects by the end of a file name.
var dialects = map[string]*dialect{}

func init() {
	for words, d := range map[string]*dialect{
		"c h cc cpp cxx hh hpp hxx inc java go rs cs kt kts scala swift proto thrift dart zig d v sv glsl hlsl cl cu m mm gradle groovy y l td": cDialect,
		"js jsx mjs cjs ts tsx json5 jsonc vue svelte": jsDialect,
		"php":           phpDialect,
		"css scss less": cssDialect,
		"py pyi pyx rb pl pm r jl yaml yml toml cfg conf tcl nim ex exs cmake coffee tf hcl": scriptDialect,
		"sh bash zsh ksh dash fish mk ebuild bats":                                           shellDialect,
		"sql ddl dml":                 sqlDialect,
		"lua hs elm adb ads vhd vhdl": luaDialect,
		"tex sty erl hrl m4 pro":      percents,
		"ll mir s asm nasm ini":       semicolons,
		"lisp lsp el scm ss rkt clj cljs edn sexp fnl wat wast": lispDialect,
		"smt smt2 sy": smtDialect,
	} {
		for _, word := range strings.Fields(words) {
			dialects[word] = d
		}
	}
}

// dialectOf guesses the dialect of a file by its name, else by its beginning.
func dialectOf(name string, content []byte) *dialect {
	base := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	if dot := strings.LastIndexByte(base, '.'); dot >= 0 {
		if d := dialects[base[dot+1:]]; d != nil {
			return d
		}
	}
	switch {
	case base == "makefile" || base == "dockerfile":
		return shellDialect
	}
	head := bytes.TrimLeft(content[:min(len(content), 4<<10)], "\ufeff \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("#!")):
		first, _, _ := bytes.Cut(head, []byte("\n"))
		switch {
		case bytes.HasSuffix(bytes.TrimSpace(first), []byte("sh")):
			return shellDialect
		case bytes.Contains(first, []byte("node")) || bytes.Contains(first, []byte("deno")):
			return jsDialect
		}
		return scriptDialect
	case looksSMT("", content):
		return smtDialect
	case looksSQL("", content):
		return sqlDialect
	case bytes.HasPrefix(head, []byte("#include")) || bytes.HasPrefix(head, []byte("#define")) || bytes.HasPrefix(head, []byte("/*")) ||
		bytes.HasPrefix(head, []byte("//")) || bytes.HasPrefix(head, []byte("package ")):
		return cDialect
	case bytes.HasPrefix(head, []byte(";")) || bytes.HasPrefix(head, []byte("(")):
		return lispDialect
	}
	return plainDialect
}

// tokenKind says what a token is.
type tokenKind uint8

const (
	aWord tokenKind = iota
	aNumber
	aString
	anOperator
	aComment
	anOpener
	aCloser
)

var kindNames = [...]string{aWord: "identifier", aNumber: "number", aString: "string", anOperator: "operator", aComment: "comment", anOpener: "open", aCloser: "close"}

// A scanner cuts a text into tokens: white space stands between them. It takes
// time linear in the text, whatever the text.
type scanner struct {
	*dialect
	text []byte
	at   int

	// open is, by kind of quote, up to where nothing that one starts is closed: an
	// earlier one has looked through.
	open [len(quotes)]int
	// lost are block comments and tripled quotes that nothing closes any more.
	lost [8]bool
}

const quotes = "\"'`|"

func newScanner(text []byte, d *dialect) *scanner { return &scanner{dialect: d, text: text} }

// next returns the next token and where it begins and ends; ok is false at the end
// of the text.
func (s *scanner) next() (kind tokenKind, from, to int, ok bool) {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
	if s.at == len(s.text) {
		return 0, s.at, s.at, false
	}
	from = s.at
	kind, s.at = s.token(from)
	return kind, from, s.at, true
}

func (s *scanner) token(at int) (tokenKind, int) {
	if end := s.comment(at); end > 0 {
		return aComment, end
	}
	c := s.text[at]
	if end := s.quoted(at, c); end > 0 {
		return aString, end
	}
	switch c {
	case '(', '[', '{':
		return anOpener, at + 1
	case ')', ']', '}':
		return aCloser, at + 1
	}
	if s.lisp {
		return s.atom(at)
	}
	if isDigit(c) || c == '.' && at+1 < len(s.text) && isDigit(s.text[at+1]) {
		return aNumber, s.number(at)
	}
	if end := wordEnd(s.text, at); end > at {
		return aWord, end
	}
	return anOperator, s.operator(at)
}

// comment returns where a comment that begins here ends, 0 if none does.
func (s *scanner) comment(at int) int {
	rest := s.text[at:]
	for i, b := range s.block {
		if s.lost[i] || !bytes.HasPrefix(rest, []byte(b[0])) {
			continue
		}
		if end := bytes.Index(rest[len(b[0]):], []byte(b[1])); end >= 0 {
			return at + len(b[0]) + end + len(b[1])
		}
		s.lost[i] = true
	}
	for _, start := range s.line {
		if !bytes.HasPrefix(rest, []byte(start)) || start == "#" && at > 0 && !isSpace(s.text[at-1]) && !strings.ContainsRune(";,:)", rune(s.text[at-1])) {
			continue
		}
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		return at + len(bytes.TrimRight(rest[:end], "\r"))
	}
	return 0
}

// quoted returns where a string that begins here ends, 0 if none does.
func (s *scanner) quoted(at int, c byte) int {
	short, long := strings.IndexByte(s.short, c) >= 0, strings.IndexByte(s.long, c) >= 0
	switch {
	case c == '\'' && s.char:
		return s.character(at)
	case !short && !long || s.open[strings.IndexByte(quotes, c)] > at:
		return 0
	case short && c == '\'' && at > 0 && isWord(s.text[at-1]):
		return 0 // don't
	}
	tripled := 4 + len(s.short) - strings.IndexByte(s.short, c)
	if s.triple && !s.lost[tripled] && at+2 < len(s.text) && s.text[at+1] == c && s.text[at+2] == c {
		if end := bytes.Index(s.text[at+3:], []byte{c, c, c}); end >= 0 {
			return at + 3 + end + 3
		}
		s.lost[tripled] = true
	}
	i := at + 1
	for ; i < len(s.text) && (long || s.text[i] != '\n'); i++ {
		switch b := s.text[i]; {
		case b == c:
			return i + 1
		case b == '\\' && s.escape && i+1 < len(s.text) && (long || s.text[i+1] != '\n'):
			i++
		}
	}
	s.open[strings.IndexByte(quotes, c)] = i
	return 0
}

// character returns where 'c' or '\n' ends; 'a as in Rust is none.
func (s *scanner) character(at int) int {
	i := at + 1
	if i < len(s.text) && s.text[i] == '\\' {
		for i += 2; i < min(at+12, len(s.text)); i++ {
			if s.text[i] == '\'' {
				return i + 1
			}
		}
		return 0
	}
	_, size := utf8.DecodeRune(s.text[min(i, len(s.text)):])
	if i += size; i > at+1 && i < len(s.text) && s.text[i] == '\'' && s.text[at+1] != '\n' {
		return i + 1
	}
	return 0
}

// atom returns where a word of a Lisp ends.
func (s *scanner) atom(at int) (tokenKind, int) {
	i := at
	if i+2 < len(s.text) && s.text[i] == '#' && s.text[i+1] == '\\' {
		_, size := utf8.DecodeRune(s.text[i+2:])
		i += 2 + size
	}
	for i < len(s.text) && !isSpace(s.text[i]) && strings.IndexByte("()[]{}\"';`,", s.text[i]) < 0 && (s.text[i] != '|' || i == at) {
		i++
	}
	switch {
	case i == at:
		return anOperator, at + 1
	case isDigit(s.text[at]):
		return aNumber, i
	}
	return aWord, i
}

func (s *scanner) number(at int) int {
	i := at + 1
	for ; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case isWord(c):
		case c == '.' && !(i+1 < len(s.text) && s.text[i+1] == '.'):
		case (c == '+' || c == '-') && strings.IndexByte("eEpP", s.text[i-1]) >= 0 && i+1 < len(s.text) && isDigit(s.text[i+1]):
		case c == '\'' && s.char && i+1 < len(s.text) && isWord(s.text[i+1]):
		default:
			return i
		}
	}
	return i
}

// longOperators are those of more than one character.
var longOperators = func() map[string]bool {
	m := map[string]bool{}
	for _, op := range strings.Fields("<<= >>= ... === !== **= >>> ??= &&= ||= <=> -> :: ++ -- && || == != <= >= += -= *= /= %= &= |= ^= => << >> ** // ?? ?. := .. ~= =~ !~ &^ <- |> ## ;;") {
		m[op] = true
	}
	return m
}()

func (s *scanner) operator(at int) int {
	for n := 3; n > 1; n-- {
		if at+n <= len(s.text) && longOperators[string(s.text[at:at+n])] {
			return at + n
		}
	}
	_, size := utf8.DecodeRune(s.text[at:])
	return at + size
}

// wordEnd returns where the identifier that begins at an offset ends: the offset
// itself if none does.
func wordEnd(text []byte, at int) int {
	for at < len(text) {
		if text[at] < utf8.RuneSelf {
			if !isWord(text[at]) {
				break
			}
			at++
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
			break
		}
		at += size
	}
	return at
}

// Tokens counts the tokens of a text, the same way for any format: identifiers,
// numbers, strings that end with their line, operators and brackets. What is in a
// comment counts too.
func Tokens(content []byte) int {
	n := 0
	for s := newScanner(content, plainDialect); ; n++ {
		if _, _, _, ok := s.next(); !ok {
			return n
		}
	}
}

// meet reports whether the bytes beside a piece of a text would grow together to
// one word, were there nothing between them.
func meet(text []byte, from, to int) bool {
	return from > 0 && to < len(text) && isWord(text[from-1]) && isWord(text[to])
}

var oneSpace = []byte(" ")

// looksSMT: a command of SMT-LIB or SyGuS stands at the beginning.
func looksSMT(name string, content []byte) bool {
	if content == nil {
		return extension(name, "smt", "smt2", "sy")
	}
	s := newScanner(content[:min(len(content), 8<<10)], smtDialect)
	last := aComment
	for {
		kind, from, to, ok := s.next()
		switch {
		case !ok:
			return false
		case kind == aComment:
		case kind == anOpener && last == aComment:
			last = kind
		case kind == aWord && last == anOpener:
			w := string(s.text[from:to])
			return w == "assert" || w == "check-sat" || w == "push" || w == "define-fun" || w == "set-logic" || w == "set-option" || w == "set-info" || strings.HasPrefix(w, "declare-")
		default:
			return false
		}
	}
}
