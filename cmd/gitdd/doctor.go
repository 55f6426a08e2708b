package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/internal/doctor"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) doctorCommand() *cobra.Command {
	s := settings.Default() // as far as it has no flags for them
	s.Good = s.Bad
	var file string
	cmd := &cobra.Command{
		Use:        "doctor [--remote URL | --slurm] [flags] [-- COMMAND [ARG...]]",
		Short:      "Check what a run needs: git, disk, processes, the machines",
		SuggestFor: []string{"check", "diagnose"},
		Long: `Look at all that gitdd run needs, here and on the machines that --remote or
--slurm names, and say what to do where something is in its way: git and the
repository, places and room for workspaces, locks, clocks, processes, and what
the cluster can do. Commands that pass and that fail are tried in workspaces of
HEAD; so is COMMAND, and if there is a cluster its outcome there is compared.
Nothing of this stays. Exit status: 0 if all is well, 4 if something is not.`,
		Example: `  gitdd doctor
  gitdd doctor -j 4 -- make test`,
		Args: cli.Args(func(cmd *cobra.Command, list []string) error {
			if len(list) == 0 { // the command may be left out
				return nil
			}
			return a.commandAfterDash(cmd, list)
		}),
		RunE: func(cmd *cobra.Command, command []string) error {
			s.Command, s.Machines.Version = command, released()
			if err := s.Check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.doctor(cmd.Context(), &s, file)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	s.JobsFlag(flags)
	flags.Lookup("jobs").Usage = "look whether `N` trials at a time would do; 0 is one for each processor"
	flags.StringVar(&s.WorkspaceRoot, "workspace-root", "", "look at `DIR` as a place for workspaces")
	s.Machines.Flags(flags)
	flags.StringVar(&file, "json", "", "write what was found as JSON to `FILE` (- for standard output)")
	return cmd
}

// errSick says that something was found, and has been printed.
var errSick = errors.New("something is in the way of a run")

// doctor examines everything, prints what is found, and writes it as JSON to a file.
func (a *app) doctor(ctx context.Context, s *settings.Search, file string) error {
	out := a.stdout
	if file == "-" {
		out = io.Discard
	}
	width := min(tui.Width(a.stdout), 80)
	report, err := doctor.Examine(ctx, doctor.Options{
		Command: s.Command, Jobs: s.Jobs, WorkspaceRoot: s.WorkspaceRoot, Version: released(), Named: a.named,
		Cluster: a.examined(s, out),
		Begin: func(ctx context.Context, repo *git.Repo, at git.Revision, command []string) (trial.Options, error) {
			s := *s
			s.Command, s.Jobs = command, 1
			session, err := a.begin(ctx, repo, at, at, s)
			if err != nil {
				return trial.Options{}, err
			}
			return s.Trials(repo, session, nil, nil), nil
		},
		Found: func(f doctor.Finding) { io.WriteString(out, f.Text(width)) },
	})
	if err != nil {
		return err
	}
	last := "all is well: `gitdd run` can begin"
	if !report.OK {
		last = fmt.Sprintf("%s, see what to do above", prose.Count(report.Troubles(), "trouble"))
	}
	fmt.Fprintf(out, "\n%s\n", a.named(last))
	if file != "" {
		err = a.out(nil).File(file, report.JSON)
	}
	if err == nil && !report.OK {
		err = errSick
	}
	return err
}

// examined is the cluster that the settings name, if any: when it is looked at, out is
// told which one it is.
func (a *app) examined(s *settings.Search, out io.Writer) *doctor.Cluster {
	if !s.Machines.Named() {
		return nil
	}
	return &doctor.Cluster{
		Name: strings.TrimPrefix(s.Machines.Flag(), "--"), Shared: s.Shared,
		Look: func(ctx context.Context) []trial.Finding {
			fmt.Fprintf(out, "\nOn %s:\n", prose.Printable(s.Machines.Report(nil).String()))
			return s.Machines.Findings(ctx, s.Jobs)
		},
		Connect: func(ctx context.Context) (func(*trial.Options), func(), error) {
			c, err := cluster.Connect(ctx, s.Machines.Options, s.Jobs, "doctor")
			return c.Set, c.Close, err
		},
	}
}
