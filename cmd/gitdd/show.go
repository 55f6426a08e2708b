package main

import (
	"github.com/spf13/cobra"
)

func (a *app) showCommand() *cobra.Command {
	var o outputs
	cmd := &cobra.Command{
		Use:               "show [SESSION]",
		Short:             "Show the answer of a session again, the newest by default",
		Example:           "  gitdd show --patch cause.patch",
		Args:              args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.check(); err != nil {
				return &usageError{cmd: cmd, err: err}
			}
			session, result, err := a.read(cmd.Context(), names)
			if err != nil {
				return err
			}
			return a.show(session, result, o)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}
