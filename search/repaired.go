package search

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// repair sets Answer.Repaired and Answer.Hunks: it tests the failing end without whole hunks of which the cause has one side and,
// if that does not pass or there are none, without the cause alone.
func (w *searcher) repair(ctx context.Context, whole *changes.Set, found *Answer) (err error) {
	if found.Hunks = w.hunks(*found); found.Hunks.N() > 0 {
		if found.Repaired, err = w.repaired(ctx, whole, *found); err != nil || found.Repairs() {
			return err
		}
		found.Hunks = isolate.Configuration{}
	}
	found.Repaired, err = w.repaired(ctx, whole, *found)
	return err
}

// hunks returns what Answer.Hunks may be; the zero Configuration if it is nothing.
func (w *searcher) hunks(found Answer) (hunks isolate.Configuration) {
	if w.direction == trial.Fix || w.options.Goal != isolate.Cause || found.Plan == nil || !found.Plan.Sides() {
		return hunks
	}
	hunk := found.Plan.Groups[len(found.Plan.Groups)-2] // the last groups are one side of a hunk each
	rest := isolate.Full(found.Set.Len()).Minus(found.Result.Cause)
	onlyAdds := func(c *changes.Change) bool { return c.Kind == changes.Text && c.OldLines == 0 }
	onlyRemoves := func(c *changes.Change) bool { return c.Kind == changes.Text && c.NewLines == 0 }
	for i := range found.Result.Cause.All() {
		parts, opposite := isolate.Empty(found.Set.Len()), false
		for j := range rest.All() {
			if hunk[j] != hunk[i] {
				continue
			}
			parts = parts.With(j)
			c, other := &found.Set.Changes[i], &found.Set.Changes[j]
			opposite = opposite || onlyAdds(c) && onlyRemoves(other) || onlyRemoves(c) && onlyAdds(other)
		}
		if opposite && hunks.N() == 0 {
			hunks = parts
		} else if opposite {
			hunks = hunks.Union(parts)
		}
	}
	return hunks
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
