package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// The patches that a session keeps beside its result.
const (
	causePatch  = "cause.patch"  // puts the cause on the configuration without it
	revertPatch = "revert.patch" // takes the cause out of bad
)

// kept are the trees of an answer: their objects are in the session's store.
type kept struct{ without, with git.ID }

// keep stores the trees of both ends of an answer and its patches in the
// session, so that show, checkout and apply need no composing.
func keep(ctx context.Context, repo *git.Repo, session *trial.Session, found answer) (kept, error) {
	scratch, err := answerStore(repo, session)
	if err != nil {
		return kept{}, err
	}
	patch := func(name string, from, to *changes.Tree) error {
		text, err := found.set.Patch(ctx, from, to, scratch)
		if err != nil {
			return err
		}
		return session.WriteFile(name, text)
	}
	without, with, err := ends(ctx, found, scratch)
	if err != nil {
		return kept{}, err
	}
	if err := patch(causePatch, without, with); err != nil {
		return kept{}, fmt.Errorf("write the cause as a patch: %w", err)
	}
	reverted, err := stored(ctx, found, revertible(found), scratch)
	if err != nil {
		return kept{}, fmt.Errorf("compose bad without the cause: %w", err)
	}
	all, err := stored(ctx, found, isolate.Full(found.set.Len()), scratch)
	if err != nil {
		return kept{}, fmt.Errorf("compose bad: %w", err)
	}
	if err := patch(revertPatch, all, reverted); err != nil {
		return kept{}, fmt.Errorf("write the reverse of the cause as a patch: %w", err)
	}
	return kept{without: without.ID, with: with.ID}, nil
}

// ends stores the trees of an answer without and with its cause.
func ends(ctx context.Context, a answer, scratch *git.Scratch) (without, with *changes.Tree, err error) {
	without, err = stored(ctx, a, a.result.Passing, scratch)
	if err == nil {
		with, err = stored(ctx, a, a.result.Failing, scratch)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("compose the answer: %w", err)
	}
	return without, with, nil
}

func stored(ctx context.Context, a answer, c isolate.Configuration, scratch *git.Scratch) (*changes.Tree, error) {
	tree, err := a.set.Compose(c.All())
	if err != nil {
		return nil, err
	}
	return tree, a.set.Store(ctx, tree, scratch)
}

// fit says whether gitdd apply can work on the revision that has use for it: it
// takes the cause off bad, or puts a fix on good. What is checked out may be another.
func fit(ctx context.Context, repo *git.Repo, session *trial.Session, facts report.Facts) report.Fit {
	if repo.Top() == "" {
		return report.NoFiles
	}
	store, err := answerStore(repo, session)
	if err != nil {
		return ""
	}
	end, name := facts.Whole.Bad, revertPatch
	if facts.Direction == report.Fix && facts.Goal != "revert" {
		end, name = facts.Whole.Good, causePatch
	}
	patch := filepath.Join(session.Dir(), name)
	_, err = patched(ctx, store, end.Tree, patch)
	switch {
	case err == nil && end.Base != "": // the checkout itself
		return report.Fits
	case err == nil:
		head, err := repo.Resolve(ctx, "HEAD")
		if err == nil && head.Tree != end.Tree {
			_, err = patched(ctx, store, head.Tree, patch)
		}
		if errors.Is(err, errConflict) {
			return report.Elsewhere
		}
		return report.Fits
	case errors.Is(err, errConflict):
		return report.Conflicts
	}
	return ""
}

// revertible is bad without the cause, and without what cannot stand there
// when the cause is gone.
func revertible(found answer) isolate.Configuration {
	out := slices.Collect(found.result.Cause.All())
	gone := isolate.Of(found.set.Len(), out...)
	for {
		// Invariant: everything in gone is in the cause or needs a member of gone.
		more := gone
		for i, needs := range found.set.Requires {
			if !gone.Has(i) && slices.ContainsFunc(needs, gone.Has) {
				more = more.With(i)
			}
		}
		if more == gone {
			return isolate.Full(found.set.Len()).Minus(gone)
		}
		gone = more
	}
}

// answerStore is where the trees of a session's answer live.
func answerStore(repo *git.Repo, session *trial.Session) (*git.Scratch, error) {
	return repo.NewScratch(filepath.Join(session.Dir(), "answer"))
}
