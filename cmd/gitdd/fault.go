package main

import (
	"context"
	"errors"
	"math/bits"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// fault searches the changes that the cause of a confirmed answer needs for those without which the test
// passes, with the cause in place: where the cause only makes other code run, the fault may be there.
// What it finds is added to the answer as report.Fault. It skips changes of tests, because a failure
// cannot occur without its test. The answer is complete without it: if --max-trials or ctx leaves no
// time, fault returns no error.
//
// It takes at most log2 k + 4 trials to find such changes among k lines, log2 d + 4 to find which of d
// lines matter, and one to confirm it; both logarithms are rounded up. With --confidence only
// --max-trials limits the second part, and each outcome takes as many trials as it needs.
func (w *narrowing) fault(ctx context.Context, first *answer) error {
	rest := w.needed(first)
	if len(rest) == 0 {
		return nil
	}
	finer, starts := first.set, identity(first.set.Len())
	for range rounds["line"] {
		next, further, _ := finer.Split(carried(rest, starts), changes.EveryLine)
		for k, at := range starts {
			starts[k] = further[at]
		}
		finer = next
	}
	plan, err := plan(ctx, finer, w.levelsOf(first.commits))
	if err != nil {
		return err
	}
	n := finer.Len()
	p := problem(plan)
	p.Failing = carry(first.result.Failing, starts, n)
	p.Predicted = carryLearned(p.Predicted, first.result.Learned, starts)
	kept := p.Failing.Minus(isolate.Of(n, carried(rest, starts)...))
	a := answer{commits: first.commits, set: finer, plan: plan, lines: true, trials: first.trials}
	found, err := w.switchedOn(ctx, first, a, p, kept)
	if err == nil && found.plan != nil && !w.exhausted(found.trials) {
		var v trial.Verdict
		v, err = w.runner.Confirm(ctx, found.set, found.result.Passing, isolate.Pass)
		w.spent++
		if err == nil && v.Outcome == isolate.Pass {
			first.further = append(first.further, further{found, report.Fault, true})
		}
	}
	if errors.Is(err, isolate.ErrBudget) || ctx.Err() != nil {
		err = nil
	}
	return err
}

// needed returns the changes that the cause of an answer needs or, if none are known, all with which it
// was tested, without those of tests. It returns none if fault is not to search them.
func (w *narrowing) needed(a *answer) (list []int) {
	found := a.result
	if w.through == "never" || w.direction == trial.Fix || w.options.Goal != isolate.Cause || a.plan == nil || found.Inseparable {
		return nil
	}
	lines := 0
	for i := range found.Cause.All() {
		c := &a.set.Changes[i]
		lines += max(c.OldLines, c.NewLines, 1)
	}
	if w.through == "auto" && lines >= manyLines {
		return nil
	}
	beside := found.Context
	if beside.IsEmpty() {
		beside = found.Passing
	}
	isOwn := grouping.OwnTest(w.command, w.repo.Prefix())
	for i := range beside.All() {
		if name := a.set.Changes[i].Path; !grouping.IsTest(name) && !isOwn(name) {
			list = append(list, i)
		}
	}
	return list
}

// switchedOn looks for a part of p.Failing that has kept and passes, and then for the smallest difference
// between the two. The plan of what it returns is nil if there is none.
func (w *narrowing) switchedOn(ctx context.Context, first *answer, a answer, p isolate.Problem, kept isolate.Configuration) (answer, error) {
	w.view.note("looking for what the cause switches on")
	w.story.looksFor(1 + len(first.further))
	mark := w.story.mark()
	for {
		w.story.back(mark)
		limit := 0
		if left, limited := w.left(a.trials); limited {
			limit = max(0, left) + knownEnds
		}
		result, _, err := w.round(ctx, a, p, limit, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
			return isolate.Fault(ctx, p, kept, test, opts)
		})
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		a.trials += max(0, result.Trials-knownEnds)
		if err != nil || !result.Passing.Contains(kept) {
			w.story.back(mark)
			return answer{}, err
		}
		p.Passing = result.Passing
		break
	}
	if !w.surely { // with --confidence the runner counts
		defer func(most int) { w.options.MaxTrials = most }(w.options.MaxTrials)
		end := w.spent + a.trials + bits.Len(uint(p.Failing.Len()-p.Passing.Len()-1)) + 4
		if w.options.MaxTrials == 0 || end < w.options.MaxTrials {
			w.options.MaxTrials = end
		}
	}
	found, err := w.settled(ctx, func() (answer, error) { return w.between(ctx, a, p) })
	if errors.Is(err, isolate.ErrBudget) {
		err = nil // what was found so far is an answer, too
	}
	if err != nil {
		return answer{}, err
	}
	return found, nil
}

// carried returns the pieces of changes, as carry does.
func carried(list, starts []int) (pieces []int) {
	for _, i := range list {
		for j := starts[i]; j < starts[i+1]; j++ {
			pieces = append(pieces, j)
		}
	}
	return pieces
}
