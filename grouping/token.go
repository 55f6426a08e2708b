package grouping

import (
	"bytes"
	"iter"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// A token is one identifier in the code of a file, outside its comments and
// strings.
type token struct {
	text    []byte // a slice of the content
	line    int    // 1-based
	end     int    // the offset behind it
	member  bool   // follows ".", "::", or "->" where that is no arrow before a type
	sets    bool   // a variable of a language with types before names gets a value: "x ="
	address bool   // behind "&"
	binds   bool   // names something local: declared by a keyword or a type, by an assignment, or as a keyword argument of Python
	once    bool   // binds, and a block may declare the name but once
}

// A scanner walks over the identifiers of a content, once, in constant memory.
type scanner struct {
	lexical.Scanner
	syntax *syntax
	line   int
	last   byte   // the last byte of code before the next token that was not blank
	before byte   // the one before last
	word   []byte // the last identifier, as long as nothing but blanks followed

	locals *localNames  // nil if the language has no types before names
	script *scriptNames // nil if the language is none of JavaScript's family
}

func newScanner(content []byte, l language, line int) scanner {
	syntax := syntaxOf(l)
	s := scanner{Scanner: lexical.NewScanner(content, syntax.Rules, lexical.Names), syntax: syntax, line: line}
	if syntax.declaresByType() {
		s.locals = &localNames{}
	}
	if syntax.family == "javascript" {
		s.script = &scriptNames{}
	}
	return s
}

// tokens yields the identifiers of a content, the first line of which has that number.
func tokens(content []byte, l language, line int) iter.Seq[token] {
	return func(yield func(token) bool) {
		for s := newScanner(content, l, line); ; {
			if t, ok := s.next(); !ok || !yield(t) {
				return
			}
		}
	}
}

// next returns the next identifier; ok is false at the end.
func (s *scanner) next() (t token, ok bool) {
	for {
		kind, from, to := s.Next()
		switch kind {
		case lexical.None:
			return token{}, false
		case lexical.Word:
			if s.prefixesString() {
				continue
			}
			t := token{text: s.Text[from:to], line: s.line, end: to}
			t.member = s.last == '.' || s.arrow() || s.last == ':' && s.before == ':'
			switch {
			case s.locals != nil:
				t.binds = s.locals.name(t.text, s.Text[to:]) || string(s.word) == "var"
				t.sets = setsNext(s.Text, to) && !t.member && (t.binds || s.last != '*')
				t.address = s.last == '&'
				t.once = t.binds
			case s.script != nil:
				declared := s.script.name(t.text, s.Text[to:])
				t.binds = declared || string(s.word) == "function"
				t.once = declared && s.script.once
			default:
				t.binds = len(s.word) > 0 && bindingKeywords[string(s.word)] || s.assigned()
			}
			s.word = t.text
			s.before, s.last = s.last, 'a'
			return t, true
		case lexical.Space:
			for ; from < to; from++ {
				if s.Text[from] == '\n' {
					s.line++
					if s.locals != nil {
						s.locals.line(s.last == '\\')
					}
				}
			}
		case lexical.Comment:
			s.line += bytes.Count(s.Text[from:to], []byte{'\n'})
		case lexical.String:
			s.line += bytes.Count(s.Text[from:to], []byte{'\n'})
			s.code('"')
		case lexical.Number:
			s.code('0')
		default:
			s.code(s.Text[from])
		}
	}
}

func (s *scanner) code(c byte) {
	s.before, s.last, s.word = s.last, c, nil
	if s.locals != nil {
		s.locals.code(c, s.Text[s.At:])
	}
	if s.script != nil {
		s.script.code(c)
	}
}

// prefixesString reports whether the word just read is the prefix of a
// string, as in f"..." or L'...', and no name.
func (s *scanner) prefixesString() bool {
	return s.At < len(s.Text) && (s.Text[s.At] == '"' || s.Text[s.At] == '\'') &&
		s.syntax.Expands == "" && strings.IndexByte(s.syntax.Quotes+s.syntax.Long, s.Text[s.At]) >= 0
}

// arrow reports whether the code so far ends with the "->" that stands before a member. In other languages it stands before the
// type that a function returns, or begins a function.
func (s *scanner) arrow() bool {
	return s.last == '>' && s.before == '-' && (s.syntax.family == "c" || s.syntax.family == "php")
}

// bindingKeywords are followed by a name that is declared, not used.
var bindingKeywords = map[string]bool{
	"let": true, "const": true, "var": true, "mut": true, "val": true,
	"function": true, "fn": true, "def": true, "func": true, "local": true, "for": true,
}

// assigned reports whether the word just read is the target of an assignment in a language
// where that declares a variable, or the name of a keyword argument of Python.
func (s *scanner) assigned() bool {
	switch s.syntax.family {
	case "python", "ruby", "php":
		return s.last != '.' && !s.arrow() && setsNext(s.Text, s.At)
	}
	return false
}

// setsNext reports whether "=" is the first at or behind an offset of text that is not blank, and no part of "==", "=>" or "=~".
func setsNext(text []byte, at int) bool {
	rest := bytes.TrimLeft(text[at:], " \t\r")
	return len(rest) > 0 && rest[0] == '=' && (len(rest) == 1 || !strings.ContainsRune("=>~", rune(rest[1])))
}
