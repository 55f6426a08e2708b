package trial

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// With InputOptions.Confidence a sequential test is told how often a candidate fails that is
// like the original, and how often one that is not. The former is what the
// original does. The latter is what Passing does, or the empty input, if it passes;
// where that fails as well, or cannot be judged, nothing is known of an input that passes, and
// the sequential test takes it never to fail: an error of that kind is still found out by
// Settle, since what fails much more seldom than the original is like neither.
//
// So it is promised, with that probability, that an answer for which Settle holds
// fails about as often as the original does. A smaller input that fails a good deal
// more seldom is not taken, though it does fail. That nothing can be taken out of the
// answer is as sure only if Settle is told so, too: each smaller input that was tried
// last is then a claim, and costs several attempts more.

// assumed is how the sequential test calls an input that never fails.
const assumed = "an input that never fails"

// calibrate is Original with a sequential test.
func (r *Inputs) calibrate(ctx context.Context) (Verdict, error) {
	q := r.question(r.original, End)
	v, tries, err := r.firstFailure(ctx, q)
	if err != nil {
		return v, err
	}
	if v.Outcome != isolate.Fail {
		return v, &EndsError{Bad: v, What: fmt.Sprintf("%s (%d tries)", r.unfit(v), tries)}
	}
	r.settle(v)

	r.allow()
	pass := r.question(r.passing, End)
	passing := isolate.Claim{Name: pass.name(), Sample: r.limited(r.sample(pass, r.shared))}
	failing := isolate.Claim{Name: q.name(), Sample: r.limited(r.sample(q, r.shared))}
	var rates isolate.Rates
	usable, err := r.passes(ctx, pass)
	if err != nil {
		return v, err
	}
	var indistinct *isolate.IndistinctError
	if usable {
		rates, err = r.sequential.Calibrate(ctx, passing, failing, r.ahead())
		if errors.As(err, &indistinct) || err == nil && rates.Swapped {
			usable = false
		} else if err != nil {
			return v, err
		}
	}
	if !usable {
		never := func(context.Context, int) (isolate.Outcome, error) { return isolate.Pass, nil }
		passing = isolate.Claim{Name: assumed, Sample: never}
		rates, err = r.sequential.Calibrate(ctx, passing, failing, r.ahead())
		if errors.As(err, &indistinct) {
			return v, &EndsError{Bad: v, Flaky: true, What: r.seldom(indistinct.Bad)}
		}
		if err != nil {
			return v, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rates = &rates
	r.counted[failing.Name] = memoKey{}
	r.calibrated[1] = failing.Name
	r.rested[failing.Name] = isolate.Fail
	if usable {
		r.counted[passing.Name] = memoKey{}
		r.calibrated[0] = passing.Name
		r.rested[passing.Name] = isolate.Pass
		r.believed(pass, isolate.Pass)
	}
	return r.believed(q, isolate.Fail), nil
}

// firstFailure tries the original until it fails for the first time, which says what
// a failure is. It gives up, with the last verdict, when one that fails one time in
// ten would have failed with the confidence that is asked for; or after three
// attempts that are unresolved, if there are no others.
func (r *Inputs) firstFailure(ctx context.Context, q question) (v Verdict, tries int, err error) {
	most := int(math.Ceil(math.Log(1-r.opts.Confidence) / math.Log(1-isolate.LeastRate)))
	for unresolved := 0; tries < most && (unresolved < tries || unresolved < 3); {
		if tries++; r.opts.MaxTrials > 0 && tries > r.opts.MaxTrials {
			return v, tries, isolate.ErrBudget
		}
		rec, _, err := r.attempt(ctx, q, tries, r.shared)
		if err != nil {
			return v, tries, err
		}
		v = r.verdict(rec)
		if err := r.stopped(v); err != nil {
			return v, tries, err
		}
		r.limitTime(v)
		if err := r.canRun(ctx, v); err != nil || v.Outcome == isolate.Fail {
			return v, tries, err
		}
		if v.Outcome == isolate.Unresolved {
			unresolved++
		}
	}
	return v, tries, nil
}

// passes reports whether an input passes in one of its first two attempts; if the
// first one cannot be judged, no second is made.
func (r *Inputs) passes(ctx context.Context, q question) (bool, error) {
	sample := r.sample(q, r.shared)
	for k := 1; k <= 2; k++ {
		o, err := sample(ctx, k)
		if err != nil || o != isolate.Fail {
			return o == isolate.Pass, err
		}
	}
	return false, nil
}

// An InputClaim is an outcome that an answer rests on.
type InputClaim struct {
	Input testcase.Input
	Want  isolate.Outcome
}

// Settle repeats the trials of claims until all hold with the confidence that
// Options want, or one of them turns out otherwise: then Test has another outcome
// from now on, and the reduction is to be run again, which costs no trial up to
// there. That the output fails is the claim that an answer rests on before all.
// With an error that ended it early comes the risk so far.
//
// The error is an *EndsError if it turns out that the original fails too seldom,
// and isolate.ErrBudget when Options.MaxTrials are spent.
func (r *Inputs) Settle(ctx context.Context, claims []InputClaim) (Settled, error) {
	var all []claimed
	for _, c := range claims {
		if err := c.Input.Check(); err != nil {
			return Settled{}, err
		}
		all = append(all, claimed{r.question(c.Input, Again), c.Want})
	}
	settled, err := r.assure(ctx, all)
	return settled, r.endsError(err)
}

// endsError makes an *EndsError of an *isolate.IndistinctError, and leaves other errors as they are.
func (r *Inputs) endsError(err error) error {
	if indistinct, ok := errors.AsType[*isolate.IndistinctError](err); ok {
		return &EndsError{Flaky: true, What: r.untold(indistinct)}
	}
	return err
}

// seldom says that the original is a failure too seldom.
func (r *Inputs) seldom(t isolate.Tally) string {
	if r.interesting {
		return "the input is interesting too seldom to reduce it: " + r.times(t)
	}
	return "the command fails too seldom on the input to reduce it: " + r.times(t)
}

// untold says that the original is a failure as seldom as an empty input.
func (r *Inputs) untold(e *isolate.IndistinctError) string {
	other := "does not fail"
	if r.interesting {
		other = "is not interesting"
	}
	return fmt.Sprintf("the input cannot be told from one that %s: the input %s; an empty one %s", other, r.times(e.Bad), r.times(e.Good))
}

// times says how often each outcome came.
func (r *Inputs) times(t isolate.Tally) string {
	if !r.interesting {
		return t.String()
	}
	return fmt.Sprintf("is interesting %d of %d times", t.Fail, t.Total())
}

// Step says that the path of a reduction has come by a candidate, and whether
// Options.MaxTrials are spent by now, as Runner.Step does.
func (r *Inputs) Step(in testcase.Input) (spent bool) {
	if r.sequential == nil || r.opts.MaxTrials == 0 {
		return false
	}
	q := r.question(in, Search)
	r.come(q)
	return r.spent() >= r.opts.MaxTrials
}
