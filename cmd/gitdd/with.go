package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/combine"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// parts opens the repositories of --with. done closes them, also if there is an error.
func (a *app) parts(ctx context.Context, s *settings.Search) (parts []combine.Part, done func(), err error) {
	done = func() {
		for _, p := range parts {
			p.Repo.Close()
		}
	}
	for _, w := range s.Parts() {
		repo, err := git.OpenDir(ctx, w.Dir)
		if err != nil {
			return parts, done, fmt.Errorf("--with %s: %w", w.Name, err)
		}
		p := combine.Part{Name: w.Name, Path: w.Name, Repo: repo}
		parts = append(parts, p)
		for _, end := range []struct {
			rev string
			to  *git.Revision
		}{{w.Good, &p.Good}, {w.Bad, &p.Bad}} {
			if *end.to, err = repo.Resolve(ctx, end.rev); err != nil {
				if end.rev == git.Worktree {
					err = errors.New(git.Worktree + " is an end of this repository only: commit what is in that one")
				}
				return parts, done, fmt.Errorf("--with %s, in %s: %v", w.Name, w.Dir, err) // not %w: names of this repository do not help
			}
		}
		parts[len(parts)-1] = p
	}
	return parts, done, nil
}

// combined returns the other repositories of a session, as --with has named them, and the dependencies that its search has gone into.
func combined(h trial.Header) ([]settings.With, []settings.Inside) {
	if isReduction(h) {
		return nil, nil
	}
	s, err := settings.OfSearch(h)
	if err != nil {
		return nil, nil
	}
	return s.Parts(), s.Insides()
}

// whereParts names the directory that a path of combined revisions lies in, and the path there; ok is false for the
// repository that the search was begun in.
func whereParts(h trial.Header, path string) (dir, within string, ok bool) {
	list, _ := combined(h)
	for _, w := range list {
		if rest, ok := strings.CutPrefix(path, w.Name+"/"); ok {
			if !filepath.IsAbs(w.Dir) {
				w.Dir = filepath.Join(h.Dir, w.Dir)
			}
			return w.Dir, rest, true
		}
	}
	return "", path, false
}

// named lets a result name commits by the ids that they have in their repositories, in the place of those that combined
// revisions have.
func named(ctx context.Context, repo *git.Repo, h trial.Header, r *report.Result) error {
	of, err := combine.Origins(ctx, repo, h.Good, h.Bad)
	if err != nil {
		return err
	}
	combine.Rewrite(r, combine.Names(of))
	r.Good.Commit, r.Bad.Commit = "", "" // of the session alone
	if r.Apply != "" {
		r.Apply = report.NoFiles
	}
	return nil
}
