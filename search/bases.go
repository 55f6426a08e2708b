package search

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A Base is a commit at which the histories of a good commit and of bad diverge.
type Base struct {
	Commit  git.Commit
	Good    git.ID
	Outcome isolate.Outcome // as the test gave it, also where the search exchanges pass and fail
}

// bases tests the merge bases of bad and each good commit that is not in its history, as git bisect does
// first, and returns the good commits that bound the search. A base should have the outcome of its good
// commit. If the base of good itself has the outcome of bad, bases returns whole = true, and the whole
// difference is searched. If the base of another good commit has it, that commit is ignored. A base that
// cannot be judged counts as good.
func (w *searcher) bases(ctx context.Context, b *Bisection) (bounds []git.ID, whole bool, err error) {
	h := w.history
	left := map[git.ID]bool{}
	for _, a := range h.apart {
		for _, c := range a.bases {
			o, err := w.try(ctx, b, c)
			if err != nil {
				return nil, false, err
			}
			b.Bases = append(b.Bases, Base{c, a.good.ID, w.outside(o)})
			switch o {
			case isolate.Unresolved:
				w.note(fmt.Sprintf("commit %s, where %s and %s part, could not be judged: going on as if it were like %s, as git bisect does",
					c.ID.Short(), a.name, h.whole.Bad.Rev, a.name))
			case isolate.Fail:
				if a.good.ID == h.whole.Good.Commit {
					w.skipHistory(b, c.ID)
					return nil, true, nil
				}
				was := "the failure was there at %s already, where %s and %s part, and has been fixed between there and %s"
				if w.outside(o) == isolate.Pass {
					was = "the command passed at %s already, where %s and %s part, and has been broken between there and %s"
				}
				was = fmt.Sprintf(was, c.ID.Short(), a.name, h.whole.Bad.Rev, a.name)
				w.note(fmt.Sprintf("leaving %s aside: %s", a.name, was))
				left[a.good.ID] = true
			}
		}
	}
	for _, c := range h.known.Goods {
		if !left[c.ID] {
			bounds = append(bounds, c.ID)
		}
	}
	return bounds, false, nil
}
