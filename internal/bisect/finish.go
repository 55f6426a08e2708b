package bisect

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
)

// Finish writes the verdict of a search into the bisect that it took over, of the ends good and bad, and
// returns what the bisect says now. If no verdict was written, left says why.
func (t *State) Finish(ctx context.Context, repo *git.Repo, good, bad string, b *search.Bisection, isolated bool) (says, left string, err error) {
	was, err := t.Current(ctx, repo, good, bad)
	if err != nil {
		return "", "", err
	}
	switch {
	case !isolated || b == nil || !b.Narrowed():
		return "", "no commit was singled out", nil
	case b.Reversed:
		return "", "git does not look for what came before " + was.Old, nil
	}
	v := git.Verdict{Bad: b.To.ID}
	for _, id := range b.To.Parents {
		if o, ok := b.Outcomes[id]; ok && o == isolate.Pass {
			v.Goods = append(v.Goods, id)
		}
	}
	if len(b.Sides) == 0 && len(v.Goods) == 0 {
		v.Goods = append(v.Goods, b.From.ID)
	}
	v.Goods = append(v.Goods, b.Passed...)
	for _, c := range b.Left {
		if o, ok := b.Outcomes[c.ID]; ok && o == isolate.Unresolved {
			v.Skipped = append(v.Skipped, c.ID)
		}
	}
	possible, err := repo.FinishBisect(ctx, was, v)
	if err != nil {
		return "", "", fmt.Errorf("--finish: %w", err)
	}
	if len(possible) != 1 || possible[0].ID != b.To.ID {
		return fmt.Sprintf("the first %s commit is one of %d", was.New, len(possible)), "", nil
	}
	return fmt.Sprintf("%s is the first %s commit", b.To.ID.Short(), was.New), "", nil
}
