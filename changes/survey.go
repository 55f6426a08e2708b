package changes

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/internal/git"
)

// A few kilobytes of trees may name more files than any disk holds: ten trees of
// ten entries, each of which is the next one. And they may be nested deeper than
// any path can be written. Both are refused before git is asked to compare them or
// to check them out.
const (
	maxFiles = 50_000_000 // ten times the largest known repository
	maxDepth = 2048       // git's default of core.maxTreeDepth
)

// A survey counts what trees hold; each tree object is read once.
type survey struct {
	repo  *git.Repo
	seen  map[git.ID]extent
	pairs map[[2]git.ID]extent // of what they do not share
}

type extent struct {
	files, depth int // depth is 1 for a tree without trees
}

// checkExtent refuses good and bad if they are too large; with part, only what
// differs between them counts. A clone that fetches missing trees one by one is
// left to git.
func checkExtent(ctx context.Context, repo *git.Repo, good, bad git.Revision, part bool) error {
	if repo.IsPartial() {
		return nil
	}
	s := survey{repo: repo, seen: make(map[git.ID]extent), pairs: make(map[[2]git.ID]extent)}
	if part {
		if _, err := s.differing(ctx, good.Tree, bad.Tree, 0); err != nil {
			return fmt.Errorf("the trees of %s and %s: %w", good.Rev, bad.Rev, err)
		}
		return nil
	}
	for _, r := range []git.Revision{good, bad} {
		if _, err := s.of(ctx, r.Tree, 0); err != nil {
			return fmt.Errorf("the tree of %s: %w", r.Rev, err)
		}
	}
	return nil
}

// of returns the extent of a tree that lies at a depth.
func (s *survey) of(ctx context.Context, id git.ID, at int) (extent, error) {
	e, ok := s.seen[id]
	if !ok {
		// Not only afterwards: this function calls itself.
		if at >= maxDepth {
			return e, tooDeep()
		}
		entries, err := s.repo.Tree(ctx, id)
		if err != nil {
			return e, err
		}
		e.depth = 1
		for _, entry := range entries {
			if entry.Mode != git.Directory {
				e.files++
				continue
			}
			inner, err := s.of(ctx, entry.ID, at+1)
			if err != nil {
				return e, err
			}
			e.add(inner)
		}
		s.seen[id] = e
	}
	return e, e.check(at)
}

// add makes e hold a directory of that extent too.
func (e *extent) add(inner extent) {
	e.files = min(e.files+inner.files, maxFiles+1)
	e.depth = max(e.depth, inner.depth+1)
}

// check refuses a tree of that extent at a depth.
func (e extent) check(at int) error {
	switch {
	case e.files > maxFiles:
		return refuse("more than %d files: no disk should hold them", maxFiles)
	case at+e.depth > maxDepth:
		return tooDeep()
	}
	return nil
}

func tooDeep() error {
	return refuse("directories nested more than %d deep: git would not check them out", maxDepth)
}

// differing returns the extent of what two trees at one depth do not share.
func (s *survey) differing(ctx context.Context, old, new git.ID, at int) (extent, error) {
	if old == new {
		return extent{depth: 1}, nil
	}
	pair := [2]git.ID{old, new}
	e, ok := s.pairs[pair]
	if !ok {
		if at >= maxDepth {
			return e, tooDeep()
		}
		a, err := s.entries(ctx, old)
		if err != nil {
			return e, err
		}
		b, err := s.entries(ctx, new)
		if err != nil {
			return e, err
		}
		e.depth = 1
		for name, x := range a {
			y := b[name]
			inner, err := s.both(ctx, x, y, at+1)
			if err != nil {
				return e, err
			}
			e.add(inner)
		}
		for name, y := range b {
			if _, ok := a[name]; ok {
				continue
			}
			inner, err := s.both(ctx, git.Entry{}, y, at+1)
			if err != nil {
				return e, err
			}
			e.add(inner)
		}
		s.pairs[pair] = e
	}
	return e, e.check(at)
}

// both returns the extent of what two entries of one name do not share.
func (s *survey) both(ctx context.Context, x, y git.Entry, at int) (extent, error) {
	if x.Mode == git.Directory && y.Mode == git.Directory {
		return s.differing(ctx, x.ID, y.ID, at)
	}
	if x.ID == y.ID && x.Mode == y.Mode {
		return extent{}, nil
	}
	var sum extent
	for _, e := range []git.Entry{x, y} {
		one := extent{files: 1}
		if e.Mode == git.Directory {
			var err error
			if one, err = s.of(ctx, e.ID, at); err != nil {
				return sum, err
			}
		}
		sum = extent{sum.files + one.files, max(sum.depth, one.depth)}
	}
	return sum, nil
}

// entries returns the entries of a tree by name; of two with one name the last.
func (s *survey) entries(ctx context.Context, id git.ID) (map[string]git.Entry, error) {
	list, err := s.repo.Tree(ctx, id)
	entries := make(map[string]git.Entry, len(list))
	for _, e := range list {
		entries[e.Name] = e
	}
	return entries, err
}
