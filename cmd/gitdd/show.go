package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/report"
)

func (a *app) showCommand() *cobra.Command {
	var o outputs
	cmd := &cobra.Command{
		Use:        "show [SESSION]",
		Short:      "Show the answer of a session again, the newest by default",
		SuggestFor: []string{"result", "report"},
		Example: `  gitdd show
  gitdd show --full
  gitdd show --patch cause.patch`,
		Args:              args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.check(); err != nil {
				return &usageError{cmd: cmd, err: err}
			}
			all, err := a.all(cmd.Context())
			if err != nil {
				return err
			}
			session, text, err := answered(all, names)
			if err != nil {
				return err
			}
			if isReduction(session.Header()) {
				if err := o.checkReduction(); err != nil {
					return &usageError{cmd: cmd, err: err}
				}
				return a.showReduced(cmd.Context(), session, text, o)
			}
			result, err := report.ReadJSON(bytes.NewReader(text))
			if err != nil {
				return err
			}
			return a.show(session, result, func() report.Story { return a.storyOf(session, result.Executed()) }, o)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}
