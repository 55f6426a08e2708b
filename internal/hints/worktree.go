package hints

import (
	"context"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Untracked says what of the checkout is no part of it as a revision; "" = nothing is.
func Untracked(ctx context.Context, repo *git.Repo) string {
	untracked, err := repo.Untracked(ctx)
	if err != nil || len(untracked) == 0 {
		return "" // it is but a hint
	}
	return fmt.Sprintf("untracked files (%s) are no part of %s: %s", First(untracked), git.Worktree, addOne(untracked))
}

// UntrackedMissed says that a trial of the checkout misses an untracked file, which is no part of it; "" = it misses none. Then
// the failure is mostly not the one that the user sees there.
func UntrackedMissed(ctx context.Context, s *settings.Search, repo *git.Repo, v trial.Verdict) string {
	untracked, err := repo.Untracked(ctx)
	if err != nil || len(untracked) == 0 || v.Outcome == isolate.Pass {
		return "" // it is but a hint
	}
	said := missed{}
	said.read(v, missed.add)
	for _, p := range untracked {
		p = strings.TrimSuffix(p, "/")
		if line := said.line(repo, p); line != "" && !Brings(s, repo, p) {
			return fmt.Sprintf("%s is untracked, and so no part of %s, whose failure misses it (%s): `git add -N %s` makes it a part of that", prose.Printable(p), git.Worktree, prose.Quote(prose.Brief(line)), prose.Words([]string{FromHere(repo, p)}))
		}
	}
	return ""
}

// addOne is how the first of some untracked files becomes a part of the checkout.
func addOne(untracked []string) string {
	return "`git add -N " + prose.Words(untracked[:1]) + "` makes one a part of it"
}

// Uncommitted says what the checkout has beside good and bad, which have the same content, and how to test
// that, if it may be meant; else what is "".
func Uncommitted(ctx context.Context, s *settings.Search, repo *git.Repo, good, bad git.Revision) (what, hint string) {
	if good.Tree != bad.Tree || repo.Top() == "" {
		return "", ""
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil || head.Tree != bad.Tree {
		return "", ""
	}
	edited, err := repo.EditedPaths(ctx, nil)
	if err != nil || len(edited) == 0 {
		return "", "" // it is but a hint
	}
	untracked, err := repo.Untracked(ctx)
	if err != nil {
		return "", ""
	}
	if s.Good == git.Worktree || s.Bad == git.Worktree {
		if len(untracked) == 0 {
			return "", ""
		}
		return fmt.Sprintf("the checkout has untracked files (%s), which are no part of %s", First(untracked), git.Worktree), addOne(untracked)
	}
	hint = "`gitdd run --good " + prose.Words([]string{s.Good}) + " --bad " + git.Worktree + " -- " + prose.Words(s.Command) + "` tests the checkout with them"
	if len(untracked) > 0 {
		hint += ", but for untracked files, of which " + addOne(untracked)
	}
	return fmt.Sprintf("the checkout has uncommitted changes (%s), which are in neither: trials have committed files only", First(edited)), hint
}
