package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// find returns the session that a name means here; see trial.Choose.
func (a *app) find(ctx context.Context, names []string) (trial.Summary, error) {
	all, err := a.all(ctx)
	if err != nil {
		return trial.Summary{}, err
	}
	return trial.Choose(all, names)
}

// earlier returns the name of a session that has to be named: it is not the newest of all, and commands that name none may
// mean another one. It is "" if it is the newest.
func earlier(all []trial.Summary, name string) string {
	if len(all) == 0 || all[len(all)-1].Name == name {
		return ""
	}
	return name
}

// findToRead is find, and reads the session.
func (a *app) findToRead(ctx context.Context, names []string) (*trial.Session, error) {
	found, err := a.find(ctx, names)
	if err != nil {
		return nil, err
	}
	return trial.ReadSession(found.Dir)
}

// all lists the sessions of the repository, and of the reductions and of the searches between folders that were
// begun in this directory, which need not be in one.
func (a *app) all(ctx context.Context) ([]trial.Summary, error) {
	inputs, err := trial.InputRoot(a.here())
	if err != nil {
		return nil, err
	}
	reductions, err := trial.Sessions(inputs)
	if err != nil {
		return nil, err
	}
	repo, err := a.open(ctx)
	if err != nil && len(reductions) > 0 {
		return reductions, nil
	}
	if err != nil {
		return nil, fmt.Errorf("no `gitdd reduce` and no search between folders was begun here, and %w", err)
	}
	defer repo.Close()
	root, err := trial.Root(repo)
	if err != nil {
		return nil, err
	}
	return trial.Sessions(root, inputs)
}

// isReduction: a session is one of gitdd reduce.
func isReduction(h trial.Header) bool { return h.Name == reductionName }

// read opens a session of a search among changes for reading, with its result and its repository: the
// session that is named, or the newest that has a result. Of a search for each test of a suite that is the session of
// the cause of a number, which has to be named if there are several; 0 = it is not.
func (a *app) read(ctx context.Context, names []string, cause int) (session *trial.Session, result report.Result, repo *git.Repo, err error) {
	all, err := a.all(ctx)
	if err != nil {
		return nil, result, nil, err
	}
	if len(names) == 0 {
		reductions := len(all)
		if all = slices.DeleteFunc(all, func(s trial.Summary) bool { return isReduction(s.Header) }); len(all) == 0 && reductions > 0 {
			return nil, result, nil, errors.New("all sessions here have reduced inputs: there are no changes to apply, to check out or to open; `gitdd show` says where the newest answer is")
		}
	}
	session, text, err := answered(all, names)
	if err != nil {
		return nil, result, nil, err
	}
	if isReduction(session.Header()) {
		return nil, result, nil, fmt.Errorf("session %s has reduced an input: there are no changes to apply, to check out or to open; `gitdd show` says where its answer is", session.Name())
	}
	of := session
	if report.SchemaOf(text) == report.ResultsSchema {
		var c report.Cause
		if c, err = causeOf(session, text, cause, "to apply, to check out or to open"); err == nil {
			result = c.Result
			of, err = sessionOf(session, c)
		}
	} else {
		result, err = resultOf(text, cause)
	}
	if err == nil {
		repo, err = a.openFor(ctx, session)
	}
	return of, result, repo, err
}

// answered opens one of some sessions for reading, with its result: the one that is
// named, or the newest that has a result.
func answered(all []trial.Summary, names []string) (*trial.Session, []byte, error) {
	if len(names) == 0 {
		answered := slices.DeleteFunc(slices.Clone(all), func(s trial.Summary) bool { return !s.HasResult })
		if len(answered) > 0 {
			all = answered
		}
	}
	found, err := trial.Choose(all, names)
	if err != nil {
		return nil, nil, err
	}
	session, err := trial.ReadSession(found.Dir)
	if err != nil {
		return nil, nil, err
	}
	text, err := session.ReadResult()
	switch {
	case errors.Is(err, fs.ErrNotExist) && found.State == trial.StateRunning:
		return nil, nil, fmt.Errorf("session %s is still running; `gitdd log` shows its trials", session.Name())
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("session %s has no result yet; `gitdd log` shows its trials, `gitdd resume` goes on with it", session.Name())
	case err != nil:
		return nil, nil, err
	}
	return session, text, nil
}

// completeSession lets shells complete a command's one argument.
func (a *app) completeSession(cmd *cobra.Command, list []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(list) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if err := os.Chdir(a.dir); err != nil { // completing, cobra runs nothing before
		return nil, cobra.ShellCompDirectiveError
	}
	all, err := a.all(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, s := range slices.Backward(all) {
		names = append(names, cobra.CompletionWithDesc(s.Name, prose.Printable(prose.Words(s.Header.Command))))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// worktreeDir is where a session has objects of its own: those of the user's checkout, if it is an end, and of revisions that
// are combined of several repositories.
const worktreeDir = "worktree"

// openFor opens the repository that the current directory lies in, with the objects that a
// session has of its own, or the one that a session between folders has.
func (a *app) openFor(ctx context.Context, session *trial.Session) (*git.Repo, error) {
	if betweenFolders(session.Header()) {
		return folders.Open(ctx, filepath.Join(session.Dir(), trial.FoldersDir), session.Header().Good, session.Header().Bad)
	}
	repo, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := repo.AddRecorded(ctx, filepath.Join(session.Dir(), worktreeDir)); err != nil {
		repo.Close()
		return nil, err
	}
	return repo, nil
}
