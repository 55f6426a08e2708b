package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A repairTrial is what Result.Repaired and Result.RepairedReason say. The zero value is that of no trial.
type repairTrial struct{ outcome, reason string }

// repaired tests the failing end of a search with the cause taken off, or, where the search was for a
// fix, with the fix put on: what gitdd apply makes of it. It takes one trial, or none if that tree was
// tested before. It says nothing if the cause does not fit there, and if --max-trials or ctx leaves no
// time for the trial: the answer is complete without it.
func (w *narrowing) repaired(ctx context.Context, whole *changes.Set, found answer) (tested repairTrial, err error) {
	if w.all || w.exhausted(found.trials) { // --all goes on there, and the report says what it found
		return tested, nil
	}
	end, name := whole.Bad, revertPatch
	if w.direction == trial.Fix && w.options.Goal != isolate.Revert {
		end, name = whole.Good, causePatch
	}
	if all, err := whole.Compose(isolate.Full(whole.Len()).All()); err != nil || all.ID != whole.Bad.Tree {
		return tested, err // with --path the failing end is no revision
	}
	set, err := w.repair(ctx, end, name, found)
	if err == nil && set != nil {
		var v trial.Verdict
		if v, err = w.runner.Repaired(ctx, set); err == nil {
			w.story.came(v.Trial)
			tested.outcome = v.Outcome.String()
			if v.Outcome == isolate.Unresolved {
				tested.reason = v.Reason
			}
			return tested, nil
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	return tested, err
}

// repairs reports whether the failing end passes without the cause, or with the fix. Then the answer is
// a cause of that failure, whatever else the test prints with it.
func (a answer) repairs() bool { return a.repaired.outcome == isolate.Pass.String() }

// repair returns what a patch of an answer changes in a revision; nil if it does not fit, or changes
// nothing.
func (w *narrowing) repair(ctx context.Context, end git.Revision, name string, found answer) (*changes.Set, error) {
	if _, err := keep(ctx, w.repo, w.session, found); err != nil {
		return nil, err
	}
	store, err := answerStore(w.repo, w.session)
	if err != nil {
		return nil, err
	}
	tree, err := patched(ctx, store, end.Tree, filepath.Join(w.session.Dir(), name))
	if errors.Is(err, errConflict) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	set, err := changes.Between(ctx, w.repo, string(end.Tree), string(tree), changes.Options{})
	if err != nil {
		return nil, err
	}
	set.Good = end
	return set, nil
}
