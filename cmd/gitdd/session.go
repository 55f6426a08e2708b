package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// sessions returns the sessions of this repository, oldest first. Names tell
// the second in which one began, its header the instant.
func sessions(repo *git.Repo) ([]trial.Summary, error) {
	root, err := trial.Root(repo)
	if err != nil {
		return nil, err
	}
	all, err := trial.Sessions(root)
	second := func(s trial.Summary) string { return s.Name[:strings.LastIndexByte(s.Name, '-')+1] }
	slices.SortStableFunc(all, func(a, b trial.Summary) int {
		return cmp.Or(strings.Compare(second(a), second(b)), a.Header.Started.Compare(b.Header.Started))
	})
	return all, err
}

// find returns the session that name means in this repository: a whole name,
// the beginning or end of just one, or the newest session for none.
func (a *app) find(ctx context.Context, names []string) (trial.Summary, error) {
	all, err := a.all(ctx)
	if err != nil {
		return trial.Summary{}, err
	}
	return choose(all, names)
}

// all opens the repository to list its sessions.
func (a *app) all(ctx context.Context) ([]trial.Summary, error) {
	repo, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	return sessions(repo)
}

func choose(all []trial.Summary, names []string) (trial.Summary, error) {
	if len(all) == 0 {
		return trial.Summary{}, errors.New("this repository has no sessions; begin one with gitdd run")
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
		return trial.Summary{}, fmt.Errorf("no session %q; gitdd list shows them", names[0])
	}
	return trial.Summary{}, fmt.Errorf("session %q could be %s or %s; name it longer", names[0], matching[0].Name, matching[1].Name)
}

// read opens a session for reading, with its result: the one that is named, or
// the newest that has a result.
func (a *app) read(ctx context.Context, names []string) (*trial.Session, report.Result, error) {
	none := report.Result{}
	all, err := a.all(ctx)
	if err != nil {
		return nil, none, err
	}
	if len(names) == 0 {
		answered := slices.DeleteFunc(slices.Clone(all), func(s trial.Summary) bool { return !s.HasResult })
		if len(answered) > 0 {
			all = answered
		}
	}
	found, err := choose(all, names)
	if err != nil {
		return nil, none, err
	}
	session, err := trial.ReadSession(found.Dir)
	if err != nil {
		return nil, none, err
	}
	text, err := session.ReadResult()
	switch {
	case errors.Is(err, fs.ErrNotExist) && found.State == trial.StateRunning:
		return nil, none, fmt.Errorf("session %s is still running; gitdd log shows its trials", session.Name())
	case errors.Is(err, fs.ErrNotExist):
		return nil, none, fmt.Errorf("session %s has no result yet; gitdd log shows its trials, gitdd resume goes on with it", session.Name())
	case err != nil:
		return nil, none, err
	}
	result, err := report.ReadJSON(bytes.NewReader(text))
	return session, result, err
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
		names = append(names, cobra.CompletionWithDesc(s.Name, printable(strings.Join(s.Header.Command, " "))))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
