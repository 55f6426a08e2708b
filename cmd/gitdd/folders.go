package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

// betweenFolders: a session is one of a search between two folders.
func betweenFolders(h trial.Header) bool {
	if isReduction(h) {
		return false
	}
	s, err := settings.OfSearch(h)
	return err == nil && s.GoodDir != ""
}

// storeFolders begins a session of a gitdd command for two folders, and returns it with the repository that it has of them. As
// the folders need not be in a repository, the session is one of the directory that it is begun in, as those of reductions are.
func (a *app) storeFolders(ctx context.Context, command string, s settings.Search) (repo *git.Repo, session *trial.Session, err error) {
	root, err := trial.InputRoot(".")
	if err != nil {
		return nil, nil, err
	}
	header, err := a.header(command, s.Words(), s.Command)
	if err != nil {
		return nil, nil, err
	}
	session, err = trial.CreateSessionWith(root, header, func(dir string, h *trial.Header) (err error) {
		repo, h.Good, h.Bad, err = folders.Store(ctx, filepath.Join(dir, trial.FoldersDir), s.GoodDir, s.BadDir, a.storing())
		return err
	})
	if err != nil && repo != nil {
		repo.Close()
	}
	return repo, session, err
}

// runFolders is run for two folders.
func (a *app) runFolders(ctx context.Context, s settings.Search, o forms.Files) error {
	repo, session, err := a.storeFolders(ctx, s.Bisect.Command(), s)
	if err != nil {
		return err
	}
	defer repo.Close()
	defer session.Close()
	set, err := settings.Between(ctx, repo, session.Header().Good, session.Header().Bad, s.Paths)
	if err != nil {
		return errors.Join(err, session.Discard())
	}
	return a.isolate(ctx, repo, session, set, s, o)
}

// storing tells the user how folders are stored.
func (a *app) storing() folders.Options {
	return folders.Options{
		Note:     a.hint,
		Progress: func(text string) { fmt.Fprintf(a.aside(), "gitdd: %s\n", prose.Printable(text)) },
	}
}

// noWorkingTree is an error that says what gitdd does not do with an answer between folders or among several repositories,
// and what to do instead; nil = the session is another one.
func noWorkingTree(session *trial.Session, what string) error {
	list, in := combined(session.Header())
	if len(list) > 0 {
		return fmt.Errorf("session %s has searched several repositories, and gitdd %s: `gitdd checkout passing DIR` and `gitdd checkout failing DIR` write the files of an end of the answer to a new directory, `gitdd show --patch FILE` writes the cause as a patch; if all of that lies in %s, `git -C %s apply -R -p2 FILE` takes it off there", session.Name(), what, list[0].Name, list[0].Dir)
	}
	if len(in) > 0 {
		return fmt.Errorf("session %s has searched in %s, and gitdd %s: `gitdd show --patch FILE` writes the cause as a patch; session %s has the update itself", session.Name(), in[0].Name, what, in[0].Session)
	}
	if !betweenFolders(session.Header()) {
		return nil
	}
	return fmt.Errorf("session %s has searched between two folders, and gitdd %s: `gitdd checkout passing DIR` and `gitdd checkout failing DIR` write the files of an end of the answer to a new directory, `gitdd show --patch FILE` writes the cause as a patch", session.Name(), what)
}

// importFolders makes the session in a file, one between folders, one of the current directory, and returns its directory.
func importFolders(f *os.File) (dir string, err error) {
	root, err := trial.InputRoot(".")
	if err != nil {
		return "", err
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	return trial.Import(root, f, func(h *trial.Header) error {
		h.Dir, h.CommonDir = here, ""
		return nil
	})
}
