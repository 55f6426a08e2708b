package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
)

// Quickfix writes the places of r's cause in the form of compiler messages, so that an editor can go from one to the next.
// It writes a line
//
//	PATH:LINE:COLUMN: error: MESSAGE
//
// for each change of the cause, and then for each change of the further causes, in the order of [Annotations]. A change of
// a cause is an error, a change of a fix is an info, and a suspect of a search that was cut short is a warning, if there are
// few suspects. A search without an answer has no lines.
//
// Line numbers are those at r.Bad, as in [SARIF]. A change of a whole file is at its first line, and so is a change whose
// lines were changed by later commits. Columns count bytes from 1, as vim and Go do. named returns the name that a path of
// the repository has for the reader; if it is nil, paths are not changed.
//
// Such a line cannot contain every path. A path with a line break or another unprintable character, or with a colon before a
// digit, which would be read as the end of the path, is quoted in the message, after "gitdd:", and has no place.
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
