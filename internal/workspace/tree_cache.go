package workspace

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/internal/git"
)

// A treeCache looks paths up in trees, and reads each tree object once. Safe for
// concurrent use.
type treeCache struct {
	repo  *git.Repo
	mu    sync.Mutex
	trees map[git.ID]map[string]entry // by name
}

func newTreeCache(repo *git.Repo) *treeCache {
	return &treeCache{repo: repo, trees: map[git.ID]map[string]entry{}}
}

// entry returns what the tree has at a path; the zero entry when that is
// nothing, or a directory.
func (f *treeCache) entry(ctx context.Context, tree git.ID, path string) (entry, error) {
	rest := path
	for {
		level, err := f.level(ctx, tree)
		if err != nil {
			return entry{}, fmt.Errorf("look up %q: %w", path, err)
		}
		name, below, deeper := strings.Cut(rest, "/")
		e := level[name]
		switch {
		case !deeper && e.mode == git.Directory, deeper && e.mode != git.Directory:
			return entry{}, nil
		case !deeper:
			return e, nil
		}
		tree, rest = e.id, below
	}
}

func (f *treeCache) level(ctx context.Context, tree git.ID) (map[string]entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if level, ok := f.trees[tree]; ok {
		return level, nil
	}
	entries, err := f.repo.Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	level := make(map[string]entry, len(entries))
	for _, e := range entries {
		level[e.Name] = entry{e.Mode, e.ID}
	}
	f.trees[tree] = level
	return level, nil
}

// files returns the paths of all regular files of a tree that lie below a
// directory, "." being all.
func (f *treeCache) files(ctx context.Context, tree git.ID, dir string) ([]string, error) {
	prefix := ""
	if dir != "." {
		for name := range strings.SplitSeq(dir, "/") {
			level, err := f.level(ctx, tree)
			if err != nil {
				return nil, fmt.Errorf("look up %q: %w", dir, err)
			}
			e := level[name]
			if e.mode != git.Directory {
				return nil, nil
			}
			tree = e.id
		}
		prefix = dir + "/"
	}
	level, err := f.level(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", dir, err)
	}
	var paths []string
	for name, e := range level {
		switch {
		case e.mode == git.Directory:
			below, err := f.files(ctx, e.id, ".")
			if err != nil {
				return nil, err
			}
			for _, p := range below {
				paths = append(paths, prefix+name+"/"+p)
			}
		case e.mode.IsFile():
			paths = append(paths, prefix+name)
		}
	}
	return paths, nil
}
