package isolate

import (
	"context"
	"errors"
)

// A Certainty says how sure the answer of [SearchSurely] is.
type Certainty struct {
	Rates      Rates   // of the two ends
	Confidence float64 // the probability with which all outcomes that the answer rests on are right
}

// SearchSurely is [Search] for a test that is sometimes wrong. attempt makes one attempt at a
// configuration, as a [Sample] does. Both ends are tried until it is known how often each of them is
// wrong, then each configuration as often as the search needs, and in the end those that the answer rests
// on, until the answer is right with the probability confidence, which is above 0.5 and below 1. If an
// outcome turns out to be another one, the search begins again; what was asked before is known.
//
// opts.Doubt is not used. opts.MaxTrials and Result.Trials count configurations, not attempts. The error is
// that of [SequentialTest.Calibrate], [Search] or [SequentialTest.Settle]; it is an *EndsError if it is the passing end that
// fails. With an error of Search comes the best answer so far, and Confidence is 0.
func SearchSurely(ctx context.Context, p Problem, confidence float64, attempt func(ctx context.Context, c Configuration, attempt int) (Outcome, error), opts Options) (Result, Certainty, error) {
	if p.Passing.N() == 0 {
		p.Passing = Empty(p.N)
	}
	if p.Failing.N() == 0 {
		p.Failing = Full(p.N)
	}
	sequential, jobs := NewSequentialTest(confidence), max(1, opts.Jobs)
	sample := func(c Configuration) Sample {
		return func(ctx context.Context, k int) (Outcome, error) { return attempt(ctx, c, k) }
	}
	claim := func(c Configuration, o Outcome) Claim { return Claim{Name: c.String(), Want: o, Sample: sample(c)} }
	var sure Certainty
	var err error
	if sure.Rates, err = sequential.Calibrate(ctx, claim(p.Passing, Pass), claim(p.Failing, Fail), jobs); err != nil {
		return Result{}, sure, err
	}
	if sure.Rates.Swapped {
		return Result{}, sure, &EndsError{Good: Fail, Bad: Pass}
	}
	opts.Doubt = func(ctx context.Context, c Configuration, o Outcome, odds float64) (bool, error) {
		return sequential.Doubt(ctx, claim(c, o), odds, jobs)
	}
	test := func(ctx context.Context, c Configuration) (Outcome, error) {
		return sequential.Ask(ctx, c.String(), sample(c))
	}
	result, err := UntilSettled(func() (Result, error) {
		return Search(ctx, p, test, opts)
	}, func(r Result) (bool, error) {
		var rests []Claim
		for _, e := range r.Evidence {
			rests = append(rests, claim(e.Config, e.Outcome))
		}
		settled, err := sequential.Settle(ctx, rests, jobs)
		sure.Confidence = 1
		for _, risk := range settled.Risk {
			sure.Confidence = max(0, sure.Confidence-risk)
		}
		return settled.Holds, err
	})
	return result, sure, err
}

// UntilSettled calls search until settle says that the answer holds. It calls search again if settle says that
// the answer does not hold, and if search ends with [ErrTurned], because an outcome on which the search relied
// has changed. Any other error of search or settle ends UntilSettled, which then returns the answer that came
// with the error.
func UntilSettled[T any](search func() (T, error), settle func(T) (holds bool, err error)) (T, error) {
	for {
		found, err := search()
		if errors.Is(err, ErrTurned) {
			continue
		}
		if err != nil {
			return found, err
		}
		if holds, err := settle(found); err != nil || holds {
			return found, err
		}
	}
}
