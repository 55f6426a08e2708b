package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
)

// rounds says how a cause is cut further: at declarations, then into lines, then within them.
var rounds = map[string][]changes.Fineness{
	"hunk":   nil,
	"symbol": {changes.LongHunks},
	"auto":   {changes.LongHunks, changes.LongHunks, changes.EveryLine, changes.EveryLine, changes.WithinLines},
	"line":   {changes.EveryLine, changes.EveryLine},
	"node":   {changes.EveryLine, changes.EveryLine, changes.WithinLines},
}

// mostWithin is how many trials a round of short hunks or within lines may be expected to take with
// --level auto.
const mostWithin = 20

// worthwhile reports whether --level auto cuts short hunks of a cause, or within its lines: it has at
// least manyLines lines, and few trials are expected. Each change that is cut is needed, so the search
// goes on in each, by halves. More are expected where a change that is cut requires others, as
// names or unresolved trials tell: its parts require each other, too. Of short hunks --level auto goes
// on only where lines can be left out that are removed: see refine.
func worthwhile(best answer, starts []int) bool {
	lines, cut, pieces := 0, 0, 0
	for i := range best.result.Cause.All() {
		c := &best.set.Changes[i]
		lines += max(c.OldLines, c.NewLines)
		if n := starts[i+1] - starts[i]; n > 1 {
			if len(best.plan.Predicted[i]) > 0 || slices.ContainsFunc(best.result.Learned, func(r [2]int) bool { return r[0] == i }) {
				return false
			}
			cut, pieces = cut+1, pieces+n
		}
	}
	return lines >= manyLines && cut*bits.Len(uint(pieces/cut)) <= min(mostWithin, roundLimit(pieces)-knownEnds)
}

// refine searches once more between the passing and the failing configuration of an answer, among its
// pieces in the finer set. If it cut short hunks or within lines, and all pieces are needed, the answer
// stays as it was. With --level auto it also stays if some pieces are not known to be needed.
func (w *narrowing) refine(ctx context.Context, best answer, finer *changes.Set, starts []int, how changes.Fineness) (answer, error) {
	plan, err := plan(ctx, finer, w.levels)
	if err != nil {
		return best, err
	}
	p := problem(plan)
	p.Passing = carry(best.result.Passing, starts, finer.Len())
	p.Failing = carry(best.result.Failing, starts, finer.Len())
	p.Predicted = carryLearned(p.Predicted, best.result.Learned, starts)
	pieces := p.Failing.Len() - p.Passing.Len()
	limit, why := roundLimit(pieces), fmt.Sprintf("its %d pieces seem to work only together, and are not worth more trials", pieces)
	if most, limited := w.left(best.trials + confirmations); limited && most+knownEnds < limit {
		limit, why = most+knownEnds, "no trials were left for its pieces"
	}
	if limit <= knownEnds {
		best.coarse = why
		return best, nil
	}
	round := answer{commits: best.commits, set: finer, plan: plan, bad: carry(best.bad, starts, finer.Len()), lines: how > changes.LongHunks}
	mark := w.story.mark()
	if how == changes.EveryLine {
		left, err := w.leaveOutSides(ctx, round, p, limit)
		best.trials += left.Trials
		if err != nil || w.finest == "auto" && left.Failing == p.Failing { // lines that came together seldom fail alone
			return best, err
		}
		p.Failing, limit = left.Failing, max(knownEnds+1, limit-left.Trials)
	}
	round.result, round.said, err = w.round(ctx, round, p, limit, isolate.Search)
	round.trials = best.trials + max(0, round.result.Trials-knownEnds)
	if err == nil && how > changes.LongHunks {
		switch found := round.result; {
		case found.Cause.Len() == pieces:
			w.story.leave(mark, fmt.Sprintf("none of its %d pieces can be left out", pieces))
			best.trials = round.trials
			return best, nil
		case w.finest == "auto" && !found.Unproven.IsEmpty():
			w.story.leave(mark, fmt.Sprintf("%d of its pieces are not known to be needed", found.Unproven.Len()))
			best.trials = round.trials
			return best, nil
		}
	}
	if err == nil {
		for _, r := range best.result.Learned {
			if i, j := starts[r[0]], starts[r[1]]; starts[r[0]+1] == i+1 && starts[r[1]+1] == j+1 && !slices.Contains(round.result.Learned, [2]int{i, j}) {
				round.result.Learned = append(round.result.Learned, [2]int{i, j})
			}
		}
		return round, nil
	}
	best.trials = round.trials
	if errors.Is(err, isolate.ErrBudget) {
		best.coarse, err = why, nil
	} else {
		why = "it was cut short"
	}
	w.story.leave(mark, why)
	return best, err
}

// leaveOutSides leaves out of p.Failing all lines that a hunk removes, or adds, if the rest fails without
// them: a trial for each of these groups. Trials of the result are without those of the two ends of p,
// which are known.
func (w *narrowing) leaveOutSides(ctx context.Context, a answer, p isolate.Problem, limit int) (isolate.Result, error) {
	groups := sides(a.set, a.plan, w.finest == "auto")
	if len(groups) == 0 {
		return isolate.Result{Failing: p.Failing}, nil
	}
	mark := w.story.mark()
	left, _, err := w.round(ctx, a, p, limit, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
		return isolate.LeaveOut(ctx, p, groups, test, opts)
	})
	left.Trials = max(0, left.Trials-knownEnds)
	switch {
	case errors.Is(err, isolate.ErrBudget):
		err = nil // the search goes on with what is left
	case err != nil:
		w.story.leave(mark, "it was cut short")
	case left.Failing == p.Failing:
		w.story.leave(mark, "no side of a hunk can be left out")
	}
	return left, err
}

// sides returns groups of lines of each hunk that was cut into lines: all that it removes and, unless only
// these are asked for, all that it adds. Without what is added, what takes the place of the removed lines
// is missing, so that it says little if the rest fails.
func sides(set *changes.Set, plan *grouping.Plan, removed bool) (list []isolate.Configuration) {
	if !plan.Sides() {
		return nil
	}
	last := plan.Groups[len(plan.Groups)-1]
	members := map[int][]int{}
	for i := range set.Changes {
		c := &set.Changes[i]
		if c.Kind == changes.Text && (c.NewLines == 0 || c.OldLines == 0 && !removed) {
			members[last[i]] = append(members[last[i]], i)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(members)) {
		if len(members[g]) > 1 {
			list = append(list, isolate.Of(set.Len(), members[g]...))
		}
	}
	return list
}

// roundLimit is the number of trials that a finer round over n pieces may
// spend, its two ends included: twice what halving takes when all outcomes are
// resolved, and a few for what is required. Lines that only work together
// would cost a trial each, and the coarser answer names them all the same.
func roundLimit(n int) int { return knownEnds + 4 + 2*bits.Len(uint(n)) }

// manyLines is from how many lines on a reader wants to know which of them matter.
const manyLines = 6

// uncut says why the cause was not cut into lines, and names the longest change that could be cut,
// if one has at least manyLines lines. It returns "" if --level is hunk or symbol. If no finer
// round was cut short, it says so only with --level auto, and only of such a change.
func (s *settings) uncut(found answer) string {
	if s.level == "hunk" || s.level == "symbol" || found.result.Cause.IsEmpty() {
		return ""
	}
	_, starts, _ := found.set.Split(slices.Collect(found.result.Cause.All()), changes.EveryLine)
	var longest *changes.Change
	lines := manyLines - 1
	for i := range found.result.Cause.All() {
		c := &found.set.Changes[i]
		if n := max(c.OldLines, c.NewLines); starts[i+1]-starts[i] > 1 && n > lines {
			longest, lines = c, n
		}
	}
	what := "the cause was not cut further"
	if longest != nil {
		what = fmt.Sprintf("%s was not cut into its %d lines", placeOf(longest), lines)
	}
	switch {
	case found.coarse != "":
		return what + ": " + found.coarse
	case longest != nil && s.level == "auto":
		return fmt.Sprintf("%s: lines that came together seldom fail alone; --level line tries them, in %d trials or more", what, bits.Len(uint(lines))+1)
	}
	return ""
}
