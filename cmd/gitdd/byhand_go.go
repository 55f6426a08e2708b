package main

import (
	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/settings"
)

func (a *app) goCommand() *cobra.Command {
	var by settings.Search
	var o forms.Files
	cmd := &cobra.Command{
		Use:   "go [flags] -- COMMAND [ARG...]",
		Short: "Let a command judge from now on in a search by hand",
		Long: `Let a command judge from now on in the newest search by hand, as in gitdd run.
What was judged by hand stays. Both ends are tested, so that COMMAND is known to
tell them apart. After an interrupt, gitdd next goes on by hand. What the
command said is taken back by gitdd undo.`,
		Example: `  gitdd go -- make test
  gitdd go --build 'make -s' -- ./check.sh`,
		Args: cli.Args(a.commandAfterDash),
		RunE: func(cmd *cobra.Command, list []string) error {
			by.Command = list[cmd.ArgsLenAtDash():]
			if err := o.CheckSearch(false); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := o.Absolute(); err != nil {
				return err
			}
			h, err := a.openByHand(cmd.Context(), nil)
			if err != nil {
				return err
			}
			defer h.close()
			s, err := h.settings.Judging(by)
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			a.manual = nil
			err = a.isolate(cmd.Context(), h.repo, h.Session, h.set, s, o)
			if err == nil {
				h.state.Tree = ""
				err = h.state.Write(h.Session)
			}
			return err
		},
	}
	by.GoFlags(cmd.Flags())
	cmd.Flags().SortFlags = false
	o.Flags(cmd.Flags())
	return cmd
}
