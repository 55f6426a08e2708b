package trial

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
)

// A mixture of two revisions may fail for a reason that lies in the mixture alone: a compiler
// warns that a function gets an argument of another type, and the program that it makes all
// the same fails the test as the failing end does. What gives such a failure away is a
// diagnostic that no commit prints: a warning or an error with words of its own.
//
// Most such diagnostics do no harm. So the search looks at none of them before it has an answer.
// If the failing end of the answer has one, each failure that has one is unresolved from then on.

var (
	// warns is in the lines of a diagnostic that is compared as a whole, if it has a place, too, or
	// the next line has it. A warning without a place is mostly about the machine, such as its clock.
	warns  = regexp.MustCompile(`(?i:\bwarning|\berror):|[a-z]Warning:`)
	placed = regexp.MustCompile(`\S:\d`)
	// kinds are the names by which interpreters call what went wrong.
	kinds = regexp.MustCompile(`\b[A-Za-z]\w*(?:Error|Exception)\b|(?i)\bundefined symbol\b|\bsegmentation fault\b`)
	// idle are diagnostics of what does nothing when the program runs.
	idle = regexp.MustCompile(`(?i)unused|\bnot used\b|\bnever (?:used|read|called)\b|deprecat`)
)

// diagnostics are those of several outputs: the words of warnings and errors, and the names of
// exceptions.
type diagnostics map[string]bool

// add adds those of an output.
func (d diagnostics) add(output []byte) {
	for text := range diagnosticsOf(output) {
		d[text] = true
	}
}

// strange returns the first line of an output with a diagnostic that is not in d, "" if there
// is none.
func (d diagnostics) strange(output []byte) string {
	for text, line := range diagnosticsOf(output) {
		if !d[text] {
			return line
		}
	}
	return ""
}

// diagnosticsOf returns the diagnostics of an output, by what is compared of each, and its line.
func diagnosticsOf(output []byte) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		lines := outputLines(output)
		for i, l := range lines {
			list := kinds.FindAllString(l.text, -1)
			if warns.MatchString(l.text) && !idle.MatchString(l.text) &&
				(placed.MatchString(l.text) || i+1 < len(lines) && strings.HasPrefix(lines[i+1].text, "--> ")) {
				list = append(list, l.key())
			}
			for _, text := range list {
				if !yield(text, l.text) {
					return
				}
			}
		}
	}
}

// values are in lines that say which value was expected, or came instead.
var values = regexp.MustCompile(`(?i)\b(?:actual|expected|got|want(?:ed)?|received)\b`)

// Unlike compares the failures of c with what commits print. said is a line that tells of an error
// or of a value, which each of the trials of c has and no commit; wanted is such a line of the
// failing end, which none of them has; number is the last of these trials. Both lines are "" if
// there are not two trials, if one of the lines is missing, or if the output of the failing end is
// known to vary: then the failures are alike. Cost: reading the outputs of the session's commits.
func (r *Runner) Unlike(s *changes.Set, c isolate.Configuration) (said, wanted string, number int, err error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return "", "", 0, err
	}
	r.mu.Lock()
	ref := r.reference
	list := slices.Concat(r.memo.attempts[q.key], r.memo.confirms[q.key])
	r.mu.Unlock()
	if ref == nil || len(list) < 2 {
		return "", "", 0, nil
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	if ref.decided && !ref.steady {
		return "", "", 0, nil
	}
	known, printed := map[string]bool{}, map[string]bool{}
	for _, rec := range r.session.Records() {
		if rec.Tree == q.key.tree && (rec.Commit != "" || rec.Purpose == End) {
			return "", "", 0, nil // it is a commit
		}
		if rec.Commit != "" || rec.Purpose == End {
			for _, l := range outputLines(r.built(rec)) {
				known[l.key()] = true
			}
		}
	}
	tells := func(l outputLine) bool {
		return (errorWords.MatchString(l.text) || values.MatchString(l.text)) && !warning.MatchString(l.text)
	}
	var own map[string]string // the lines that all trials so far have, and no commit
	for _, rec := range list {
		if isolate.Outcome(rec.Outcome) != isolate.Fail {
			return "", "", 0, nil
		}
		number = max(number, rec.Trial)
		lines := map[string]string{}
		for _, l := range outputLines(r.built(rec)) {
			printed[l.key()] = true
			if tells(l) && !known[l.key()] && (own == nil || own[l.key()] != "") {
				lines[l.key()] = l.text
			}
		}
		own = lines
	}
	if len(own) == 0 {
		return "", "", 0, nil
	}
	for _, l := range outputLines(r.built(ref.failing)) {
		if tells(l) && !printed[l.key()] {
			wanted = l.text
		}
	}
	if wanted == "" {
		return "", "", 0, nil
	}
	return own[slices.Min(slices.Collect(maps.Keys(own)))], wanted, number, nil
}

// An asideRecord is a failure that does not count, which the journal does not say yet.
type asideRecord struct {
	question
	Record
}

// Want makes each failure of a mixture unresolved that does not print a line of the failing end;
// not so if a second run of the failing end does not print it either: then ok is false. This is
// not in the journal before SetAside, and Unwant ends it. Cost: a trial, unless the failing end
// has been run twice.
func (r *Runner) Want(ctx context.Context, line string) (ok bool, err error) {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	ref.mu.Lock()
	defer ref.mu.Unlock()
	if !ref.decided {
		if err := r.decide(ctx, ref); err != nil {
			return false, err
		}
	}
	wanted := outputLine{text: line, words: wordsOf(line)}
	if !ref.steady || !slices.ContainsFunc(ref.second.all, func(l outputLine) bool { return l.key() == wanted.key() }) {
		return false, nil
	}
	ref.wanted, ref.aside = wanted, map[int]asideRecord{}
	return true, nil
}

// Unwant ends what Want began.
func (r *Runner) Unwant() {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	if ref == nil {
		return
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	ref.wanted, ref.aside = outputLine{}, nil
}

// SetAside writes into the journal which failures do not count since Want.
func (r *Runner) SetAside() error {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	if ref == nil {
		return nil
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(ref.aside)) {
		a := ref.aside[number]
		if err := r.amend(a.question, a.Record); err != nil {
			return err
		}
	}
	ref.aside = map[int]asideRecord{}
	return nil
}

// lacks reports whether a record of a mixture does not print what is wanted. ref.mu is held.
func (r *rig) lacks(ref *reference, rec Record) bool {
	if rec.Commit != "" || rec.Purpose == End {
		return false
	}
	return !slices.ContainsFunc(outputLines(r.built(rec)), func(l outputLine) bool { return l.key() == ref.wanted.key() })
}

// Unsound returns a line with a diagnostic that a trial of c printed when it failed, and that no
// trial of a commit printed; "" if there is none. Cost: reading the outputs of the session's
// commits.
func (r *Runner) Unsound(s *changes.Set, c isolate.Configuration) (string, error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	ref := r.reference
	list := append(r.memo.attempts[q.key][:len(r.memo.attempts[q.key]):len(r.memo.attempts[q.key])], r.memo.confirms[q.key]...)
	r.mu.Unlock()
	if ref == nil {
		return "", nil
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	if ref.decided && !ref.steady {
		return "", nil
	}
	ref.known = nil
	for _, rec := range list {
		if isolate.Outcome(rec.Outcome) == isolate.Fail {
			if line := r.strange(ref, rec); line != "" {
				return line, nil
			}
		}
	}
	return "", nil
}

// Strict makes each failure of a mixture unresolved that has a diagnostic which no commit prints.
// Trials that were asked before are looked at when they are asked again.
func (r *Runner) Strict() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strict = true
}

// strange returns the first line of a record's output with a diagnostic that no commit printed.
// ref.mu is held.
func (r *rig) strange(ref *reference, rec Record) string {
	if rec.Commit != "" || rec.Purpose == End {
		return ""
	}
	if ref.known == nil {
		ref.known = diagnostics{}
		for _, commit := range r.session.Records() {
			if commit.Commit == "" && commit.Purpose != End {
				continue
			}
			ref.known.add(r.built(commit))
		}
	}
	return ref.known.strange(r.built(rec))
}

// built returns the output of a trial, that of its build included.
func (r *rig) built(rec Record) []byte {
	output, _ := r.session.readOutputs(rec.Trial, "build.out", "build.err", "out", "err")
	return output
}

// unsound makes a record that of a failure that does not count for its diagnostic.
func (rec *Record) unsound(line string) {
	rec.Outcome, rec.Other, rec.Unsound = Outcome(isolate.Unresolved), true, true
	rec.Reason = fmt.Sprintf("another failure: %s, with %s, which no commit prints", rec.Reason, QuoteLine(line))
}
