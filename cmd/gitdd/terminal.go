package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// terminal returns the file behind w when a person sees it.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// dimensionsOf returns how to ask for the columns and rows of what w is seen on; nil if that
// is not a terminal that can move its cursor.
func dimensionsOf(w io.Writer) func() (width, height int, err error) {
	f, seen := terminal(w)
	if !seen || os.Getenv("TERM") == "dumb" || !escapes(f) {
		return nil
	}
	return func() (int, int, error) { return term.GetSize(int(f.Fd())) }
}

// colored reports whether w gets colours: as --color says, else when a person
// sees it and has not said otherwise (https://no-color.org).
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	f, seen := terminal(w)
	return seen && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && escapes(f)
}

// ascii reports whether a curve is drawn with ASCII characters.
func (a *app) ascii() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// progress shows a search over n changes in a session on standard error, until ctx ends.
// In rounds all stages of it are mixed.
func (a *app) progress(ctx context.Context, n int, session *trial.Session, s settings) progress {
	o := a.looking(ctx, s.jobs)
	o.total, o.output = n, session.Output
	if !s.rounds {
		o.goal = s.goal
	}
	return newProgress(a.aside(), o)
}

// looking says who looks on at what so many workers do until ctx ends.
func (a *app) looking(ctx context.Context, jobs int) progressOptions {
	o := progressOptions{jobs: jobs, color: a.colored(a.aside()), verbose: a.verbose, now: a.now, interrupted: ctx.Done()}
	if dimensionsOf(a.aside()) != nil && !piped(a.stdout) {
		o.keys = keyboardOf(os.Stdin)
	}
	return o
}

// piped reports whether w is read by another program, which may be a pager: then the
// keys, and the settings of the terminal, are left to that.
func piped(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// width is the number of columns that a page written to w may take.
func (a *app) width(w io.Writer) int {
	if f, seen := terminal(w); seen {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// printTable prints the lines of a table: whole, but to a person those that are
// wider than the terminal are cut, or the columns could not be told apart.
func (a *app) printTable(text []byte) error {
	if _, seen := terminal(a.stdout); seen {
		text = cutLines(text, a.width(a.stdout))
	}
	_, err := a.stdout.Write(text)
	return err
}

// cutLines returns the lines of a text, which is printable, in at most width
// columns each.
func cutLines(text []byte, width int) []byte {
	var cut bytes.Buffer
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		cut.WriteString(new(prose.Line).Add(prose.Plain, string(line)).Cut(width).Render(false) + "\n")
	}
	return cut.Bytes()
}

// shownLines returns the lines of a text for a person: nothing in it acts on the
// terminal.
func shownLines(text []byte) []byte {
	var shown bytes.Buffer
	for line := range bytes.Lines(text) {
		shown.WriteString(prose.Printable(string(bytes.TrimSuffix(line, []byte{'\n'}))) + "\n")
	}
	return shown.Bytes()
}
