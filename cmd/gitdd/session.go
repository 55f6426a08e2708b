package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// sessions returns the sessions below some roots, oldest first. Names tell the
// second in which one began, its header the instant.
func sessions(roots []string) ([]trial.Summary, error) {
	var all []trial.Summary
	for _, root := range roots {
		some, err := trial.Sessions(root)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	second := func(s trial.Summary) string { return s.Name[:strings.LastIndexByte(s.Name, '-')+1] }
	slices.SortStableFunc(all, func(a, b trial.Summary) int {
		return cmp.Or(strings.Compare(second(a), second(b)), a.Header.Started.Compare(b.Header.Started))
	})
	return all, nil
}

// find returns the session that name means here: a whole name,
// the beginning or end of just one, or the newest session for none.
func (a *app) find(ctx context.Context, names []string) (trial.Summary, error) {
	all, err := a.all(ctx)
	if err != nil {
		return trial.Summary{}, err
	}
	return choose(all, names)
}

// all lists the sessions of the repository, and of the reductions that were begun
// in this directory, which need not be in one.
func (a *app) all(ctx context.Context) ([]trial.Summary, error) {
	inputs, err := trial.InputRoot(".")
	if err != nil {
		return nil, err
	}
	reductions, err := sessions([]string{inputs})
	if err != nil {
		return nil, err
	}
	repo, err := a.open(ctx)
	if err != nil && len(reductions) > 0 {
		return reductions, nil
	}
	if err != nil {
		return nil, fmt.Errorf("no `gitdd reduce` was begun here, and %w", err)
	}
	defer repo.Close()
	root, err := trial.Root(repo)
	if err != nil {
		return nil, err
	}
	return sessions([]string{root, inputs})
}

// isReduction: a session is one of gitdd reduce.
func isReduction(h trial.Header) bool { return h.Name == reductionName }

func choose(all []trial.Summary, names []string) (trial.Summary, error) {
	if len(all) == 0 {
		return trial.Summary{}, errors.New("this repository has no sessions yet; `gitdd run` begins one")
	}
	if len(names) == 0 {
		return all[len(all)-1], nil
	}
	var matching []trial.Summary
	for _, s := range all {
		if s.Name == names[0] {
			return s, nil
		}
		if strings.HasPrefix(s.Name, names[0]) || strings.HasSuffix(s.Name, names[0]) {
			matching = append(matching, s)
		}
	}
	switch len(matching) {
	case 1:
		return matching[0], nil
	case 0:
		return trial.Summary{}, fmt.Errorf("no session %q; `gitdd list` shows those there are", names[0])
	}
	return trial.Summary{}, fmt.Errorf("session %q could be %s or %s: name it longer", names[0], matching[0].Name, matching[1].Name)
}

// read opens a session of a search among changes for reading, with its result and its repository: the
// session that is named, or the newest that has a result.
func (a *app) read(ctx context.Context, names []string) (session *trial.Session, result report.Result, repo *git.Repo, err error) {
	all, err := a.all(ctx)
	if err != nil {
		return nil, result, nil, err
	}
	if len(names) == 0 {
		reductions := len(all)
		if all = slices.DeleteFunc(all, func(s trial.Summary) bool { return isReduction(s.Header) }); len(all) == 0 && reductions > 0 {
			return nil, result, nil, errors.New("all sessions here have reduced inputs: there are no changes to apply or to check out; `gitdd show` says where the newest answer is")
		}
	}
	session, text, err := answered(all, names)
	if err != nil {
		return nil, result, nil, err
	}
	if isReduction(session.Header()) {
		return nil, result, nil, fmt.Errorf("session %s has reduced an input: there are no changes to apply or to check out; `gitdd show` says where its answer is", session.Name())
	}
	if result, err = report.ReadJSON(bytes.NewReader(text)); err == nil {
		repo, err = a.openFor(ctx, session)
	}
	return session, result, repo, err
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
	found, err := choose(all, names)
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

// worktreeDir is where a session has the objects of the user's checkout, if it is an end.
const worktreeDir = "worktree"

// openFor opens the repository that the current directory lies in, with the objects that a
// session has of its own.
func (a *app) openFor(ctx context.Context, session *trial.Session) (*git.Repo, error) {
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
