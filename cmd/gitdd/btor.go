package main

import "github.com/spf13/cobra"

func (a *app) btorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "btor",
		Short: "Graphs of bit-vectors and arrays in the format BTOR",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.btorGenerateCommand())
	return cmd
}
