package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// A Confirmation says in what workspace Confirm tests a configuration.
type Confirmation string

// The confirmations. The zero value means InFresh if that is cheap, and InCleaned otherwise. It is cheap if two
// workspaces, for the two ends of an answer, can probably be made in a quarter of the time that the session has
// taken so far; where a workspace has at most 256 tracked files, also if they can be made in 10 seconds. The estimate
// is the longest time that this process took to check out a workspace and to set it up. If the outcome in a cleaned
// workspace contradicts the search, and Confirm is called again, it tests the configuration in a fresh workspace.
const (
	InFresh   Confirmation = "fresh" // a workspace that is checked out for this trial
	InCleaned Confirmation = "clean" // a workspace of the search, from which everything is removed but what Options.Keep brought
)

// What is cheap, see Confirmation.
const (
	cheapShare        = 4 // a quarter
	fewPaths          = 256
	cheapConfirmation = 10 * time.Second // with few paths: which one it is then mostly does not depend on the clock
)

// confirmsCleaned reports whether Confirm tests q in a cleaned workspace.
func (r *Runner) confirmsCleaned(q question, want isolate.Outcome) bool {
	if in := r.opts.Confirmation; in != "" || len(r.opts.Artifacts) > 0 {
		return in == InCleaned
	}
	total := r.Stats().Total
	r.mu.Lock()
	defer r.mu.Unlock()
	contradicted := slices.ContainsFunc(r.memo.confirms[q.key], func(rec Record) bool { return r.outcome(rec) != want })
	cheap := total / cheapShare
	if r.paths <= fewPaths {
		cheap = max(cheap, cheapConfirmation)
	}
	return !contradicted && 2*r.making > cheap
}

// Confirm tests c once more, in a workspace that is set up and built from
// nothing, see Confirmation. Trials that the search ran do not answer it; those
// of an earlier Confirm do that this session ran before it was resumed, each
// of them once.
//
// want is what the search has seen, as a true outcome. When the verdict has
// another one, its Reason says so, and the answer should be withheld: ask once
// more then. A second such trial that disagrees with the first, or a first one
// with a trial of the search that began in a clean workspace, is a *FlakyError;
// if both agree, the workspace of the search was stale. With Options.Confidence the error is an *EndsError if it turns out
// that the ends do not differ.
func (r *Runner) Confirm(ctx context.Context, s *changes.Set, c isolate.Configuration, want isolate.Outcome) (v Verdict, err error) {
	q, err := r.question(s, c, Confirm)
	if err != nil {
		return Verdict{}, err
	}
	q.cleaned = r.confirmsCleaned(q, want)
	if len(r.opts.Artifacts) > 0 {
		r.still.Lock()
		defer r.still.Unlock()
	}
	if r.sequential != nil {
		v, err = r.confirmSurely(ctx, q, want)
		err = endsError(err)
	} else {
		v, err = r.confirm(ctx, q)
	}
	if err == nil && r.sequential == nil && r.opts.Measure.IsZero() {
		v, err = r.compareConfirmed(ctx, q, v)
	}
	if err == nil && r.sequential == nil {
		r.mu.Lock()
		err = r.contradiction(q)
		r.mu.Unlock()
	}
	if err == nil && v.Outcome != want {
		where := "fresh"
		if v.Cleaned {
			where = "cleaned"
		}
		v.Reason = fmt.Sprintf("%s: %v in a %s workspace, but %v during the search", v.Reason, v.Outcome, where, want)
	}
	return v, err
}

// Repaired tests the bad end of s, which is what the user's failing revision becomes without the cause
// of the failure. A tree that the session has tested before takes no trial. If it fails with another
// message than the failing end, compared as by OtherMessage, but with the failing end alone, the verdict
// is unresolved: later changes may need the cause. With a sequential test, a tree whose first attempt is unresolved gets up to
// unresolvedAttempts more until one is not.
func (r *Runner) Repaired(ctx context.Context, s *changes.Set) (Verdict, error) {
	c := isolate.Full(s.Len())
	v, err := r.ask(ctx, s, c, Repaired)
	if err == nil && r.sequential != nil && v.Outcome == isolate.Unresolved && v.Trial > 0 {
		v, err = r.resolve(ctx, s, c, v)
	}
	if err != nil || v.Outcome != isolate.Fail || !r.opts.Measure.IsZero() {
		return v, err
	}
	got, want, _, err := r.otherMessage(s, c, 1, false)
	if got != "" {
		v.Outcome = isolate.Unresolved
		v.Reason = fmt.Sprintf("another failure: %s; %s: %s", prose.Quote(got), r.rules().failingEnd(), prose.Quote(want))
	}
	return v, err
}

// unresolvedAttempts is how many more attempts Repaired makes.
const unresolvedAttempts = 2

// resolve makes attempts at c, whose verdict v is unresolved, until one has another outcome, and returns its verdict.
func (r *Runner) resolve(ctx context.Context, s *changes.Set, c isolate.Configuration, v Verdict) (Verdict, error) {
	q, err := r.question(s, c, Repaired)
	for k := 2; err == nil && k <= 1+unresolvedAttempts; k++ {
		rec, _, err := r.attempt(ctx, q, k, r.shared)
		if err != nil {
			return withoutTrial(err)
		}
		if r.outcome(rec) != isolate.Unresolved {
			return r.verdict(rec), nil
		}
	}
	return v, err
}

// HasConfirmed reports whether a trial of an earlier process answers the next Confirm of c, if one trial tells an outcome.
func (r *Runner) HasConfirmed(s *changes.Set, c isolate.Configuration) bool {
	q, err := r.question(s, c, Confirm)
	if err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.memo.confirms[q.key]) > r.memo.used[q.key]
}

func (r *pool) confirm(ctx context.Context, q question) (v Verdict, err error) {
	r.mu.Lock()
	recs := r.memo.confirms[q.key][r.memo.used[q.key]:]
	recs = recs[:min(len(recs), r.opts.Repeat):min(len(recs), r.opts.Repeat)]
	r.memo.used[q.key] += len(recs)
	r.mu.Unlock()
	if v, done, err := r.conclude(q, recs); done || err != nil {
		v.Cached = done
		return v, err
	}

	w, err := r.take(ctx, q)
	if err != nil {
		return Verdict{}, err
	}
	defer r.release(w)
	space, leave, err := r.confirmSpace(ctx, w, q)
	if err != nil {
		return withoutTrial(err)
	}
	defer func() { err = errors.Join(err, leave()) }()
	for {
		rec, err := r.trial(ctx, w, space, q, len(recs)+1)
		if err != nil {
			return withoutTrial(err)
		}
		recs = append(recs, rec)
		r.mu.Lock()
		r.memo.confirms[q.key] = append(r.memo.confirms[q.key], rec)
		r.memo.used[q.key]++
		r.mu.Unlock()
		if v, done, err := r.conclude(q, recs); done || err != nil {
			return v, err
		}
	}
}

// confirmSpace returns the place that q, which confirms something, is tested in, and what to call when
// that is done.
func (r *pool) confirmSpace(ctx context.Context, w *worker, q question) (place, func() error, error) {
	if q.cleaned {
		space, err := r.cleanedSpace(ctx, w, q)
		return space, func() error { return nil }, err
	}
	space, err := r.freshSpace(ctx, w, q)
	return space, func() error { return r.leave(space) }, err
}

// cleanedSpace makes the worker's own place as new.
func (r *pool) cleanedSpace(ctx context.Context, w *worker, q question) (place, error) {
	space, err := r.shared(ctx, w, q)
	if err != nil {
		return nil, err
	}
	return space, space.renew(ctx, w)
}

// freshSpace makes a place that no trial has used, set up, beside those of the
// workers: of one name for those whose artifacts are compared.
func (r *pool) freshSpace(ctx context.Context, w *worker, q question) (place, error) {
	r.mu.Lock()
	r.fresh++
	which := "confirm-" + strconv.Itoa(r.fresh)
	if len(r.opts.Artifacts) > 0 {
		which = "confirm"
	}
	r.mu.Unlock()
	return r.make(ctx, w, q, which)
}
