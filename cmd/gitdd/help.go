package main

import (
	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
)

func (a *app) helpCommand(guides cli.Guides) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | GUIDE]",
		Short: "Explain a command, or show a guide",
		Long: `Explain a command as its --help does, or show one of the guides that gitdd help
lists. They are manual pages as well: gitdd-run(1), gitdd-outcomes(7).`,
		Example: `  gitdd help outcomes
  gitdd help btor hunt`,
		ValidArgsFunction: guides.Complete,
		RunE:              guides.Help,
	}
}

// headings stand before flags of the commands that make and judge trials.
var headings = map[string]string{
	"setup":      "How a trial is made",
	"match":      "Which outcome it has",
	"jobs":       "How the search goes",
	"max-trials": "When it ends",
	"remote":     "On which machines",
	"json":       "What is written",
}
