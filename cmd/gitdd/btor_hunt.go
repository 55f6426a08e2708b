package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/tui"
)

func (a *app) btorHuntCommand() *cobra.Command {
	o := hunt.Options{Generator: btor.Defaults(), Version: released()}
	var place settings.MachineFiles
	cmd := &cobra.Command{
		Use:   "hunt [flags] -- COMMAND [ARG...]",
		Short: "Search for generated graphs that a solver fails on",
		Long: `Generate graphs for one seed after the other, run COMMAND on each, keep those
that it fails on, and reduce each of these at once. {} in an argument stands for
the file, {smt2} for its translation to SMT-LIB 2.

COMMAND fails when a signal kills it, or it catches one (exit 6, 7 or 11, or it
prints "CAUGHT SIGNAL"); when it prints "segmentation", "assertion" or "out of
memory" in any case; when it takes too long or too much memory; and when it
exits with another status than those of --good-exit. With --against it also
fails where another command gives another answer: exit 10 or 20, or "sat" or
"unsat" in its first line and exit 0. How those themselves fail is no finding.

The directory of the hunt holds the file of each finding (seed-N.btor), what the
command printed (.out, .err), what is left of the file (.reduced.btor) and a
manifest of all runs. The same command goes on where it was stopped, and runs
nothing twice. Findings that seem to have one reason are told together.

With --remote or --slurm the solvers run on a cluster (gitdd help remote), and
nothing else bounds their memory. Its machines get the file, each solver that
is named from here, as ./solver, and what --overlay names.

What generate draws by default is mostly satisfiable. To look for wrong answers,
hunt with --cnf --clauses 2, too: about half of that is.

Exit status: 0 there are findings, 1 there are none, 130 interrupted.`,
		Example: `  gitdd btor hunt -- boolector {}
  gitdd btor hunt -n 1000 --maxwidth 16 -j 4 -- boolector -rwl 3 {}
  gitdd btor hunt --max-time 1h --against 'z3 {smt2}' -- boolector {}
  gitdd btor hunt --cnf --clauses 2 --against 'z3 {smt2}' -- ./solver {}
  gitdd btor hunt --good-exit 0 --runs 500 -- z3 -T:5 {smt2}
  gitdd btor hunt --remote grpc://farm:8980 -j 200 -- ./solver {}`,
		Args: cli.Args(a.commandAfterDash),
		RunE: func(cmd *cobra.Command, command []string) error {
			o.Command = command
			if o.Jobs == 0 {
				o.Jobs = runtime.NumCPU()
			}
			err := checkPlace(cmd.Flags(), &o.Solving, &place)
			if err == nil {
				err = o.Check()
			}
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			err = a.hunt(cmd.Context(), o, &place)
			if _, ok := errors.AsType[*hunt.MismatchError](err); ok {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&o.Dir, "output", "o", "", "the `DIR` of the hunt (default gitdd-hunt-NAME, by the name of COMMAND)")
	solvingFlags(flags, &o.Solving)
	flags.IntSliceVar(&o.GoodExit, "good-exit", []int{10, 20}, "the exit statuses of COMMAND that mean nothing bad, a `LIST`")
	flags.IntVarP(&o.Jobs, "jobs", "j", 1, "run `N` commands at a time; 0 is one for each processor")
	flags.IntVar(&o.Findings, "findings", 0, "stop when there are `N` findings")
	flags.IntVar(&o.Runs, "runs", 0, "stop behind `N` seeds")
	flags.DurationVar(&o.MaxTime, "max-time", 0, "stop after `TIME`")
	flags.BoolVar(&o.NoReduce, "no-reduce", false, "leave findings as they are")
	flags.DurationVar(&o.ReduceTime, "reduce-time", 10*time.Minute, "reduce a finding for `TIME` at most; 0 is no limit")
	flags.IntVar(&o.ReduceTrials, "reduce-trials", 0, "and by `N` trials at most (default no limit)")
	flags.StringVar(&o.Algorithm, "algorithm", "auto", "reduce by `NAME`, one of gitdd reduce for graphs")
	flags.Uint64VarP(&o.Generator.Seed, "seed", "s", o.Generator.Seed, "begin with seed `N`")
	generateFlags(flags, &o.Generator)
	place.Flags(flags)
	return cmd
}

// hunt searches in a new directory, or goes on in one, and says what was found.
func (a *app) hunt(ctx context.Context, o hunt.Options, place *settings.MachineFiles) error {
	program, _ := os.Executable()
	o.Gitdd = cmp.Or(program, os.Args[0])
	dir, err := o.Directory()
	if err != nil {
		return err
	}
	name := taskName("hunt", dir)
	disconnect, err := connect(ctx, &o.Solving, place, o.Jobs, name)
	if err != nil {
		return err
	}
	defer disconnect()
	var view tui.Hunt
	var troubles []error
	o.Observe = func(e hunt.Event) {
		switch e.Kind {
		case hunt.Troubled:
			troubles = append(troubles, e.Err)
			return
		case hunt.Opened: // nobody else hunts in the directory now
			if err := a.recallJobs(ctx, &place.Machines, name); err != nil {
				troubles = append(troubles, err)
			}
			view = tui.NewHunt(a.viewOptions(ctx, o.Jobs))
		}
		view.Event(e)
	}
	sum, err := hunt.Search(ctx, o)
	if view != nil {
		view.Close()
	}
	for _, trouble := range troubles {
		a.complain(trouble)
	}
	spent := errors.Is(err, hunt.ErrTime)
	if err != nil && !spent && !errors.Is(err, context.Canceled) {
		return err
	}
	as := hunt.TextOptions{Color: a.colored(a.stdout), Width: tui.Width(a.stdout), Named: a.named, Shown: outfile.Shown}
	if errOut := sum.Text(a.stdout, o, spent, as); errOut != nil {
		return &outputError{Err: errOut}
	}
	switch {
	case err != nil && !spent:
		return err
	case len(sum.Findings) == 0:
		return errNoFinding
	}
	return nil
}

// errNoFinding: the report has said so.
var errNoFinding = errors.New("no findings")
