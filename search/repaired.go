package search

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// repair sets Answer.Repaired, Answer.RestOfHunks and Answer.Dependents: it tests the failing end without the whole hunks of which
// the cause has only one side and, if that does not pass or there are no such hunks, without the cause alone. If that does not pass,
// either, it tests the failing end without the whole hunks of which the cause has parts: a line that fails alone is often not the
// only one of its hunk. If the failing end cannot be judged without the cause alone, it is tested without the cause and what needs it.
func (w *searcher) repair(ctx context.Context, whole *changes.Set, found *Answer) (err error) {
	none := isolate.Configuration{}
	if found.RestOfHunks = w.restOfHunks(*found); !found.RestOfHunks.IsEmpty() {
		if found.Repaired, err = w.repaired(ctx, whole, *found); err != nil || found.Repairs() {
			return err
		}
		found.RestOfHunks = none
	}
	found.Repaired, err = w.repaired(ctx, whole, *found)
	if err != nil || found.Repairs() || found.Repaired.Outcome == "" {
		return err
	}
	alone, more := found.Repaired, false
	if rest := w.restOfParts(*found); !rest.IsEmpty() && rest != w.restOfHunks(*found) {
		found.RestOfHunks, more = rest, true
		if found.Repaired, err = w.repaired(ctx, whole, *found); err != nil || found.Repairs() {
			return err
		}
		found.RestOfHunks = none
	}
	if dependents := w.dependents(*found); alone.Outcome == isolate.Unresolved.String() && !dependents.IsEmpty() {
		found.Dependents, more = dependents, true
		if found.Repaired, err = w.repaired(ctx, whole, *found); err != nil || found.Repairs() {
			return err
		}
		found.Dependents = none
	}
	if found.Repaired = alone; more {
		_, err = Keep(ctx, w.trials.Repo, w.trials.Session, *found) // the patch was of more than the cause
	}
	return err
}

// repairsAlone reports whether the failing end passes without the cause, or the hunks of which the cause is one side: with more taken
// off, the cause may be among what was taken off with it.
func (w *searcher) repairsAlone(a Answer) bool {
	return a.Repairs() && a.Dependents.IsEmpty() && (a.RestOfHunks.IsEmpty() || a.RestOfHunks == w.restOfHunks(a))
}

// mostDependents is how many changes are taken off with a cause at most: more are no help to who wants to revert it.
const mostDependents = 16

// dependents returns what Answer.Dependents may be: the changes that require the cause, or others that do.
func (w *searcher) dependents(found Answer) isolate.Configuration {
	none := isolate.Empty(found.Set.Len())
	if w.direction == trial.Fix || w.options.Goal != isolate.Cause || found.Plan == nil {
		return none
	}
	p := isolate.Problem{N: found.Set.Len(), Requires: found.Set.Requires, Predicted: carryLearned(found.Plan.Predicted, found.Result.Learned, identity(found.Set.Len()))}
	all := isolate.Full(p.N)
	more := all.Minus(p.Without(all, found.Result.Cause)).Minus(found.Result.Cause)
	if more.Len() > mostDependents {
		return none
	}
	return more
}

// restOfParts returns the changes beside the cause in each hunk of which the cause has a part.
func (w *searcher) restOfParts(found Answer) isolate.Configuration {
	rest := isolate.Empty(found.Set.Len())
	if w.direction == trial.Fix || w.options.Goal != isolate.Cause || found.Plan == nil {
		return rest
	}
	level := len(found.Plan.Levels) - 1
	if level < 0 || found.Plan.Levels[level] != grouping.Hunk {
		return rest
	}
	if found.Plan.Sides() {
		level--
	}
	in := map[int]bool{}
	for i := range found.Result.Cause.All() {
		in[found.Plan.Groups[level][i]] = true
	}
	for j := range isolate.Full(found.Set.Len()).Minus(found.Result.Cause).All() {
		if in[found.Plan.Groups[level][j]] {
			rest = rest.With(j)
		}
	}
	return rest
}

// restOfHunks returns what Answer.RestOfHunks may be: the changes beside the cause in each hunk of which the cause adds lines and
// another change only removes some, or the reverse.
func (w *searcher) restOfHunks(found Answer) isolate.Configuration {
	rest := isolate.Empty(found.Set.Len())
	if w.direction == trial.Fix || w.options.Goal != isolate.Cause || found.Plan == nil || !found.Plan.Sides() {
		return rest
	}
	hunk := found.Plan.Groups[len(found.Plan.Groups)-2] // a group of the last level is one side of a hunk
	onlyAdds := func(c *changes.Change) bool { return c.Kind == changes.Text && c.OldLines == 0 }
	onlyRemoves := func(c *changes.Change) bool { return c.Kind == changes.Text && c.NewLines == 0 }
	for i := range found.Result.Cause.All() {
		others, opposite := isolate.Empty(found.Set.Len()), false
		for j := range isolate.Full(found.Set.Len()).Minus(found.Result.Cause).All() {
			if hunk[j] == hunk[i] {
				others = others.With(j)
				c, other := &found.Set.Changes[i], &found.Set.Changes[j]
				opposite = opposite || onlyAdds(c) && onlyRemoves(other) || onlyRemoves(c) && onlyAdds(other)
			}
		}
		if opposite {
			rest = rest.Union(others)
		}
	}
	return rest
}

// repaired tests the failing end of a search with the cause taken off, or, where the search was for a
// fix, with the fix put on: what gitdd apply makes of it. It takes one trial, or none if that tree was
// tested before. The result is empty if the patch does not apply there, or if trial.Options.MaxTrials or ctx
// leaves no time for the trial: the answer is complete without it. Where the patch does not apply, the
// doubtful end of the answer gets the trial.
func (w *searcher) repaired(ctx context.Context, whole *changes.Set, found Answer) (tested Repaired, err error) {
	if whole == nil || w.All || w.exhausted(found.Trials) { // that search goes on there, and the report says what it found
		return tested, nil
	}
	end, name := whole.Bad, RevertPatch
	if w.direction == trial.Fix && w.options.Goal != isolate.Revert {
		end, name = whole.Good, CausePatch
	}
	if all, err := whole.Compose(isolate.Full(whole.Len()).All()); err != nil || all.ID != whole.Bad.Tree {
		return tested, err // of a part of the difference the failing end is no revision
	}
	set, err := w.patched(ctx, end, name, found)
	if err == nil && set != nil {
		var v trial.Verdict
		if v, err = w.Runner.Repaired(ctx, set); err == nil {
			w.path.add(v.Trial)
			tested.Outcome = v.Outcome.String()
			if v.Outcome == isolate.Unresolved {
				tested.Reason = v.Reason
				if v.Unmatched && v.Other {
					tested.Otherwise = v.LastLine
				}
			}
			return tested, nil
		}
	}
	if err == nil && set == nil {
		err = w.confirmDoubtful(ctx, found)
	}
	if ctx.Err() != nil {
		err = nil
	}
	return tested, err
}

// patched returns what a patch of an answer changes in a revision; nil if it does not fit, or changes
// nothing.
func (w *searcher) patched(ctx context.Context, end git.Revision, name string, found Answer) (*changes.Set, error) {
	if _, err := Keep(ctx, w.trials.Repo, w.trials.Session, found); err != nil {
		return nil, err
	}
	store, err := AnswerStore(w.trials.Repo, w.trials.Session)
	if err != nil {
		return nil, err
	}
	tree, err := ApplyPatch(ctx, store, end.Tree, filepath.Join(w.trials.Session.Dir(), name))
	if errors.Is(err, ErrConflict) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	set, err := changes.Between(ctx, w.trials.Repo, string(end.Tree), string(tree), changes.Options{})
	if err != nil {
		return nil, err
	}
	set.Good = end
	return set, nil
}
