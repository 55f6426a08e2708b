package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// worktreeDir is where a session has the objects of the user's checkout, if it is an end.
const worktreeDir = "worktree"

// resolveEnds resolves the two revisions that the user has named. The word worktree means the
// checkout, unless the repository has a revision of that name. Such an end has no tree yet:
// isWorktree recognizes it, and recordWorktree sets its commit and tree.
func (a *app) resolveEnds(ctx context.Context, repo *git.Repo, good, bad string) (g, b git.Revision, err error) {
	if g, err = resolveEnd(ctx, repo, good); err == nil {
		b, err = resolveEnd(ctx, repo, bad)
	}
	if err == nil && (g.Rev == git.Worktree && !isWorktree(g) || b.Rev == git.Worktree && !isWorktree(b)) {
		a.hint(git.Worktree + " is a branch, a tag or another revision of this repository, and that is tested: with another name for it " + git.Worktree + " is your checkout")
	}
	return g, b, err
}

func resolveEnd(ctx context.Context, repo *git.Repo, rev string) (git.Revision, error) {
	r, err := repo.Resolve(ctx, rev)
	var unknown *git.UnknownRevisionError
	if rev == git.Worktree && errors.As(err, &unknown) {
		return git.Revision{Rev: rev}, nil
	}
	return r, err
}

// isWorktree reports whether a revision is the user's checkout, which is not recorded yet.
func isWorktree(r git.Revision) bool { return r.Rev == git.Worktree && r.Tree == "" }

// recordWorktree stores the user's checkout in dir where it is one of the ends, and lets
// the repository find its objects.
func (a *app) recordWorktree(ctx context.Context, repo *git.Repo, dir string, ends ...*git.Revision) error {
	var recorded git.Revision
	for _, end := range ends {
		if !isWorktree(*end) {
			continue
		}
		if recorded.Tree == "" {
			store, err := repo.NewScratch(dir)
			if err != nil {
				return err
			}
			recorded, err = store.RecordWorktree(ctx, a.now())
			var unmerged *git.UnmergedError
			if errors.As(err, &unmerged) {
				return fmt.Errorf("%w: end the merge first, or git add what you have resolved", err)
			}
			if err == nil {
				err = repo.AddObjects(ctx, store)
			}
			if err != nil {
				return err
			}
		}
		*end = recorded
	}
	return nil
}

// openFor opens the repository that the current directory lies in, with the objects that a
// session has of its own.
func (a *app) openFor(ctx context.Context, session *trial.Session) (*git.Repo, error) {
	repo, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(session.Dir(), worktreeDir)
	if _, err = os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return repo, nil
	}
	if err == nil {
		err = over(ctx, repo, dir)
	}
	if err != nil {
		repo.Close()
		return nil, err
	}
	return repo, nil
}

// over lets a repository find the objects of the checkout that was recorded in dir.
func over(ctx context.Context, repo *git.Repo, dir string) error {
	store, err := repo.NewScratch(dir)
	if err != nil {
		return err
	}
	return repo.AddObjects(ctx, store)
}

// untrackedHint says what of the checkout is no part of it as a revision; "" = nothing is.
func untrackedHint(ctx context.Context, repo *git.Repo) string {
	untracked, err := repo.Untracked(ctx)
	if err != nil || len(untracked) == 0 {
		return "" // it is but a hint
	}
	return fmt.Sprintf("untracked files (%s) are no part of %s: `git add -N %s` makes one a part of it", hints.First(untracked), git.Worktree, prose.Words(untracked[:1]))
}
