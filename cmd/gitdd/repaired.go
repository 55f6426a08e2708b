package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// repaired tests the failing end of a search with the cause taken off, or, where the search was for a
// fix, with the fix put on: what gitdd apply makes of it. It takes one trial, or none if that tree was
// tested before. It returns nil if the cause does not fit there, and if --max-trials or ctx leaves no
// time for the trial: the answer is complete without it.
func (w *narrowing) repaired(ctx context.Context, repo *git.Repo, whole *changes.Set, found answer) (*report.Repaired, error) {
	if w.all || w.exhausted(found.trials) { // --all goes on there, and the report says what it found
		return nil, nil
	}
	end, name := whole.Bad, revertPatch
	if w.direction == trial.Fix && w.options.Goal != isolate.Revert {
		end, name = whole.Good, causePatch
	}
	made, err := w.repair(ctx, repo, end, name, found)
	if err == nil && made != nil {
		defer made.repo.Close()
		var v trial.Verdict
		if v, err = w.runner.Repaired(ctx, made.set); err == nil {
			w.story.came(v.Trial)
			return &report.Repaired{Outcome: v.Outcome.String(), Trial: v.Trial}, nil
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	return nil, err
}

// A repair is what a patch makes of a revision, as the changes from there.
type repair struct {
	set  *changes.Set
	repo *git.Repo // which has the objects of the set
}

// repair applies a patch of an answer to a revision. It returns nil if the patch does not fit, or
// changes nothing.
func (w *narrowing) repair(ctx context.Context, repo *git.Repo, end git.Revision, name string, found answer) (*repair, error) {
	if _, err := keep(ctx, repo, w.session, found); err != nil {
		return nil, err
	}
	store, err := answerStore(repo, w.session)
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
	own, err := git.Open(ctx, cmp.Or(repo.Top(), repo.GitDir())) // workspaces may still read from repo
	if err != nil {
		return nil, err
	}
	err = own.AddObjects(ctx, store)
	var set *changes.Set
	if err == nil {
		set, err = changes.Between(ctx, own, string(end.Tree), string(tree), changes.Options{})
	}
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	set.Good = end
	return &repair{set, own}, nil
}
