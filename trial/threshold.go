package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A threshold says which numbers are a failure: those above it, or those below it.
type threshold struct {
	at    float64
	above bool
}

// Threshold makes a trial with a number fail if the number is above at, or below it unless above is true. With a
// confidence above 0 an outcome is what a sequential test makes of several numbers; with 0 one number tells it. What
// was concluded from outcomes by an earlier threshold is forgotten, and no trial is. Ends has to be asked again. spent
// is how many trials of Options.MaxTrials were for other questions.
func (r *Runner) Threshold(at float64, above bool, confidence float64, spent int) {
	r.threshold.Store(&threshold{at, above})
	r.mu.Lock()
	defer r.mu.Unlock()
	if most := r.given.MaxTrials; most > 0 {
		r.opts.MaxTrials = max(1, most-spent)
	}
	r.opts.Confidence, r.given.Confidence = confidence, confidence
	r.sequential, r.rates = nil, nil
	r.memo.believed = map[memoKey]isolate.Outcome{}
	if confidence > 0 {
		r.sequential = isolate.NewSequentialTest(confidence)
		r.counted, r.rested = map[string]memoKey{}, map[string]isolate.Outcome{}
	}
}

// outcome is that of a record. Of a trial with a number the threshold decides, once there is one.
func (r *pool) outcome(rec Record) isolate.Outcome {
	o := isolate.Outcome(rec.Outcome)
	t := r.threshold.Load()
	if t == nil || rec.Value == nil || o != isolate.Pass {
		return o
	}
	if t.above == (*rec.Value > t.at) && *rec.Value != t.at {
		return isolate.Fail
	}
	return isolate.Pass
}

// MeasuredEnds makes the first attempt at both ends of s, as Ends does, and learns from it what the other trials may
// take. If one passes and the other fails by its status, that is no error, and Ends is to be asked. Otherwise the error
// is an *EndsError if either of them has no number.
func (r *Runner) MeasuredEnds(ctx context.Context, s *changes.Set) (e Ends, err error) {
	one := func(c isolate.Configuration) (Verdict, error) {
		q, err := r.question(s, c, End)
		if err != nil {
			return Verdict{}, err
		}
		return r.measureOnce(ctx, q, 1)
	}
	if e.Good, err = one(isolate.Empty(s.Len())); err != nil {
		return e, err
	}
	if e.Good.cannotRun() {
		return e, r.cannotRun(e.Good)
	}
	if e.Bad, err = one(isolate.Full(s.Len())); err != nil {
		return e, err
	}
	if (e.Good.Outcome == isolate.Fail) != (e.Bad.Outcome == isolate.Fail) && e.Good.Outcome != isolate.Unresolved && e.Bad.Outcome != isolate.Unresolved {
		return e, nil
	}
	for _, end := range []struct {
		name string
		v    Verdict
	}{{"good", e.Good}, {"bad", e.Bad}} {
		if end.v.Value == nil {
			what := fmt.Sprintf("the %s end has no number: %s", end.name, end.v.Seen())
			return e, &EndsError{Good: e.Good, Bad: e.Bad, What: what}
		}
	}
	r.limitTime(e)
	return e, nil
}

// Measure makes an attempt at a configuration of s, from 1 on, or takes it from the journal. Verdict.Value is its
// number; nil = it has none, as Verdict.Reason says.
func (r *Runner) Measure(ctx context.Context, s *changes.Set, c isolate.Configuration, attempt int) (Verdict, error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return Verdict{}, err
	}
	v, err := r.measureOnce(ctx, q, attempt)
	r.tell(s, c, v)
	return v, err
}

// MeasureCommit is Measure for line[k] of a line of commits, as for Commits.
func (r *Runner) MeasureCommit(ctx context.Context, good git.Revision, line []git.Commit, c isolate.Configuration, attempt int) (Verdict, error) {
	q, err := r.commitQuestion(ctx, good, line, c)
	var refused *changes.RefusedError
	if errors.As(err, &refused) {
		return Verdict{Outcome: isolate.Unresolved, Reason: refused.Error()}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	v, err := r.measureOnce(ctx, q, attempt)
	r.tell(&line[0], c, v)
	return v, err
}

func (r *Runner) measureOnce(ctx context.Context, q question, attempt int) (Verdict, error) {
	rec, _, err := r.attempt(ctx, q, attempt, r.shared)
	var none *noTrial
	if errors.As(err, &none) {
		return Verdict{Outcome: isolate.Unresolved, Reason: none.reason}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	v := r.verdict(rec)
	return v, r.stopped(v)
}
