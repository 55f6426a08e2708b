package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
)

// Quickfix writes the places of r's cause as compilers write theirs, for editors to go through: a line
//
//	PATH:LINE:COLUMN: error: MESSAGE
//
// for each change of the cause, and of further causes behind it, in the order of [Annotations]: an error for each
// change of a cause, an info for each of a fix, a warning for each suspect of a search that was cut short, if they are
// few. A search without an answer has no lines.
//
// Lines are those at r.Bad, as in [SARIF]. A change of a whole file is at its first line, and so is one whose lines
// later commits changed. Columns are bytes, from 1, as vim and Go count them. named returns the name of a path of the
// repository where the reader is; nil leaves it.
//
// No form of such lines can hold all paths. One with a line break or another character that is not printable, or with a colon
// before a digit, which reads as the end of the path, has no place here: it is quoted in the message, behind "gitdd:".
func Quickfix(w io.Writer, r Result, named func(path string) string) error {
	fillArrays(&r)
	return writeQuickfix(w, answered(&r, sarifSuspects), named)
}

// ResultsQuickfix writes r as [Quickfix] writes a result: of each cause its first change, then their second ones and
// so on.
func ResultsQuickfix(w io.Writer, r Results, named func(path string) string) error {
	r.complete()
	return writeQuickfix(w, r.annotations(sarifSuspects), named)
}

func writeQuickfix(w io.Writer, list []annotation, named func(path string) string) error {
	if named == nil {
		named = func(path string) string { return path }
	}
	out := bufio.NewWriter(w)
	for i := range list {
		a := &list[i]
		text := a.level("info") + ": " + prose.Printable(strings.Join(a.sentences(plainly), " "))
		if path := named(a.c.path()); placeable(path) {
			line, column := a.first()
			fmt.Fprintf(out, "%s:%d:%d: %s\n", path, line, column, text)
		} else {
			fmt.Fprintf(out, "gitdd: %s: %s\n", unplaced(path), noPlace().ReplaceAllString(text, ": $1"))
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write places: %w", err)
	}
	return nil
}

// first is where the change begins at Bad: its line and the byte there, both from 1.
func (a *annotation) first() (line, column int) {
	line, _, ok := a.region()
	if !ok {
		return 1, 1
	}
	if a.c.within() {
		_, p := a.c.parts()
		return line, p.from + 1
	}
	return line, 1
}

// noPlace is what ends a path in a line of places.
var noPlace = lazyregexp.New(`:(\d)`)

// placeable reports whether a path can stand before a line number. Its bytes need not be UTF-8.
func placeable(path string) bool {
	text := strings.ToValidUTF8(path, "")
	return !noPlace().MatchString(path) && prose.Printable(text) == text
}

// unplaced is a path that no editor is to take for a place.
func unplaced(path string) string {
	return noPlace().ReplaceAllString(prose.Quote(path), `\x3a$1`)
}

// FirstPlace returns where the first change of r's cause stands at r.Bad, as [Quickfix] does. ok is false if there is
// none: the search has no answer.
func FirstPlace(r Result) (path string, line, column int, ok bool) {
	list := answered(&r, sarifSuspects)
	if len(list) == 0 {
		return "", 0, 0, false
	}
	line, column = list[0].first()
	return list[0].c.path(), line, column, true
}
