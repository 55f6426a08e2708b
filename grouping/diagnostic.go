package grouping

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/escapes"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// What is read of an output: its head and its tail, each logBytes, of every
// line the first lineBytes, and of what they say the first maxDiagnostics.
const (
	logBytes       = 128 << 10
	lineBytes      = 1 << 10
	maxDiagnostics = 64
	maxExpansions  = 32 // macros around one message
)

// A problem is the kind of a diagnostic: what it says is wrong.
type problem uint8

const (
	mentions   problem = iota // it names something
	lacks                     // a name is not defined, or not in the type or module that it is looked for in
	lacksFile                 // a file, package or module is not there
	unused                    // what is declared must be used
	twice                     // declared twice, or in two ways
	differs                   // what is called is not as the call expects
	returns                   // a return has more or fewer values than its function
	keyword                   // what is called takes no argument of this name
	syntactic                 // it does not parse
	needsGo                   // a newer version of Go than go.mod asks for
	implements                // a type lacks a method that an interface asks for
)

// A spot is a place that a tool names; line 0 = none given.
type spot struct {
	path string
	line int
}

// A diagnostic is one message of a tool.
type diagnostic struct {
	problem problem
	spots   []spot   // the first is where it is wrong, the others explain
	names   []string // what it is about
	of      string   // the type, package or module of these, "" = not said
	target  string   // of lacksFile: the file or package, as the tool names it; of keyword: the argument's name
	header  string   // that declares the name, says the tool
	member  bool     // the names are members, never package-level names
	link    bool     // from a linker: declarations do not help
	beside  bool     // the names are not said: they stand beside these in the line
	macro   bool     // the name is a macro
	inside  []spot   // the places at which the macros stand that it is in the expansion of, the innermost first
	dirs    []string // where the tool was when it said so
}

// quotes are written in many ways; here all of them are an apostrophe.
var quotes = strings.NewReplacer("\u2018", "'", "\u2019", "'", "`", "'", "\u201c", "'", "\u201d", "'")

// logLines returns the lines of an output as a reader of diagnostics wants
// them: no escape codes, no carriage returns, no long lines, valid UTF-8, and no exceptions that were handled.
func logLines(output []byte) (lines []string) {
	if len(output) > 2*logBytes {
		output = slices.Concat(output[:logBytes], []byte{'\n'}, output[len(output)-logBytes:])
	}
	for l := range bytes.Lines(output) {
		l = bytes.TrimRight(l[:min(len(l), lineBytes)], "\r\n\t ")
		if i := bytes.LastIndexByte(l, '\r'); i >= 0 {
			l = l[i+1:] // what a terminal would show
		}
		text := strings.ToValidUTF8(string(escapes.Remove(l)), "?")
		lines = append(lines, quotes.Replace(text))
	}
	return withoutHandled(lines)
}

const pathPattern = `((?:[A-Za-z]:)?[^\s:;,'"()<>|\[\]=]*[\w+])`

var (
	placed       = lazyregexp.New(`^\s*(?:E\s+)?(?:[\w./+-]+: )?(?:\./)?` + pathPattern + `(?::(\d+)(?::(\d+))?|\((\d+)(?:,(\d+))?\)):? *(.*)$`)
	sectioned    = lazyregexp.New(`^\s*(?:\S+: )?` + pathPattern + `:\(\.[\w.$]+\+0x[0-9a-f]+\): (.*)$`)
	arrowed      = lazyregexp.New(`^\s*--> ` + pathPattern + `:(\d+):\d+`)
	framed       = lazyregexp.New(`^\s*(?:E\s+)?File "([^"]+)", line (\d+)`)
	called       = lazyregexp.New(`^\s*at (?:.*\()?(?:file://)?` + pathPattern + `:(\d+):\d+\)?$`)
	soft         = lazyregexp.New(`^(?:- )?(?:warning|note|info|help|remark)\b`)
	hard         = lazyregexp.New(`^(?:- )?(?:fatal )?error\b`)
	entered      = lazyregexp.New(`: Entering directory '([^']+)'`)
	symboled     = lazyregexp.New(`^\s+symbol:\s+(?:static )?\w+ (\w+)`)
	located      = lazyregexp.New(`^\s+location:\s+(?:variable \w+ of type |@?\w+ )?([\w.]+)`)
	declaredHere = lazyregexp.New(`'(?:[^']*\b)?(\w+)(?:\([^']*\))?' declared here`)
	quoted       = lazyregexp.New(`'([^']{3,80})'`)
	trailing     = lazyregexp.New(`^(?:\w*(?:Error|Exception)|in \S+)$`)
	related      = lazyregexp.New(`other declaration of|previous(?:ly)? (?:definition|declaration|declared|defined|implicit)|(?:first|originally) defined here|\bdeclared here|macro "\w+" defined here`)
	expanded     = lazyregexp.New(`^note: in (?:expansion|definition) of macro '\w+'|^note: expanded from (?:here|macro)`)
	advised      = lazyregexp.New(`did you forget to '#include [<"]([^>"]+)[>"]'`)
	located2     = lazyregexp.New(`(?:already declared at|first defined here|previous declaration at) (?:\./)?` + pathPattern + `:(\d+)`)
)

// A logReader goes once over the lines of an output.
type logReader struct {
	list []diagnostic
	open bool // the last of list may still be told its place or names
	last spot // where a traceback or a stack has come to
	dirs []string
}

// diagnostics reads an output. Anything is an output: what reads like no
// message is skipped.
func diagnostics(output []byte) []diagnostic {
	var r logReader
	for _, text := range logLines(output) {
		if len(r.list) == maxDiagnostics {
			break
		}
		r.read(text)
	}
	r.unexpanded()
	return r.list
}

// unexpanded reads a macro's name that is not declared as what it is: gcc leaves
// a macro that got other arguments than it takes as it is, at the place where it
// stands, which may be the body of another macro.
func (r *logReader) unexpanded() {
	for i := range r.list {
		m := &r.list[i]
		for k := range r.list[i+1:] {
			d := &r.list[i+1+k]
			if m.macro && d.problem == lacks && len(d.names) > 0 && d.names[0] == m.names[0] && len(d.spots) == 1 {
				d.problem, d.macro = differs, true
				d.spots = append(d.spots, m.spots[min(1, len(m.spots)):]...)
			}
		}
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt // no file has it
	}
	return n
}

// read takes in one line.
func (r *logReader) read(text string) {
	if m := entered().FindStringSubmatch(text); m != nil {
		r.dirs = append(slices.Clip(r.dirs), m[1])
		return
	}
	if strings.Contains(text, ": Leaving directory ") && len(r.dirs) > 0 {
		r.dirs = r.dirs[:len(r.dirs)-1]
		return
	}
	if r.goesOn(text) {
		return
	}
	if m := sectioned().FindStringSubmatch(text); m != nil {
		r.message(spot{path: m[1]}, m[2])
		return
	}
	if m := placed().FindStringSubmatch(text); m != nil && !frame(text) {
		at := spot{m[1], number(m[2] + m[4])}
		rest := strings.TrimSpace(m[6])
		switch {
		case trailing().MatchString(rest) || rest == "": // pytest, node: the place stands alone
			r.last = at
			if r.open && len(r.latest().spots) == 0 && !strings.HasPrefix(rest, "in ") {
				r.latest().spots = []spot{at}
			}
		case soft().MatchString(rest):
			r.open = false
		default:
			r.message(at, rest)
		}
		return
	}
	if soft().MatchString(text) {
		r.open = false
		return
	}
	r.message(spot{}, text)
}

// frame reports whether a line is one of a stack, which says where but not what.
func frame(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "at ")
}

func (r *logReader) latest() *diagnostic { return &r.list[len(r.list)-1] }

// goesOn takes a line that continues what came before it.
func (r *logReader) goesOn(text string) bool {
	if m := framed().FindStringSubmatch(text); m != nil {
		r.last, r.open = spot{m[1], number(m[2])}, false
		return true
	}
	if !r.open {
		return false
	}
	d := r.latest()
	// Invariant: what follows is said of d, the last message.
	if m := arrowed().FindStringSubmatch(text); m != nil {
		if len(d.spots) == 0 {
			d.spots = []spot{{m[1], number(m[2])}}
		}
		return true
	}
	if m := called().FindStringSubmatch(text); m != nil {
		if len(d.spots) == 0 {
			d.spots = []spot{{m[1], number(m[2])}}
		}
		return true
	}
	if m := advised().FindStringSubmatch(text); m != nil {
		d.header = m[1]
		return true
	}
	if m := symboled().FindStringSubmatch(text); m != nil {
		d.names = []string{m[1]}
		return true
	}
	if m := located().FindStringSubmatch(text); m != nil {
		d.of = lastName(m[1])
		return true
	}
	if m := placed().FindStringSubmatch(text); m != nil && expanded().MatchString(m[6]) {
		if len(d.inside) < maxExpansions {
			d.inside = append(d.inside, spot{m[1], number(m[2] + m[4])})
		}
		return true
	}
	if m := placed().FindStringSubmatch(text); m != nil && related().MatchString(m[6]) {
		d.spots = append(d.spots, spot{m[1], number(m[2] + m[4])})
		if n := declaredHere().FindStringSubmatch(m[6]); n != nil && len(d.names) == 0 {
			d.names = []string{n[1]}
		}
		return true
	}
	return false
}

// message adds the diagnostic that a message at a place is, if it is one.
func (r *logReader) message(at spot, text string) {
	d, ok := readMessage(text)
	if !ok {
		if at.path != "" && (hard().MatchString(text) || quoted().MatchString(text)) {
			d = diagnostic{problem: mentions}
			for _, m := range quoted().FindAllStringSubmatch(text, 4) {
				if name := lastName(bare(m[1])); name != "" {
					d.names = append(d.names, name)
				}
			}
		}
		if len(d.names) == 0 {
			return
		}
	}
	switch {
	case at.path != "":
		d.spots = []spot{at}
	case r.last.path != "":
		d.spots, r.last = []spot{r.last}, spot{}
	}
	if m := located2().FindStringSubmatch(text); m != nil && at.path != "" {
		d.spots = append(d.spots, spot{m[1], number(m[2])})
	}
	d.dirs = r.dirs
	r.list, r.open = append(r.list, d), true
}

// bare strips what tools write around a name: arguments, type parameters,
// pointers, and the word that says what it is.
func bare(name string) string {
	if i := strings.IndexAny(name, "(<[{"); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndexAny(name, " *&"); i >= 0 {
		name = name[i+1:]
	}
	return name
}
