package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/outfile"
)

func (a *app) btorSMT2Command() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "smt2 FILE",
		Short: "Print a BTOR file in SMT-LIB 2",
		Long: `Print what the roots of a BTOR file need in SMT-LIB 2.6, for solvers that read
no BTOR: one assertion in the logic QF_BV, or QF_ABV with arrays, that has the
answer of the graph. FILE - is standard input.

The N-th node of FILE is nN in it, a variable or array with a symbol is $SYMBOL,
between bars where SMT-LIB wants that, and with %XX for bytes that it has not.

Refused with status 2 are next and anext, which are no formula, and operands
that complement an array: what solvers make of those is no value.`,
		Example: `  gitdd btor smt2 bug.btor | z3 -in
  gitdd btor generate -s 7 | gitdd btor smt2 - -o seven.smt2`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, list []string) error {
			file, err := a.readGraph(cmd, list[0])
			if err != nil {
				return err
			}
			text, err := btor.SMT2(file.Graph)
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("%s: %w", outfile.Shown(list[0]), err)}
			}
			return a.writeFile(output, text)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "write to `FILE`, whole or not at all; - is standard output")
	return cmd
}
