package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/trial"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List this repository's sessions, oldest first",
		Args:  args(cobra.NoArgs),
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
			all, err := trial.Sessions(root)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(a.stderr, "gitdd: no sessions in this repository yet")
				return nil
			}
			table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "SESSION\tSTATE\tTRIALS\tGOOD\tBAD\tCOMMAND")
			for _, s := range all {
				fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", s.Name, s.State, s.Trials,
					printable(s.Header.Good.Rev), printable(s.Header.Bad.Rev), printable(strings.Join(s.Header.Command, " ")))
			}
			return table.Flush()
		},
	}
}
