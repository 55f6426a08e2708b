package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// A failure is spurious if a mixture of two revisions fails for a reason that lies in the mixture
// alone. Two signs of that are looked for, and only in the failing configuration of an answer, since
// most failures with such a sign do not lead to a wrong answer:
//
//   - The trial prints a diagnostic that no commit prints. For example, a compiler warns that a
//     function gets an argument of the wrong type, but still makes a program, which fails the
//     test. See RejectSpurious. A warning counts for nothing if the failure has the stack of the
//     failing end: then the same calls have led to it.
//   - The trial prints another error, message or value than the failing end. See OtherMessage and
//     Expect.

// RejectSpurious looks for a diagnostic that a failed trial of c printed and no trial of a commit
// printed, and returns its line. From then on each failure of a mixture with such a diagnostic is
// unresolved; earlier failures are checked when the search asks for their outcomes again.
// RejectSpurious returns "" if there is no such diagnostic, if it is a warning and the failure has the stack of the failing
// end, if such failures are unresolved already, or if failures are not compared with the output of the failing end. Cost: reading the
// outputs of the session's commits.
func (r *Runner) RejectSpurious(s *changes.Set, c isolate.Configuration) (line string, err error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return "", err
	}
	ref, done := r.lockReference()
	defer done()
	if ref == nil || ref.messages || r.rejectsSpurious() {
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
// printed; "" if there is none. Warnings do not count in a failure with the stack of the failing end. ref.mu is held.
func (r *pool) newDiagnostic(ref *reference, rec Record) string {
	if rec.ofCommit() {
		return ""
	}
	if ref.baseline == nil {
		ref.baseline = failure.Baseline{}
		for _, commit := range r.session.Records() {
			if commit.ofCommit() {
				ref.baseline.Add(r.allLines(commit))
			}
		}
	}
	lines := r.allLines(rec)
	if found, _ := r.differs(ref, rec); found.SameStack(ref.first) {
		lines = slices.DeleteFunc(lines, failure.Line.Warns)
	}
	return ref.baseline.FirstNew(lines)
}

// ofCommit reports whether a record is of a commit or an end, not of a mixture.
func (rec *Record) ofCommit() bool { return rec.Commit != "" || rec.Purpose == End }

// allOutput returns the output of a trial, that of its build included; ok is false if it is no
// longer there.
func (r *pool) allOutput(rec Record) (output []byte, ok bool) {
	return r.session.readOutputs(rec.Trial, "build.out", "build.err", "out", "err")
}

// allLines returns the lines of allOutput.
func (r *pool) allLines(rec Record) []failure.Line {
	output, _ := r.allOutput(rec)
	return failure.Lines(output)
}

// failures returns the records of a question that are fails.
func (r *pool) failures(q question) []Record { return r.withOutcome(q, isolate.Fail) }

// withOutcome returns the records of a question that have an outcome.
func (r *pool) withOutcome(q question, outcome isolate.Outcome) []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Concat(r.memo.attempts[q.key], r.memo.confirms[q.key]), func(rec Record) bool {
		return isolate.Outcome(rec.Outcome) != outcome
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
// is a commit, if c has failed less than least times, or if the output of the failing end varies. Which lines of c vary is
// known only if c has failed twice. Cost: reading the outputs of the session's commits.
func (r *Runner) OtherMessage(s *changes.Set, c isolate.Configuration, least int) (got, want string, number int, err error) {
	return r.otherMessage(s, c, least, true)
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
	f := failure.Comparison{Commits: map[string]bool{}, Failing: r.allLines(ref.failing)}
	for _, rec := range r.session.Records() {
		if !rec.ofCommit() {
			continue
		}
		if rec.Tree == q.key.tree {
			return "", "", 0, nil // c is a commit
		}
		lines := r.allLines(rec)
		for _, l := range lines {
			f.Commits[l.ID()] = true
		}
		switch isolate.Outcome(rec.Outcome) {
		case isolate.Fail:
			if !commits {
				continue
			}
			f.Failing = slices.DeleteFunc(f.Failing, func(l failure.Line) bool { return !l.In(lines) })
		case isolate.Pass:
			f.Usual = append(f.Usual, lines...)
		}
	}
	for _, rec := range failures {
		number = max(number, rec.Trial)
		f.Mixture = append(f.Mixture, r.allLines(rec))
	}
	got, want = f.Compare()
	return got, want, number, nil
}

// Expect makes each failure of a mixture unresolved that does not print line, which the failing end
// prints, until ExpectNothing is called. If the output of the failing end varies, or its second run
// does not print line, Expect changes nothing and ok is false. The changed outcomes are not written
// to the journal before RecordUnexpected is called. Cost: a trial, unless the failing end has been
// run twice.
func (r *Runner) Expect(ctx context.Context, line string) (ok bool, err error) {
	ref, done := r.lockReference()
	defer done()
	if ref == nil || ref.messages {
		return false, nil
	}
	if !ref.ranAgain {
		if err := r.runAgain(ctx, ref); err != nil {
			return false, err
		}
	}
	expected := failure.LineOf(line)
	if !ref.steady || !expected.In(ref.second.All) {
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
		ref.expected, ref.unexpected = failure.Line{}, nil
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
	if ref.expected.Text == "" || rec.ofCommit() {
		return false
	}
	output, ok := r.allOutput(rec)
	return ok && !ref.expected.In(failure.Lines(output))
}
