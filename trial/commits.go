package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// Commits returns the test of a line of commits, for isolate.Search: element i
// is the step from line[i] to line[i+1], so the first k elements are line[k],
// whose own tree is tested as it is. Other sets of elements are unresolved.
// Outcomes are true ones, and remembered by tree together with all others.
//
// good is the revision that workspaces are checked out at, that of Ends.
func (r *Runner) Commits(good git.Revision, line []git.Commit) isolate.Test {
	return func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		k := c.Len()
		if c.N() != len(line)-1 {
			return isolate.Unresolved, fmt.Errorf("test commits: %d elements for a line of %d commits", c.N(), len(line))
		}
		if k > 0 && !c.Has(k-1) {
			return isolate.Unresolved, nil
		}
		q, err := r.commitQuestion(ctx, good, line, c)
		if err != nil {
			v, err := withoutTrial(err)
			return v.Outcome, err
		}
		v, err := r.answer(ctx, q)
		r.tell(&line[0], c, v)
		return v.Outcome, err
	}
}

// commitQuestion asks for a commit as the one end of a set that begins at good:
// so the workspace knows which files differ from what it was made with. Where
// nobody could check the commit out, there is a *noTrial error.
func (r *Runner) commitQuestion(ctx context.Context, good git.Revision, line []git.Commit, c isolate.Configuration) (question, error) {
	commit := line[c.Len()].ID
	var tree *changes.Tree
	set, err := r.whole.to(ctx, r.opts.Repo, good, commit)
	if err == nil {
		tree, err = set.Compose(isolate.Full(set.Len()).All())
	}
	if _, ok := errors.AsType[*changes.RefusedError](err); ok {
		err = &noTrial{err.Error()}
	}
	if err != nil {
		return question{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	q := question{
		set: set, round: r.round(&line[0]), config: c, commit: commit, tree: tree,
		purpose: Search, key: memoKey{tree: tree.ID, settings: r.key},
	}
	r.enter(q)
	return q, nil
}

// wholeSets are the differences from good to commits.
type wholeSets struct {
	mu   sync.Mutex
	sets map[git.ID]*changes.Set
}

// to returns the difference from good to a commit, and makes it if it is not there. Several may be made at once.
func (w *wholeSets) to(ctx context.Context, repo *git.Repo, good git.Revision, commit git.ID) (*changes.Set, error) {
	w.mu.Lock()
	set := w.sets[commit]
	w.mu.Unlock()
	if set != nil {
		return set, nil
	}
	from := good.Commit
	if from == "" {
		from = good.Tree
	}
	set, err := changes.Between(ctx, repo, string(from), string(commit), changes.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sets[commit] = set
	return set, nil
}

// round numbers what configurations are sets of, a *changes.Set or the begin of
// a line of commits, in the order of first use. r.mu is held.
func (r *Runner) round(of any) int {
	n, ok := r.rounds[of]
	if !ok {
		n = len(r.rounds)
		r.rounds[of] = n
	}
	return n
}
