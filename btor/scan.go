package btor

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// next is the byte that is read next, -1 at the end.
func (r *reader) next() int {
	if r.at == len(r.text) {
		return -1
	}
	return int(r.text[r.at])
}

// fail sets the error.
func (r *reader) fail(format string, args ...any) bool {
	r.err = &Error{Line: r.line, Message: fmt.Sprintf(format, args...)}
	return false
}

// form is how the line that is read is to be.
func (r *reader) form() string {
	switch {
	case r.op == "":
		return "ID OPERATOR WIDTH ..."
	case r.short:
		return "ID " + r.op + " E A i v"
	}
	return "ID " + r.op + " " + r.rule.form
}

// expected fails because something else stands at the place that is read.
func (r *reader) expected(what string) bool {
	form := "a line is " + r.form()
	switch c := r.next(); c {
	case -1:
		return r.fail("%s: the text ends too early: %s, and a newline", what, form)
	case '\n':
		r.fail("%s: line %d ends too early: %s", what, r.line, form)
		r.err.Line++
		return false
	case '\r':
		return r.fail("%s, saw a carriage return: convert the line ends to those of Unix", what)
	case ' ', '\t':
		return r.fail("%s, saw a blank: %s", what, form)
	}
	return r.fail("%s, saw %s: %s", what, brief(r.word()), form)
}

// word is what stands up to the next blank.
func (r *reader) word() string {
	rest := r.text[r.at:]
	for i := range len(rest) {
		if isSpace(rest[i]) {
			return rest[:i]
		}
	}
	return rest
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isDigit(c int) bool { return '0' <= c && c <= '9' }

// begin goes to the number of the next definition.
func (r *reader) begin() bool {
	for {
		switch c := r.next(); {
		case c == -1:
			return false
		case c == '\n':
			r.at++
			r.line++
		case c == ';':
			r.comment()
		case c != '\r' && isSpace(byte(c)):
			r.at++
		case isDigit(c):
			return true
		default:
			r.op = ""
			return r.expected("expected ';' or digit")
		}
	}
}

// comment goes to the end of the line.
func (r *reader) comment() {
	if i := strings.IndexByte(r.text[r.at:], '\n'); i >= 0 {
		r.at += i
	} else {
		r.at = len(r.text)
	}
}

// end reads what may stand behind a definition.
func (r *reader) end() bool {
	r.blanks()
	switch c := r.next(); c {
	case ';':
		r.comment()
		return true
	case '\n':
		return true
	case -1:
		return r.fail("expected new line: end the last line with one")
	case '\r':
		return r.expected("expected new line")
	}
	why := "a line is " + r.form()
	if n := r.nodes; r.rule.text == symbolText && strings.HasPrefix(n[len(n)-1].Text, ";") {
		why = "behind " + r.op + " a ';' begins its symbol: put a symbol before the comment"
	}
	return r.fail("expected new line, saw %s: %s", brief(r.word()), why)
}

func (r *reader) blanks() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
}

// gap reads what separates two words.
func (r *reader) gap() bool {
	if c := r.next(); c != ' ' && c != '\t' {
		return r.expected("expected space or tab")
	}
	r.blanks()
	return true
}

// digits reads a number that begins here, without a sign.
func (r *reader) digits(what string) (int, bool) {
	begin, x := r.at, int64(0)
	for isDigit(r.next()) {
		if x = 10*x + int64(r.next()-'0'); x > maxNumber {
			r.at = begin
			return 0, r.fail("%s is too large: %s is at most %d", brief(r.word()), what, maxNumber)
		}
		r.at++
	}
	return int(x), true
}

// positive reads a number above zero.
func (r *reader) positive(what string) (int, bool) {
	switch c := r.next(); {
	case !isDigit(c):
		return 0, r.expected("expected digit")
	case c == '0':
		return 0, r.fail("expected non zero digit, saw %s: %s is 1 or more, without leading zeros", brief(r.word()), what)
	}
	return r.digits(what)
}

// natural reads a number that may be zero.
func (r *reader) natural() (int, bool) {
	switch c := r.next(); {
	case !isDigit(c):
		return 0, r.expected("expected digit")
	case c == '0':
		r.at++
		if isDigit(r.next()) {
			r.at--
			return 0, r.fail("digit after '0', saw %s: write numbers without leading zeros", brief(r.word()))
		}
		return 0, true
	}
	return r.digits("a number")
}

// operand reads an operand of a node, and what it refers to.
func (r *reader) operand() (graph.Ref, bool) {
	negative := r.next() == '-'
	what := "expected non zero digit or '-'"
	if negative {
		r.at++
		what = "expected non zero digit after '-'"
	}
	if c := r.next(); !isDigit(c) || c == '0' {
		return graph.Ref{}, r.expected(what)
	}
	id, ok := r.digits("an operand")
	if !ok {
		return graph.Ref{}, false
	}
	literal := id
	if negative {
		literal = -id
	}
	d, ok := r.ids[id]
	if !ok && (r.rule == nextRule || r.rule == anextRule) && len(r.literals) == 0 {
		return graph.Ref{}, r.fail("invalid next index %d: it is the number of a line before", literal)
	}
	if !ok {
		return graph.Ref{}, r.fail("literal '%d' undefined: operands are numbers of lines before", literal)
	}
	r.literals = append(r.literals, literal)
	return graph.Ref{To: int(d.node), Not: d.not != negative}, true
}
