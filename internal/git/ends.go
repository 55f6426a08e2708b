package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
)

// ResolveEnd is Resolve for an end of a search. The word worktree means the user's checkout, unless the
// repository has a revision of that name. Such an end has no tree yet: IsWorktree recognizes it, and
// RecordEnds sets its commit and tree.
func (r *Repo) ResolveEnd(ctx context.Context, rev string) (Revision, error) {
	return r.resolveBut(ctx, rev, Worktree)
}

// resolveBut is Resolve, but for words that mean something else unless the repository has a revision of that name.
func (r *Repo) resolveBut(ctx context.Context, rev string, words ...string) (Revision, error) {
	end, err := r.Resolve(ctx, rev)
	if _, unknown := errors.AsType[*UnknownRevisionError](err); unknown && slices.Contains(words, rev) {
		return Revision{Rev: rev}, nil
	}
	return end, err
}

// IsWorktree reports whether a revision is the user's checkout, which is not recorded yet.
func (r Revision) IsWorktree() bool { return r.Rev == Worktree && r.Tree == "" }

// Auto names the good end of a search that has to find it.
const Auto = "auto"

// ResolveGood is ResolveEnd for the good end of a search. The word auto means the end that has to be found, unless
// the repository has a revision of that name.
func (r *Repo) ResolveGood(ctx context.Context, rev string) (Revision, error) {
	return r.resolveBut(ctx, rev, Worktree, Auto)
}

// IsAuto reports whether a revision is a good end that has to be found.
func (r Revision) IsAuto() bool { return r.Rev == Auto && r.Tree == "" }

// RecordEnds stores the user's checkout in dir where it is one of the ends, and lets r find its objects.
func (r *Repo) RecordEnds(ctx context.Context, dir string, when time.Time, ends ...*Revision) error {
	var recorded Revision
	for _, end := range ends {
		if !end.IsWorktree() {
			continue
		}
		if recorded.Tree == "" {
			store, err := r.NewScratch(dir)
			if err != nil {
				return err
			}
			if recorded, err = store.recordWorktree(ctx, when); err == nil {
				err = r.AddObjects(ctx, store)
			}
			if err != nil {
				return err
			}
		}
		*end = recorded
	}
	return nil
}

// AddRecorded lets r find the objects of the checkout that RecordEnds has stored in dir, if it has stored one.
func (r *Repo) AddRecorded(ctx context.Context, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	store, err := r.NewScratch(dir)
	if err != nil {
		return err
	}
	return r.AddObjects(ctx, store)
}
