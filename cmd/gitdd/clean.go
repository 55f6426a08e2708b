package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/trial"
)

func (a *app) cleanCommand() *cobra.Command {
	var workspaces bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove this repository's sessions and their workspaces",
		Long: `Remove the sessions of this repository, with their journals, outputs and
workspaces. A session in which a gitdd is running stays.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			repo, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer repo.Close()
			root, err := trial.Root(repo)
			if err != nil {
				return err
			}
			cleaned, err := trial.Clean(cmd.Context(), repo, root, !workspaces)
			what := "removed"
			if workspaces {
				what = "removed the workspaces of"
			}
			for _, name := range cleaned {
				fmt.Fprintf(a.stderr, "gitdd: %s session %s\n", what, name)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&workspaces, "workspaces", false, "remove only workspaces that a killed gitdd has left")
	return cmd
}
