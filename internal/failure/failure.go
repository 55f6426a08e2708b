package failure

import (
	"bufio"
	"bytes"
	"maps"
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

// A Text is what a failed command printed beyond what the passing end prints.
type Text struct {
	exit   int
	tests  map[string]bool // the failed tests that it names, as tools does
	errors []Line          // the lines that tell of an error; if no line does by its words, the one above a stack
	All    []Line          // all lines
}

// A Line is a line of output without what differs from one run to the next.
type Line struct {
	Text  string          // as it was printed, for people
	words map[string]bool // in it, without numbers and the directories of paths
	file  string          // of the place that it begins with, such as a.go:3:2, without directories; "" = it begins with none
	said  string          // the key of what stands behind that place
}

// mostLines is how many lines of one output are compared with those of another.
const mostLines = 400

var (
	// A backslash parts directories only behind the letter of a drive: elsewhere it escapes, as in "a\nb".
	directories = lazyregexp.New(`[A-Za-z]:(?:[/\\]+[\w.+@~-]+)*[/\\]+|[\w.+@~-]*(?:/[\w.+@~-]+)*/`)
	hexadecimal = lazyregexp.New(`\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]*[0-9][0-9a-fA-F]{6,}\b`)

	// errorWords are in lines that tell of an error.
	errorWords = lazyregexp.New(`(?i)error|exception|fail|panic|assert|fatal|expect|abort|undefined|undeclared|mismatch|cannot|can't|not ok|not found|no such|invalid|denied|missing`)
	// compiled matches a message that begins with a line and a column, as those of compilers do, whatever its words.
	compiled = lazyregexp.New(`^\S+\.[A-Za-z]\w*:\d+:\d+: `)
	// relayed are lines of programs that run others, which say only that one of these has failed.
	relayed = lazyregexp.New(`^(?:failureType: 'testCodeFailure'$|error: 'test failed'$|code: 'ERR_TEST_FAILURE'$|not ok \d+ - /\S+$|\S*make(?:\[\d+\])?: (?:\*\*\*|Target )|ninja: build stopped|npm (?:ERR!|error)|exit status \d+$|FAIL(?:\t|$)|FAILED \(|Traceback \(most recent call last\):$|==\d+==ABORTING$)`)
	// comment is what lines of the test anything protocol begin with that a test has printed itself, or that count tests.
	comment = lazyregexp.New(`^# +`)
	// counts are lines of that protocol that count tests, and so say nothing of a failure.
	counts = lazyregexp.New(`^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$`)
	// signalled matches what a shell prints about a program that has ended itself, which mostly has said why before.
	signalled = lazyregexp.New(`(?:^|: line \d+: +\d+ )Aborted\b`)
	// placedIn matches a line that begins with a place: its file, and what stands behind it.
	placedIn = lazyregexp.New(`^(?:\S*[/\\])?([\w.+-]+\.[A-Za-z]\w*)(?::\d+(?::\d+)?:|\(\d+(?:,\d+)?\):?) (.*)`)
	// sanitized matches what a sanitizer of a compiler has found, by its kind. Behind the kind come addresses. Lines that
	// match shadowBytes show the memory around them; the lines behind these that match shadowLegend say what its bytes mean.
	sanitized    = lazyregexp.New(`\b((?:HW)?Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer: (?:attempting )?([A-Za-z][\w-]*)`)
	shadowBytes  = lazyregexp.New(`^Shadow bytes? |^(?:=>)?0x[0-9a-f]+: ?[\[ ]?[0-9a-f]{2}[\] ]`)
	shadowLegend = lazyregexp.New(`^[A-Z][A-Za-z ]+: +[0-9a-f]{2}(?: [0-9a-f]{2})*$`)
	// caret matches lines that point into the line above them, which a compiler quotes from a source. numbered matches such a
	// line of a source with its number.
	caret    = lazyregexp.New(`^\|?[~\s]*\^[~^\s-]*(?: |$)`)
	numbered = lazyregexp.New(`^\d+ +\| `)
	// located matches the line above a line of source in a traceback of Python.
	located = lazyregexp.New(`^File "[^"]*", line \d+`)
	// program matches the path of a program at the beginning of a message; every message of the program has it.
	program = lazyregexp.New(`^\S*[/\\][^\s:/\\]+: `)
	// warning are lines that fail nothing by themselves, or explain a line before them.
	warning = lazyregexp.New(`(?i)\bwarning\b|\bnote:`)
)

// Lines returns the lines of an output that have words, each once by its ID. The source that compilers quote below a message, and
// Python below a place, is left out: it may be that of any message of the program.
func Lines(output []byte) []Line {
	var list []Line
	known := map[string]bool{}
	memory := false              // the last line was one of shadowBytes or shadowLegend
	above := false               // the last line begins with a place
	quoted, last := false, false // the last line may be that of a source; it is in the list
	deeper := -1                 // a line that is indented further is one of the source that Python quotes; -1 = none is
	for l := range bytes.Lines(output) {
		if len(l) > longLine {
			l = l[:longLine]
		}
		l = escapes.Remove(l)
		text, indent := TrimLine(l), len(l)-len(bytes.TrimLeft(l, " \t"))
		if deeper >= 0 && indent > deeper && text != "" {
			continue
		}
		deeper = -1
		if located().MatchString(text) {
			deeper = indent
		}
		if memory = shadowBytes().MatchString(text) || memory && shadowLegend().MatchString(text); memory {
			continue
		}
		if bare := comment().ReplaceAllString(text, ""); bare != text {
			if counts().MatchString(bare) {
				continue
			}
			text = bare
		}
		if text == "" || relayed().MatchString(text) {
			continue
		}
		if caret().MatchString(text) {
			if quoted && last {
				delete(known, list[len(list)-1].ID())
				list = list[:len(list)-1]
			}
			quoted, last = false, false
			if !strings.ContainsFunc(text, unicode.IsLetter) {
				continue
			} // else rustc says something beside it
		}
		quoted = above || numbered().MatchString(text)
		s := LineOf(text)
		above = s.file != ""
		id := s.ID()
		if last = s.Key() != "" && !known[id]; last {
			known[id] = true
			list = append(list, s)
		}
	}
	return list
}

// LineOf is a line that is known by its text. Of what a sanitizer of a compiler has found, the kind counts alone.
func LineOf(text string) Line {
	if m := sanitized().FindStringSubmatch(text); m != nil {
		return Line{Text: text, words: map[string]bool{m[1] + "Sanitizer " + m[2]: true}}
	}
	l := Line{Text: text, words: wordsOf(text)}
	if m := placedIn().FindStringSubmatch(text); m != nil {
		l.file, l.said = m[1], keyOf(wordsOf(m[2]))
	}
	return l
}

// wordsOf returns the words of a line: of two letters at least, without numbers,
// addresses, directories and the path of the program that printed the line.
func wordsOf(text string) map[string]bool {
	if strings.ContainsAny(text, `/\`) {
		text = program().ReplaceAllString(text, "")
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

// Key is the same for sentences of the same words.
func (s Line) Key() string { return keyOf(s.words) }

// ID is the same for lines of the same words. Lines that say what is wrong, or which value is, also have the same signs in
// the same order, but for digits, directories and white space: those of '[\n]' are not those of '[\n,]'.
func (s Line) ID() string {
	if !tellsError(s) {
		return s.Key()
	}
	return s.exact()
}

// exact is the same for lines of the same words and signs, whatever they say.
func (s Line) exact() string {
	if len(s.words) == 0 || sanitized().MatchString(s.Text) {
		return s.Key()
	}
	text := hexadecimal().ReplaceAllString(directories().ReplaceAllString(s.Text, " "), " ")
	return s.Key() + "\x00" + strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func keyOf(words map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(words)), " ") }

// similar reports whether two sentences have half of their words in common, by the measure
// of Dice ("Measures of the amount of ecologic association between species", Ecology 26,
// 1945): they may say the same of different values. Two messages that begin with a place, in files of different
// names, are similar only if all other words are the same, as where code has moved to another file. Files are told apart by their
// names alone, since directories may be those of a workspace.
func (s Line) similar(other Line) bool {
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

// In reports whether one of some lines has the same words and signs.
func (s Line) In(lines []Line) bool {
	exact := s.exact()
	return slices.ContainsFunc(lines, func(l Line) bool { return l.exact() == exact })
}

// A Passing is what the passing end printed: its lines, by Line.Key, and the tests that it says
// have failed. Both are left out when the output of a failure is compared.
type Passing struct{ lines, tests map[string]bool }

// PassingOf reads what the passing end printed.
func PassingOf(passing []byte) Passing {
	u := Passing{lines: map[string]bool{}, tests: failedTests(passing)}
	for _, s := range Lines(passing) {
		u.lines[s.Key()] = true
	}
	return u
}

// TextOf reads what a failed command printed. Cost: the length of the output.
func TextOf(exit int, output []byte, u Passing) Text {
	f := Text{exit: exit, tests: failedTests(output)}
	for name := range u.tests {
		delete(f.tests, name)
	}
	var last, above []Line // what was printed last, and above the first stack, whose heading ends with a colon
	for _, s := range Lines(output) {
		if u.lines[s.Key()] {
			continue
		}
		f.All = append(f.All, s)
		switch {
		case above == nil && frame().MatchString(s.Text):
			above = last
		case !strings.HasSuffix(s.Text, ":"):
			last = []Line{s}
		}
		if (errorWords().MatchString(s.Text) || compiled().MatchString(s.Text)) && !warning().MatchString(s.Text) && !frame().MatchString(s.Text) {
			f.errors = append(f.errors, s)
		}
	}
	if causes := slices.DeleteFunc(slices.Clone(f.errors), func(s Line) bool { return signalled().MatchString(s.Text) }); len(causes) > 0 {
		f.errors = causes
	}
	if len(f.errors) == 0 {
		f.errors = above
	}
	f.All, f.errors = cutMiddle(f.All), cutMiddle(f.errors)
	return f
}

// SaysWhy reports whether a line tells of an error, and not just of a signal.
func (f Text) SaysWhy() bool {
	return slices.ContainsFunc(f.errors, func(s Line) bool { return !signalled().MatchString(s.Text) })
}

// cutMiddle leaves the middle of a long list out.
func cutMiddle(list []Line) []Line {
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
					names[t.name+": "+WithoutWorkspaces(string(m[1]))] = true
				}
			}
		}
	}
	return names
}

// Differs reports whether f is a different failure from f0, that of the failing end.
//
// If both name failed tests, f is different if they have none in common. Otherwise f is different
// if fewer than half of the error lines of the one with fewer are similar to an error line of the
// other. If either has no error lines, all lines of both are compared instead; if f0 then has no
// lines, f is different. But an f without error lines is never different if it has no lines at all. If
// it has the exit status of f0, its lines are compared with the sentences of f0 alone, and f is not different if f0 has no
// sentence: a command may print just the value that is wrong.
func (f Text) Differs(f0 Text) bool {
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
	case len(said) == 0 && len(f.All) == 0:
		return false
	case len(said) == 0 && f.exit == f0.exit:
		if said, wanted = ofWords(1, f.All), ofWords(wordsOfSentence, f0.All); len(said) == 0 || len(wanted) == 0 {
			return false
		}
	case len(said) == 0 || len(wanted) == 0:
		said, wanted = f.All, f0.All
	}
	if len(wanted) == 0 {
		return true
	}
	return 2*countSimilar(said, wanted) < min(len(said), len(wanted))
}

// SaysAs reports whether f says the same as f0: whether both name a failed test, or each error line of the one with fewer has the
// words of an error line of the other. If either has no error lines, all lines of both are compared instead. Failures of which neither
// SaysAs nor Differs is true may be the same with different values, or different ones in few words.
func (f Text) SaysAs(f0 Text) bool {
	if len(f.tests) > 0 && len(f0.tests) > 0 {
		return !f.Differs(f0)
	}
	said, wanted := f.errors, f0.errors
	if len(said) == 0 || len(wanted) == 0 {
		said, wanted = f.All, f0.All
	}
	if len(said) > len(wanted) {
		said, wanted = wanted, said
	}
	for _, s := range said {
		if !slices.ContainsFunc(wanted, func(l Line) bool { return l.Key() == s.Key() }) {
			return false
		}
	}
	return true
}

// SaysMore reports whether f says a word that f0 does not say. What a command repeats of a smaller input is none.
func (f Text) SaysMore(f0 Text) bool {
	said := map[string]bool{}
	for _, l := range f0.All {
		maps.Copy(said, l.words)
	}
	for _, l := range f.All {
		for word := range l.words {
			if !said[word] {
				return true
			}
		}
	}
	return false
}

// IsForeign reports whether f is a different failure from one whose output varies, of which some runs are given: it has a diagnostic of a
// compiler or an interpreter that none of them has, and either none of the diagnostics that all of them have, or no word in the error
// lines that all of them have. If they have no diagnostic, f needs nothing more. A run with another diagnostic of its own proves nothing.
func (f Text) IsForeign(runs ...Text) bool {
	own := f.diagnostics()
	always, sometimes := map[string]bool{}, map[string]bool{}
	words := map[string]bool{}
	for i, run := range runs {
		d, w := run.diagnostics(), run.wordsOfErrors()
		if maps.Copy(sometimes, d); i == 0 {
			always, words = d, w
			continue
		}
		maps.DeleteFunc(always, func(name string, _ bool) bool { return !d[name] })
		maps.DeleteFunc(words, func(word string, _ bool) bool { return !w[word] })
	}
	common := func(a, b map[string]bool) bool {
		for x := range a {
			if b[x] {
				return true
			}
		}
		return false
	}
	isNew := false
	for name := range own {
		isNew = isNew || !sometimes[name]
	}
	switch {
	case !isNew:
		return false
	case len(sometimes) == 0:
		return true
	case len(always) > 0:
		return !common(own, always)
	}
	return len(words) > 0 && !common(f.wordsOfErrors(), words)
}

// diagnostics returns the diagnostics in what a command printed.
func (f Text) diagnostics() map[string]bool {
	set := map[string]bool{}
	for name := range diagnostics(f.All) {
		set[name] = true
	}
	return set
}

// wordsOfErrors returns the words of the lines that tell of an error, of all lines if none does.
func (f Text) wordsOfErrors() map[string]bool {
	lines := f.errors
	if len(lines) == 0 {
		lines = f.All
	}
	words := map[string]bool{}
	for _, l := range lines {
		maps.Copy(words, l.words)
	}
	return words
}

// wordsOfSentence is how many different words a line has at least that says something, and is not just a value.
const wordsOfSentence = 4

// ofWords returns the lines of n words or more, but for warnings.
func ofWords(n int, list []Line) []Line {
	return slices.DeleteFunc(slices.Clone(list), func(l Line) bool { return len(l.words) < n || l.Warns() })
}

// leastStack is how many lines a stack has at least that tells failures apart.
const leastStack = 3

// SameStack reports whether f has the same stack as f0, of leastStack lines or more: the same calls have led to the same
// place. Lines are the same if their words are; numbers do not count.
func (f Text) SameStack(f0 Text) bool {
	stack := f0.stack()
	return len(stack) >= leastStack && slices.Equal(stack, f.stack())
}

// stack returns the keys of the lines of a stack.
func (f Text) stack() (keys []string) {
	for _, s := range f.All {
		if frame().MatchString(s.Text) {
			keys = append(keys, s.Key())
		}
	}
	return keys
}

// countSimilar counts the sentences of the shorter list that are like one of the other.
func countSimilar(a, b []Line) (n int) {
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

// inSpace is the begin of a path inside of a workspace, whose name is as package trial makes it.
var inSpace = lazyregexp.New(`(?:[A-Za-z]:)?[/\\](?:[^\s'"]*?[/\\])?gitdd-[^/\\\s]+-\d[\d-]*[/\\]`)

// WithoutWorkspaces returns a text with the paths of files in workspaces as the repository names them.
func WithoutWorkspaces(text string) string { return inSpace().ReplaceAllString(text, "") }

// errorLine is a line to show of a failure: the one that tells most of it, as it was printed but for the directories of
// workspaces.
func (f Text) errorLine() string {
	var lines []string
	for _, s := range f.All {
		lines = append(lines, s.Text)
	}
	return WithoutWorkspaces(errorLine(lines))
}

// Quoted is what a failure says, in words for a reason.
func (f Text) Quoted() string {
	if text := f.errorLine(); text != "" {
		return prose.Quote(text)
	}
	return "no output"
}
