package search

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// sideBranches looks for the culprit beside a line on which several commits are left, or
// on a side whose tip cannot be judged: one after the other, what is only in the
// history of b.To, the best to halve it first. One that fails begins a line of its
// own. What cannot be judged anywhere stays among the suspects.
//
// Commits that touch the paths come first, then the others: git's simplification
// of history leaves out sides, and even b.To, by what the paths say alone.
func (w *searcher) sideBranches(ctx context.Context, b *Bisection) error {
	h := w.history
	asked := map[git.ID]bool{}
	for _, c := range b.Left {
		asked[c.ID] = true
	}
	// A commit that passed on another line may have in its history what cannot be judged on this one.
	for _, id := range slices.Sorted(maps.Keys(b.Outcomes)) {
		if b.Outcomes[id] == isolate.Pass && !slices.Contains(b.Passed, id) {
			b.Passed = append(b.Passed, id)
		}
	}
	passed := slices.Concat(b.bounds, []git.ID{b.From.ID}, b.Passed)
	paths, limit := h.known.Paths, 0
	for tries := 0; ; tries++ {
		// Invariant: what is in the histories of passed is no suspect, and b.To fails.
		middles, err := h.repo.Middles(ctx, b.To.ID, paths, passed...)
		if err != nil {
			return err
		}
		if tries == 0 {
			limit = commitLimit(len(middles))
		}
		next := slices.IndexFunc(middles, func(id git.ID) bool { return !asked[id] && !h.known.Skipped[id] })
		if next < 0 || tries == limit {
			if len(paths) == 0 {
				break
			}
			paths, tries = nil, -1
			continue
		}
		c, err := h.repo.CommitOf(ctx, middles[next])
		if err != nil {
			return err
		}
		asked[c.ID] = true
		o, err := w.try(ctx, b, c)
		if err != nil {
			return err
		}
		switch o {
		case isolate.Pass:
			passed, b.Passed = append(passed, c.ID), append(b.Passed, c.ID)
			if slices.Contains(b.To.Parents, c.ID) {
				b.From = c
			}
		case isolate.Fail:
			l, err := h.lineTo(ctx, c.ID, paths, passed...)
			if err != nil {
				return err
			}
			if l.foreign {
				continue
			}
			var ends *isolate.EndsError
			if err := w.culprit(ctx, b, l); !errors.As(err, &ends) {
				return err
			}
		}
	}
	left, err := h.repo.Candidates(ctx, b.To.ID, nil, false, passed...)
	if err != nil {
		return err
	}
	slices.Reverse(left)
	b.Left = left
	return nil
}
