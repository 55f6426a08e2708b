package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/tui"
)

func (a *app) btorPrintCommand() *cobra.Command {
	version := 3
	cmd := &cobra.Command{
		Use:   "print FILE",
		Short: "Check a BTOR file, and print it in its canonical form",
		Long: `Check a BTOR file of version 2, 3 or 4 and print it in its canonical form: only
nodes that a root needs, numbered from 1 on, operands before what they are
operands of; no comments. FILE - is standard input.

What is no BTOR is refused with its line, as solvers do, with status 2. Where
something is missing at the end of a line, the number is that of the next line,
as solvers count, and the message has the other. Operands that complement an
array are warned of: solvers read them, and break.`,
		Example: `  gitdd btor print bug.btor
  gitdd btor print --format-version 2 bug.btor >old.btor
  boolector -de bug.btor | gitdd btor print -`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, list []string) error {
			if version != 2 && version != 3 {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--format-version: gitdd writes versions 2 and 3")}
			}
			file, err := a.readGraph(cmd, list[0])
			if err != nil {
				return err
			}
			g := file.Graph.Canonical()
			switch dropped := len(file.Graph.Nodes) - len(g.Nodes); {
			case len(g.Nodes) == 0:
				a.complain(fmt.Errorf("note: there is no root, so nothing is left to print"))
			case dropped > 0:
				a.complain(fmt.Errorf("note: %d of %d nodes are left out: no root needs them", dropped, len(file.Graph.Nodes)))
			}
			text, err := btor.Write(g, version)
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if tui.IsTerminal(a.stdout) {
				text = shownLines(text) // symbols may be any bytes
			}
			_, err = a.stdout.Write(text)
			return err
		},
	}
	cmd.Flags().IntVar(&version, "format-version", version, "print format version `N`: 2 or 3")
	return cmd
}
