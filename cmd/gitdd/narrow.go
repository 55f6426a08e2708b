package main

import (
	"context"
	"errors"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// An answer is what a search has come to, in the changes it was found in:
// those of Between, or finer ones.
type answer struct {
	set     *changes.Set
	plan    *grouping.Plan
	result  isolate.Result
	trials  int  // on the path of all rounds
	coarser bool // a finer round was begun and did not finish
}

// A narrowing goes from groups to hunks in a first round, then cuts what is
// left of long hunks and whole files at declarations and into lines, one
// round each.
type narrowing struct {
	levels    []grouping.Level
	finest    string // hunk, symbol or line: the last round
	options   isolate.Options
	clean     bool // every trial begins in a clean workspace already
	direction trial.Direction
	test      func(*changes.Set) isolate.Test
	observe   func(answer, isolate.Step)
	note      func(string) // something the user should know while the search goes on
}

// isolate runs the rounds. With an error that ended the search early
// (isolate.ErrBudget, or the context's) comes the best answer so far.
func (w *narrowing) isolate(ctx context.Context, set *changes.Set) (answer, error) {
	plan, err := plan(ctx, set, w.levels)
	if err != nil {
		return answer{}, err
	}
	best := answer{set: set, plan: plan}
	best.result, err = w.round(ctx, best, problem(plan), w.options.MaxTrials)
	best.trials = best.result.Trials
	for _, level := range []string{"symbol", "line"} {
		// Invariant: best is a whole answer of the rounds so far.
		if err != nil || !best.result.Minimal || w.finest == "hunk" || w.finest == "symbol" && level == "line" {
			break
		}
		var finer answer
		var cut bool
		finer, cut, err = w.refine(ctx, best)
		if !cut {
			break
		}
		best = finer
	}
	return best, err
}

// refine cuts the members of the cause that can be cut and searches once more
// between the two ends of the answer. A round may spend about what a binary
// search for two culprits among its pieces takes: isolating lines that only
// work together would cost a trial a line, and the coarser answer stands.
func (w *narrowing) refine(ctx context.Context, coarse answer) (answer, bool, error) {
	finer, starts, ok := coarse.set.Split(slices.Collect(coarse.result.Cause.All()))
	if !ok {
		return coarse, false, nil
	}
	plan, err := plan(ctx, finer, w.levels)
	if err != nil {
		return coarse, true, err
	}
	round := answer{set: finer, plan: plan}
	p := problem(plan)
	p.Passing = carry(coarse.result.Passing, starts, finer.Len())
	p.Failing = carry(coarse.result.Failing, starts, finer.Len())
	limit := roundLimit(p.Failing.Len() - p.Passing.Len())
	left := w.options.MaxTrials - coarse.trials
	if w.options.MaxTrials > 0 {
		limit = min(limit, left)
	}
	round.result, err = w.round(ctx, round, p, limit)
	round.trials = coarse.trials + max(0, round.result.Trials-2) // its ends were tested before
	switch {
	case errors.Is(err, isolate.ErrBudget) && (w.options.MaxTrials == 0 || round.trials < w.options.MaxTrials):
		coarse.trials, coarse.coarser = round.trials, true
		return coarse, false, nil
	case err != nil && !round.result.Minimal:
		coarse.trials, coarse.coarser = round.trials, true
		return coarse, true, err
	}
	return round, true, err
}

// roundLimit is the number of trials that a finer round over n pieces may
// spend, its two ends included.
func roundLimit(n int) int {
	limit := 10
	for ; n > 1; n = (n + 1) / 2 {
		limit += 4
	}
	return limit
}

func (w *narrowing) round(ctx context.Context, a answer, p isolate.Problem, maxTrials int) (isolate.Result, error) {
	options := w.options
	options.MaxTrials = maxTrials
	options.Observe = func(step isolate.Step) { w.observe(a, step) }
	return isolate.Search(ctx, p, w.test(a.set), options)
}

// plan groups the changes of a set; by commit only when blame says of each
// which commit made it.
func plan(ctx context.Context, set *changes.Set, levels []grouping.Level) (*grouping.Plan, error) {
	if slices.Contains(levels, grouping.Commit) {
		all := make([]int, set.Len())
		for i := range all {
			all[i] = i
		}
		if err := set.Blame(ctx, all); err != nil {
			return nil, err
		}
	}
	return grouping.New(ctx, set, grouping.Options{By: levels})
}

// problem is a plan in the terms of isolate, which knows numbers alone.
func problem(plan *grouping.Plan) isolate.Problem {
	return isolate.Problem{
		N:         len(plan.Order),
		Order:     plan.Order,
		Groups:    plan.Groups,
		Requires:  plan.Requires,
		Predicted: plan.Predicted,
	}
}

// carry takes a configuration over to the finer set in which change i became
// starts[i] to starts[i+1]-1.
func carry(c isolate.Configuration, starts []int, n int) isolate.Configuration {
	var members []int
	for i := range c.All() {
		for j := starts[i]; j < starts[i+1]; j++ {
			members = append(members, j)
		}
	}
	return isolate.Of(n, members...)
}
