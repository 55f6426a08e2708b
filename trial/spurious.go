package trial

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// A failure is spurious if a mixture of two revisions fails for a reason that lies in the mixture
// alone. Two signs of that are looked for, and only in the failing configuration of an answer, since
// most failures with such a sign do not lead to a wrong answer:
//
//   - The trial prints a diagnostic that no commit prints. For example, a compiler warns that a
//     function gets an argument of the wrong type, but still makes a program, which fails the
//     test. See RejectSpurious.
//   - The trial prints another error, message or value than the failing end. See OtherMessage and
//     Expect.

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
	// values are in lines that say which value was expected, or came instead.
	values = lazyregexp.New(`(?i)\b(?:actual|expected|got|want(?:ed)?|received|left|right)\b`)
)

// A baseline is the set of the diagnostics in some outputs: the words of each line with a warning
// or an error, and the names of exceptions.
type baseline map[string]bool

// add adds the diagnostics of an output.
func (b baseline) add(lines []outputLine) {
	for diagnostic := range diagnostics(lines) {
		b[diagnostic] = true
	}
}

// firstNew returns the first line of an output with a diagnostic that is not in the baseline, ""
// if there is none.
func (b baseline) firstNew(lines []outputLine) string {
	for diagnostic, line := range diagnostics(lines) {
		if !b[diagnostic] {
			return line
		}
	}
	return ""
}

// diagnostics returns the diagnostics of an output, each with its line.
func diagnostics(lines []outputLine) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i, l := range lines {
			list := exceptions().FindAllString(l.text, -1)
			if warns().MatchString(l.text) && !harmless().MatchString(l.text) &&
				(placed().MatchString(l.text) || i+1 < len(lines) && strings.HasPrefix(lines[i+1].text, "--> ")) {
				list = append(list, l.key())
			}
			for _, diagnostic := range list {
				if !yield(diagnostic, l.text) {
					return
				}
			}
		}
	}
}

// RejectSpurious looks for a diagnostic that a failed trial of c printed and no trial of a commit
// printed, and returns its line. From then on each failure of a mixture with such a diagnostic is
// unresolved; earlier failures are checked when the search asks for their outcomes again.
// RejectSpurious returns "" if there is no such diagnostic, if such failures are unresolved
// already, or if failures are not compared with the output of the failing end. Cost: reading the
// outputs of the session's commits.
func (r *Runner) RejectSpurious(s *changes.Set, c isolate.Configuration) (line string, err error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return "", err
	}
	ref, done := r.lockReference()
	defer done()
	if ref == nil || r.rejectsSpurious() {
		return "", nil
	}
	ref.baseline = nil
	for _, rec := range r.failures(q) {
		if line = r.newDiagnostic(ref, rec); line != "" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.spurious = true
			return line, nil
		}
	}
	return "", nil
}

func (r *pool) rejectsSpurious() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spurious
}

// newDiagnostic returns the first line that a mixture printed with a diagnostic that no commit
// printed. ref.mu is held.
func (r *pool) newDiagnostic(ref *reference, rec Record) string {
	if rec.ofCommit() {
		return ""
	}
	if ref.baseline == nil {
		ref.baseline = baseline{}
		for _, commit := range r.session.Records() {
			if commit.ofCommit() {
				ref.baseline.add(r.allLines(commit))
			}
		}
	}
	return ref.baseline.firstNew(r.allLines(rec))
}

// ofCommit reports whether a record is of a commit or an end, not of a mixture.
func (rec *Record) ofCommit() bool { return rec.Commit != "" || rec.Purpose == End }

// allOutput returns the output of a trial, that of its build included; ok is false if it is no
// longer there.
func (r *pool) allOutput(rec Record) (output []byte, ok bool) {
	return r.session.readOutputs(rec.Trial, "build.out", "build.err", "out", "err")
}

// allLines returns the lines of allOutput.
func (r *pool) allLines(rec Record) []outputLine {
	output, _ := r.allOutput(rec)
	return outputLines(output)
}

// failures returns the records of a question that are fails.
func (r *pool) failures(q question) []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Concat(r.memo.attempts[q.key], r.memo.confirms[q.key]), func(rec Record) bool {
		return isolate.Outcome(rec.Outcome) != isolate.Fail
	})
}

// markSpurious makes a record that of a spurious failure, which printed a line.
func (rec *Record) markSpurious(line string) {
	rec.Outcome, rec.Other, rec.Spurious = Outcome(isolate.Unresolved), true, true
	rec.Reason = fmt.Sprintf("another failure: %s, with %s, which no commit prints", rec.Reason, prose.Quote(line))
}

// OtherMessage compares the failures of c, a mixture, with the failing end. If c has failed otherwise,
// want is a line that tells of the failure, that the failing end and each commit that failed print,
// and that no failed trial of c prints; got is the line that tells most of what c prints instead. It
// is such a line in these cases:
//
//   - c prints another error or value, which no commit prints.
//   - c prints none of the errors of the failing end.
//   - Of an error that both print, c lacks a line of the message that follows, such as of a value that
//     is printed in several lines.
//
// number is the highest number of a failed trial of c. Both lines are "" if there is no difference, if c
// is a commit, if c has failed less than twice, so that it is not known which of its lines vary, or if
// the output of the failing end varies. Cost: reading the outputs of the session's commits.
func (r *Runner) OtherMessage(s *changes.Set, c isolate.Configuration) (got, want string, number int, err error) {
	return r.otherMessage(s, c, 2, true)
}

// otherMessage is OtherMessage for a configuration that has failed at least so many times. It compares
// with the lines that the failing end and each commit that failed print or, if commits is false, with
// those of the failing end.
func (r *Runner) otherMessage(s *changes.Set, c isolate.Configuration, least int, commits bool) (got, want string, number int, err error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return "", "", 0, err
	}
	ref, done := r.lockReference()
	defer done()
	failures := r.failures(q)
	if ref == nil || len(failures) < least {
		return "", "", 0, nil
	}
	f := failureLines{commits: map[string]bool{}, failing: r.allLines(ref.failing)}
	for _, rec := range r.session.Records() {
		if !rec.ofCommit() {
			continue
		}
		if rec.Tree == q.key.tree {
			return "", "", 0, nil // c is a commit
		}
		lines := r.allLines(rec)
		for _, l := range lines {
			f.commits[l.key()] = true
		}
		switch isolate.Outcome(rec.Outcome) {
		case isolate.Fail:
			if !commits {
				continue
			}
			f.failing = slices.DeleteFunc(f.failing, func(l outputLine) bool { return !l.in(lines) })
		case isolate.Pass:
			f.usual = append(f.usual, lines...)
		}
	}
	for _, rec := range failures {
		number = max(number, rec.Trial)
		f.mixture = append(f.mixture, r.allLines(rec))
	}
	got, want = f.compare()
	return got, want, number, nil
}

// failureLines are the lines that a mixture is compared by with the failing end.
type failureLines struct {
	failing []outputLine    // of the failing end, as far as each commit that failed has them
	usual   []outputLine    // of the commits that passed
	commits map[string]bool // of all commits, by outputLine.key
	mixture [][]outputLine  // of each failed trial of the mixture
}

// messageLines is how many lines of a message are compared behind the one that tells of an error.
const messageLines = 30

// compare is OtherMessage for these lines.
func (f failureLines) compare() (got, want string) {
	some, all := map[string]bool{}, map[string]int{} // lines that a failed trial of the mixture prints, in how many
	for _, lines := range f.mixture {
		for _, l := range lines {
			some[l.key()] = true
			if all[l.key()]++; all[l.key()] == len(f.mixture) && tellsError(l) && !f.commits[l.key()] {
				got = l.text
			}
		}
	}
	usual := map[string]bool{}
	for _, l := range f.usual {
		usual[l.key()] = true
	}
	shared := false // the mixture prints an error of the failing end, with all of its message
	lacks := ""     // the first line that the mixture lacks of such a message
	for i, l := range f.failing {
		if !tellsError(l) || usual[l.key()] {
			continue
		}
		if !some[l.key()] {
			want = l.text
			continue
		}
		missing := ""
		for _, m := range f.failing[i+1 : min(len(f.failing), i+1+messageLines)] {
			if tellsError(m) || frame().MatchString(m.text) {
				break
			}
			if !some[m.key()] && !usual[m.key()] {
				missing = m.text
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
	case shared || want == "":
		return "", ""
	}
	if got == "" {
		var lines []string
		for _, l := range f.mixture[0] {
			if !usual[l.key()] {
				lines = append(lines, l.text)
			}
		}
		if got = errorLine(lines); got == "" {
			got = "nothing that the passing end does not print"
		}
	}
	return got, want
}

// tellsError reports whether a line says what is wrong, or which value is.
func tellsError(l outputLine) bool {
	return (errorWords().MatchString(l.text) || values().MatchString(l.text)) && !warning().MatchString(l.text)
}

// frame matches the lines of a stack trace.
var frame = lazyregexp.New(`^(?:at|from) |^File "`)

// Expect makes each failure of a mixture unresolved that does not print line, which the failing end
// prints, until ExpectNothing is called. If the output of the failing end varies, or its second run
// does not print line, Expect changes nothing and ok is false. The changed outcomes are not written
// to the journal before RecordUnexpected is called. Cost: a trial, unless the failing end has been
// run twice.
func (r *Runner) Expect(ctx context.Context, line string) (ok bool, err error) {
	ref, done := r.lockReference()
	defer done()
	if ref == nil {
		return false, nil
	}
	if !ref.ranAgain {
		if err := r.runAgain(ctx, ref); err != nil {
			return false, err
		}
	}
	expected := outputLine{text: line, words: wordsOf(line)}
	if !ref.steady || !expected.in(ref.second.all) {
		return false, nil
	}
	ref.expected, ref.unexpected = expected, map[int]amendment{}
	return true, nil
}

// asExpected returns a record as it counts since Expect.
func (r *pool) asExpected(rec Record) Record {
	if isolate.Outcome(rec.Outcome) != isolate.Fail {
		return rec
	}
	ref, done := r.lockReference()
	defer done()
	if ref != nil {
		if a, ok := ref.unexpected[rec.Trial]; ok {
			return a.rec
		}
	}
	return rec
}

// ExpectNothing ends what Expect began.
func (r *Runner) ExpectNothing() {
	ref, done := r.lockReference()
	defer done()
	if ref != nil {
		ref.expected, ref.unexpected = outputLine{}, nil
	}
}

// RecordUnexpected writes into the journal which failures are unresolved since Expect.
func (r *Runner) RecordUnexpected() error {
	ref, done := r.lockReference()
	defer done()
	if ref == nil {
		return nil
	}
	for _, number := range slices.Sorted(maps.Keys(ref.unexpected)) {
		a := ref.unexpected[number]
		if err := r.amend(a.question, a.rec); err != nil {
			return err
		}
	}
	clear(ref.unexpected)
	return nil
}

// An amendment is a record that is to replace the one that the journal has of the same trial.
type amendment struct {
	question question
	rec      Record
}

// isUnexpected reports whether a mixture has not printed what is expected; it has if its output is
// no longer there. ref.mu is held.
func (r *pool) isUnexpected(ref *reference, rec Record) bool {
	if ref.expected.text == "" || rec.ofCommit() {
		return false
	}
	output, ok := r.allOutput(rec)
	return ok && !ref.expected.in(outputLines(output))
}
