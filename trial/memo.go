package trial

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A memo remembers trials by what their outcome depends on. It is guarded by
// the Runner's mutex.
type memo struct {
	attempts map[memoKey][]Record // of searches and ends, by attempt
	confirms map[memoKey][]Record // of Confirm, in the order of their trials
	used     map[memoKey]int      // how many of these Confirm has come by in this process
	asked    map[memoKey]bool     // in this process
	flights  map[memoKey]*flight
	lessons  map[lessonKey]Lesson
	stats    Stats
}

// A memoKey is the tree and a digest of everything else.
type memoKey struct {
	tree     git.ID
	settings string
}

// A flight is a question that somebody is getting answered.
type flight struct {
	done      chan struct{} // closed at the end; then the rest is set
	err       error
	cancelled bool // err says nothing about the question
}

func newMemo(records []Record, lessons []Lesson) memo {
	m := memo{
		attempts: map[memoKey][]Record{},
		confirms: map[memoKey][]Record{},
		used:     map[memoKey]int{},
		asked:    map[memoKey]bool{},
		flights:  map[memoKey]*flight{},
		lessons:  map[lessonKey]Lesson{},
	}
	for _, l := range lessons {
		if key := (lessonKey{memoKey{l.Tree, l.Key}, l.Set}); m.lessons[key].Tree == "" {
			m.lessons[key] = l
		}
	}
	for _, rec := range records {
		key := memoKey{rec.Tree, rec.Key}
		if rec.Purpose == Confirm {
			m.confirms[key] = append(m.confirms[key], rec)
		} else {
			m.attempts[key] = append(m.attempts[key], rec)
		}
		m.stats.count(rec)
	}
	m.stats.Total = worked(records)
	return m
}

// worked is how long processes have worked in a session: each until the last
// of its trials, because what it did then, a kill has not let it say.
func worked(records []Record) time.Duration {
	last := map[int]float64{} // by process; records of one may change places
	for _, rec := range records {
		last[rec.Process] = max(last[rec.Process], rec.Elapsed)
	}
	var sum time.Duration
	for _, elapsed := range last {
		sum += duration(elapsed)
	}
	return sum
}

func (s *Stats) count(rec Record) {
	s.Run++
	s.Testing += duration(rec.Seconds) + duration(rec.BuildSeconds)
	switch isolate.Outcome(rec.Outcome) {
	case isolate.Pass:
		s.Pass++
	case isolate.Fail:
		s.Fail++
	default:
		s.Unresolved++
	}
}

// ask answers a question from the memo, by waiting for somebody else who asks
// the same, or by trials.
func (r *Runner) ask(ctx context.Context, s *changes.Set, c isolate.Configuration, purpose Purpose) (Verdict, error) {
	q, err := r.question(s, c, purpose)
	var conflict *changes.ConflictError
	if errors.As(err, &conflict) {
		return Verdict{Outcome: isolate.Unresolved, Reason: err.Error()}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	return r.answer(ctx, q)
}

// answer is ask for a question whose tree is composed.
func (r *Runner) answer(ctx context.Context, q question) (Verdict, error) {
	for {
		v, f, done, err := r.enter(q)
		if err != nil || done {
			return v, err
		}
		if f == nil { // it is ours to answer
			return r.fly(ctx, q)
		}
		select {
		case <-ctx.Done():
			return Verdict{}, ctx.Err()
		case <-f.done:
			if f.err != nil && !f.cancelled {
				return Verdict{}, f.err
			}
		}
	}
}

// enter looks q up: done with a verdict, or a flight to wait for, or neither,
// and then the caller has to fly.
func (r *Runner) enter(q question) (v Verdict, f *flight, done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	recs := r.memo.attempts[q.key]
	v, done, err = r.conclude(q, recs)
	if err == nil && done {
		err = r.contradiction(q)
	}
	if err != nil || done {
		// The first question of a resumed process about a trial of an earlier
		// one is the one that the trial was for.
		if replayed := !r.memo.asked[q.key]; !replayed && err == nil {
			r.memo.stats.Cached++
		}
		r.memo.asked[q.key] = true
		v.Cached = true
		return v, nil, done, err
	}
	if f := r.memo.flights[q.key]; f != nil {
		return v, f, false, nil
	}
	r.memo.flights[q.key] = &flight{done: make(chan struct{})}
	return v, nil, false, nil
}

// fly answers q by trials and tells those who wait for it.
func (r *Runner) fly(ctx context.Context, q question) (v Verdict, err error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		f := r.memo.flights[q.key]
		f.err, f.cancelled = err, ctx.Err() != nil
		delete(r.memo.flights, q.key)
		if err == nil {
			r.memo.asked[q.key] = true
		}
		close(f.done)
	}()
	w, err := r.take(ctx, q)
	if err != nil {
		return Verdict{}, err
	}
	defer r.release(w)
	var none *noTrial
	if err := r.prepare(ctx, w, q); errors.As(err, &none) {
		return Verdict{Outcome: isolate.Unresolved, Reason: none.reason}, nil
	} else if err != nil {
		return Verdict{}, err
	}
	for {
		r.mu.Lock()
		recs := slices.Clone(r.memo.attempts[q.key])
		r.mu.Unlock()
		if v, done, err := r.conclude(q, recs); done || err != nil {
			return v, err
		}
		rec, err := r.trial(ctx, w, w.space, q, len(recs)+1)
		if errors.As(err, &none) {
			return Verdict{Outcome: isolate.Unresolved, Reason: none.reason}, nil
		}
		if err != nil {
			return Verdict{}, err
		}
		r.mu.Lock()
		r.memo.attempts[q.key] = append(r.memo.attempts[q.key], rec)
		err = r.contradiction(q)
		r.mu.Unlock()
		if err != nil {
			return Verdict{}, err
		}
	}
}

// conclude returns the verdict that the records of one question give, done
// when they are enough.
func (r *Runner) conclude(q question, recs []Record) (v Verdict, done bool, err error) {
	if len(recs) == 0 {
		return v, false, nil
	}
	if err := disagreement(q.config, recs); err != nil {
		return v, false, err
	}
	var longest, build time.Duration
	for _, rec := range recs {
		longest = max(longest, duration(rec.Seconds))
		build = max(build, duration(rec.BuildSeconds))
	}
	v = r.verdict(recs[0])
	v.Duration, v.build = longest, build
	if r.opts.OnSignal == SignalStop && v.Exit >= exitSignal && !v.TimedOut && !v.unbuilt {
		return v, false, &StoppedError{Trial: v.Trial, Reason: v.Reason}
	}
	return v, len(recs) >= r.opts.Repeat, nil
}

// verdict is what a record says.
func (r *Runner) verdict(rec Record) Verdict {
	v := Verdict{
		Outcome:   isolate.Outcome(rec.Outcome),
		Exit:      rec.Exit,
		Signal:    rec.Signal,
		TimedOut:  rec.TimedOut,
		Reason:    rec.Reason,
		Signature: rec.Signature,
		Other:     rec.Other,
		Duration:  duration(rec.Seconds),
		Trial:     rec.Trial,
		LastLine:  rec.Last,
		Stdout:    r.session.Output(rec.Trial, "out"),
		Stderr:    r.session.Output(rec.Trial, "err"),
		build:     duration(rec.BuildSeconds),
		unbuilt:   !rec.Built,
		missing:   rec.Missing,
	}
	if !rec.Built {
		v.Stdout, v.Stderr = r.session.Output(rec.Trial, "build.out"), r.session.Output(rec.Trial, "build.err")
	}
	return v
}
