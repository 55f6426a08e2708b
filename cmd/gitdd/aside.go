package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// aside looks for the culprit beside a line on which several commits are left, or
// on a side whose tip cannot be judged: one after the other, what is only in the
// history of b.to, the best to halve it first. One that fails begins a line of its
// own. What cannot be judged anywhere stays among the suspects.
//
// Commits that touch the paths come first, then the others: git's simplification
// of history leaves out sides, and even b.to, by what the paths say alone.
func (w *narrowing) aside(ctx context.Context, b *bisection) error {
	h := w.history
	asked := map[git.ID]bool{}
	for _, c := range b.left {
		asked[c.ID] = true
	}
	// A commit that passed elsewhere may have what cannot be judged here behind it.
	for _, id := range slices.Sorted(maps.Keys(b.outcomes)) {
		if b.outcomes[id] == isolate.Pass && !slices.Contains(b.passed, id) {
			b.passed = append(b.passed, id)
		}
	}
	passed := slices.Concat(b.bounds, []git.ID{b.from.ID}, b.passed)
	paths, limit := h.known.paths, 0
	for tries := 0; ; tries++ {
		// Invariant: what is behind passed is no suspect, and b.to fails.
		middles, err := h.repo.Middles(ctx, b.to.ID, paths, passed...)
		if err != nil {
			return err
		}
		if tries == 0 {
			limit = commitLimit(len(middles))
		}
		next := slices.IndexFunc(middles, func(id git.ID) bool { return !asked[id] && !h.known.skipped[id] })
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
			passed, b.passed = append(passed, c.ID), append(b.passed, c.ID)
			if slices.Contains(b.to.Parents, c.ID) {
				b.from = c
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
	left, err := h.repo.Candidates(ctx, b.to.ID, nil, false, passed...)
	if err != nil {
		return err
	}
	slices.Reverse(left)
	b.left = left
	return nil
}
