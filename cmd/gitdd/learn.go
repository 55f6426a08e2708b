package main

import (
	"context"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// lessons are requirements in the terms of isolate.
func lessons(taught []grouping.Requirement) [][2]int {
	pairs := make([][2]int, len(taught))
	for i, r := range taught {
		pairs[i] = [2]int{r.Change, r.Requires}
	}
	return pairs
}

// prior weighs the changes of a by what the command printed where it fails: at
// the newer end of p or, when the search is for a fix, at the older one; nil when
// that is not known. It tests that end, as the search will, so that the search
// takes the same path when its outcome is known beforehand.
func prior(ctx context.Context, a answer, p isolate.Problem, direction trial.Direction, runner *trial.Runner) ([]float64, error) {
	end, unset := p.Failing, isolate.Full(p.N)
	if direction == trial.Fix {
		end, unset = p.Passing, isolate.Empty(p.N)
	}
	if end.N() == 0 {
		end = unset
	}
	if _, err := runner.Test(a.set)(ctx, end); err != nil {
		return nil, err
	}
	output, ok := runner.Output(a.set, end)
	if !ok {
		return nil, nil
	}
	return a.plan.Prior(end.All(), output), nil
}
