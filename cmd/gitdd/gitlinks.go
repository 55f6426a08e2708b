package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// insideGitlinks says, for each submodule whose pin is in the cause, which command
// searches between the two commits inside it.
func (a *app) insideGitlinks(repo *git.Repo, found search.Answer) []string {
	var hints []string
	for i := range found.Result.Cause.All() {
		c := found.Set.Changes[i]
		if c.Kind != changes.Submodule {
			continue
		}
		dir, here := a.moduleDir(repo, c.Path)
		hint := fmt.Sprintf("the pin of %q is in the cause; this searches inside", c.Path)
		if !here {
			hint += fmt.Sprintf(", once `git submodule update --init %s` has checked it out", prose.Words([]string{c.Path}))
		}
		hint += fmt.Sprintf(":\ngitdd -C %s run --good %.12s --bad %.12s -- COMMAND", prose.Words([]string{dir}), c.OldBlob, c.NewBlob)
		hints = append(hints, hint)
	}
	return hints
}

// emptySubmodules says what may be missing where good does not pass, and has
// submodules, or where both ends pass, and these differ: in a workspace they are
// empty.
func (s *settings) emptySubmodules(ctx context.Context, repo *git.Repo, set *changes.Set, err error) string {
	var ends *trial.EndsError
	if s.submodules || !errors.As(err, &ends) {
		return ""
	}
	moved := func(c changes.Change) bool { return c.Kind == changes.Submodule }
	if ends.Good.Outcome == isolate.Pass && (ends.Bad.Outcome != isolate.Pass || !slices.ContainsFunc(set.Changes, moved)) {
		return ""
	}
	links, err := repo.Gitlinks(ctx, set.Good.Tree)
	if err != nil || len(links) == 0 {
		return "" // it is but a hint
	}
	paths := slices.Sorted(maps.Keys(links))
	const most = 3
	if len(paths) > most {
		paths = append(paths[:most], "...")
	}
	return fmt.Sprintf("the submodules are empty in a workspace (%s); --recurse-submodules fills them", strings.Join(paths, ", "))
}

// moveGitlinks returns the commands that check out what the cause pins submodules at:
// with revert what it did not yet. git apply does not touch them.
func (a *app) moveGitlinks(repo *git.Repo, result report.Result, revert bool) []string {
	var commands []string
	for _, c := range result.Cause {
		if c.Kind != changes.Submodule.String() {
			continue
		}
		dir, _ := a.moduleDir(repo, c.Path)
		to := c.NewBlob
		if revert {
			to = c.OldBlob
		}
		commands = append(commands, fmt.Sprintf("git -C %s checkout --detach %.12s", prose.Words([]string{dir}), to))
	}
	return commands
}

// moduleDir returns the user's checkout of a submodule as the user would name it,
// from the directory that gitdd was called in, and whether there is one.
func (a *app) moduleDir(repo *git.Repo, path string) (dir string, here bool) {
	dir = filepath.Join(repo.Top(), filepath.FromSlash(path))
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	here = repo.Top() != "" && err == nil
	// -C has brought this process elsewhere, and prefix is what led there.
	prefix := a.dir
	if filepath.IsAbs(prefix) {
		return dir, here
	}
	if now, err := os.Getwd(); err == nil {
		if real, err := filepath.EvalSymlinks(now); err == nil {
			now = real
		}
		if rel, err := filepath.Rel(now, dir); err == nil {
			dir = filepath.Join(prefix, rel)
		}
	}
	return dir, here
}
