package reduce

import (
	"bytes"
	"cmp"
	"path"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// plain is the rules of a text of which nothing is known.
var plain = lexical.NewRules(lexical.Rules{Quotes: `"'`})

// rulesOf guesses the rules of a file by its name, else by its beginning. Where it is
// wrong, elements are cut at odd places; no byte is lost.
func rulesOf(name string, content []byte) *lexical.Rules {
	if l := lexical.RulesOf(name); l != nil {
		return l
	}
	head := bytes.TrimLeft(content[:min(len(content), 4<<10)], "\ufeff \t\r\n")
	begins := func(marks ...string) bool {
		for _, mark := range marks {
			if bytes.HasPrefix(head, []byte(mark)) {
				return true
			}
		}
		return false
	}
	switch {
	case begins("#!"):
		return cmp.Or(lexical.RulesOf("."+shebang(head)), lexical.RulesOf(".py"))
	case looksSMT(content):
		return lexical.RulesOf(".smt2")
	case looksSQL(content):
		return lexical.RulesOf(".sql")
	case begins("#include", "#define", "/*", "//", "package "):
		return lexical.RulesOf(".c")
	case begins(";", "("):
		return lexical.RulesOf(".lisp")
	}
	return plain
}

// rulesOfFormat is the rules of a file for the passes: by its format, then its name;
// most languages look like JavaScript.
func rulesOfFormat(format, name string) *lexical.Rules {
	for _, ending := range []string{"." + format, path.Ext(name)} {
		switch strings.ToLower(ending) {
		case ".csv", ".tsv", ".txt", ".md", ".diff", ".patch":
			return plain
		}
		if l := lexical.RulesOf(ending); l != nil {
			return l
		}
	}
	return lexical.RulesOf(".js")
}

// kindNames are the kinds of leaves, by what tokens look like.
var kindNames = [...]string{
	lexical.Word: "identifier", lexical.Number: "number", lexical.String: "string", lexical.Operator: "operator",
	lexical.Comment: "comment", lexical.Opener: "open", lexical.Closer: "close",
}

// A scanner cuts a text into tokens: white space stands between them.
type scanner struct{ lexical.Scanner }

func newScanner(text []byte, l *lexical.Rules) *scanner {
	return &scanner{lexical.NewScanner(text, l, lexical.Exact)}
}

// next returns the next token and where it begins and ends; ok is false at the end
// of the text.
func (s *scanner) next() (kind lexical.Kind, from, to int, ok bool) {
	if kind, from, to = s.Next(); kind == lexical.Space {
		kind, from, to = s.Next()
	}
	return kind, from, to, kind != lexical.None
}

// A piece is what a text is cut into for the passes, whatever its format:
// nobody has to know the language, and a wrong cut costs trials, nothing else.
type piece struct {
	kind     lexical.Kind
	from, to int
}

// cutPieces cuts a text into pieces, one behind the other without gaps.
func cutPieces(text []byte, l *lexical.Rules) (pieces []piece) {
	s := lexical.NewScanner(text, l, lexical.Exact)
	for kind, from, to := s.Next(); kind != lexical.None; kind, from, to = s.Next() {
		if kind == lexical.Word && !isWord(text[from]) {
			kind = lexical.Operator // a sign of a Lisp
		}
		pieces = append(pieces, piece{kind, from, to})
	}
	return pieces
}

// Tokens counts the tokens of a text, in the same way for any format: identifiers,
// numbers, strings that end within their line, operators and brackets. Tokens in
// comments count, too.
func Tokens(content []byte) int {
	n := 0
	for s := newScanner(content, plain); ; n++ {
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

func isSpace(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isWord: what names are made of; bytes beyond ASCII count as letters.
func isWord(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}

// looksSMT: a command of SMT-LIB or SyGuS stands at the beginning.
func looksSMT(content []byte) bool {
	s := newScanner(content[:min(len(content), 8<<10)], lexical.RulesOf(".smt2"))
	last := lexical.Comment
	for {
		kind, from, to, ok := s.next()
		switch {
		case !ok:
			return false
		case kind == lexical.Comment:
		case kind == lexical.Opener && last == lexical.Comment:
			last = kind
		case kind == lexical.Word && last == lexical.Opener:
			w := string(s.Text[from:to])
			return w == "assert" || w == "check-sat" || w == "push" || w == "define-fun" || w == "set-logic" || w == "set-option" || w == "set-info" || strings.HasPrefix(w, "declare-")
		default:
			return false
		}
	}
}
