package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) reduceCommand() *cobra.Command {
	var s settings.Reduction
	var o forms.Files
	cmd := &cobra.Command{
		Use:        "reduce PATH... [flags] -- COMMAND [ARG...]",
		Short:      "Make an input that COMMAND fails on as small as can be",
		SuggestFor: []string{"minimize", "minimise", "shrink"},
		Long: `Take out of a file or a directory what can go while COMMAND still fails the same
way: with the same exit status, signal or end by the time limit, and with an
output that --match and --same-output do not tell apart. Exit status 0 means
that it does not fail, 125 that the input cannot be judged; with --interesting 0
means that the input is interesting, and stays so. PATH stays as it is.

COMMAND runs without a shell, each time in a new directory that holds the
candidate by the name of PATH and nothing else. {} in an argument stands for its
absolute name; an argument <{} makes it the standard input. So it is, too, where
COMMAND names no input: neither {}, nor PATH, nor GITDD_INPUT. Where PATH is -
the input is read from standard input, once, and what is left of it goes to
standard output, the report to standard error. Of the files here the command
alone is looked for: ./check.sh {} is found, and python3 check.py {} is not.
Others that it needs are named absolutely, or from GITDD_DIR, where gitdd was
started. What else it finds in its environment says gitdd help environment,
and how gitdd itself ends gitdd help exit-codes.

With --remote or --slurm the trials run on a cluster (gitdd help remote). Of
the files here its machines get ./check.sh, and those that --overlay names.

Graphs in the format BTOR are reduced node by node (gitdd help btor). There
exit status 10 and 20, by which solvers answer, mean that COMMAND does not
fail; where the input itself ends so, or is not read, or exceeds --timeout
only once, nothing is reduced, because what is left would show nothing.`,
		Example: `  gitdd reduce crash.c -- gcc -O2 -c {}
  gitdd reduce data.json --match 'assertion failed' -j 4 -- ./check.sh
  gitdd reduce crash.c --good v1 --bad HEAD --build make -- ./cc {}
  gitdd reduce - -- jq . <data.json >small.json
  gitdd reduce bad.xml --passing good.xml -- xmllint --noout {}
  gitdd reduce crash.btor --max-memory 1G -- boolector {}`,
		Args: cli.Args(a.pathsBeforeDash),
		RunE: func(cmd *cobra.Command, list []string) error {
			dash := cmd.ArgsLenAtDash()
			s.Paths, s.Command = list[:dash], list[dash:]
			if err := errors.Join(s.Check(), o.CheckReduction(), s.Apart(&o)); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.reduce(cmd.Context(), s, o)
		},
	}
	s.Flags(cmd.Flags())
	o.ReductionFlags(cmd.Flags())
	completeReduction(cmd)
	return cmd
}

// pathsBeforeDash wants an input before "--", and the command behind it.
func (a *app) pathsBeforeDash(cmd *cobra.Command, list []string) error {
	return a.beforeDash(cmd, list, "input", "PATH...")
}

// beforeDash wants something before "--", which the usage calls operand, and the
// command behind it.
func (a *app) beforeDash(cmd *cobra.Command, list []string, what, operand string) error {
	usage := fmt.Sprintf("%s %s [flags] -- COMMAND [ARG...]", cmd.CommandPath(), operand)
	switch dash := cmd.ArgsLenAtDash(); {
	case dash < 0 && len(list) > 1:
		return fmt.Errorf("put -- before the command: `%s`", a.dashed(cmd, list[1]))
	case len(list) == 0, dash == 0:
		return fmt.Errorf("no %s: %s", what, usage)
	case dash < 0, dash == len(list):
		return errors.New("no command: " + usage)
	}
	return nil
}

// reduce reads the input and reduces it in a new session.
func (a *app) reduce(ctx context.Context, s settings.Reduction, o forms.Files) error {
	input, err := s.Read(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(s.Command, trial.OnStdin) && (input.Dir || s.Command[0] == trial.OnStdin) {
		return &unfitError{fmt.Sprintf("%s in COMMAND puts the one file that is reduced on its standard input: name one file, and a program before it", trial.OnStdin)}
	}
	if s.Passing == "" {
		if err := reduce.Check(input, s.Options()); err != nil {
			return &unfitError{err.Error()}
		}
	}
	passes, err := s.ReadPassing(input)
	if err != nil {
		return err
	}
	t, err := s.NewTask(ctx, input, passes, a.open)
	if err != nil {
		return err
	}
	defer t.Both.Close()
	if t.Session, err = a.beginReduction(t); err != nil {
		return err
	}
	defer t.Session.Close()
	if err := t.KeepInputs(); err != nil {
		return errors.Join(err, t.Session.Discard())
	}
	return a.reduceIn(ctx, t, o)
}

// beginReduction makes the session of a new reduction: of the directory that it is
// begun in.
func (a *app) beginReduction(t *settings.Task) (*trial.Session, error) {
	root, err := trial.InputRoot(".")
	if err != nil {
		return nil, err
	}
	header, err := a.header(reductionName, t.Words(), t.Command)
	if err != nil {
		return nil, err
	}
	if both := t.Both; both.Repo != nil {
		header.CommonDir, header.Good, header.Bad = both.Repo.CommonDir(), both.Good, both.Bad
	}
	return trial.CreateSession(root, header)
}

// reductionName is what the header of a reduction's session says of it.
const reductionName = "reduce"

// reduceIn performs a reduction in its session and prints its result.
func (a *app) reduceIn(ctx context.Context, t *settings.Task, o forms.Files) error {
	a.session = t.Session
	t.Machines.Version = released()
	connection, err := cluster.Connect(ctx, t.Machines.Options, t.Jobs, t.Session.Name())
	if err != nil {
		return errors.Join(err, t.Session.DiscardUnused(err))
	}
	defer connection.Close()
	view := a.reductionView(ctx, t)
	defer view.Close()
	result, found, err := a.reduction(ctx, t, connection, view)
	if result.Status == "" {
		return err
	}
	environment := a.environmentOf(context.WithoutCancel(ctx), t.Session, t.Both.Repo, t.Again(t.Session.Header()), &t.Machines)
	story := record.OfReduction(t.Session, environment, t.Input, found.Found)
	before := t.Input
	if found.Difference != nil {
		before = found.Difference.Passing
	}
	errOut := a.printReduction(t.Session, before, found.Result.Output, result, story, o)
	if t.Out.Failing.IsStdout() && found.Written {
		_, errAnswer := a.stdout.Write(found.Result.Output.Files[0].Content)
		errOut = errors.Join(errOut, errAnswer)
	}
	return outputProblem(err, errOut)
}

// reductionView shows a reduction until ctx ends.
func (a *app) reductionView(ctx context.Context, t *settings.Task) tui.Reduction {
	o := tui.ReductionOptions{Options: a.viewOptions(ctx, t.Jobs), Size: t.Input.Size(), Unit: tui.Bytes, Total: t.Input.Size(), Interesting: t.Interesting}
	o.Output = t.Session.Output
	switch {
	case t.Passing != "":
		o.Unit = tui.Differences
	case t.IsGraph(t.Input):
		nodes, _ := reduction.GraphSize(t.Input)
		o.Unit, o.Total = tui.Nodes, int64(nodes)
	}
	return tui.NewReduction(o)
}

// reduction reduces an input, writes the answer, and returns the result. The result has no
// status if there is nothing to report; then the session is gone, unless it has trials.
func (a *app) reduction(ctx context.Context, t *settings.Task, connection *cluster.Cluster, view tui.Reduction) (result report.Reduction, found results.Reduced, err error) {
	t.Out.Resume(t.Session)
	runner, err := trial.NewInputs(ctx, t.Trials(connection, view.Trial))
	if err != nil {
		return result, found, errors.Join(err, t.Session.DiscardUnused(err))
	}
	found, err = shrink(ctx, t, runner, view)
	view.Close()
	found.Stats, found.Flaky = runner.Stats(), runner.Flakiness()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the directories of trials: %w; `gitdd clean` tries again", err))
	}
	result, errOut := results.Reduction(ctx, t, found, err)
	switch {
	case errOut != nil:
		return report.Reduction{}, found, outputProblem(err, errOut)
	case result.Status == "":
		err = errors.Join(err, t.Session.DiscardUnused(err))
	}
	return result, found, err
}

// shrink reduces the input of a runner within the time that the settings allow, or with --passing searches
// for a difference, and writes the answer.
func shrink(ctx context.Context, t *settings.Task, runner *trial.Inputs, view tui.Reduction) (found results.Reduced, err error) {
	o := reduction.Options{Runner: runner, Reduce: t.Options(), Name: t.Named(), PassingName: t.Passing, Observe: view.Event}
	o.Reduce.Improved = t.Out.Failing.Improved
	perform := reduction.Run
	if t.Passing != "" {
		perform = reduction.Isolate
	}
	err = t.Within(ctx, func(ctx context.Context) error {
		found.Found, err = perform(ctx, o)
		return err
	})
	found.Varies = runner.OutputVaries()
	if found.Withheld != "" {
		return found, err
	}
	if d := found.Difference; d != nil {
		return found, errors.Join(err, t.Out.Failing.Finish(d.Failing), t.Out.Passing.Finish(d.Passing))
	}
	if found.Written = t.Passing == "" && found.IsAnswer(t.Input, err); found.Written {
		err = errors.Join(err, t.Out.Failing.Finish(found.Result.Output)) // though it may be gone since
	}
	return found, err
}
