package results

import (
	"context"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
)

// history returns what a result says of a bisection; nil if there was none.
func history(b *search.Bisection) *report.History {
	if b == nil || !b.Narrowed() {
		return nil
	}
	h := &report.History{
		Commits:  b.Commits,
		Tested:   b.Trials(),
		LastGood: string(b.From.ID),
		FirstBad: string(b.To.ID),

		FirstParents: b.FirstParents,
		Merges:       b.Merges,
	}
	if b.Reversed {
		h.LastGood, h.FirstBad = h.FirstBad, h.LastGood
	}
	for _, c := range b.Skipped {
		h.Skipped = append(h.Skipped, string(c.ID))
	}
	for _, c := range b.Left {
		h.Suspects = append(h.Suspects, described(c))
	}
	for _, id := range b.Sides {
		h.Sides = append(h.Sides, string(id))
	}
	return h
}

// unused returns Result.Unused: why the commits were not searched.
func unused(b *search.Bisection) string {
	if b == nil || b.Narrowed() {
		return ""
	}
	return b.Unused
}

// bases returns what a result says of the commits at which good and bad diverge.
func bases(b *search.Bisection) []report.Base {
	if b == nil {
		return nil
	}
	var list []report.Base
	for _, base := range b.Bases {
		list = append(list, report.Base{ID: string(base.Commit.ID), Subject: base.Commit.Subject, Good: string(base.Good), Outcome: base.Outcome.String()})
	}
	return list
}

// addSides adds to the history of a merge whose sides fail only together which changes of the cause each
// side brought. The changes must have been blamed on commits before.
func addSides(ctx context.Context, repo *git.Repo, found search.Answer, h *report.History) error {
	if h == nil || len(h.Sides) == 0 {
		return nil
	}
	for _, side := range found.Commits.Sides {
		commits, err := repo.Candidates(ctx, side, nil, false, found.Commits.From.ID)
		if err != nil {
			return err
		}
		on := map[git.ID]bool{}
		for _, c := range commits {
			on[c.ID] = true
		}
		ids := []string{}
		for i := range found.Result.Cause.All() {
			c := &found.Set.Changes[i]
			if len(c.Commits) > 0 && on[c.Commits[0].ID] {
				ids = append(ids, c.ID)
			}
		}
		h.SideChanges = append(h.SideChanges, ids)
	}
	return nil
}

func described(c git.Commit) report.Commit {
	return report.Commit{ID: string(c.ID), Subject: c.Subject, Author: c.Author, Date: c.Date.Format(time.RFC3339)}
}
