package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) reduceCommand() *cobra.Command {
	var s reducing
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
standard output, the report to standard error. Files that COMMAND needs are
named absolutely, or from GITDD_DIR, where gitdd was started; ./check.sh is
looked for there by itself. What else it finds in its environment says gitdd
help environment, and how gitdd itself ends gitdd help exit-codes.

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
			s.paths, s.command = list[:dash], list[dash:]
			if err := errors.Join(s.check(), o.CheckReduction(), s.apart(&o)); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.reduce(cmd.Context(), s, o)
		},
	}
	s.flags(cmd.Flags())
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
func (a *app) reduce(ctx context.Context, s reducing, o forms.Files) error {
	input, err := s.read(ctx)
	if err != nil {
		return err
	}
	if err := a.worthwhile(&s, input); err != nil {
		return err
	}
	if slices.Contains(s.command, trial.OnStdin) && (input.Dir || s.command[0] == trial.OnStdin) {
		return &unfitError{fmt.Sprintf("%s in COMMAND puts the one file that is reduced on its standard input: name one file, and a program before it", trial.OnStdin)}
	}
	if s.passing == "" {
		if err := reduce.Check(input, s.options()); err != nil {
			return &unfitError{err.Error()}
		}
	}
	compared, err := s.readPassing(input)
	if err != nil {
		return err
	}
	out, err := s.outlets(input)
	if err != nil {
		return err
	}
	both, err := a.versions(ctx, s)
	if err != nil {
		return err
	}
	defer both.close()
	session, err := a.beginReduction(s, both)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := keepInputs(session, input, compared); err != nil {
		return errors.Join(err, session.Discard())
	}
	return a.reduceIn(ctx, session, both, input, compared, out, s, o)
}

// worthwhile refuses an input that has nothing to take out.
func (a *app) worthwhile(s *reducing, in testcase.Input) error {
	switch {
	case len(in.Files) == 0:
		return &nothingError{what: fmt.Sprintf("%s holds no files: there is nothing to reduce", s.named())}
	case in.Size() == 0 && !in.Dir:
		return &nothingError{what: fmt.Sprintf("%s is empty: there is nothing to reduce", s.named())}
	}
	return nil
}

// beginReduction makes the session of a new reduction: of the directory that it is
// begun in.
func (a *app) beginReduction(s reducing, both versions) (*trial.Session, error) {
	root, err := trial.InputRoot(".")
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	header := trial.Header{
		Version: released(),
		Started: a.now(),
		Name:    reductionName,
		Args:    s.words(),
		Dir:     dir,
		Command: s.command,
	}
	if both.repo != nil {
		header.CommonDir, header.Good, header.Bad = both.repo.CommonDir(), both.good, both.bad
	}
	return trial.CreateSession(root, header)
}

// reductionName is what the header of a reduction's session says of it.
const reductionName = "reduce"

// reduceIn performs a reduction in a session and prints its result.
func (a *app) reduceIn(ctx context.Context, session *trial.Session, both versions, input, compared testcase.Input, out outlets, s reducing, o forms.Files) error {
	a.session = session
	options := tui.ReductionOptions{Options: a.viewOptions(ctx, s.jobs), Size: input.Size(), Unit: tui.Bytes, Total: input.Size(), Interesting: s.interesting}
	options.Output = session.Output
	switch {
	case s.passing != "":
		options.Unit = tui.Differences
	case s.graph(input):
		nodes, _ := reduction.GraphSize(input)
		options.Unit, options.Total = tui.Nodes, int64(nodes)
	}
	view := tui.NewReduction(options)
	defer view.Close()
	result, found, err := a.reduction(ctx, session, both, input, compared, out, s, view)
	if result.Status == "" {
		return err
	}
	environment := record.Environment(context.WithoutCancel(ctx), released(), session.Header(), both.repo, s.again(session.Header()))
	story := record.OfReduction(session, environment, input, found.Found)
	errOut := a.printReduction(session, found.before(input), found.Result.Output, result, story, o)
	if out.failing.IsStdout() && found.written {
		_, errAnswer := a.stdout.Write(found.Result.Output.Files[0].Content)
		errOut = errors.Join(errOut, errAnswer)
	}
	if errOut != nil {
		err = errors.Join(err, &outputError{Err: errOut})
	}
	return err
}

// reduction reduces an input in a session, writes the answer, and returns the result. The result has no
// status if there is nothing to report; then the session is gone, unless it has trials.
func (a *app) reduction(ctx context.Context, session *trial.Session, both versions, input, compared testcase.Input, out outlets, s reducing, view tui.Reduction) (result report.Reduction, found shrunk, err error) {
	out.resume(session)
	runner, err := trial.NewInputs(ctx, s.trial(session, both, input, compared, view.Trial))
	if err != nil {
		return result, found, errors.Join(err, session.DiscardUnused(err))
	}
	found, err = s.shrink(ctx, runner, input, out, view)
	view.Close()
	found.stats, found.flaky = runner.Stats(), runner.Flakiness()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the directories of trials: %w; `gitdd clean` tries again", err))
	}
	result = s.reduction(session, input, out.failing, found)
	if result.Status, result.Reason = s.reductionStatus(err, found); result.Status == "" {
		return result, found, errors.Join(err, session.DiscardUnused(err))
	}
	varies := ""
	if found.varies {
		varies = "what the command prints on the input differs from run to run" + results.ByStatus
	}
	result.Hints = s.hints().List(session, found.Found, varies, err)
	errOut := s.tellDifference(ctx, &result, compared, out, found)
	if errOut == nil {
		errOut = s.tellRegression(session, both, out.failing, found, &result)
	}
	if errOut != nil {
		result.Status = ""
		err = errors.Join(err, &outputError{Err: errOut})
	}
	return result, found, err
}

// A shrunk is what a reduction has found, as far as it went.
type shrunk struct {
	reduction.Found
	written bool // the output went where answers go
	varies  bool // what the input prints when it fails differs from run to run
	stats   trial.Stats
	flaky   trial.Flakiness
}

// before is what the output is compared with.
func (f *shrunk) before(input testcase.Input) testcase.Input {
	if f.Difference != nil {
		return f.Difference.Passing
	}
	return input
}

// shrink reduces the input of a runner within the time that the settings allow, or with --passing searches
// for a difference, and writes the answer.
func (s *reducing) shrink(ctx context.Context, runner *trial.Inputs, input testcase.Input, out outlets, view tui.Reduction) (found shrunk, err error) {
	limited, cancel := s.limited(ctx)
	defer cancel()
	o := reduction.Options{Runner: runner, Reduce: s.options(), Name: s.named(), PassingName: s.passing, Observe: view.Event}
	o.Reduce.Improved = out.failing.Improved
	if s.passing != "" {
		found.Found, err = reduction.Isolate(limited, o)
	} else {
		found.Found, err = reduction.Run(limited, o)
	}
	if err != nil && context.Cause(limited) == errTime {
		err = errTime
	}
	found.varies = runner.OutputVaries()
	if found.Withheld != "" {
		return found, err
	}
	if d := found.Difference; d != nil {
		return found, errors.Join(err, out.failing.Finish(d.Failing), out.passing.Finish(d.Passing))
	}
	if found.written = s.passing == "" && found.IsAnswer(input, err); found.written {
		err = errors.Join(err, out.failing.Finish(found.Result.Output)) // though it may be gone since
	}
	return found, err
}
