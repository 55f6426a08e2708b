package grouping

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A printedPlace is a place that a line of output names.
type printedPlace struct {
	spot
	stack int    // which stack trace the line is of, from 1; 0 = of none
	panic int    // Go: how many frames of panic stand above it in the output
	text  string // the line of output
}

// maxPrinted is how many places of one output are looked up, the first and the last ones.
const maxPrinted = 4000

var (
	// sited is a path with an ending and a line number, as compilers, test runners, interpreters and
	// shells print them.
	sited = lazyregexp.New(`([^\s:;,'"()<>|\[\]=*]*[\w+-]\.[A-Za-z]\w{0,9})(?:(?::|\(|"?, line |:? line | on line )(\d+)\b|: (\d+):)`)
	// stackLine is a frame of a stack trace.
	stackLine = lazyregexp.New(`^\s*(?:E\s+)?(?:File ".*, line \d+|at\s|from\s|in\s\S+ at\s|#\d+:?\s|\d+: \S)|^\t\S+:\d+(?: \+0x[0-9a-f]+)?$`)
	// raised is the frame of a panic of Go. What stands above it in a stack trace are deferred
	// functions, one of which has raised a panic again.
	raised = lazyregexp.New(`^(?:runtime\.go)?panic\(`)
	// stackHead is what stands above a stack trace.
	stackHead = lazyregexp.New(`^\s*(?:E\s+)?(?:Traceback |goroutine \d+|Caused by|Exception in|stack backtrace|Backtrace)`)
	// successful tells that a test has passed. What a test prints may stand above that, so a line that
	// tells that one begins says nothing.
	successful = lazyregexp.New(`^\s*(?:ok|PASS|PASSED|---? PASS|---? SKIP)\b|\bPASSED\b`)
	remarked   = lazyregexp.New(`(?i)\b(?:warning|note|info|hint|remark|help)(?:\[[^\]]*\])?:`)
)

// A placeReader collects the places of an output.
type placeReader struct {
	known       map[string]bool // lines that the passing end prints, too, without digits
	seen        map[spot]bool
	list, minor []printedPlace // minor: of warnings and notes
	stack       int            // the number of the last stack trace
	open        bool           // the last place was a frame of it
	panics      int            // frames of panics so far
	frames      []string
}

// printedPlaces returns the places that an output names, each once, in the order in which a reader wants
// them: in a stack trace the innermost comes first. Lines that the passing end prints as well, but
// for numbers, and lines of tests that passed do not count; warnings and notes count only if
// there is nothing else. frames are the lines of stack traces.
func printedPlaces(output, passing []byte) (list []printedPlace, frames []string) {
	r := placeReader{known: linesWithoutDigits(passing), seen: map[spot]bool{}}
	passed := false // the last line that is not indented told of success
	for _, text := range logLines(output) {
		if passed = succeeded(text, passed); !passed && !r.known[withoutDigits(text)] {
			r.read(text)
		}
	}
	if len(r.list) == 0 {
		r.list = r.minor
	}
	if len(r.list) > maxPrinted {
		r.list = append(r.list[:maxPrinted/2:maxPrinted/2], r.list[len(r.list)-maxPrinted/2:]...)
	}
	return innermostFirst(r.list), r.frames
}

// succeeded reports whether a line tells of tests that passed; before says so of the line before it.
func succeeded(text string, before bool) bool {
	return successful().MatchString(text) || before && strings.HasPrefix(text, "    ")
}

// linesWithoutDigits are the lines of an output without their numbers.
func linesWithoutDigits(output []byte) map[string]bool {
	lines := map[string]bool{}
	for _, text := range logLines(output) {
		lines[withoutDigits(text)] = true
	}
	return lines
}

// withoutDigits is a line without its numbers, which may differ from one end to the other.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// read takes in one line.
func (r *placeReader) read(text string) {
	if stackHead().MatchString(text) {
		r.open = false
	}
	if raised().MatchString(text) {
		r.panics++
	}
	frame := stackLine().MatchString(text)
	if frame && len(r.frames) < maxPrinted {
		r.frames = append(r.frames, text)
	}
	for _, at := range spotsIn(text) {
		if frame && !r.open {
			r.stack++
		}
		r.open = frame
		if r.seen[at] {
			continue
		}
		r.seen[at] = true
		p := printedPlace{spot: at, text: text}
		if frame {
			p.stack, p.panic = r.stack, r.panics
		}
		if remarked().MatchString(text) {
			r.minor = append(r.minor, p)
		} else {
			r.list = append(r.list, p)
		}
	}
}

// spotsIn returns the places that a line names.
func spotsIn(text string) (list []spot) {
	if m := framed().FindStringSubmatch(text); m != nil { // a path of any characters
		return []spot{{m[1], number(m[2])}}
	}
	for _, m := range sited().FindAllStringSubmatch(text, 16) {
		list = append(list, spot{m[1], number(m[2] + m[3])})
	}
	return list
}

// innermostFirst turns the stack traces of Python around, which have the innermost frame last. In those
// of Go with several panics it puts the frames of the first panic before those of the functions that
// ran because of it.
func innermostFirst(list []printedPlace) []printedPlace {
	for begin := 0; begin < len(list); {
		end := begin + 1
		for end < len(list) && list[begin].stack > 0 && list[end].stack == list[begin].stack {
			end++
		}
		if framed().MatchString(list[begin].text) {
			slices.Reverse(list[begin:end])
		}
		slices.SortStableFunc(list[begin:end], func(a, b printedPlace) int { return cmp.Compare(b.panic, a.panic) })
		begin = end
	}
	return list
}
