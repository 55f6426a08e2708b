package reduction

import (
	"context"
	"errors"
	"fmt"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Isolate finds the smallest difference between the input of Options.Runner and its
// trial.InputOptions.Passing, on which the command passes, as reduce.Isolate does. Found.Difference has it,
// and Found.Result.Output is the input that fails.
//
// The error is a *trial.EndsError if the failing input does not fail or the passing input does not pass.
// Limits, ErrWithheld and resuming are as in Run. Isolate does not check what kind of failure it is: it
// returns no *OracleError, and no ErrIndistinct.
func Isolate(ctx context.Context, o Options) (found Found, err error) {
	w := newReducer(o)
	found = Found{Result: reduce.Result{Output: w.input}, Passes: map[string]string{}}
	if w.trials.Passing == nil {
		return found, errors.New("reduction: Isolate needs trial.InputOptions.Passing")
	}
	if found.Original, err = w.Runner.Original(ctx); err != nil {
		return found, err
	}
	found.Failed = true
	if err := w.passes(ctx, *w.trials.Passing); err != nil {
		return found, err
	}
	d, err := isolate.UntilSettled(
		func() (reduce.Difference, error) { return w.difference(ctx, &found) },
		func(d reduce.Difference) (bool, error) {
			if !w.surely() {
				return true, nil
			}
			claims := []trial.InputClaim{{Input: d.Failing, Want: isolate.Fail}, {Input: d.Passing, Want: isolate.Pass}}
			for _, e := range d.Evidence {
				claims = append(claims, trial.InputClaim{Input: e.Input, Want: e.Outcome})
			}
			return w.settle(ctx, claims, &found, "searching")
		},
	)
	if err == nil && !w.surely() {
		err = w.confirmBoth(ctx, d, &found)
	}
	found.Verified = err == nil
	return found, err
}

// passes tests the passing input.
func (w *reducer) passes(ctx context.Context, passing testcase.Input) error {
	v, err := w.Runner.Test(ctx, passing)
	if err == nil && v.Outcome != isolate.Pass {
		what := "the command does not pass on " + w.PassingName
		if w.trials.Interesting {
			what = w.PassingName + " is " + v.Outcome.Word(true) + ", not uninteresting"
		}
		err = &trial.EndsError{Good: v, What: what + ": " + v.Seen()}
	}
	return err
}

func (w *reducer) difference(ctx context.Context, found *Found) (reduce.Difference, error) {
	budget := w.newBudget(ctx)
	defer budget.cancel(nil)
	test := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
		budget.asked(in)
		v, err := w.Runner.Test(ctx, in)
		return v.Outcome, err
	}
	d, err := reduce.Isolate(budget.ctx, *w.trials.Passing, w.input, test, reduce.DifferenceOptions{
		Format: w.Reduce.Format, Formats: w.Reduce.Formats, Algorithm: w.Reduce.Algorithm, Jobs: w.trials.Jobs, MaxTrials: w.maxTrials(),
		Observe: func(step reduce.Step) {
			w.observe(Step{step})
			budget.step(step)
			found.asked(step)
		},
	})
	if err != nil && context.Cause(budget.ctx) == errTrials {
		err = errTrials
	}
	found.Difference = &d
	found.Result = reduce.Result{Output: d.Failing, Minimal: d.Minimal, Trials: d.Trials, Algorithm: d.Algorithm, Notes: d.Notes}
	return d, err
}

// confirmBoth tests both ends of a difference once more.
func (w *reducer) confirmBoth(ctx context.Context, d reduce.Difference, found *Found) error {
	for _, end := range []struct {
		in   testcase.Input
		want isolate.Outcome
	}{{d.Failing, isolate.Fail}, {d.Passing, isolate.Pass}} {
		v, err := w.Runner.Confirm(ctx, end.in)
		if err != nil {
			return err
		}
		if v.Outcome != end.want {
			interesting := w.trials.Interesting
			found.Withheld = fmt.Sprintf("an end of what was found was %s and is %s now: %s", end.want.Word(interesting), v.Outcome.Word(interesting), v.Reason)
			found.About = v.Trial
			return ErrWithheld
		}
	}
	return nil
}
