package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/settings"
)

func (a *app) goCommand() *cobra.Command {
	var by settings.Search
	var o forms.Files
	cmd := &cobra.Command{
		Use:   "go [SESSION] [flags] -- COMMAND [ARG...]",
		Short: "Let a command judge from now on in a search by hand",
		Long: `Let a command judge from now on in the newest search by hand, or in SESSION, as
in gitdd run. What was judged by hand stays. Both ends are tested, so that
COMMAND is known to tell them apart. After an interrupt, gitdd next goes on by
hand. What the command said is taken back by gitdd undo.`,
		Example: `  gitdd go -- make test
  gitdd go --build 'make -s' -- ./check.sh`,
		Args: cli.Args(func(cmd *cobra.Command, list []string) error {
			if dash := cmd.ArgsLenAtDash(); dash == 1 && len(list) > 1 && a.noPartition(list[:1]) == nil {
				return nil // it has a session
			}
			return a.commandAfterDash(cmd, list)
		}),
		ValidArgsFunction: func(cmd *cobra.Command, list []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if slices.Contains(a.line, "--") {
				return nil, cobra.ShellCompDirectiveDefault // of the command
			}
			return a.completeSession(cmd, list, word)
		},
		RunE: func(cmd *cobra.Command, list []string) error {
			names := list[:cmd.ArgsLenAtDash()]
			by.Command = list[len(names):]
			if err := o.CheckOne(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := o.Absolute(); err != nil {
				return err
			}
			if err := a.openEvents(o.Events); err != nil {
				return err
			}
			h, err := a.openByHand(cmd.Context(), names, anyMoment)
			if err != nil {
				return err
			}
			defer h.Close()
			s, err := h.Settings.Judging(by)
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			a.manual = nil
			err = a.isolate(cmd.Context(), h.Repo, h.Session, h.Set, s, o)
			if err == nil {
				err = h.End()
			}
			return err
		},
	}
	by.GoFlags(cmd.Flags())
	cmd.Flags().SortFlags = false
	o.OneFlags(cmd.Flags())
	o.EventsFlag(cmd.Flags())
	return cmd
}
