package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/tui"
)

// colored reports whether w gets colours: as --color says, else when a person
// sees it and has not said otherwise (https://no-color.org).
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && tui.AcceptsEscapes(w)
}

// ascii reports whether a curve is drawn with ASCII characters.
func (a *app) ascii() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// viewOptions returns those of a view, on standard error, of what so many workers do until ctx ends.
func (a *app) viewOptions(ctx context.Context, jobs int) tui.Options {
	o := tui.Options{Out: a.aside(), Color: a.colored(a.aside()), Verbose: a.verbose, Jobs: jobs, Now: a.now, Interrupted: ctx.Done()}
	if !piped(a.stdout) {
		o.Keys = os.Stdin
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

// printTable prints the lines of a table: whole, but to a person those that are
// wider than the terminal are cut, or the columns could not be told apart.
func (a *app) printTable(text []byte) error {
	if tui.IsTerminal(a.stdout) {
		text = cutLines(text, tui.Width(a.stdout))
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
