package trial

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/isolate"
)

// A threshold says which numbers are a failure: those above it, or those below it.
type threshold struct {
	at    float64
	above bool

	// On a machine that drifts, ends are the two whose numbers the threshold lies between. They are measured again and
	// again, and a number is compared with theirs shortly before it.
	ends []question

	mu       sync.Mutex
	controls [2][]Record // of the ends, those with a number, in the order of their trials
}

const (
	// everyDrifting is after how many trials either end is measured again.
	everyDrifting = 4
	// nearControls is how many numbers of either end a number is compared with.
	nearControls = 6
)

// Threshold makes a trial with a number fail if the number is above at, or below it unless above is true. With a
// confidence above 0 an outcome is what a sequential test makes of several numbers; with 0 one number tells it. If
// drifting, the ends of s are measured again after every few trials, and the threshold moves with them. What
// was concluded from outcomes by an earlier threshold is forgotten, and no trial is. Ends has to be asked again. spent
// is how many trials of Options.MaxTrials were for other questions.
func (r *Runner) Threshold(s *changes.Set, at float64, above, drifting bool, confidence float64, spent int) error {
	t := &threshold{at: at, above: above}
	if drifting {
		for _, c := range []isolate.Configuration{isolate.Empty(s.Len()), isolate.Full(s.Len())} {
			q, err := r.question(s, c, End)
			if err != nil {
				return err
			}
			t.ends = append(t.ends, q)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, end := range t.ends {
		for _, rec := range r.memo.attempts[end.key] {
			t.control(i, rec)
		}
	}
	r.threshold.Store(t)
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
	return nil
}

// control adds a record of an end, unless it is there.
func (t *threshold) control(end int, rec Record) {
	if rec.Value == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at, found := slices.BinarySearchFunc(t.controls[end], rec.Trial, func(r Record, trial int) int { return r.Trial - trial })
	if !found {
		t.controls[end] = slices.Insert(t.controls[end], at, rec)
	}
}

// noteControl adds the record of an attempt at q, if q is one of the ends that the threshold moves with.
func (r *pool) noteControl(q question, rec Record) {
	t := r.threshold.Load()
	if t == nil {
		return
	}
	for i, end := range t.ends {
		if q.key == end.key {
			t.control(i, rec)
		}
	}
}

// level is the threshold for a trial. It depends on earlier trials alone, so that a session that is resumed has the same.
func (t *threshold) level(trial int) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0.0
	for _, list := range t.controls {
		before, _ := slices.BinarySearchFunc(list, trial, func(r Record, trial int) int { return r.Trial - trial })
		if before < 2 {
			return t.at
		}
		var values []float64
		for _, rec := range list[max(0, before-nearControls):before] {
			values = append(values, *rec.Value)
		}
		sum += measure.Median(values)
	}
	return sum / 2
}

// controlled measures the ends again, if the threshold moves with them and that was not done for some trials. It is for
// an attempt at q that is about to run.
func (r *pool) controlled(ctx context.Context, q question, attempt int, from supply) error {
	t := r.threshold.Load()
	if t == nil || t.ends == nil {
		return nil
	}
	for i, end := range t.ends {
		r.mu.Lock()
		_, known := r.memo.attempt(q.key, attempt)
		next, latest := 1, 0
		for _, rec := range r.memo.attempts[end.key] {
			next, latest = max(next, rec.Attempt+1), max(latest, rec.Trial)
		}
		due := r.last-latest >= everyDrifting
		r.mu.Unlock()
		if known || !due {
			continue
		}
		rec, _, err := r.attempt(ctx, end, next, from)
		if err != nil {
			return err
		}
		t.control(i, rec)
	}
	return nil
}

// outcome is that of a record. Of a trial with a number the threshold decides, once there is one; without a number it
// is unresolved then.
func (r *pool) outcome(rec Record) isolate.Outcome {
	o := isolate.Outcome(rec.Outcome)
	t := r.threshold.Load()
	switch {
	case t == nil:
		return o
	case rec.Value == nil || o != isolate.Pass:
		return isolate.Unresolved
	}
	at := t.at
	if t.ends != nil {
		at = t.level(rec.Trial)
	}
	if *rec.Value != at && t.above == (*rec.Value > at) {
		return isolate.Fail
	}
	return isolate.Pass
}

// MeasuredEnds makes the first attempt at both ends of s, as Ends does, and learns from it what the other trials may
// take. If one passes and the other fails by its status, that is no error, and Ends is to be asked. Otherwise the error
// is an *EndsError if either of them has no number.
func (r *Runner) MeasuredEnds(ctx context.Context, s *changes.Set) (e Ends, err error) {
	first := func(c isolate.Configuration) (Verdict, error) {
		q, err := r.question(s, c, End)
		if err != nil {
			return Verdict{}, err
		}
		q.other = e.Good
		return r.one(ctx, q, 1)
	}
	if e.Good, err = first(isolate.Empty(s.Len())); err != nil {
		return e, err
	}
	if e.Good.cannotRun() {
		return e, r.cannotRun(e.Good)
	}
	if e.Bad, err = first(isolate.Full(s.Len())); err != nil {
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
	v, err := r.one(ctx, q, attempt)
	r.tell(s, c, v)
	return v, err
}

// MeasureCommit is Measure for line[k] of a line of commits, as for Commits.
func (r *Runner) MeasureCommit(ctx context.Context, good git.Revision, line []git.Commit, c isolate.Configuration, attempt int) (Verdict, error) {
	q, err := r.commitQuestion(ctx, good, line, c)
	if err != nil {
		return withoutTrial(err)
	}
	v, err := r.one(ctx, q, attempt)
	r.tell(&line[0], c, v)
	return v, err
}
