package main

import (
	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/triallog"
)

func (a *app) logCommand() *cobra.Command {
	var number, cause int
	cmd := &cobra.Command{
		Use:        "log [SESSION]",
		Short:      "List the trials of a session, or print the output of one",
		SuggestFor: []string{"trials"},
		Long: `List the trials of a session with what was in each, its outcome and the reason,
or print one as the journal has it: what was tested, and all that it printed.
What --check rejected has a number, too, but was no trial.`,
		Example: `  gitdd log
  gitdd log --trial 7`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			session, err := a.findToRead(cmd.Context(), names)
			if err != nil {
				return err
			}
			if cause != 0 {
				if session, err = a.causeSession(session, cause); err != nil {
					return err
				}
			}
			reduced := isReduction(session.Header())
			s, errSettings := settings.OfReduction(session.Header())
			log := triallog.Log{Session: session, Inputs: reduced, Interesting: reduced && errSettings == nil && s.Interesting}
			if cmd.Flags().Changed("trial") {
				return log.Print(a.stdout, number)
			}
			table, err := log.Table()
			if err != nil {
				return err
			}
			return a.printTable(table)
		},
	}
	causeFlag(cmd, &cause)
	cmd.Flags().IntVar(&number, "trial", 0, "print what trial `N` printed")
	return cmd
}
