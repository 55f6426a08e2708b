package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/components"
	"github.com/gitdd/gitdd/isolate"
)

// rounds says how a cause is cut further: at declarations, then into lines, then within them. The second
// round of a fineness cuts what the first one has left of a change.
var rounds = map[Level][]changes.Fineness{
	Hunks:   nil,
	Symbols: {changes.LongHunks},
	Auto:    {changes.LongHunks, changes.LongHunks, changes.EveryLine, changes.EveryLine, changes.WithinLines},
	Lines:   {changes.EveryLine, changes.EveryLine},
	Nodes:   {changes.EveryLine, changes.EveryLine, changes.WithinLines},
}

// mostWithin is how many trials a round of short hunks or within lines may be expected to take with
// the level Auto.
const mostWithin = 20

// worthwhile reports whether the level Auto cuts short hunks of a cause, or within its lines: it has at
// least manyLines lines, and few trials are expected. Each change that is cut is needed, so the search
// goes on in each, by halves. More are expected where a change that is cut requires others, as
// names or unresolved trials tell: its parts require each other, too. Of short hunks the level Auto goes
// on only where lines can be left out that are removed: see refine.
func worthwhile(best Answer, starts []int) bool {
	lines, cut, pieces := 0, 0, 0
	for i := range best.Result.Cause.All() {
		c := &best.Set.Changes[i]
		lines += max(c.OldLines, c.NewLines)
		if n := starts[i+1] - starts[i]; n > 1 {
			if len(best.Plan.Predicted[i]) > 0 || slices.ContainsFunc(best.Result.Learned, func(r [2]int) bool { return r[0] == i }) {
				return false
			}
			cut, pieces = cut+1, pieces+n
		}
	}
	return lines >= ManyLines && expectedTrials(cut, pieces) <= min(mostWithin, roundLimit(pieces)-knownEnds)
}

// renames reports whether a cause gives names new names, so that it is to be cut within its lines before it is cut into lines.
// Within lines a renaming is one change, whereas a line that uses a renamed name can only be applied together with all other
// lines that use this name. With the level Auto it reports false if many trials are expected, as worthwhile does; changes that require
// each other count as one change there, and so do those that are not known to be needed.
func (w *searcher) renames(ctx context.Context, best Answer) (bool, error) {
	finer, starts, ok := best.Set.Split(slices.Collect(best.Result.Cause.All()), changes.WithinLines)
	if !ok {
		return false, nil
	}
	plan, err := Plan(ctx, finer, grouping.Options{By: w.Groups, Modules: w.Modules, Apart: best.apart})
	if err != nil || len(plan.Renamed) == 0 || w.Finest != Auto {
		return err == nil && len(plan.Renamed) > 0, err
	}
	unit, _ := components.Of(plan.Predicted)
	lines, cut, pieces, units := 0, 0, 0, map[int]bool{}
	for i := range best.Result.Cause.All() {
		c := &best.Set.Changes[i]
		lines += max(c.OldLines, c.NewLines)
		if n := starts[i+1] - starts[i]; n > 1 {
			cut, pieces = cut+1, pieces+n
			for j := starts[i]; j < starts[i+1]; j++ {
				units[unit[j]] = true
			}
		}
	}
	if !best.Result.Minimal {
		cut = 1
	}
	return lines >= ManyLines && len(units) > 1 && expectedTrials(cut, len(units)) <= min(mostWithin, roundLimit(pieces)-knownEnds), nil
}

// expectedTrials is how many trials it is expected to take to search in each of some changes that were cut, by halves,
// if there are so many pieces of all of them.
func expectedTrials(cut, pieces int) int { return cut * bits.Len(uint(max(1, pieces/max(1, cut)))) }

// refine searches once more between the passing and the failing configuration of an answer, among its
// pieces in the finer set. If it cut short hunks or within lines, and all pieces are needed, the answer
// stays as it was. With the level Auto it also stays if it was minimal, and some pieces are not known to be needed.
func (w *searcher) refine(ctx context.Context, best Answer, finer *changes.Set, starts []int, how changes.Fineness) (Answer, error) {
	apart := finer == best.Set // the changes are the same, but not those that are one
	plan, err := Plan(ctx, finer, grouping.Options{By: w.Groups, Modules: w.Modules, Apart: apart || best.apart})
	if err != nil {
		return best, err
	}
	p := problem(plan)
	p.Passing = carry(best.Result.Passing, starts, finer.Len())
	p.Failing = carry(best.Result.Failing, starts, finer.Len())
	p.Predicted = carryLearned(p.Predicted, best.Result.Learned, starts)
	pieces := p.Failing.Len() - p.Passing.Len()
	limit, why := roundLimit(pieces), "" // "" = the round was long enough
	if apart {
		limit -= bits.Len(uint(pieces)) // it is seldom worth it
	}
	if most, limited := w.left(best.Trials + w.confirmations()); limited && most+knownEnds < limit {
		limit, why = most+knownEnds, "no trials were left for its pieces"
	}
	if limit <= knownEnds {
		best.Uncut = cmp.Or(why, notWorth(pieces, 0))
		return best, nil
	}
	round := Answer{
		Commits: best.Commits, Set: finer, Plan: plan,
		bad: carry(best.bad, starts, finer.Len()), lines: how > changes.LongHunks, apart: apart || best.apart,
	}
	mark := w.stage
	if how == changes.EveryLine {
		left, err := w.leaveOutSides(ctx, round, p, limit)
		best.Trials += left.Trials
		if err != nil || w.Finest == Auto && left.Passing == p.Passing && left.Failing == p.Failing { // lines that came together seldom fail alone
			return best, err
		}
		p.Passing, p.Failing, limit = left.Passing, left.Failing, max(knownEnds+1, limit-left.Trials)
	}
	round.Result, round.Messages, err = w.round(ctx, round, p, limit, isolate.Search)
	round.Trials = best.Trials + max(0, round.Result.Trials-knownEnds)
	if err == nil && how > changes.LongHunks {
		switch found := round.Result; {
		case found.Cause.Len() == pieces:
			w.discard(mark, fmt.Sprintf("none of its %d pieces can be left out", pieces))
			best.Trials = round.Trials
			return best, nil
		case w.Finest == Auto && best.Result.Minimal && !found.Unproven.IsEmpty():
			w.discard(mark, fmt.Sprintf("%d of its pieces are not known to be needed", found.Unproven.Len()))
			best.Trials = round.Trials
			return best, nil
		}
	}
	if err == nil && how == changes.WithinLines && w.Finest == Auto {
		switch matter, err := w.matter(ctx, &round); {
		case err != nil:
			best.Trials = round.Trials
			return best, err
		case !matter:
			w.discard(mark, "the failing end does not pass without the parts of lines")
			best.Trials = round.Trials
			return best, nil
		}
	}
	if err == nil {
		for _, r := range best.Result.Learned {
			if i, j := starts[r[0]], starts[r[1]]; starts[r[0]+1] == i+1 && starts[r[1]+1] == j+1 && !slices.Contains(round.Result.Learned, [2]int{i, j}) {
				round.Result.Learned = append(round.Result.Learned, [2]int{i, j})
			}
		}
		return round, nil
	}
	best.Trials = round.Trials
	if errors.Is(err, isolate.ErrBudget) {
		failing := p.Failing
		if tried := round.Result.Failing; !tried.IsEmpty() {
			failing = tried
		}
		why = cmp.Or(why, notWorth(pieces, p.Passing.Len()+pieces-failing.Len()))
		best.Uncut, err = why, nil
	} else {
		why = "it was cut short"
	}
	w.discard(mark, why)
	return best, err
}

// matter reports whether the parts of lines in an answer are what matters in these lines. Parts of an expression that was
// rewritten may make another expression together with the old ones, which nobody has written: it fails, but that need not be the
// failure of the new expression. So the parts are taken off the failing end, where all of the new ones are. They matter
// if that passes. What requires them is taken off as well, for example the renaming of a name of which they take a use away. It
// takes a trial, or none if what is left does not parse.
func (w *searcher) matter(ctx context.Context, parts *Answer) (bool, error) {
	if !w.once() || w.options.Goal == isolate.Revert || w.exhausted(parts.Trials+1) {
		return true, nil // as far as is known
	}
	rest := parts.bad.Minus(parts.Result.Cause).Minus(w.dependents(*parts))
	wellformed := parts.Plan.Wellformed()
	defer wellformed.Close()
	if wellformed.Broken(rest.All()) && !wellformed.Broken(parts.bad.All()) {
		return false, nil
	}
	outcome, err := w.askOnce(ctx, &parts.Trials, *parts, problem(parts.Plan), rest)
	return outcome == isolate.Pass, err
}

// notWorth says why a round among so many pieces was not continued, where the test also fails without out of them.
func notWorth(pieces, out int) string {
	if out == 0 {
		return fmt.Sprintf("its %d pieces seem to work only together, and are not worth more trials", pieces)
	}
	return fmt.Sprintf("the test fails without %d of its %d pieces, too, and to find which of the others are needed would take many more trials", out, pieces)
}

// leaveOutSides leaves out all lines that a hunk removes, or adds, if the rest is enough, see
// isolate.LeaveOut: a trial for each of these groups. Trials of the result are without those of the two
// ends of p, which are known.
func (w *searcher) leaveOutSides(ctx context.Context, a Answer, p isolate.Problem, limit int) (isolate.Result, error) {
	groups := sides(a.Set, a.Plan, w.Finest == Auto, w.options.Goal == isolate.Revert)
	if len(groups) == 0 {
		return isolate.Result{Passing: p.Passing, Failing: p.Failing}, nil
	}
	mark := w.stage
	left, _, err := w.round(ctx, a, p, limit, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
		return isolate.LeaveOut(ctx, p, groups, test, opts)
	})
	left.Trials = max(0, left.Trials-knownEnds)
	spent := errors.Is(err, isolate.ErrBudget)
	if spent {
		err = nil // the search goes on with what is left
	}
	all := left.Passing == p.Passing && left.Failing == p.Failing
	switch {
	case err != nil, spent && all:
		w.discard(mark, "it was cut short")
	case all:
		w.discard(mark, "no side of a hunk can be left out")
	}
	return left, err
}

// sides returns groups of lines of each hunk that was cut into lines: all that it removes, and all that it
// adds. replaced asks only for those that others take the place of: the removed ones or, where the hunk is
// taken off, the added ones. Without the others nothing is in that place, so that it says little what the
// test does.
func sides(set *changes.Set, plan *grouping.Plan, replaced, off bool) (list []isolate.Configuration) {
	if !plan.Sides() {
		return nil
	}
	last := plan.Groups[len(plan.Groups)-1]
	members := map[int][]int{}
	for i := range set.Changes {
		c := &set.Changes[i]
		removed, added := c.NewLines == 0, c.OldLines == 0
		if replaced {
			removed, added = removed && !off, added && off
		}
		if c.Kind == changes.Text && (removed || added) {
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

// ManyLines is the number of lines of a change from which on a reader wants to know which of them matter.
const ManyLines = 6
