package grouping

import (
	"fmt"
	"strings"
)

// Remarks returns what remarks reads in an output, in a form for tests: the text of each
// remark, with its places indented below it and, behind "|", the lines that belong to it.
func Remarks(output []byte) string {
	var b strings.Builder
	for _, r := range remarks(output) {
		fmt.Fprintln(&b, r.text)
		for _, s := range r.spots {
			fmt.Fprintf(&b, "  %s:%d\n", s.path, s.line)
		}
		for _, m := range r.more {
			fmt.Fprintf(&b, "  | %s\n", m)
		}
	}
	return b.String()
}

// Alike is alike.
func Alike(text string) string { return alike(text) }

// Parses reports whether a content has no syntax error; ok is false if there is no
// parser for it.
func Parses(path string, content []byte) (parses, ok bool) {
	r := newReader()
	defer r.parsers.close()
	l := languageOf(path, content)
	return r.parses(l, content), r.checksSyntax(l)
}

// SpendParsing uses up the budget of w for parsing.
func SpendParsing(w *Wellformed) { w.spent = wellformedBytes + 1 }

// Spend uses up the budget of w.
func Spend(w *Wellformed) { w.spent, w.scanned = wellformedBytes+1, moreScanned*wellformedBytes+1 }

// The bounds that are documented.
const (
	MaxRemarks      = maxRemarks
	MaxMessages     = maxMessages
	MaxExplanations = maxExplanations
)

// Misindented is misindentedFile of a Python text.
func Misindented(text string) int { return misindentedFile(python, []byte(text)) }
