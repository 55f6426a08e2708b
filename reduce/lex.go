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

// cut cuts a text into pieces, one behind the other without gaps.
func (s style) cut(text []byte) []piece {
	var pieces []piece
	for at := 0; at < len(text); {
		class, length := s.next(text[at:])
		pieces = append(pieces, piece{class, at, at + length})
		at += length
	}
	return pieces
}

// next returns the class and the length of the piece that a text, which is not
// empty, begins with.
func (s style) next(text []byte) (class, int) {
	for _, mark := range s.block {
		if bytes.HasPrefix(text, []byte(mark[0])) {
			if i := bytes.Index(text[len(mark[0]):], []byte(mark[1])); i >= 0 {
				return comment, len(mark[0]) + i + len(mark[1])
			}
		}
	}
	for _, mark := range s.line {
		if bytes.HasPrefix(text, []byte(mark)) {
			return comment, lineLength(text)
		}
	}
	for _, mark := range s.long {
		if bytes.HasPrefix(text, []byte(mark)) {
			if i := bytes.Index(text[len(mark):], []byte(mark)); i >= 0 {
				return quoted, 2*len(mark) + i
			}
		}
	}
	c := text[0]
	switch {
	case isSpace(c):
		return space, run(text, func(c byte) bool { return isSpace(c) })
	case strings.IndexByte(s.quotes, c) >= 0:
		if n := quotedLength(text); n > 0 {
			return quoted, n
		}
		return other, 1
	case isDigit(c):
		return number, numberLength(text)
	case isWord(c):
		return word, wordLength(text)
	case strings.IndexByte("([{", c) >= 0:
		return opening, 1
	case strings.IndexByte(")]}", c) >= 0:
		return closing, 1
	}
	return other, operatorLength(text)
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

// quotedLength is the length of a string that text begins with, 0 if its end is
// not in the line; a string in backquotes may go on over lines.
func quotedLength(text []byte) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1
		case c == '\\' && i+1 < len(text):
			i++
		case c == '\n' && quote != '`':
			return 0
		}
	}
	return 0
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

func run(text []byte, in func(byte) bool) int {
	n := 0
	for n < len(text) && in(text[n]) {
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
