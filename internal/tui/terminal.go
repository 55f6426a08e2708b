package tui

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	_, seen := terminal(w)
	return seen
}

// AcceptsEscapes reports whether w is a terminal that interprets escape sequences: those that move
// the cursor, and those that set a color. A console of Windows is asked to.
func AcceptsEscapes(w io.Writer) bool {
	f, seen := terminal(w)
	return seen && os.Getenv("TERM") != "dumb" && escapes(f)
}

// Attended reports whether a person can answer at in what is asked on out: both are terminals, and they are this process's, and
// not those of another job of the shell.
func Attended(in *os.File, out io.Writer) bool {
	return IsTerminal(in) && IsTerminal(out) && foregroundOf(in)()
}

// Width returns the number of columns that a page written to w may take: 80 if w is no terminal.
func Width(w io.Writer) int {
	if f, seen := terminal(w); seen {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// sizeOf returns a function that asks for the columns and rows of w; nil unless w accepts escape
// sequences.
func sizeOf(w io.Writer) func() (width, height int, err error) {
	if !AcceptsEscapes(w) {
		return nil
	}
	fd := int(w.(*os.File).Fd())
	return func() (int, int, error) { return term.GetSize(fd) }
}
