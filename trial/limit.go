package trial

import (
	"context"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
)

// How long a trial may take where Options.Timeout does not say.
//
// The full limit comes from both ends: the slower one took a tenth of it, and it is at
// least 10 s. A mixture that hangs costs all of that, and a search may meet dozens of
// them. So the search of a Runner ends mixtures by a shortened limit, as soon as it has
// seen how long mixtures take: 1 s and five times the slowest trial that was judged, at
// least 2 s.
//
// Why that is enough for a pass:
//
//   - The limit is at least five times the slowest trial that passed or failed and began
//     alike, either end included, and it grows with that. The factor is for what differs
//     between mixtures, and for a machine on which other programs begin to work meanwhile.
//     The second is for processes that have to be started and files that have to be read
//     again on such a machine.
//   - Options.Jobs trials run at once, where the ends ran one after the other: the time of
//     an end counts so many times. The trials that hang wait beside each other then, so
//     this costs no more time.
//   - The ends alone do not say how long mixtures take: a cache of the user's compiler may
//     know both ends. So the first mixtures may take the full limit, until two of them
//     have passed, failed or not ended in that time.
//   - A trial is cold if nothing in its workspace has been built before, and may take the
//     full limit. Going from good to bad writes all files that differ, so of the ends the
//     second one shows what a build takes at most that is not cold.
//   - Ends, commits, and the trials that confirm an answer may take the full limit, too.
//
// A trial that was ended by a shortened limit is unresolved, as after the full one; it
// says so in its record, and Rerun repeats it where an answer may depend on it. An outcome
// is remembered as it is, so that the path of a search depends on outcomes alone.
const (
	// slowness is how much slower than the slower end a trial may be.
	slowness = 10
	// leastLimit is the shortest limit that is derived from the ends.
	leastLimit = 10 * time.Second

	shortSlowness   = 5
	shortSlack      = time.Second
	leastShortLimit = 2 * time.Second
	// seenMixtures is how many mixtures are waited for before others are cut short.
	seenMixtures = 2
)

// A phase is what is known of how long builds take, or tests.
type phase struct {
	end     time.Duration // the slowest of an end
	mixture time.Duration // the slowest other one that was judged
	seen    int           // mixtures that were judged, or had no end within the full limit
}

// phases are those of trials that began alike.
type phases struct{ build, test phase }

// A beginning is what trials have in common that begin alike.
type beginning struct {
	settings string // Record.Key
	cold     bool   // Record.Cold
}

func (p *phase) take(rec Record, d time.Duration) {
	if rec.Purpose == End {
		p.end = max(p.end, d)
		return
	}
	p.mixture = max(p.mixture, d)
	if rec.mixture() {
		p.seen++
	}
}

// mixture reports whether a record is that of a configuration which nobody has committed.
func (rec Record) mixture() bool {
	return rec.Commit == "" && (rec.Purpose == Search || rec.Purpose == Again)
}

// measure notes how long a trial took. r.mu is held.
func (r *pool) measure(rec Record) {
	begun := beginning{rec.Key, rec.Cold}
	p := r.phases[begun]
	if rec.Built && rec.BuildSeconds > 0 {
		p.build.take(rec, duration(rec.BuildSeconds))
	}
	switch {
	case isolate.Outcome(rec.Outcome) != isolate.Unresolved:
		p.test.take(rec, duration(rec.Seconds))
	case !rec.TimedOut || rec.Shortened || rec.Rejected || !rec.mixture():
	case rec.Built:
		p.test.seen++
	default:
		p.build.seen++
	}
	r.phases[begun] = p
}

// limitsOf returns the limits of a trial of q in a workspace that is cold or not.
func (r *pool) limitsOf(q question, cold bool) limits {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.limits
	switch {
	case !l.settled, r.opts.Timeout != 0:
		return l
	case r.opts.Remote != nil: // a cache knows outcomes by their limits
		return l
	case r.sequential != nil, r.opts.Repeat > 1: // attempts are compared with each other
		return l
	case l.failure.class == hangs: // to have no end is to fail
		return l
	}
	alike, other := r.phases[beginning{r.key, cold}], r.phases[beginning{r.key, !cold}]
	short := q.purpose == Search && q.commit == "" && cold == r.clean
	l.build, l.shortBuild = r.limitOf(l.build, alike.build, other.build, short)
	l.test, l.shortTest = r.limitOf(l.test, alike.test, other.test, short)
	return l
}

// limitOf returns the limit of a phase, given what the ends make of it, and whether it
// is a shortened one.
func (r *pool) limitOf(full time.Duration, alike, other phase, short bool) (limit time.Duration, shortened bool) {
	ample := func(d time.Duration) time.Duration { return shortSlack + shortSlowness*d }
	full = max(full, ample(max(alike.mixture, other.mixture)))
	if !short || alike.end == 0 || alike.seen < seenMixtures {
		return full, false
	}
	limit = max(leastShortLimit, ample(max(time.Duration(r.opts.Jobs)*alike.end, alike.mixture)))
	limit = limit.Round(100 * time.Millisecond) // it is told in words
	return min(full, limit), limit < full
}

// Rerun tests c again, with the full limit, if its trial was ended by a shortened one. If
// it passes or fails now, that is its outcome from now on, and the search is to be run
// again: all else that it asked for is known. Otherwise nothing changes, but that it is
// not tested again. It is to be called when no search is on its way.
func (r *Runner) Rerun(ctx context.Context, s *changes.Set, c isolate.Configuration) (v Verdict, ran bool, err error) {
	q, err := r.question(s, c, Again)
	if err != nil {
		return v, false, err
	}
	key := callKey{q.key, 1}
	r.mu.Lock()
	before, known := r.memo.attempt(q.key, 1)
	if !known || !before.Shortened {
		r.mu.Unlock()
		return v, false, nil
	}
	r.memo.inFlight[key] = &inFlightCall{done: make(chan struct{})}
	r.mu.Unlock()
	rec, err := r.fly(ctx, q, 1, r.shared)
	if err != nil {
		return v, false, err
	}
	v = r.verdict(rec)
	return v, true, r.stopped(v)
}
