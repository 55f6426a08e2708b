package main

import (
	"context"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/trial"
)

// worktreeDir is where a session has the objects of the user's checkout, if it is an end.
const worktreeDir = "worktree"

// resolveEnds resolves the two revisions that the user has named. The word worktree means the
// checkout, unless the repository has a revision of that name.
func (a *app) resolveEnds(ctx context.Context, repo *git.Repo, good, bad string) (g, b git.Revision, err error) {
	if g, err = repo.ResolveEnd(ctx, good); err == nil {
		b, err = repo.ResolveEnd(ctx, bad)
	}
	if err == nil && (g.Rev == git.Worktree && !g.IsWorktree() || b.Rev == git.Worktree && !b.IsWorktree()) {
		a.hint(git.Worktree + " is a branch, a tag or another revision of this repository, and that is tested: with another name for it " + git.Worktree + " is your checkout")
	}
	return g, b, err
}

// openFor opens the repository that the current directory lies in, with the objects that a
// session has of its own.
func (a *app) openFor(ctx context.Context, session *trial.Session) (*git.Repo, error) {
	repo, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := repo.AddRecorded(ctx, filepath.Join(session.Dir(), worktreeDir)); err != nil {
		repo.Close()
		return nil, err
	}
	return repo, nil
}
