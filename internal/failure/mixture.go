package failure

import (
	"iter"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

var (
	// warns matches a line with a warning or an error. The line is a diagnostic if it also has a
	// position, such as file:line, or if the next line starts with the arrow before the position
	// that rustc prints. A warning without one is mostly about the machine, such as its clock.
	warns  = lazyregexp.New(`(?i:\bwarning|\berror):|[a-z]Warning:`)
	placed = lazyregexp.New(`\S:\d`)
	// exceptions are the names by which interpreters call what went wrong.
	exceptions = lazyregexp.New(`\b[A-Za-z]\w*(?:Error|Exception)\b|(?i)\bundefined symbol\b|\bsegmentation fault\b`)
	// harmless are diagnostics of what does nothing when the program runs.
	harmless = lazyregexp.New(`(?i)unused|\bnot used\b|\bnever (?:used|read|called)\b|deprecat`)
	// passes are in lines that say that a test has passed.
	passes = lazyregexp.New(`(?i)^(?:--- pass|=== |ok\b|pass(?:ed)?\b|✓|✔|√)|\bpassed\b|\.\.\. ok$|\bpass$`)
	// values are in lines that say which value was expected, or came instead.
	values = lazyregexp.New(`(?i)\b(?:actual|expected|got|want(?:ed)?|received|left|right)\b`)
)

// A Baseline is the set of the diagnostics in some outputs: the words of each line with a warning
// or an error, and the names of exceptions.
type Baseline map[string]bool

// Add adds the diagnostics of an output.
func (b Baseline) Add(lines []Line) {
	for diagnostic := range diagnostics(lines) {
		b[diagnostic] = true
	}
}

// FirstNew returns the first line of an output with a diagnostic that is not in the baseline, ""
// if there is none.
func (b Baseline) FirstNew(lines []Line) string {
	for diagnostic, line := range diagnostics(lines) {
		if !b[diagnostic] {
			return line
		}
	}
	return ""
}

// Warns reports whether a line is a warning or a note, which fail nothing by themselves.
func (s Line) Warns() bool { return warning().MatchString(s.Text) }

// TellsPass reports whether a line says that a test has passed, by the words of usual tools. The name of that test may be that of
// an error.
func (s Line) TellsPass() bool { return passes().MatchString(s.Text) }

// diagnostics returns the diagnostics of an output, each with its line.
func diagnostics(lines []Line) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i, l := range lines {
			list := exceptions().FindAllString(l.Text, -1)
			if warns().MatchString(l.Text) && !harmless().MatchString(l.Text) &&
				(placed().MatchString(l.Text) || i+1 < len(lines) && strings.HasPrefix(lines[i+1].Text, "--> ")) {
				list = append(list, l.Key())
			}
			for _, diagnostic := range list {
				if !yield(diagnostic, l.Text) {
					return
				}
			}
		}
	}
}

// A Comparison has the lines by which the failures of a mixture are compared with the failing end.
type Comparison struct {
	Failing []Line          // of the failing end, as far as each commit that failed has them
	Usual   []Line          // of the commits that passed
	Commits map[string]bool // of all commits, by Line.ID
	Mixture [][]Line        // of each failed trial of the mixture
}

// messageLines is how many lines of a message are compared behind the one that tells of an error.
const messageLines = 30

// Compare returns a line that tells of the failure of the failing end and that no failed trial of the mixture prints, and the line that
// tells most of what the mixture prints instead. Where no line of the failing end tells of an error by its words, it is the line that a report
// quotes. Both are "" if the mixture fails as the failing end does. trial.Runner.OtherMessage has the cases.
func (f Comparison) Compare() (got, want string) {
	some, all := map[string]bool{}, map[string]int{} // lines that a failed trial of the mixture prints, in how many
	signs := map[string]bool{}                       // the same with their signs, as lines of a message are compared
	for _, lines := range f.Mixture {
		for _, l := range lines {
			some[l.ID()], signs[l.exact()] = true, true
			if all[l.ID()]++; all[l.ID()] == len(f.Mixture) && tellsError(l) && !f.Commits[l.ID()] {
				got = l.Text
			}
		}
	}
	usual := map[string]bool{}
	for _, l := range f.Usual {
		usual[l.ID()] = true
	}
	shared := false // the mixture prints an error of the failing end, with all of its message
	lacks := ""     // the first line that the mixture lacks of such a message
	for i, l := range f.Failing {
		if !tellsError(l) || usual[l.ID()] {
			continue
		}
		if !some[l.ID()] {
			want = l.Text
			continue
		}
		missing := ""
		for _, m := range f.Failing[i+1 : min(len(f.Failing), i+1+messageLines)] {
			if tellsError(m) || frame().MatchString(m.Text) {
				break
			}
			if !signs[m.exact()] && !usual[m.ID()] {
				missing = m.Text
				break
			}
		}
		if missing == "" {
			shared = true
		} else if lacks == "" {
			lacks = missing
		}
	}
	switch {
	case got != "" && want != "":
		return got, want
	case lacks != "":
		want = lacks
	case shared:
		return "", ""
	case want == "":
		if want = f.lacking(usual); want == "" {
			return "", ""
		}
	}
	if got == "" {
		if got = errorLine(textsBut(f.Mixture[0], usual)); got == "" {
			got = "nothing that the passing end does not print"
		}
	}
	return got, want
}

// lacking returns the line that a report quotes of the failing end, if no line of it tells of an error by its words and no failed trial
// of the mixture prints that line, with the same signs.
func (f Comparison) lacking(usual map[string]bool) string {
	if slices.ContainsFunc(f.Failing, func(l Line) bool { return tellsError(l) && !usual[l.ID()] }) {
		return ""
	}
	quoted := errorLine(textsBut(f.Failing, usual))
	if quoted == "" {
		return ""
	}
	for _, lines := range f.Mixture {
		if l := LineOf(quoted); l.In(lines) || l.In([]Line{LineOf(errorLine(textsBut(lines, usual)))}) {
			return ""
		}
	}
	return quoted
}

// textsBut returns the texts of lines but for those with the given IDs.
func textsBut(lines []Line, usual map[string]bool) (texts []string) {
	for _, l := range lines {
		if !usual[l.ID()] {
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// tellsError reports whether a line says what is wrong, or which value is.
func tellsError(l Line) bool {
	return (errorWords().MatchString(l.Text) || values().MatchString(l.Text)) && !warning().MatchString(l.Text) && !frame().MatchString(l.Text)
}

// frame matches the lines of a stack trace, as sanitizers, debuggers and the runtimes of languages print it.
var frame = lazyregexp.New(`^(?:at|from) |^File "|^#\d+[: ]|\.go:\d+ \+0x|^(?:\[C\]|\S+:\d+): in (?:\?|main chunk$|(?:\w+ )?(?:function|method|metamethod|field|local|upvalue)\b)`)
