package trial

import (
	"context"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// Older tests a commit of a line that begins at bad and goes back in time: line[back] is so many commits
// before it. It is for a search for a passing revision, before both ends are known. The first call is for
// bad itself, 0: its time and its failure are the reference for the other commits until Ends is called. Outcomes are
// remembered with all others.
//
// A commit that nobody could check out is unresolved, without a trial.
func (r *Runner) Older(ctx context.Context, bad git.Revision, line []git.Commit, back int) (Verdict, error) {
	q, err := r.commitQuestion(ctx, bad, line, isolate.Of(len(line)-1, upTo(back)...))
	if err != nil {
		return withoutTrial(err)
	}
	if q.purpose = Older; back == 0 {
		q.purpose = End
	}
	v, err := r.end(ctx, q)
	if err == nil && back == 0 {
		r.expect(v)
	}
	return v, err
}

// upTo are the numbers below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// expect takes the verdict on bad for what the ends teach, until they are known.
func (r *Runner) expect(bad Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limits.settled {
		return
	}
	r.limits = r.timeLimits(Ends{Good: bad, Bad: bad})
	r.limits.settled, r.limits.provisional = true, true
	if bad.Outcome == isolate.Fail {
		r.limits.failure = bad.ending()
	}
}

// CannotRun is a *CommandError if the command cannot run at bad, nor at the oldest commit that was tested, which is
// e.Good.
func (r *Runner) CannotRun(e Ends) error {
	if !e.Good.cannotRun() || !e.Bad.cannotRun() {
		return nil
	}
	err := r.cannotRun(e.Good)
	err.where = "at the oldest commit that was tested, and at bad"
	return err
}
