package grouping

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// alsoRaised is the line of Python between the traceback of an exception that was handled and that of one that was raised
// meanwhile.
const alsoRaised = "During handling of the above exception, another exception occurred:"

// frameOf is a line of a traceback of Python: its file, and the function.
var frameOf = lazyregexp.New(`^\s*File "([^"]+)", line \d+, in (.+)$`)

// withoutHandled takes away the tracebacks of exceptions that were handled, and are not why the program failed: when another
// one was raised meanwhile, the function that handles the exception had called another function. If that function itself
// raises the other exception, it says of the first one in its own words that it is wrong, so both stay. A program may well
// handle exceptions all the time: looking for an attribute and making it if it is missing is an idiom of Python. Cost: one pass.
func withoutHandled(lines []string) []string {
	if !slices.Contains(lines, alsoRaised) {
		return lines
	}
	var kept []string
	begin := 0 // the traceback that ends at the next alsoRaised
	for k, text := range lines {
		if strings.HasPrefix(text, "Traceback ") {
			begin = len(kept)
		}
		if kept = append(kept, text); text == alsoRaised && handles(kept[begin:], lines[k+1:]) {
			kept = kept[:begin]
		}
	}
	return kept
}

// handles reports whether the function in which a traceback begins is in one of the next tracebacks, and has called another one
// there. It need not be in the very next one: a traceback leads only to the function that handles the exception.
func handles(traceback, next []string) (called bool) {
	var handler []string
	for _, text := range traceback {
		if handler = frameOf().FindStringSubmatch(text); handler != nil {
			break
		}
	}
	if handler == nil {
		return false
	}
	found := false
	for _, text := range next {
		if frame := frameOf().FindStringSubmatch(text); frame != nil {
			same := slices.Equal(frame[1:], handler[1:])
			found = found || same
			called = found && !same
		} else if found && !indented(text) {
			break
		}
	}
	return called
}
