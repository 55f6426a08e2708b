package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// setGitlinks makes the workspace's index name the submodule commits that the shown
// configuration has. Nothing else shows a pin: the directory is empty, and `git
// submodule update --init` in a build or setup reads the index.
func (w *Workspace) setGitlinks(ctx context.Context) error {
	for _, p := range slices.Sorted(maps.Keys(w.tracked)) {
		t := w.tracked[p]
		id := git.ID("")
		if t.holds.mode == git.Gitlink {
			id = t.holds.id
		}
		had, moved := w.gitlinks[p]
		if !moved && t.base.mode == git.Gitlink && !t.fixed {
			had = t.base.id
		}
		if id == had {
			continue
		}
		if id != "" && strings.Trim(string(id), "0") == "" {
			return &unfitError{p, errors.New("it is a submodule that is pinned at no commit, which git's index does not take")}
		}
		args := []string{"update-index", "--force-remove", "--", p}
		if id != "" {
			args = []string{"update-index", "--add", "--replace", "--cacheinfo", fmt.Sprintf("%o,%s,%s", git.Gitlink, id, p)}
		}
		if _, err := w.tree.Git(ctx, args...); err != nil {
			return fmt.Errorf("pin submodule %q: %w", p, err)
		}
		w.gitlinks[p] = id
	}
	return nil
}
