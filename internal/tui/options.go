package tui

import (
	"io"
	"os"
	"time"
)

// Options are those of every view: where it is shown, and how.
type Options struct {
	// Out is what the view is written to: a terminal if it accepts escape sequences, see
	// AcceptsEscapes; if not, lines are written that stay. It is required.
	Out io.Writer
	// Keys is a terminal whose keys control the view: they show what a running trial prints. nil means
	// that there are none. A file that is no terminal has none either.
	Keys    *os.File
	Color   bool             // on a terminal
	Verbose bool             // lines have times and reasons, and outcomes that took no trial have lines, too
	Jobs    int              // how many workers there are
	Now     func() time.Time // the clock; required

	// Interrupted is closed when the user wants the process to end: from then on the settings of the
	// terminal are as they were. It may be nil.
	Interrupted <-chan struct{}
	// Output returns the name of the file that a trial prints to, of a kind as trial.Session.Output has
	// it. If it is nil, what trials print is not shown.
	Output func(trial int, kind string) string
}
