package trial

import (
	"bufio"
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/gitdd/gitdd/internal/escapes"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
)

// Two failures with the same exit status may be different: a command that calls make exits with the
// same status if the program is wrong and if it cannot be built. So the output of a failed command
// is compared with that of the failing end. Lines that the passing end prints, too, are left out. A
// failure with different output is unresolved.
//
// The output of the failing end may itself differ from one run to the next. So when a failure first
// differs from it, the failing end is run once more. If its output has changed, output is not
// compared any more, and the exit status decides. As long as no failure differs, this costs no
// trial.

// A failureText is what a failed command printed beyond what the passing end prints.
type failureText struct {
	exit   int
	tests  map[string]bool // the failed tests that it names, as tools does
	errors []outputLine    // the lines that tell of an error
	all    []outputLine    // all lines
}

// An outputLine is a line of output without what differs from one run to the next.
type outputLine struct {
	text  string          // as it was printed, for people
	words map[string]bool // in it, without numbers and the directories of paths
	file  string          // of the place that it begins with, such as a.go:3:2, without directories; "" = it begins with none
	said  string          // the key of what stands behind that place
}

// mostLines is how many lines of one output are compared with those of another.
const mostLines = 400

var (
	directories = lazyregexp.New(`(?:[A-Za-z]:)?[\w.+@~-]*(?:[/\\][\w.+@~-]+)*[/\\]`)
	hexadecimal = lazyregexp.New(`\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]*[0-9][0-9a-fA-F]{6,}\b`)

	// errorWords are in lines that tell of an error.
	errorWords = lazyregexp.New(`(?i)error|exception|fail|panic|assert|fatal|expect|abort|undefined|undeclared|mismatch|cannot|can't|not ok|not found|no such|invalid|denied|missing`)
	// relayed are lines of programs that run others, which say only that one of these has failed.
	relayed = lazyregexp.New(`^(?:\S*make(?:\[\d+\])?: (?:\*\*\*|Target )|ninja: build stopped|npm (?:ERR!|error)|exit status \d+$|FAIL(?:\t|$)|FAILED \(|Traceback \(most recent call last\):$)`)
	// placedIn matches a line that begins with a place: its file, and what stands behind it.
	placedIn = lazyregexp.New(`^(?:\S*[/\\])?([\w.+-]+\.[A-Za-z]\w*)(?::\d+(?::\d+)?:|\(\d+(?:,\d+)?\):?) (.*)`)
	// warning are lines that fail nothing by themselves, or explain a line before them.
	warning = lazyregexp.New(`(?i)\bwarning\b|\bnote:`)
)

// outputLines returns the lines of an output that have words, each once.
func outputLines(output []byte) []outputLine {
	var list []outputLine
	known := map[string]bool{}
	for l := range bytes.Lines(output) {
		if len(l) > longLine {
			l = l[:longLine]
		}
		text := trimLine(escapes.Remove(l))
		if text == "" || relayed().MatchString(text) {
			continue
		}
		s := outputLine{text: text, words: wordsOf(text)}
		if m := placedIn().FindStringSubmatch(text); m != nil {
			s.file, s.said = m[1], keyOf(wordsOf(m[2]))
		}
		if key := s.key(); key != "" && !known[key] {
			known[key] = true
			list = append(list, s)
		}
	}
	return list
}

// wordsOf returns the words of a line: of two letters at least, without numbers,
// addresses and directories.
func wordsOf(text string) map[string]bool {
	if strings.ContainsAny(text, `/\`) {
		text = directories().ReplaceAllString(text, " ")
	}
	if strings.ContainsAny(text, "0123456789") {
		text = hexadecimal().ReplaceAllString(text, " ")
	}
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) {
		if len(w) > 1 {
			words[w] = true
		}
	}
	return words
}

// key is the same for sentences of the same words.
func (s outputLine) key() string { return keyOf(s.words) }

func keyOf(words map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(words)), " ") }

// similar reports whether two sentences have half of their words in common, by the measure
// of Dice ("Measures of the amount of ecologic association between species", Ecology 26,
// 1945): they may say the same of different values. Two messages about different files are
// similar only if all other words are the same, as where code has moved to another file.
func (s outputLine) similar(other outputLine) bool {
	if s.file != "" && other.file != "" && s.file != other.file {
		return s.said == other.said
	}
	common := 0
	for w := range s.words {
		if other.words[w] {
			common++
		}
	}
	return 4*common >= len(s.words)+len(other.words)
}

// in reports whether one of some lines has the same words.
func (s outputLine) in(lines []outputLine) bool {
	key := s.key()
	return slices.ContainsFunc(lines, func(l outputLine) bool { return l.key() == key })
}

// passingOutput has what the passing end printed: its lines, by outputLine.key, and the tests that it says
// have failed. Both are left out when the output of a failure is compared.
type passingOutput struct{ lines, tests map[string]bool }

func passingOutputOf(passing []byte) passingOutput {
	u := passingOutput{lines: map[string]bool{}, tests: failedTests(passing)}
	for _, s := range outputLines(passing) {
		u.lines[s.key()] = true
	}
	return u
}

// failureTextOf reads what a failed command printed. Cost: the length of the output.
func failureTextOf(exit int, output []byte, u passingOutput) failureText {
	f := failureText{exit: exit, tests: failedTests(output)}
	for name := range u.tests {
		delete(f.tests, name)
	}
	for _, s := range outputLines(output) {
		if u.lines[s.key()] {
			continue
		}
		f.all = append(f.all, s)
		if errorWords().MatchString(s.text) && !warning().MatchString(s.text) {
			f.errors = append(f.errors, s)
		}
	}
	f.all, f.errors = cutMiddle(f.all), cutMiddle(f.errors)
	return f
}

// cutMiddle leaves the middle of a long list out.
func cutMiddle(list []outputLine) []outputLine {
	if len(list) <= mostLines {
		return list
	}
	return slices.Concat(list[:mostLines/2], list[len(list)-mostLines/2:])
}

// failedTests returns the tests that an output says have failed, as far as it is that of
// a known tool.
func failedTests(output []byte) map[string]bool {
	names := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, len(output)+1)
	for lines.Scan() && len(names) < mostLines {
		line := lines.Bytes()
		for i := range tools {
			if t := &tools[i]; t.tests && bytes.Contains(line, []byte(t.mark)) {
				if m := t.expression().FindSubmatch(line); m != nil {
					names[t.name+": "+string(m[1])] = true
				}
			}
		}
	}
	return names
}

// other reports whether f is a different failure from f0, that of the failing end.
//
// If both name failed tests, f is different if they have none in common. Otherwise f is different
// if fewer than half of the error lines of the one with fewer are similar to an error line of the
// other. If either has no error lines, all lines of both are compared instead; if f0 then has no
// lines, f is different. But an f without error lines is never different if it has no lines at all,
// or if it has the exit status of f0: a command may print just the value that is wrong.
func (f failureText) other(f0 failureText) bool {
	if len(f.tests) > 0 && len(f0.tests) > 0 {
		for name := range f.tests {
			if f0.tests[name] {
				return false
			}
		}
		return true
	}
	said, wanted := f.errors, f0.errors
	switch {
	case len(said) == 0 && (f.exit == f0.exit || len(f.all) == 0):
		return false
	case len(said) == 0 || len(wanted) == 0:
		said, wanted = f.all, f0.all
	}
	if len(wanted) == 0 {
		return true
	}
	return 2*countSimilar(said, wanted) < min(len(said), len(wanted))
}

// countSimilar counts the sentences of the shorter list that are like one of the other.
func countSimilar(a, b []outputLine) (n int) {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, s := range a {
		if slices.ContainsFunc(b, s.similar) {
			n++
		}
	}
	return n
}

// errorLine is a line to show of a failure: the one that tells most of it, without the directories of
// absolute paths, which are those of workspaces mostly.
func (f failureText) errorLine() string {
	var lines []string
	for _, s := range f.all {
		lines = append(lines, s.text)
	}
	return directories().ReplaceAllStringFunc(errorLine(lines), func(dir string) string {
		if filepath.IsAbs(dir) {
			return ""
		}
		return dir
	})
}

// quoted is what a failure says, in words for a reason.
func (f failureText) quoted() string {
	if text := f.errorLine(); text != "" {
		return prose.Quote(text)
	}
	return "no output"
}
