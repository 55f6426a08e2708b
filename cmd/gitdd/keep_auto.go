package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

// keepOn starts the search again in a new session, with the paths that keepMore has added to
// s.keep. It moves a recorded checkout to the new session and removes old, which has no result.
func (a *app) keepOn(ctx context.Context, repo *git.Repo, old *trial.Session, set *changes.Set, s settings.Search, o forms.Files) error {
	header := old.Header()
	header.Started, header.Args = a.now(), s.Words()
	session, err := trial.CreateSessionWith(filepath.Dir(old.Dir()), header, func(dir string, _ *trial.Header) error {
		recorded := filepath.Join(dir, worktreeDir)
		if err := os.Rename(filepath.Join(old.Dir(), worktreeDir), recorded); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return repo.AddRecorded(ctx, recorded)
	})
	if err = errors.Join(err, old.Discard()); err != nil {
		return err
	}
	defer session.Close()
	return a.isolate(ctx, repo, session, set, s, o)
}

// keepMore adds to s.keep, with --keep auto, what hints.Settings.Missing returns, and tells the user. It does not
// add files that may hold passwords, but names them in hints. ok is false if it added nothing.
func (a *app) keepMore(ctx context.Context, repo *git.Repo, s *settings.Search, err error) (ok bool) {
	if !slices.Contains(s.Keep, settings.KeepAuto) || !hints.Misses(err) {
		return false
	}
	for _, l := range s.Hints().Missing(ctx, repo, err) {
		if hints.IsSecret(l.Path) {
			continue
		}
		// As the user would name it from where he stands.
		name, err := filepath.Rel(filepath.FromSlash(path.Join("/", repo.Prefix())), filepath.FromSlash("/"+l.Path))
		if err != nil {
			continue
		}
		s.Keep = append(slices.Clone(s.Keep), name)
		fmt.Fprintf(a.aside(), "gitdd: --keep auto: keeping %s, which the output misses (%s)\n", prose.Printable(l.Path), prose.Quote(prose.Brief(l.Line)))
		ok = true
	}
	for _, p := range hints.NotTracked(ctx, repo) {
		if hints.IsSecret(p) && !s.Hints().Keeps(repo, p) {
			a.hint(fmt.Sprintf("%s lies here, and may hold passwords: --keep %s brings it along", p, prose.Words([]string{p})))
		}
	}
	return ok
}
