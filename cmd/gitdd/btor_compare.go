package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/hunt"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) btorCompareCommand() *cobra.Command {
	var s solving
	cmd := &cobra.Command{
		Use:   "compare FILE [--against CMD]... -- COMMAND [ARG...]",
		Short: "Tell whether solvers give one answer to a graph",
		Long: `Run COMMAND and the commands of --against on a graph in BTOR, and print the
answer of each: sat by exit status 10, unsat by 20, or the one of these words
that is the first line of a command that exits with 0. Anything else is no
answer.

{} stands for the file in BTOR ({btor} too, which gitdd reduce leaves alone),
and {smt2} for its translation to SMT-LIB 2.

Exit status: 0 the answers agree, as far as there are any; 1 two of them differ,
and a line names these; 2 the file or the command line cannot be read. So it
serves gitdd reduce: what is left then makes the same two disagree.`,
		Example: `  gitdd btor compare a.btor --against 'z3 {smt2}' -- boolector {}
  gitdd reduce a.btor --same-output '^differ: .*' -- gitdd btor compare {} \
    --against 'z3 {smt2}' -- boolector {btor}`,
		Args: cli.Args(a.fileBeforeDash),
		RunE: func(cmd *cobra.Command, list []string) error {
			s.command = list[1:]
			// A file that is reduced stands in the command by its name already.
			if err := s.checkOn(list[0]); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if list[0] == "-" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("standard input is no file that solvers could read: name one")}
			}
			file, err := a.readGraph(cmd, list[0])
			if err != nil {
				return err
			}
			text, err := os.ReadFile(list[0])
			if err != nil {
				return err
			}
			stem := strings.TrimSuffix(filepath.Base(list[0]), filepath.Ext(list[0]))
			return a.compareSolvers(cmd.Context(), hunt.Case{Name: stem, Graph: file.Graph, Text: text}, s)
		},
	}
	cmd.Flags().SortFlags = false
	s.flags(cmd.Flags())
	return cmd
}

// fileBeforeDash wants one file before "--", and the command behind it.
func (a *app) fileBeforeDash(cmd *cobra.Command, list []string) error {
	if err := a.beforeDash(cmd, list, "file", "FILE"); err != nil {
		return err
	}
	if files := cmd.ArgsLenAtDash(); files > 1 {
		return fmt.Errorf("%d files before --: compare looks at one at a time", files)
	}
	return nil
}

// checkOn is check where the name of the file may stand in the commands, too.
func (s *solving) checkOn(file string) error {
	named := *s
	stands := func(text string) string { return strings.ReplaceAll(text, file, hunt.Here) }
	named.command, named.against = nil, nil
	for _, arg := range s.command {
		named.command = append(named.command, stands(arg))
	}
	for _, line := range s.against {
		named.against = append(named.against, stands(line))
	}
	return named.check()
}

// differLine is the signature of a disagreement: the line that names the two.
const differLine = "^differ: .*"

// errDiffer: what was printed says so.
var errDiffer = errors.New("the answers differ")

// compareSolvers runs the solvers on a file.
func (a *app) compareSolvers(ctx context.Context, c hunt.Case, s solving) error {
	start, err := filepath.Abs(cmp.Or(os.Getenv("GITDD_DIR"), ".")) // it may be a trial itself
	if err != nil {
		return err
	}
	commands := s.commands()
	solvers, done, err := hunt.TempSolvers(start, s.limits(), commands, btor.SMT2)
	if err != nil {
		return err
	}
	all, err := solvers.Run(ctx, 0, c)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	labels := hunt.Label(commands)
	answers := make([]hunt.Answer, len(all))
	columns := 0
	for i, x := range all {
		answers[i] = hunt.AnswerOf(x)
		columns = max(columns, len(labels[i]))
	}
	var page bytes.Buffer
	for i, x := range all {
		answer := string(answers[i])
		if answers[i] == hunt.Unknown {
			answer = "-"
		}
		fmt.Fprintf(&page, "%-*s  %-5s  %s, %s\n", columns, labels[i], answer, s.ended(x), inTime(x.Duration))
	}
	pair, differ := hunt.Differing(answers, labels)
	if differ {
		fmt.Fprintf(&page, "differ: %s\n", pair)
	}
	if _, err := a.stdout.Write(page.Bytes()); err != nil {
		return &outputError{err}
	}
	if differ {
		return errDiffer
	}
	return nil
}

// ended says how a command ended, with the first words of one that gave no answer.
func (s *solving) ended(x trial.Execution) string {
	f := hunt.Judge([]trial.Execution{x}, []int{0, 10, 20}, []string{""})
	if f.Class == hunt.Passed {
		f = hunt.Failure{Class: hunt.Exit, Exit: x.Exit}
	}
	text := f.String()
	if hunt.AnswerOf(x) == hunt.Unknown {
		if line := hunt.FirstLine(x); line != "" {
			text += ", " + prose.Quote(line)
		}
	}
	return text
}

// inTime is a time that is mostly short.
func inTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return prose.Duration(d)
}
