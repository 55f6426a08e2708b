package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "list",
		Short:      "List this repository's sessions, oldest first",
		SuggestFor: []string{"status", "sessions"},
		Long: `List the sessions of this repository, and those of gitdd reduce that were begun
in this directory, oldest first. A reduction has its input under BAD. Those in
the state budget or interrupted can go on: gitdd resume SESSION.`,
		Example: "  gitdd list",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.all(cmd.Context())
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(a.aside(), "gitdd: this repository has no sessions yet; `gitdd run` begins one")
				return nil
			}
			var text bytes.Buffer
			table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "SESSION\tSTATE\tTRIALS\tSIZE\tGOOD\tBAD\tCOMMAND")
			for _, s := range all {
				good, bad := s.Header.Good.Rev, s.Header.Bad.Rev
				if isReduction(s.Header) {
					good, bad = "", inputOf(s.Header)
				}
				fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", s.Name, stateOf(s), s.Trials, prose.Size(trial.Size(s.Dir)),
					prose.Printable(good), prose.Printable(bad), prose.Printable(prose.Words(s.Header.Command)))
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
	status, err := statusOf(text)
	switch {
	case err != nil:
		return string(trial.StateDamaged)
	case status == report.Budget || status == report.Interrupted:
		return string(status)
	}
	return string(s.State)
}

// statusOf reads the status of a result of either kind.
func statusOf(text []byte) (report.Status, error) {
	if report.SchemaOf(text) == report.ReductionSchema {
		r, err := report.ReadReduction(bytes.NewReader(text))
		return r.Status, err
	}
	if report.SchemaOf(text) == report.ResultsSchema {
		r, err := report.ReadResults(bytes.NewReader(text))
		return r.Status, err
	}
	r, err := report.ReadJSON(bytes.NewReader(text))
	return r.Status, err
}

// inputOf names the input of a reduction.
func inputOf(h trial.Header) string {
	s, err := settings.OfReduction(h)
	if err != nil {
		return ""
	}
	return strings.Join(s.Paths, " ")
}
