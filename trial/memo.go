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
	attempts   map[memoKey][]Record // of searches and ends, by attempt number; some may be missing
	behind     map[memoKey][]Record // later ones of attempts that a check had rejected, see dropCheck
	confirms   map[memoKey][]Record // of Confirm, in the order of their trials
	used       map[memoKey]int      // how many of confirms this process has used
	asked      map[memoKey]bool     // questions that this process has asked
	inFlight   map[callKey]*inFlightCall
	believed   map[memoKey]isolate.Outcome // what the sequential test concluded from the attempts
	inferences map[inferenceKey]inference
	stats      Stats
}

// A memoKey is the tree and a digest of everything else.
type memoKey struct {
	tree     git.ID
	settings string
	fresh    bool // for a sequential test: in a workspace that was made to confirm an answer
}

// A callKey is one attempt at a question.
type callKey struct {
	memoKey
	attempt int
}

// A inFlightCall is an attempt that somebody is making.
type inFlightCall struct {
	done      chan struct{} // closed at the end; then the rest is set
	err       error
	cancelled bool // err says nothing about the attempt
}

// newMemo remembers records under the settings that they name.
func newMemo(records []Record, inferences []inference) memo {
	m := emptyMemo()
	m.enter(records, inferences, func(recorded string) string { return recorded }, func(Record) bool { return true })
	return m
}

// newSharedMemo remembers the records that which selects, all of them under the settings key.
func newSharedMemo(key string, records []Record, inferences []inference, which func(Record) bool) memo {
	m := emptyMemo()
	m.enter(records, inferences, func(string) string { return key }, which)
	return m
}

func emptyMemo() memo {
	return memo{
		attempts:   map[memoKey][]Record{},
		behind:     map[memoKey][]Record{},
		confirms:   map[memoKey][]Record{},
		used:       map[memoKey]int{},
		asked:      map[memoKey]bool{},
		inFlight:   map[callKey]*inFlightCall{},
		believed:   map[memoKey]isolate.Outcome{},
		inferences: map[inferenceKey]inference{},
	}
}

// enter fills a new memo. under is the settings that what was recorded under others is remembered under.
func (m *memo) enter(records []Record, inferences []inference, under func(recorded string) string, which func(Record) bool) {
	for _, l := range inferences {
		if key := (inferenceKey{memoKey{tree: l.Tree, settings: under(l.Key)}, l.Set}); m.inferences[key].Tree == "" {
			m.inferences[key] = l
		}
	}
	for _, rec := range records {
		m.stats.count(rec)
		if rec.gaveUp() || !which(rec) { // it is asked again
			continue
		}
		key := memoKey{tree: rec.Tree, settings: under(rec.Key)}
		if rec.Purpose == Confirm {
			m.confirms[key] = append(m.confirms[key], rec)
			key.fresh = true
		}
		m.add(key, rec)
	}
	m.stats.Total = worked(records)
}

// worked returns how long processes have worked in a session. A process counts until the end of its
// last trial, since the journal does not say how long a killed process worked after that.
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

// ask answers a question from the memo, by waiting for somebody else who asks
// the same, or by trials.
func (r *Runner) ask(ctx context.Context, s *changes.Set, c isolate.Configuration, purpose Purpose) (Verdict, error) {
	q, err := r.question(s, c, purpose)
	if _, ok := errors.AsType[*changes.ConflictError](err); ok {
		err = &noTrial{err.Error()}
	}
	if err != nil {
		return withoutTrial(err)
	}
	return r.answer(ctx, q)
}

// answer is ask for a question whose tree is composed.
func (r *pool) answer(ctx context.Context, q question) (Verdict, error) {
	if r.sequential != nil {
		return r.believe(ctx, q)
	}
	cached := true
	var recs []Record
	for {
		// Invariant: recs are the attempts 1 to len(recs), and they agree.
		rec, ran, err := r.attempt(ctx, q, len(recs)+1, r.shared)
		if err != nil {
			return withoutTrial(err)
		}
		cached = cached && !ran
		recs = append(recs, rec)
		v, done, err := r.conclude(q, recs)
		if err != nil {
			return v, err
		}
		if !done {
			continue
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		// The first question of a resumed process about a trial of an earlier
		// one is the one that the trial was for.
		if cached && r.memo.asked[q.key] {
			r.memo.stats.Cached++
		}
		r.memo.asked[q.key] = true
		v.Cached = v.Cached || cached
		return v, r.contradiction(q)
	}
}

// A supply gives a worker the workspace for a trial.
type supply func(ctx context.Context, w *worker, q question) (place, error)

// attempt returns the record of attempt k (1, 2, ...) at a question, compared with the
// failing end; ran is true if it took a trial.
func (r *pool) attempt(ctx context.Context, q question, k int, from supply) (rec Record, ran bool, err error) {
	rec, ran, err = r.attempted(ctx, q, k, from)
	if err == nil {
		rec, err = r.compareRecorded(ctx, q, rec)
	}
	return rec, ran, err
}

// attempted returns the record of an attempt before it is compared with the failing end. It takes
// the record from the memo, waits for another goroutine that makes the same attempt, or runs a
// trial; ran reports whether it did the last.
func (r *pool) attempted(ctx context.Context, q question, k int, from supply) (rec Record, ran bool, err error) {
	for {
		r.mu.Lock()
		if rec, ok := r.memo.attempt(q.key, k); ok {
			r.mu.Unlock()
			return rec, false, nil
		}
		key := callKey{q.key, k}
		f := r.memo.inFlight[key]
		if f == nil { // it is ours to make
			r.memo.inFlight[key] = &inFlightCall{done: make(chan struct{})}
			r.mu.Unlock()
			rec, err = r.fly(ctx, q, k, from)
			return rec, true, err
		}
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return Record{}, false, ctx.Err()
		case <-f.done:
			if f.err != nil && !f.cancelled {
				return Record{}, false, f.err
			}
		}
	}
}

// fly makes attempt k at q and tells those who wait for it.
func (r *pool) fly(ctx context.Context, q question, k int, from supply) (rec Record, err error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		key := callKey{q.key, k}
		f := r.memo.inFlight[key]
		f.err, f.cancelled = err, ctx.Err() != nil
		delete(r.memo.inFlight, key)
		if err == nil {
			r.memo.add(q.key, rec)
			r.memo.asked[q.key] = true
		}
		close(f.done)
	}()
	w, err := r.take(ctx, q)
	if err != nil {
		return Record{}, err
	}
	defer r.release(w)
	space, err := from(ctx, w, q)
	if err != nil {
		return Record{}, err
	}
	return r.trial(ctx, w, space, q, k)
}

// attempt returns the record of attempt k at a question.
func (m *memo) attempt(key memoKey, k int) (Record, bool) {
	recs := m.attempts[key]
	at, ok := slices.BinarySearchFunc(recs, k, byAttempt)
	if !ok {
		return Record{}, false
	}
	return recs[at], true
}

// add stores the record of an attempt at a question. An earlier record of the attempt stays, unless
// a shortened time limit ended that trial: then the record of Rerun replaces it if it passed or
// failed, and otherwise makes it final. If a check rejected the earlier one, the new record goes to
// m.behind.
func (m *memo) add(key memoKey, rec Record) {
	recs := m.attempts[key]
	at, ok := slices.BinarySearchFunc(recs, rec.Attempt, byAttempt)
	switch {
	case !ok:
		m.attempts[key] = slices.Insert(recs, at, rec)
	case recs[at].Rejected && !rec.Rejected:
		m.behind[key] = append(m.behind[key], rec)
	case recs[at].Shortened && isolate.Outcome(rec.Outcome) != isolate.Unresolved:
		recs[at] = rec
	case recs[at].Shortened: // what it taught stays what it was
		recs[at].Shortened = false
	}
}

func byAttempt(rec Record, k int) int { return rec.Attempt - k }

// conclude returns the verdict that the records of one question give, done
// when they are enough.
func (r *pool) conclude(q question, recs []Record) (v Verdict, done bool, err error) {
	if len(recs) == 0 {
		return v, false, nil
	}
	if last := recs[len(recs)-1]; last.gaveUp() || last.Rejected && len(recs) == 1 { // nobody repeats a check
		return r.verdict(last), true, nil
	}
	if err := r.disagreement(q, recs); err != nil {
		return v, false, err
	}
	var longest, build, check time.Duration
	for _, rec := range recs {
		longest = max(longest, r.verdict(rec).Duration)
		build, check = max(build, duration(rec.BuildSeconds)), max(check, duration(rec.CheckSeconds))
	}
	v = r.verdict(recs[0])
	v.Duration, v.build, v.check = longest, build, check
	if err := r.stopped(v); err != nil {
		return v, false, err
	}
	return v, len(recs) >= max(r.opts.Repeat, r.wanted(q, recs[0])), nil
}

// wanted returns how many attempts in clean workspaces a question needs: two if the first of them
// contradicts an attempt in a workspace that was not clean, otherwise one. Either an earlier trial
// left something in that workspace, or the test is flaky; then two clean attempts may disagree.
// Trials that confirmed an answer count as clean attempts.
func (r *pool) wanted(q question, first Record) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.key.settings != r.cleanKey || r.firstKey == r.cleanKey || first.Purpose == Confirm {
		return 1
	}
	before := memoKey{tree: q.key.tree, settings: r.firstKey}
	for _, rec := range r.memo.attempts[before] {
		if rec.Outcome != first.Outcome && !rec.saysNothing() {
			return max(1, 2-len(r.memo.confirms[before]))
		}
	}
	return 1
}

// stopped is a *StoppedError if the command ended as it must not.
func (r *pool) stopped(v Verdict) error {
	if r.opts.OnSignal == SignalStop && v.Exit >= exitSignal && !v.TimedOut && !v.unbuilt {
		return &StoppedError{Trial: v.Trial, Reason: v.Reason}
	}
	return nil
}
