package search

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// fault searches the changes that the cause of a confirmed answer needs for those without which the test
// passes, with the cause in place: where the cause only makes other code run, the fault may be there.
// What it finds is added to the answer as Fault. It skips changes of tests, because a failure
// cannot occur without its test. The answer is complete without it: if trial.Options.MaxTrials or ctx leaves no
// time, fault returns no error.
//
// It takes at most log2 k + 4 trials to find such changes among k lines, log2 d + 4 to find which of d
// lines matter, and one or two to confirm it; both logarithms are rounded up. With trial.Options.Confidence only
// trial.Options.MaxTrials limits the second part, and each outcome takes as many trials as it needs.
func (w *searcher) fault(ctx context.Context, first *Answer) error {
	rest := w.needed(first)
	if len(rest) == 0 {
		return nil
	}
	a, p, starts, err := w.cutIntoLines(ctx, first, rest, first.Result.Failing)
	if err != nil {
		return err
	}
	kept := p.Failing.Minus(isolate.Of(a.Set.Len(), carried(rest, starts)...))
	mark := w.stage
	found, err := w.switchedOn(ctx, first, a, p, kept)
	if err == nil && found.Plan == nil {
		first.Untraced = found.Trials - first.Trials
	}
	if err == nil && found.Plan != nil && !w.exhausted(found.Trials) {
		var confirmed bool
		if confirmed, err = w.confirmFault(ctx, first, found); confirmed {
			first.Further = append(first.Further, Further{found, Fault, !w.Unconfirmed})
		} else if err == nil {
			w.discard(mark, "it was not confirmed")
		}
	}
	if errors.Is(err, isolate.ErrBudget) || ctx.Err() != nil {
		err = nil
	}
	return err
}

// cutIntoLines cuts some changes of the set of a confirmed answer into their lines, for a search beside that answer. It returns an
// answer with the new set and its plan, the problem with failing as its failing end, and where the pieces of each change
// begin in the new set.
func (w *searcher) cutIntoLines(ctx context.Context, first *Answer, list []int, failing isolate.Configuration) (a Answer, p isolate.Problem, starts []int, err error) {
	finer, starts := first.Set, identity(first.Set.Len())
	for range rounds[Lines] {
		next, further, _ := finer.Split(carried(list, starts), changes.EveryLine)
		for k, at := range starts {
			starts[k] = further[at]
		}
		finer = next
	}
	plan, err := w.plan(ctx, finer, w.levelsOf(first.Commits))
	if err != nil {
		return Answer{}, isolate.Problem{}, nil, err
	}
	p = problem(plan)
	p.Failing = carry(failing, starts, finer.Len())
	p.Predicted = carryLearned(p.Predicted, first.Result.Learned, starts)
	return Answer{Commits: first.Commits, Set: finer, Plan: plan, lines: true, Trials: first.Trials}, p, starts, nil
}

// confirmFault tests both ends of a fault in a fresh or a cleaned workspace, but for the failing end if that
// is the tree of the first answer's, which was confirmed. With Options.Unconfirmed it tests neither.
func (w *searcher) confirmFault(ctx context.Context, first *Answer, found Answer) (bool, error) {
	if w.Unconfirmed {
		return true, nil
	}
	v, err := w.Runner.Confirm(ctx, found.Set, found.Result.Passing, isolate.Pass)
	w.spent++
	if err != nil || v.Outcome != isolate.Pass {
		return false, err
	}
	was, err := first.Set.Compose(first.Result.Failing.All())
	if err != nil {
		return false, err
	}
	is, err := found.Set.Compose(found.Result.Failing.All())
	if err != nil || is.ID == was.ID {
		return err == nil, err
	}
	if w.exhausted(found.Trials) {
		return false, nil
	}
	v, err = w.Runner.Confirm(ctx, found.Set, found.Result.Failing, isolate.Fail)
	w.spent++
	return err == nil && v.Outcome == isolate.Fail, err
}

// needed returns the changes that the cause of an answer needs or, if none are known, all with which it
// was tested, without those of tests, without those that only give a name a new name, and without those that are of updates of
// dependencies or tied to such: the code of a dependency is elsewhere. It returns none if fault is not to search them.
func (w *searcher) needed(a *Answer) (list []int) {
	found := a.Result
	if w.Through == Never || w.direction == trial.Fix || w.options.Goal != isolate.Cause || a.Plan == nil || found.Inseparable {
		return nil
	}
	lines := 0
	for i := range found.Cause.All() {
		lines += linesOf(&a.Set.Changes[i])
	}
	if w.Through == IfShort && lines >= ManyLines {
		return nil
	}
	beside := found.Context
	if beside.IsEmpty() {
		beside = found.Passing
	}
	without := slices.Concat(a.Plan.Renamed...) // and changes of updates, and what is tied to them
	for _, u := range a.Plan.Updates {
		without = append(without, u.Changes...)
	}
	for _, t := range a.Plan.Ties {
		without = append(without, t.Change, t.Requires)
	}
	beside = beside.Minus(isolate.Of(beside.N(), without...))
	isOwn := grouping.OwnTest(w.trials.Command, w.trials.Repo.Prefix())
	for i := range beside.All() {
		if name := a.Set.Changes[i].Path; !grouping.IsTest(name) && !isOwn(name) {
			list = append(list, i)
		}
	}
	return list
}

// switchedOn looks for a part of p.Failing that has kept and passes, and then for the smallest difference
// between the two. The plan of what it returns is nil if there is none, and its trials are those of a and the search.
func (w *searcher) switchedOn(ctx context.Context, first *Answer, a Answer, p isolate.Problem, kept isolate.Configuration) (Answer, error) {
	more := ""
	if w.Through == IfShort {
		more = " (--through never leaves this out)"
	}
	w.note("looking for what the cause switches on" + more)
	w.number = 1 + len(first.Further)
	mark := w.stage
	for {
		w.observe(Rewound{mark})
		limit := 0
		if left, limited := w.left(a.Trials); limited {
			limit = max(0, left) + knownEnds
		}
		result, _, err := w.round(ctx, a, p, limit, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
			return isolate.Fault(ctx, p, kept, test, opts)
		})
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		a.Trials += max(0, result.Trials-knownEnds)
		if err != nil || !result.Passing.Contains(kept) {
			w.discard(mark, "no changes were found without which the test passes")
			return Answer{Trials: a.Trials}, err
		}
		p.Passing = result.Passing
		break
	}
	if !w.surely() { // with Confidence the runner counts
		defer func(most int) { w.options.MaxTrials = most }(w.options.MaxTrials)
		end := w.spent + a.Trials + bits.Len(uint(p.Failing.Len()-p.Passing.Len()-1)) + 4
		if w.options.MaxTrials == 0 || end < w.options.MaxTrials {
			w.options.MaxTrials = end
		}
	}
	found, err := w.settled(ctx, func() (Answer, error) { return w.between(ctx, a, p, begin{Problem: p}) })
	if errors.Is(err, isolate.ErrBudget) {
		err = nil // what was found so far is an answer, too
	}
	if err != nil {
		return Answer{}, err
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
