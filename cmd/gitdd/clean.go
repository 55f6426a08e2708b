package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) cleanCommand() *cobra.Command {
	var how trial.Cleaning
	all := false
	cmd := &cobra.Command{
		Use:        "clean [--dry-run] [--workspaces | --all] [SESSION...]",
		Short:      "Remove this repository's sessions and their workspaces",
		SuggestFor: []string{"reset", "prune", "remove"},
		Long: `Remove the sessions of this repository, and those of gitdd reduce and between
folders that were begun in this directory, with their journals, outputs,
workspaces (those below a --workspace-root too) and temporary directories.
Nothing else is touched: not a file that gitdd has not made, not a session in
which a gitdd is running. What was reduced stays. Where sessions are named, only
these are removed.

A search by hand that waits for your judgement stays, too, as nothing but you
could make it again: --all removes it, and so does its name.`,
		Example: `  gitdd clean --dry-run
  gitdd clean`,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			if all && (how.Workspaces || len(names) > 0) {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--all removes all sessions: want it without --workspaces, and without the name of a SESSION")}
			}
			if err := a.only(cmd.Context(), names, &how); err != nil {
				return err
			}
			inputs, err := trial.InputRoot(a.here())
			if err != nil {
				return err
			}
			_, noInputs := os.Stat(inputs)
			if !how.DryRun {
				a.recall(cmd.Context(), inputs, how)
			}
			repo, err := a.open(cmd.Context())
			if errors.As(err, new(*git.OutsideError)) && noInputs != nil && len(names) == 0 {
				fmt.Fprintln(a.aside(), "gitdd: nothing to remove: this directory is not in a git repository, and no `gitdd reduce` and no search between folders was begun here")
				return nil
			}
			if err != nil && noInputs != nil {
				return err
			}
			if err != nil { // not in a repository
				done, err := trial.Clean(cmd.Context(), inputs, how)
				a.cleaned(done, how)
				return err
			}
			defer repo.Close()
			root, err := trial.Root(repo)
			if err != nil {
				return err
			}
			if !all && !how.Workspaces && len(names) == 0 {
				if how.Keep, err = toJudge(root); err != nil {
					return err
				}
			}
			if !how.DryRun {
				a.recall(cmd.Context(), root, how)
			}
			done, err := trial.Clean(cmd.Context(), root, how)
			also, errInputs := trial.Clean(cmd.Context(), inputs, how)
			done.Sessions = append(done.Sessions, also.Sessions...)
			a.cleaned(done, how)
			return errors.Join(err, errInputs)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVarP(&how.DryRun, "dry-run", "n", false, "remove nothing, and list what would go")
	cmd.Flags().BoolVar(&all, "all", false, "remove searches that wait for your judgement, too")
	cmd.Flags().BoolVar(&how.Workspaces, "workspaces", false, "remove only workspaces and temporary files that a killed gitdd has left")
	return cmd
}

// toJudge are the names of the sessions below root that wait for the judgement of a person.
func toJudge(root string) (names []string, err error) {
	all, err := trial.Sessions(root)
	for _, s := range all {
		if state := stateOf(s); byhand.Is(s.Header) && (state == stateToJudge || state == string(report.Budget) || state == string(report.Interrupted)) {
			names = append(names, s.Name)
		}
	}
	return names, err
}

// only limits a cleaning to the sessions that some names mean; no name means all.
func (a *app) only(ctx context.Context, names []string, how *trial.Cleaning) error {
	for _, name := range names {
		found, err := a.find(ctx, []string{name})
		if err != nil {
			return err
		}
		how.Sessions = append(how.Sessions, found.Name)
	}
	return nil
}

// recall cancels what killed processes have left in Slurm. Where that cannot be asked,
// the sessions go all the same: their jobs end by themselves.
func (a *app) recall(ctx context.Context, root string, how trial.Cleaning) {
	all, err := trial.Sessions(root)
	if err != nil {
		return // Clean says so
	}
	for _, one := range all {
		if one.State != trial.StateInterrupted || how.Sessions != nil && !slices.Contains(how.Sessions, one.Name) {
			continue
		}
		machines, err := machinesOf(one.Header)
		if err != nil {
			continue
		}
		n, err := machines.Recall(ctx, one.Name)
		if err != nil {
			a.complain(fmt.Errorf("jobs of session %s: %w", one.Name, err))
		} else if n > 0 {
			fmt.Fprintf(a.aside(), "gitdd: cancelled %s of session %s\n", prose.Count(n, "job"), one.Name)
		}
	}
}

// machinesOf are those on which the trials of a session ran.
func machinesOf(h trial.Header) (settings.Machines, error) {
	if isReduction(h) {
		s, err := settings.OfReduction(h)
		return s.Machines, err
	}
	s, err := settings.OfSearch(h)
	return s.Machines, err
}

// cleaned says what went: on standard error, and what would go on standard
// output, for then it was asked for.
func (a *app) cleaned(done trial.Cleaned, how trial.Cleaning) {
	out, begin, removed := a.aside(), "gitdd: ", "removed"
	if how.DryRun {
		out, begin, removed = a.stdout, "", "would remove"
	}
	what := "session"
	if how.Workspaces {
		what = "the workspaces of session"
	}
	if n := len(how.Keep); n > 0 {
		waiting := "1 search waits for your judgement and stays"
		if n > 1 {
			waiting = prose.Number(n) + " searches wait for your judgement and stay"
		}
		a.hint(waiting + ", " + strings.Join(how.Keep, ", ") + ": `gitdd clean SESSION` removes one, `gitdd clean --all` all")
	}
	for _, s := range done.Sessions {
		if s.Holder != "" {
			fmt.Fprintf(a.stderr, "gitdd: session %s is in use by %s and stays\n", s.Name, s.Holder)
			continue
		}
		fmt.Fprintf(out, "%s%s %s %s (%s)%s\n", begin, removed, what, s.Name, prose.Size(s.Bytes), with(s.Places))
	}
}

// with names the directories of a session that are not in its own.
func with(places []string) string {
	if len(places) == 0 {
		return ""
	}
	return ", with " + prose.Printable(strings.Join(places, " and "))
}
