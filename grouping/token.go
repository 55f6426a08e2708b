package grouping

import "bytes"

// A token is one identifier in the code of a file, outside its comments and
// strings.
type token struct {
	text   []byte // a slice of the content
	line   int    // 1-based
	member bool   // follows ".", "->" or "::"
	binds  bool   // names something local: declared by a keyword, or a Python assignment or keyword argument
}

// byteClass says what a byte can start.
type byteClass uint8

const (
	other byteClass = iota
	letter
	digit
	newline
	blank
	quote
	opener // may open a comment or end a template's code
)

var classes = func() (table [256]byteClass) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
			table[c] = letter
		case c >= '0' && c <= '9':
			table[c] = digit
		case c == '\n':
			table[c] = newline
		case c == ' ', c == '\t', c == '\r':
			table[c] = blank
		case c == '"', c == '\'', c == '`':
			table[c] = quote
		case c == '/', c == '#', c == '<', c == '=', c == '{', c == '}':
			table[c] = opener
		}
	}
	return
}()

// A scanner walks over the identifiers of a content, once, in constant
// memory. It knows comments and strings only as far as its syntax does, and
// goes on after anything: no input is an error.
type scanner struct {
	syntax  *syntax
	content []byte
	at      int
	line    int
	last    byte   // the last byte of code before at that was not blank
	before  byte   // the one before last
	word    []byte // the last identifier, as long as nothing but blanks followed
	braces  []int  // open braces per nested template code

	note func(from, to int, comment bool) // if not nil: told of each comment, and of each string or the like
}

func newScanner(content []byte, l language, line int) scanner {
	return scanner{syntax: syntaxOf(l), content: content, line: line}
}

// next returns the next identifier; ok is false at the end.
func (s *scanner) next() (t token, ok bool) {
	for s.at < len(s.content) {
		c := s.content[s.at]
		switch classes[c] {
		case letter:
			start := s.at
			s.at = s.identifierEnd(start)
			if s.prefixesString() {
				continue
			}
			t := token{text: s.content[start:s.at], line: s.line}
			t.member = s.last == '.' || s.last == '>' && s.before == '-' || s.last == ':' && s.before == ':'
			t.binds = bindingKeywords[string(s.word)] || s.assigned()
			s.word = t.text
			s.before, s.last = s.last, 'a'
			return t, true
		case digit:
			s.at = s.identifierEnd(s.at)
			s.code('0')
		case newline:
			s.at++
			s.line++
			if s.blockComment(s.at - 1) {
				continue
			}
		case blank:
			s.at++
		case quote:
			start := s.at
			s.skipString(c)
			s.noted(start, false)
			s.code('"')
		case opener:
			if !s.comment(c) {
				s.at++
				s.code(c)
			}
		default:
			s.at++
			if c == '\\' && s.at < len(s.content) && s.content[s.at] != '\n' {
				s.at++ // an escaped quote outside a string, as in shell
			}
			s.code(c)
		}
	}
	return token{}, false
}

// noted tells of what lies between start and the scanner's position.
func (s *scanner) noted(start int, comment bool) {
	if s.note != nil {
		s.note(start, s.at, comment)
	}
}

func (s *scanner) code(c byte) {
	s.before, s.last, s.word = s.last, c, nil
}

func (s *scanner) identifierEnd(i int) int {
	for i < len(s.content) && (classes[s.content[i]] == letter || classes[s.content[i]] == digit) {
		i++
	}
	return i
}

// prefixesString reports whether the word just read is the prefix of a
// string, as in f"..." or L'...', and no name.
func (s *scanner) prefixesString() bool {
	return s.at < len(s.content) && (s.content[s.at] == '"' || s.content[s.at] == '\'') &&
		!s.syntax.expands && bytes.IndexByte([]byte(s.syntax.quotes+s.syntax.long), s.content[s.at]) >= 0
}

// bindingKeywords are followed by a name that is declared, not used.
var bindingKeywords = map[string]bool{
	"let": true, "const": true, "var": true, "mut": true, "val": true,
	"function": true, "fn": true, "def": true, "func": true, "local": true, "for": true,
}

// assigned reports whether the word just read is the target of a Python
// assignment or the name of a keyword argument.
func (s *scanner) assigned() bool {
	return s.syntax.family == "python" && s.last != '.' && s.setsNext()
}

// setsNext reports whether "=" follows the word just read.
func (s *scanner) setsNext() bool {
	i := s.at
	for i < len(s.content) && classes[s.content[i]] == blank {
		i++
	}
	return i < len(s.content) && s.content[i] == '=' && (i+1 == len(s.content) || s.content[i+1] != '=')
}

// comment skips the comment, regular expression or template end at the
// scanner's position, and reports whether there was one.
func (s *scanner) comment(c byte) bool {
	rest := s.content[s.at:]
	for _, mark := range s.syntax.line {
		if !bytes.HasPrefix(rest, []byte(mark)) {
			continue
		}
		if mark == "#" && s.syntax.expands && s.at > 0 && classes[s.content[s.at-1]] != blank && s.content[s.at-1] != '\n' && s.content[s.at-1] != ';' {
			continue // $# and ${a#b} of a shell
		}
		start := s.at
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			s.at += end
		} else {
			s.at = len(s.content)
		}
		s.noted(start, true)
		return true
	}
	if s.blockComment(s.at) {
		return true
	}
	switch {
	case c == '/' && s.syntax.regex && bytes.IndexByte([]byte("(,=:[!&|?{};\n\x00"), s.last) >= 0:
		start := s.at
		s.skipQuoted('/', false)
		s.noted(start, false)
		return true
	case c == '{' && len(s.braces) > 0:
		s.braces[len(s.braces)-1]++
	case c == '}' && len(s.braces) > 0:
		if s.braces[len(s.braces)-1]--; s.braces[len(s.braces)-1] < 0 {
			s.braces = s.braces[:len(s.braces)-1]
			start := s.at
			s.at++
			s.skipTemplate()
			s.noted(start, false)
			return true
		}
	}
	return false
}

// blockComment skips the longer comment that starts at offset i (the
// scanner's position, or the line feed before it).
func (s *scanner) blockComment(i int) bool {
	for _, marks := range s.syntax.block {
		if !bytes.HasPrefix(s.content[i:], []byte(marks[0])) {
			continue
		}
		body := i + len(marks[0])
		end := bytes.Index(s.content[body:], []byte(marks[1]))
		if end < 0 {
			end = len(s.content)
		} else {
			end += body + len(marks[1])
		}
		s.line += bytes.Count(s.content[s.at:end], []byte("\n"))
		start := s.at
		s.at = end
		s.noted(start, true)
		return true
	}
	return false
}

// skipString leaves the scanner behind the string that starts with quote c,
// or behind c when that is no string here.
func (s *scanner) skipString(c byte) {
	x := s.syntax
	switch {
	case c == '`' && x.template:
		s.at++
		s.skipTemplate()
	case c == '\'' && x.lifetime:
		s.skipCharacter()
	case x.triple && bytes.HasPrefix(s.content[s.at:], []byte{c, c, c}):
		end := bytes.Index(s.content[s.at+3:], []byte{c, c, c})
		if end < 0 {
			end = len(s.content)
		} else {
			end += s.at + 6
		}
		s.line += bytes.Count(s.content[s.at:end], []byte("\n"))
		s.at = end
	case bytes.IndexByte([]byte(x.quotes), c) >= 0:
		s.skipQuoted(c, false)
	case bytes.IndexByte([]byte(x.long), c) >= 0:
		s.skipQuoted(c, true)
	default:
		s.at++
	}
}

// skipQuoted skips to the next c that is not escaped; unless long, the line's
// end ends it too, so that a stray quote costs one line at most.
func (s *scanner) skipQuoted(c byte, long bool) {
	raw := c == '`' || c == '\'' && s.syntax.expands
	for s.at++; s.at < len(s.content); s.at++ {
		switch b := s.content[s.at]; {
		case b == c:
			s.at++
			return
		case b == '\\' && !raw && s.at+1 < len(s.content):
			s.at++
			if s.content[s.at] == '\n' {
				s.line++
			}
		case b == '\n':
			if !long {
				return
			}
			s.line++
		}
	}
}

// skipTemplate skips the text of a template literal up to its end or to the
// code inside it.
func (s *scanner) skipTemplate() {
	for ; s.at < len(s.content); s.at++ {
		switch s.content[s.at] {
		case '`':
			s.at++
			return
		case '\\':
			s.at++
			if s.at < len(s.content) && s.content[s.at] == '\n' {
				s.line++
			}
		case '\n':
			s.line++
		case '$':
			if s.at+1 < len(s.content) && s.content[s.at+1] == '{' {
				s.at += 2
				s.braces = append(s.braces, 0)
				return
			}
		}
	}
	s.at = min(s.at, len(s.content))
}

// skipCharacter skips a character literal of Rust, or only the quote of a
// lifetime.
func (s *scanner) skipCharacter() {
	rest := s.content[s.at+1:]
	switch {
	case len(rest) > 1 && rest[0] == '\\':
		s.skipQuoted('\'', false)
	case len(rest) > 1 && rest[0] != '\n' && bytes.IndexByte(rest[1:min(len(rest), 5)], '\'') >= 0 && !(classes[rest[0]] == letter && rest[0] < 0x80 && rest[1] != '\''):
		s.skipQuoted('\'', false)
	default:
		s.at++
	}
}
