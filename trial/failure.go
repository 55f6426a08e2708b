package trial

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/gitdd/gitdd/isolate"
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
}

// mostLines is how many lines of one output are compared with those of another.
const mostLines = 400

var (
	colours     = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`)
	directories = regexp.MustCompile(`(?:[A-Za-z]:)?[\w.+@~-]*(?:[/\\][\w.+@~-]+)*[/\\]`)
	hexadecimal = regexp.MustCompile(`\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]*[0-9][0-9a-fA-F]{6,}\b`)

	// errorWords are in lines that tell of an error.
	errorWords = regexp.MustCompile(`(?i)error|exception|fail|panic|assert|fatal|expect|abort|undefined|undeclared|mismatch|cannot|can't|not ok|not found|no such|invalid|denied|missing`)
	// relayed are lines of programs that run others, which say only that one of these has failed.
	relayed = regexp.MustCompile(`^(?:\S*make(?:\[\d+\])?: (?:\*\*\*|Target )|ninja: build stopped|npm (?:ERR!|error)|exit status \d+$|FAIL(?:\t|$)|FAILED \(|Traceback \(most recent call last\):$)`)
	// warning are lines that fail nothing by themselves, or explain a line before them.
	warning = regexp.MustCompile(`(?i)\bwarning\b|\bnote:`)
)

// outputLines returns the lines of an output that have words, each once.
func outputLines(output []byte) []outputLine {
	var list []outputLine
	known := map[string]bool{}
	for l := range bytes.Lines(output) {
		if len(l) > longLine {
			l = l[:longLine]
		}
		text := trimLine(colours.ReplaceAll(l, nil))
		if text == "" || relayed.MatchString(text) {
			continue
		}
		s := outputLine{text: text, words: wordsOf(text)}
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
	text = hexadecimal.ReplaceAllString(directories.ReplaceAllString(text, " "), " ")
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) {
		if len(w) > 1 {
			words[w] = true
		}
	}
	return words
}

// key is the same for sentences of the same words.
func (s outputLine) key() string {
	var list []string
	for w := range s.words {
		list = append(list, w)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// similar reports whether two sentences have half of their words in common, by the measure
// of Dice ("Measures of the amount of ecologic association between species", Ecology 26,
// 1945): they may say the same of different values.
func (s outputLine) similar(other outputLine) bool {
	common := 0
	for w := range s.words {
		if other.words[w] {
			common++
		}
	}
	return 4*common >= len(s.words)+len(other.words)
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
		if errorWords.MatchString(s.text) && !warning.MatchString(s.text) {
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
				if m := t.expression.FindSubmatch(line); m != nil {
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

// tellingLine is a line to show of a failure: the one that tells most of it, without the directories of
// absolute paths, which are those of workspaces mostly.
func (f failureText) tellingLine() string {
	var lines []string
	for _, s := range f.all {
		lines = append(lines, s.text)
	}
	return directories.ReplaceAllStringFunc(telling(lines), func(dir string) string {
		if filepath.IsAbs(dir) {
			return ""
		}
		return dir
	})
}

// A reference is the failing end, as what other failures are compared with it.
type reference struct {
	end     question // the failing end
	passing Record   // of the passing end
	failing Record   // of the failing end

	mu      sync.Mutex // held while an attempt is compared
	read    bool       // usual and first are set
	usual   passingOutput
	first   failureText // what the failing end said
	decided bool        // steady and second are set
	steady  bool        // the failing end says the same in two runs
	second  failureText // what it said in the second run

	wanted outputLine          // what a failure of a mixture has to print, too, see Runner.Want
	aside  map[int]asideRecord // those that do not, by their numbers
	known  diagnostics         // of the outputs of commits, see strange; nil = to be read
}

// setReference makes end the failing end that other failures are compared with, once. The
// numbers are those of the trials of the failing and of the passing end, 0 if there is none.
func (r *rig) setReference(end question, failing, passing int) {
	if r.opts.Match != nil || r.opts.SameOutput != nil || r.opts.StatusOnly || r.interpret.interesting {
		return
	}
	ref := &reference{end: end}
	for _, rec := range r.session.Records() {
		switch rec.Trial {
		case failing:
			ref.failing = rec
		case passing:
			ref.passing = rec
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reference == nil && ref.failing.Trial > 0 {
		r.reference = ref
	}
}

// compareConfirmed calls compareRecorded for the trial of v, which confirms something, and returns the
// verdict that counts from now on.
func (r *rig) compareConfirmed(ctx context.Context, q question, v Verdict) (Verdict, error) {
	rec, ok := r.recorded(q, v.Trial)
	if !ok {
		return v, nil
	}
	rec, err := r.compareRecorded(ctx, q, rec)
	if err == nil && rec.Other {
		v = r.verdict(rec)
	}
	return v, err
}

// compareRecorded compares the record of an attempt with the failing end, and returns the record that
// counts from now on. If the attempt is a different failure, that record is unresolved, and it is
// appended to the journal, where it replaces the earlier one of the trial. The first difference
// costs a trial of the failing end. Later attempts are compared before they are recorded, by
// compareNew.
func (r *rig) compareRecorded(ctx context.Context, q question, rec Record) (Record, error) {
	ref := r.referenceFor(rec)
	if ref == nil {
		return rec, nil
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	if now, ok := r.recorded(q, rec.Trial); ok {
		rec = now // somebody else may have compared it meanwhile
	}
	if isolate.Outcome(rec.Outcome) != isolate.Fail {
		return rec, nil
	}
	found, other := r.differs(ref, rec)
	if !other {
		r.mu.Lock()
		strict := r.strict
		r.mu.Unlock()
		if ref.wanted.text != "" && r.lacks(ref, rec) {
			rec.another(found, failureText{all: []outputLine{ref.wanted}}, r.rules())
			ref.aside[rec.Trial] = asideRecord{q, rec}
			return rec, nil
		}
		if !strict {
			return rec, nil
		}
		if line := r.strange(ref, rec); line != "" {
			rec.unsound(line)
			return rec, r.amend(q, rec)
		}
		return rec, nil
	}
	if !ref.decided {
		if err := r.decide(ctx, ref); err != nil || !ref.steady || !found.other(ref.second) {
			return rec, err
		}
	}
	rec.another(found, ref.first, r.rules())
	return rec, r.amend(q, rec)
}

// compareNew is like compareRecorded, for a trial that is not recorded yet: it changes rec. It does nothing
// while it is not known whether the output of the failing end varies. It does not wait for another
// comparison either, since that may need the worker of this trial to run the failing end.
func (r *rig) compareNew(rec *Record) {
	ref := r.referenceFor(*rec)
	if ref == nil || !ref.mu.TryLock() {
		return
	}
	defer ref.mu.Unlock()
	if !ref.decided {
		return
	}
	if found, other := r.differs(ref, *rec); other {
		rec.another(found, ref.first, r.rules())
	}
}

// referenceFor returns what rec is to be compared with, nil if its outcome stands.
func (r *rig) referenceFor(rec Record) *reference {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	if ref == nil || isolate.Outcome(rec.Outcome) != isolate.Fail || rec.TimedOut || rec.Over != "" ||
		rec.Key != ref.failing.Key || rec.Tree == ref.failing.Tree || r.rules().class(classOf(exit{Code: rec.Exit})) == dies {
		return nil
	}
	return ref
}

// differs reports whether a failed attempt is a different failure from the failing end, and returns
// what it printed. It reports false if the output of the failing end is known to vary, or if an
// output is no longer there. ref.mu is held.
func (r *rig) differs(ref *reference, rec Record) (found failureText, other bool) {
	if ref.decided && !ref.steady {
		return found, false
	}
	if !ref.read {
		passing, _ := r.session.Printed(ref.passing)
		text, ok := r.session.Printed(ref.failing)
		if !ok {
			return found, false
		}
		ref.read, ref.usual = true, passingOutputOf(passing)
		ref.first = failureTextOf(ref.failing.Exit, text, ref.usual)
	}
	output, ok := r.session.Printed(rec)
	if !ok {
		return found, false
	}
	found = failureTextOf(rec.Exit, output, ref.usual)
	return found, found.other(ref.first) && (!ref.decided || found.other(ref.second))
}

// another makes a record that of another failure than the failing end's.
func (rec *Record) another(found, end failureText, rules rules) {
	rec.Outcome, rec.Other = Outcome(isolate.Unresolved), true
	rec.Reason = fmt.Sprintf("another failure: %s, %s; %s: %s", rec.Reason, found.quoted(), rules.failingEnd(), end.quoted())
}

// quoted is what a failure says, in words for a reason.
func (f failureText) quoted() string {
	if text := f.tellingLine(); text != "" {
		return QuoteLine(text)
	}
	return "no output"
}

// QuoteLine returns a line of output in quotes, so that it can be copied from between
// them: only what cannot be printed is escaped. The quotes are single ones if the line
// has double ones alone.
func QuoteLine(text string) string {
	mark := `"`
	if strings.Contains(text, mark) && !strings.Contains(text, "'") {
		mark = "'"
	}
	var b strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return mark + b.String() + mark
}

// decide runs the failing end once more, unless that has been done, and finds out whether
// it says the same. ref.mu is held.
func (r *rig) decide(ctx context.Context, ref *reference) error {
	again, err := r.anotherRun(ctx, ref)
	if err != nil {
		return err
	}
	if isolate.Outcome(again.Outcome) == isolate.Fail {
		if text, ok := r.session.Printed(again); ok {
			ref.second = failureTextOf(again.Exit, text, ref.usual)
			ref.steady = !ref.second.other(ref.first)
		}
	}
	ref.decided = true
	return nil
}

// OutputVaries reports whether a failure printed something else than the failing end, and the
// failing end printed something else in a second run, too: then failures are told apart by
// the exit status alone.
func (r *rig) OutputVaries() bool {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	if ref == nil {
		return false
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	return ref.decided && !ref.steady
}

// anotherRun returns a record of another run of the failing end that failed, if there is one. With a
// jury these have been run; else the second attempt is run.
func (r *rig) anotherRun(ctx context.Context, ref *reference) (Record, error) {
	if r.jury == nil {
		rec, _, err := r.attempted(ctx, ref.end, ref.failing.Attempt+1, r.shared)
		if err == nil && r.cleans() { // else what an earlier trial left may be at fault
			err = r.disagreement(ref.end, []Record{ref.failing, rec})
		}
		return rec, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.memo.attempts[ref.end.key] {
		if rec.Trial != ref.failing.Trial && isolate.Outcome(rec.Outcome) == isolate.Fail {
			return rec, nil
		}
	}
	return Record{}, nil
}

// recorded returns the record of a trial of q, as it is now.
func (r *rig) recorded(q question, trial int) (Record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, now := range slices.Concat(r.memo.attempts[q.key], r.memo.confirms[q.key]) {
		if now.Trial == trial {
			return now, true
		}
	}
	return Record{}, false
}

// amend puts rec in the place of the record of its number.
func (r *rig) amend(q question, rec Record) error {
	if err := r.session.keepOutput(rec); err != nil {
		return err
	}
	if err := r.session.amend(rec); err != nil {
		return err
	}
	r.mu.Lock()
	for _, list := range [][]Record{r.memo.attempts[q.key], r.memo.confirms[q.key]} {
		for i := range list {
			if list[i].Trial == rec.Trial {
				list[i] = rec
			}
		}
	}
	r.memo.stats.amend(rec)
	r.mu.Unlock()
	event := r.event(Amended, &worker{number: rec.Worker}, q, rec.Trial, rec.Attempt)
	event.Verdict = r.verdict(rec)
	r.observe(event)
	return nil
}
