package apply

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Fits says whether [Files] can take the cause off bad, or put a fix on good, and whether it can do so on
// HEAD, if that is another revision: the first cause, or all causes together. It returns "" if that is not known.
func Fits(ctx context.Context, repo *git.Repo, session *trial.Session, facts report.Facts, all bool) report.Fit {
	if repo.Top() == "" {
		return report.NoFiles
	}
	store, err := search.AnswerStore(repo, session)
	if err != nil {
		return ""
	}
	end, name := facts.Whole.Bad, search.RevertPatch
	if facts.Direction == report.Fix && facts.Goal != "revert" {
		end, name = facts.Whole.Good, search.CausePatch
	}
	if all {
		name = search.PatchOf(name, 0)
	}
	patch := filepath.Join(session.Dir(), name)
	_, err = search.ApplyPatch(ctx, store, end.Tree, patch)
	switch {
	case err == nil && end.Base != "": // the checkout itself
		return report.Fits
	case err == nil:
		head, err := repo.Resolve(ctx, "HEAD")
		if err == nil && head.Tree != end.Tree {
			_, err = search.ApplyPatch(ctx, store, head.Tree, patch)
		}
		if errors.Is(err, search.ErrConflict) {
			return report.Elsewhere
		}
		return report.Fits
	case errors.Is(err, search.ErrConflict):
		return report.Conflicts
	}
	return ""
}
