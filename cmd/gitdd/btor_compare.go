package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
)

func (a *app) btorCompareCommand() *cobra.Command {
	var s hunt.Solving
	var place settings.MachineFiles
	cmd := &cobra.Command{
		Use:   "compare FILE [--against CMD]... -- COMMAND [ARG...]",
		Short: "Tell whether solvers give one answer to a graph",
		Long: `Run COMMAND and the commands of --against on a graph in BTOR, and print the
answer of each: sat by exit status 10, unsat by 20, or the one of these words
that is the first line of a command that exits with 0. Anything else is no
answer.

{} stands for the file in BTOR ({btor} too, which gitdd reduce leaves alone),
and {smt2} for its translation to SMT-LIB 2. With --remote or --slurm the
solvers run on a cluster, as those of gitdd btor hunt do.

Exit status: 0 the answers agree, as far as there are any; 1 two of them differ,
and a line names these; 2 the file or the command line cannot be read. So it
serves gitdd reduce: what is left then makes the same two disagree.`,
		Example: `  gitdd btor compare a.btor --against 'z3 {smt2}' -- boolector {}
  gitdd reduce a.btor --same-output '^differ: .*' -- gitdd btor compare {} \
    --against 'z3 {smt2}' -- boolector {btor}`,
		Args: cli.Args(a.fileBeforeDash),
		RunE: func(cmd *cobra.Command, list []string) error {
			s.Command = list[1:]
			err := checkPlace(cmd.Flags(), &s, &place)
			if err == nil {
				err = s.Check(list[0]) // a file that is reduced stands in the command by its name already
			}
			if err != nil {
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
			return a.compareSolvers(cmd.Context(), hunt.Case{Name: stem, Graph: file.Graph, Text: text}, s, &place)
		},
	}
	cmd.Flags().SortFlags = false
	solvingFlags(cmd.Flags(), &s)
	place.Flags(cmd.Flags())
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

// errDiffer: what was printed says so.
var errDiffer = errors.New("the answers differ")

// compareSolvers runs the solvers on a file, and says what each answered.
func (a *app) compareSolvers(ctx context.Context, c hunt.Case, s hunt.Solving, place *settings.MachineFiles) error {
	s.Start = os.Getenv("GITDD_DIR") // it may be a trial itself
	disconnect, err := connect(ctx, &s, place, 1, taskName("compare", strconv.Itoa(os.Getpid()), time.Now().String()))
	if err != nil {
		return err
	}
	defer disconnect()
	compared, err := hunt.Compare(ctx, s, c)
	if err != nil {
		return err
	}
	columns := 0
	for _, it := range compared.Solvers {
		columns = max(columns, len(it.Label))
	}
	var page bytes.Buffer
	for _, it := range compared.Solvers {
		fmt.Fprintf(&page, "%-*s  %-5s  %s, %s\n", columns, it.Label, cmp.Or(it.Answer, "-"), it.Ended, inTime(it.Duration))
	}
	if compared.Differ != "" {
		fmt.Fprintf(&page, "differ: %s\n", compared.Differ)
	}
	if _, err := a.stdout.Write(page.Bytes()); err != nil {
		return &outputError{Err: err}
	}
	if compared.Differ != "" {
		return errDiffer
	}
	return nil
}

// inTime is a time that is mostly short.
func inTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return prose.Duration(d)
}
