package trial

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/isolate"
)

// A reference is what failures are compared with: the failing end and what it printed, without what
// the passing end prints, too.
type reference struct {
	end     question // the failing end
	passing Record   // of the passing end
	failing Record   // of the failing end

	messages bool // only OtherMessage compares with it: --match says which failures count

	mu       sync.Mutex // held while an attempt is compared
	read     bool       // usual and first are set
	usual    failure.Passing
	first    failure.Text // what the failing end said
	ranAgain bool         // steady and second are set
	steady   bool         // the failing end says the same in two runs
	second   failure.Text // what it said in the second run
	words    bool         // a failure with a word that the failing end does not print is a different one: the empty input fails with such words

	expected   failure.Line      // what a failure of a mixture has to print, too, see Runner.Expect
	unexpected map[int]amendment // failures that have not printed it, by the numbers of their trials
	baseline   failure.Baseline  // of the outputs of commits, see newDiagnostic; nil = to be read
}

// setReference makes end the failing end that other failures are compared with, once. The
// numbers are those of the trials of the failing and of the passing end, 0 if there is none.
func (r *pool) setReference(end question, failing, passing int) {
	if r.opts.SameOutput != nil || r.opts.StatusOnly || r.interpret.interesting {
		return
	}
	ref := &reference{end: end, messages: r.opts.Match != nil}
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
func (r *pool) compareConfirmed(ctx context.Context, q question, v Verdict) (Verdict, error) {
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

// compareRecorded compares the record of an attempt with the failing end, and returns the record
// that counts from now on. If the attempt is a different failure or a spurious one, that record is
// unresolved, and it is appended to the journal, where it replaces the earlier one of the trial. If
// the attempt only lacks the line that Runner.Expect requires, the journal is not changed until
// Runner.RecordUnexpected. The first difference costs a trial of the failing end. After that,
// differences are found by compareNew, before an attempt is recorded.
//
// If the empty input of a reduction fails, too, and nothing else tells that failure from the one that is meant, its words
// tell: from then on, a failure with a word that the failing end does not print is a different one.
func (r *pool) compareRecorded(ctx context.Context, q question, rec Record) (Record, error) {
	empty := q.input != nil && q.input.Size() == 0
	as := rec
	if empty && rec.Other { // in a session that goes on
		as.Outcome = Outcome(isolate.Fail)
	}
	ref := r.referenceFor(as)
	if ref == nil {
		return rec, nil
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	if empty {
		ref.words = false
		_, other := r.differs(ref, as)
		ref.words = !other && ref.repeatsWords()
	}
	if now, ok := r.recorded(q, rec.Trial); ok {
		rec = now // somebody else may have compared it meanwhile
	}
	if isolate.Outcome(rec.Outcome) != isolate.Fail {
		return rec, nil
	}
	found, other := r.differs(ref, rec)
	switch {
	case other:
	case r.isUnexpected(ref, rec):
		rec.markOther(found, failure.Text{All: []failure.Line{ref.expected}}, r.rules())
		ref.unexpected[rec.Trial] = amendment{q, rec}
		return rec, nil
	case r.rejectsSpurious():
		line := r.newDiagnostic(ref, rec)
		if line == "" {
			return rec, nil
		}
		rec.markSpurious(line)
		return rec, r.amend(q, rec)
	default:
		return rec, nil
	}
	if !ref.ranAgain {
		if err := r.runAgain(ctx, ref); err != nil {
			return rec, err
		}
		if found, other = r.differs(ref, rec); !other {
			return rec, nil
		}
	}
	rec.markOther(found, ref.first, r.rules())
	return rec, r.amend(q, rec)
}

// compareNew is like compareRecorded, for a trial that is not recorded yet: it changes rec. It does nothing
// while it is not known whether the output of the failing end varies. It does not wait for another
// comparison either, since that may need the worker of this trial to run the failing end.
func (r *pool) compareNew(rec *Record) {
	ref := r.referenceFor(*rec)
	if ref == nil || !ref.mu.TryLock() {
		return
	}
	defer ref.mu.Unlock()
	if !ref.ranAgain {
		return
	}
	if found, other := r.differs(ref, *rec); other {
		rec.markOther(found, ref.first, r.rules())
	}
}

// referenceFor returns what rec is to be compared with, nil if its outcome stands.
func (r *pool) referenceFor(rec Record) *reference {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	if ref == nil || ref.messages || isolate.Outcome(rec.Outcome) != isolate.Fail || rec.TimedOut || rec.Over != "" ||
		rec.Key != ref.failing.Key || rec.Tree == ref.failing.Tree {
		return nil
	}
	return ref
}

// differs reports whether a failed attempt is a different failure from the failing end, and returns
// what it printed. If the output of the failing end is known to vary, only diagnostics tell. It reports false if an
// output is no longer there. ref.mu is held.
func (r *pool) differs(ref *reference, rec Record) (found failure.Text, other bool) {
	if !ref.read {
		passing, _ := r.session.Printed(ref.passing)
		text, ok := r.session.Printed(ref.failing)
		if !ok {
			return found, false
		}
		ref.read, ref.usual = true, failure.PassingOf(passing)
		ref.first = failure.TextOf(ref.failing.Exit, text, ref.usual)
	}
	output, ok := r.session.Printed(rec)
	if !ok {
		return found, false
	}
	found = failure.TextOf(rec.Exit, output, ref.usual)
	if r.rules().class(classOf(process.Exit{Code: rec.Exit})) == dies && !(found.SaysWhy() && ref.first.SaysWhy()) {
		return found, false // the same signal is all that is known
	}
	if ref.varies() {
		return found, len(ref.second.All) > 0 && found.IsForeign(ref.first, ref.second)
	}
	return found, ref.tells(found, ref.first) && (!ref.ranAgain || ref.tells(found, ref.second))
}

// tells reports whether found is a different failure from f0, which the failing end printed.
func (ref *reference) tells(found, f0 failure.Text) bool {
	return found.Differs(f0) || ref.words && found.SaysMore(f0)
}

// markOther makes a record that of another failure than the failing end's.
func (rec *Record) markOther(found, end failure.Text, rules rules) {
	rec.Outcome, rec.Other = Outcome(isolate.Unresolved), true
	rec.Reason = fmt.Sprintf("another failure: %s, %s; %s: %s", rec.Reason, found.Quoted(), rules.failingEnd(), end.Quoted())
}

// runAgain runs the failing end once more, unless that has been done, and finds out whether
// it says the same. ref.mu is held.
func (r *pool) runAgain(ctx context.Context, ref *reference) error {
	again, err := r.anotherRun(ctx, ref)
	if err != nil {
		return err
	}
	if isolate.Outcome(again.Outcome) == isolate.Fail {
		if text, ok := r.session.Printed(again); ok {
			ref.second = failure.TextOf(again.Exit, text, ref.usual)
			ref.steady = !ref.second.Differs(ref.first)
		}
	}
	ref.ranAgain = true
	ref.words = ref.words && ref.repeatsWords()
	return nil
}

// repeatsWords reports whether the second run of the failing end says no other words than the first, as far as is known. ref.mu is held.
func (ref *reference) repeatsWords() bool {
	return !ref.ranAgain || len(ref.second.All) > 0 && !ref.second.SaysMore(ref.first)
}

// OutputVaries reports whether a failure printed something else than the failing end, and the
// failing end printed something else in a second run, too: then failures are told apart by
// the exit status alone.
func (r *pool) OutputVaries() bool {
	r.mu.Lock()
	ref := r.reference
	r.mu.Unlock()
	if ref == nil {
		return false
	}
	ref.mu.Lock()
	defer ref.mu.Unlock()
	return ref.varies()
}

// varies reports whether the failing end is known to print something else in each run. ref.mu is
// held.
func (ref *reference) varies() bool { return ref.ranAgain && !ref.steady }

// lockReference returns the reference with ref.mu held until done is called, nil if there is none
// or if its output varies.
func (r *pool) lockReference() (ref *reference, done func()) {
	r.mu.Lock()
	ref = r.reference
	r.mu.Unlock()
	if ref == nil {
		return nil, func() {}
	}
	ref.mu.Lock()
	if ref.varies() {
		ref.mu.Unlock()
		return nil, func() {}
	}
	return ref, ref.mu.Unlock
}

// anotherRun returns the record of a second run of the failing end. Without a sequential test that is the next
// attempt, whatever its outcome; the error is a *FlakyError if workspaces are clean and the outcome
// differs from that of the first. With a sequential test nothing is run: anotherRun returns an earlier attempt
// that failed, or the zero Record if there is none.
func (r *pool) anotherRun(ctx context.Context, ref *reference) (Record, error) {
	if r.sequential == nil {
		end := ref.end
		end.varies = true
		rec, _, err := r.attempted(ctx, end, ref.failing.Attempt+1, r.shared)
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
func (r *pool) recorded(q question, trial int) (Record, bool) {
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
func (r *pool) amend(q question, rec Record) error {
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
	event.Verdict, event.Record = r.verdict(rec), rec
	r.observe(event)
	return nil
}
