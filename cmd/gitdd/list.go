package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List this repository's sessions, oldest first",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.all(cmd.Context())
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(a.stderr, "gitdd: no sessions in this repository yet")
				return nil
			}
			var text bytes.Buffer
			table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "SESSION\tSTATE\tTRIALS\tSIZE\tGOOD\tBAD\tCOMMAND")
			for _, s := range all {
				fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", s.Name, stateOf(s), s.Trials, report.Size(trial.Size(s.Dir)),
					printable(s.Header.Good.Rev), printable(s.Header.Bad.Rev), printable(strings.Join(s.Header.Command, " ")))
			}
			if err := table.Flush(); err != nil {
				return err
			}
			return a.printTable(text.Bytes())
		},
	}
}

// stateOf says how far a session has come. One whose answer is not the last word
// is called by what ended it: gitdd resume goes on with it.
func stateOf(s trial.Summary) string {
	if s.State != trial.StateFinished {
		return string(s.State)
	}
	session, err := trial.ReadSession(s.Dir)
	if err != nil {
		return string(trial.StateDamaged)
	}
	text, err := session.ReadResult()
	if err != nil {
		return string(trial.StateDamaged)
	}
	result, err := report.ReadJSON(bytes.NewReader(text))
	switch {
	case err != nil:
		return string(trial.StateDamaged)
	case result.Status == report.Budget || result.Status == report.Interrupted:
		return string(result.Status)
	}
	return string(s.State)
}
