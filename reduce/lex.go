package reduce

import (
	"bytes"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A class is what a piece of a text looks like.
type class uint8

const (
	other   class = iota // an operator or any other character
	space                // white space, as long as it goes
	comment              // to its end, without the newline after it
	word                 // letters, digits, _, $ and all that is not ASCII
	number               // from its first digit on, with point, exponent, suffix
	quoted               // a string or character, with its quotes
	opening              // ( [ {
	closing              // ) ] }
)

// A piece is what a text is cut into for the passes, whatever its format:
// nobody has to know the language, and a wrong cut costs trials, nothing else.
type piece struct {
	class    class
	from, to int
}

// A style says how comments and strings of a text look.
type style struct {
	line   []string    // what a comment to the end of the line begins with
	block  [][2]string // what other comments begin and end with
	quotes string      // what strings begin and end with
	long   []string    // longer quotes; strings of them may have newlines
}

var styles = map[string]style{
	"c":       {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"'`"},
	"hash":    {line: []string{"#"}, quotes: "\"'`", long: []string{`"""`, `'''`}},
	"php":     {line: []string{"//", "#"}, block: [][2]string{{"/*", "*/"}, {"<!--", "-->"}}, quotes: "\"'`"},
	"sql":     {line: []string{"--"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"'`"},
	"xml":     {block: [][2]string{{"<!--", "-->"}}, quotes: "\"'"},
	"lisp":    {line: []string{";"}, block: [][2]string{{"#|", "|#"}}, quotes: "\""},
	"ini":     {line: []string{";", "#"}, quotes: "\"'"},
	"css":     {block: [][2]string{{"/*", "*/"}}, quotes: "\"'"},
	"data":    {quotes: "\""},
	"percent": {line: []string{"%"}, quotes: "\""},
}

// languageStyles gives a style to formats and to endings of file names.
var languageStyles = map[string]string{
	"python": "hash", "ruby": "hash", "bash": "hash", "yaml": "hash", "toml": "hash",
	"py": "hash", "rb": "hash", "sh": "hash", "yml": "hash", "pl": "hash", "pm": "hash", "r": "hash", "mk": "hash", "cmake": "hash", "tcl": "hash",
	"php": "php", "sql": "sql", "lua": "sql", "hs": "sql", "ada": "sql", "vhd": "sql",
	"xml": "xml", "html": "xml", "htm": "xml", "xhtml": "xml", "svg": "xml", "xsl": "xml",
	"smt2": "lisp", "lisp": "lisp", "el": "lisp", "scm": "lisp", "clj": "lisp", "asm": "lisp", "ll": "lisp", "btor": "lisp", "btor2": "lisp",
	"ini": "ini", "cfg": "ini", "conf": "ini", "css": "css",
	"json": "data", "csv": "data", "txt": "data", "md": "data", "diff": "data", "patch": "data",
	"tex": "percent", "m": "percent", "erl": "percent", "pro": "percent",
}

// styleOf guesses the style of a file from its format, then its name; most
// languages look like C.
func styleOf(format, name string) style {
	ending := strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	for _, key := range []string{format, ending} {
		if s, ok := languageStyles[key]; ok {
			return styles[s]
		}
	}
	return styles["c"]
}

// cut cuts a text into pieces, one behind the other without gaps. It takes time
// linear in the text, whatever the text.
func (s style) cut(text []byte) []piece {
	c := cutter{style: s, text: text}
	var pieces []piece
	for at := 0; at < len(text); {
		class, to := c.next(at)
		pieces = append(pieces, piece{class, at, to})
		at = to
	}
	return pieces
}

// A cutter is one run of cut. What is opened and never closed it looks for once:
// a text may hold a hundred thousand beginnings of comments and no end.
type cutter struct {
	style
	text []byte

	lost map[string]bool // ends that do not come any more
	// open is, by quote, up to where no string ends: one that began before has been
	// looked at so far, and another within it, behind a backslash, is read as that
	// one was.
	open map[byte]int
}

// next returns the class of the piece that begins at an offset, and its end.
func (c *cutter) next(at int) (class, int) {
	text := c.text[at:]
	for _, mark := range c.block {
		if to, ok := c.enclosed(at, mark[0], mark[1]); ok {
			return comment, to
		}
	}
	for _, mark := range c.line {
		if bytes.HasPrefix(text, []byte(mark)) {
			return comment, at + lineLength(text)
		}
	}
	for _, mark := range c.long {
		if to, ok := c.enclosed(at, mark, mark); ok {
			return quoted, to
		}
	}
	first := text[0]
	switch {
	case isSpace(first):
		return space, at + spaceLength(text)
	case strings.IndexByte(c.quotes, first) >= 0:
		if to, ok := c.quoted(at); ok {
			return quoted, to
		}
		return other, at + 1
	case isDigit(first):
		return number, at + numberLength(text)
	case isWord(first):
		return word, at + wordLength(text)
	case strings.IndexByte("([{", first) >= 0:
		return opening, at + 1
	case strings.IndexByte(")]}", first) >= 0:
		return closing, at + 1
	}
	return other, at + operatorLength(text)
}

// enclosed returns where that ends which one mark begins at an offset and another
// ends, if there is such a thing.
func (c *cutter) enclosed(at int, begin, end string) (to int, ok bool) {
	if c.lost[end] || !bytes.HasPrefix(c.text[at:], []byte(begin)) {
		return 0, false
	}
	if i := bytes.Index(c.text[at+len(begin):], []byte(end)); i >= 0 {
		return at + len(begin) + i + len(end), true
	}
	if c.lost == nil {
		c.lost = map[string]bool{}
	}
	c.lost[end] = true
	return 0, false
}

// quoted returns where the string ends that begins at an offset, if it does so in
// the line; one in backquotes may go on over lines.
func (c *cutter) quoted(at int) (to int, ok bool) {
	quote := c.text[at]
	if at < c.open[quote] {
		return 0, false
	}
	i := at + 1
	for ; i < len(c.text) && (c.text[i] != '\n' || quote == '`'); i++ {
		switch c.text[i] {
		case quote:
			return i + 1, true
		case '\\':
			i++ // nothing, if it is the last byte
		}
	}
	if c.open == nil {
		c.open = map[byte]int{}
	}
	c.open[quote] = i
	return 0, false
}

// operators are those of two and three characters that are one piece.
var operators = []string{"<<=", ">>=", "...", "===", "!==", "**=", "->", "=>", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", ":=", "**", "</", "/>", "?.", "??", "##"}

func operatorLength(text []byte) int {
	for _, o := range operators {
		if bytes.HasPrefix(text, []byte(o)) {
			return len(o)
		}
	}
	return 1
}

// lineLength is the length of a line without its end.
func lineLength(text []byte) int {
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
		return i
	}
	return len(text)
}

func numberLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case isDigit(c), c == '_', isLetter(c):
		case c == '.' && i+1 < len(text) && isDigit(text[i+1]):
		case (c == '+' || c == '-') && i+1 < len(text) && isDigit(text[i+1]) && exponent(text[:i]):
		default:
			return i
		}
	}
	return len(text)
}

// exponent reports whether a number ends with the mark of its exponent.
func exponent(text []byte) bool {
	hex := len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
	c := text[len(text)-1] | 0x20
	return c == 'e' && !hex || c == 'p' && hex
}

func wordLength(text []byte) int {
	n := 0
	for n < len(text) && isWord(text[n]) {
		if text[n] < utf8.RuneSelf {
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[n:])
		if unicode.IsSpace(r) && n > 0 {
			break
		}
		n += size
	}
	return n
}

func spaceLength(text []byte) int {
	n := 0
	for n < len(text) && isSpace(text[n]) {
		n++
	}
	return n
}

func isSpace(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isWord: what names are made of; bytes beyond ASCII count as letters.
func isWord(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c >= utf8.RuneSelf
}
