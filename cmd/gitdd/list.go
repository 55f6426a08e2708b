package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) listCommand() *cobra.Command {
	var export string
	cmd := &cobra.Command{
		Use:        "list [--export FILE [SESSION]]",
		Short:      "List this repository's sessions, oldest first",
		SuggestFor: []string{"status", "sessions"},
		Long: `List the sessions of this repository, and those of gitdd reduce and between
folders that were begun in this directory, oldest first. A reduction has its
input under BAD. Those in the state budget or interrupted can go on: gitdd
resume SESSION. One that is to be judged waits for you: see gitdd help by-hand.
With --export one session, the newest by default, is written to FILE with all
that was found: gitdd resume FILE goes on with it in another clone, or on
another machine.`,
		Example: `  gitdd list
  gitdd list --export search.gitdd`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(cmd *cobra.Command, list []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if export == "" {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeSession(cmd, list, word)
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			if export != "" {
				return a.export(cmd.Context(), names, export)
			}
			if len(names) > 0 {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("unexpected argument %q: all sessions are listed; --export FILE %s writes one to a file", names[0], names[0])}
			}
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
					prose.Printable(good), prose.Printable(bad), prose.Printable(commandOf(s.Header)))
			}
			if err := table.Flush(); err != nil {
				return err
			}
			return a.printTable(text.Bytes())
		},
	}
	cmd.Flags().StringVar(&export, "export", "", "write a session to `FILE` (- for standard output), for gitdd resume FILE elsewhere")
	return cmd
}

// commandOf is the command that judges in a session.
func commandOf(h trial.Header) string {
	if byhand.Is(h) {
		return "(by hand)"
	}
	return prose.Words(h.Command)
}

// stateToJudge is that of a session by hand that has no answer yet.
const stateToJudge = "to judge"

// stateOf says how far a session has come. One whose answer is not the last word
// is called by what ended it: gitdd resume goes on with it.
func stateOf(s trial.Summary) string {
	if s.State == trial.StateInterrupted && byhand.Is(s.Header) {
		return stateToJudge
	}
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
