package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) reduceCommand() *cobra.Command {
	var s reducing
	var o outputs
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
			if err := errors.Join(s.check(), o.checkReduction(), s.apart(&o)); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.reduce(cmd.Context(), s, o)
		},
	}
	s.flags(cmd.Flags())
	o.reductionFlags(cmd.Flags())
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
func (a *app) reduce(ctx context.Context, s reducing, o outputs) error {
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
	out, err := a.outlets(&s, input)
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

// reduceIn is gitdd reduce in one pass over an input: how it fails, what of it can
// go, whether the answer fails once more, and what to say of it.
func (a *app) reduceIn(ctx context.Context, session *trial.Session, both versions, input, compared testcase.Input, out outlets, s reducing, o outputs) error {
	a.session = session
	unit, total := bytesLeft, input.Size()
	switch {
	case s.passing != "":
		unit = "difference"
	case s.graph(input):
		nodes, _ := nodesOf(input)
		unit, total = nodesLeft, int64(nodes)
	}
	view := a.shrinking(ctx, session, input.Size(), total, unit, s.jobs, s.interesting)
	defer view.close()
	result, found, err := a.reduction(ctx, session, both, input, compared, out, s, view)
	if result.Status == "" {
		return err
	}
	story := s.story(context.WithoutCancel(ctx), session, both, input, found)
	errOut := a.printReduction(session, found.before(input), found.result.Output, result, story, o)
	if out.failing.stdout && found.written {
		_, errAnswer := a.stdout.Write(found.result.Output.Files[0].Content)
		errOut = errors.Join(errOut, errAnswer)
	}
	if errOut != nil {
		err = errors.Join(err, &outputError{errOut})
	}
	return err
}

// reduction reduces an input in a session and prints nothing but what view does: it
// is reduceIn for whoever has another use of the result. That has no status when
// there is nothing to report; then the session is gone, unless it has trials.
func (a *app) reduction(ctx context.Context, session *trial.Session, both versions, input, compared testcase.Input, out outlets, s reducing, view shrinking) (result report.Reduction, found shrunk, err error) {
	out.resume(session)
	runner, err := trial.NewInputs(ctx, s.trial(session, both, input, compared, view.event))
	if err != nil {
		return result, found, errors.Join(err, discard(session, err, len(session.Records())))
	}
	if s.passing != "" {
		found, err = s.compare(ctx, runner, compared, input, out, view)
	} else {
		found, err = s.shrink(ctx, runner, input, out.failing, view)
	}
	view.close()
	found.stats, found.flaky = runner.Stats(), runner.Flakiness()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the directories of trials: %w; `gitdd clean` tries again", err))
	}
	result = s.reduction(session, input, out.failing, found)
	if result.Status, result.Reason = s.reductionStatus(err, found); result.Status == "" {
		return result, found, errors.Join(err, discard(session, err, found.stats.Run))
	}
	result.Hints = s.reductionHints(session, found, err)
	errOut := s.tellDifference(ctx, &result, compared, out, found)
	if errOut == nil {
		errOut = s.tellRegression(session, both, out.failing, found, &result)
	}
	if errOut != nil {
		result.Status = ""
		err = errors.Join(err, &outputError{errOut})
	}
	return result, found, err
}

// A shrunk is what a reduction has found, as far as it came.
type shrunk struct {
	original trial.Verdict
	failed   bool // the original did, as it should
	result   reduce.Result
	curve    []report.Point
	verified bool
	written  bool   // Output of result went where answers go
	withheld string // why there is no answer to trust
	varies   bool   // what the input prints when it fails differs from run to run
	empty    bool   // because the empty input fails, too, and nothing tells the two apart
	settled  trial.Settled
	unjudged int // with --confidence: elements that cannot be left out because that cannot be judged
	stats    trial.Stats
	flaky    trial.Flakiness

	difference *reduce.Difference // with --passing

	passes map[string]string // the first pass that asked for an input, by its digest
	trails *trails           // nil = nothing was followed
}

// asked notes a step for the story.
func (f *shrunk) asked(step reduce.Step) {
	if f.passes == nil {
		f.passes = map[string]string{}
	}
	if _, known := f.passes[step.Digest]; !known {
		f.passes[step.Digest] = step.Pass
	}
}

// before is what the output is compared with.
func (f *shrunk) before(input testcase.Input) testcase.Input {
	if f.difference != nil {
		return f.difference.Passing
	}
	return input
}

// shrink tests the original, then reduces it, within the time that the settings
// allow, and tests the answer once more.
func (s *reducing) shrink(ctx context.Context, runner *trial.Inputs, input testcase.Input, out *outlet, view shrinking) (found shrunk, err error) {
	limited, cancel := s.limited(ctx)
	defer cancel()
	found.result.Output = input
	if found.original, err = runner.Original(limited); err == nil {
		err = s.sound(limited, runner, input, found.original)
	}
	if err == nil {
		found.failed = true
		err = s.shrinkUntilSure(limited, runner, input, out, view, &found)
	}
	if err != nil && context.Cause(limited) == errTime {
		err = errTime
	}
	found.varies = runner.OutputVaries()
	if found.written = found.failed && found.withheld == "" && (err == nil || errors.Is(err, isolate.ErrBudget) || found.result.Output.Digest() != input.Digest()); found.written {
		err = errors.Join(err, out.finish(found.result.Output)) // though it may be gone since
	}
	return found, err
}

// shrinkUntilSure reduces, again if the answer turns out to rest on a wrong outcome,
// and confirms what comes of it.
func (s *reducing) shrinkUntilSure(ctx context.Context, runner *trial.Inputs, input testcase.Input, out *outlet, view shrinking, found *shrunk) error {
	for {
		var err error
		first := report.Point{Bytes: input.Size()}
		if s.graph(input) {
			first.Nodes, _ = nodesOf(input)
		}
		found.curve = []report.Point{first}
		options := s.options()
		found.trails = nil
		if !s.graph(input) { // whose nodes get new numbers
			found.trails = newTrails(input)
		}
		options.Improved = func(in testcase.Input) error {
			if found.trails != nil {
				found.trails.follow(in)
			}
			return out.improved(in)
		}
		path, cancel := s.counting(ctx, runner)
		options.Observe = func(step reduce.Step) {
			view.step(step)
			path.step(step)
			found.asked(step)
			if last := found.curve[len(found.curve)-1]; step.Best < last.Bytes || step.Nodes > 0 && step.Nodes < last.Nodes {
				found.curve = append(found.curve, report.Point{Trial: step.Trial, Bytes: step.Best, Nodes: cmp.Or(step.Nodes, last.Nodes)})
			}
		}
		test := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
			path.asked(in)
			v, err := runner.Test(ctx, in)
			if err == nil && v.Outcome == isolate.Fail && in.Size() == 0 && !s.tellsApart() && !s.interesting {
				found.empty, found.withheld = true, fmt.Sprintf("the command fails on an empty input as it does on %s: %s", s.named(), v.Reason)
				if v.LastLine != "" {
					found.withheld += fmt.Sprintf(", output line %s", prose.Quote(v.LastLine))
				}
				err = errIndistinct
			}
			return v.Outcome, err
		}
		found.result, err = reduce.Reduce(path.ctx, input, test, options)
		spent := context.Cause(path.ctx) == errMaxTrials
		cancel()
		if err != nil && spent {
			err = errMaxTrials
		}
		if err != nil {
			return err
		}
		again, err := s.sure(ctx, runner, input, found)
		if err != nil || !again {
			return err
		}
		view.note("an outcome that the answer rests on turned out to be wrong: reducing again, with what is known now")
	}
}

// A counted path of a reduction tells the runner what it comes by, where only that
// knows how many trials it took: with --confidence and --max-trials.
type counted struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	runner *trial.Inputs // nil = nobody counts

	mu     sync.Mutex
	inputs map[string]testcase.Input // by digest: asked about, and not on the path so far
}

func (s *reducing) counting(ctx context.Context, runner *trial.Inputs) (*counted, context.CancelFunc) {
	path := &counted{inputs: map[string]testcase.Input{}}
	path.ctx, path.cancel = context.WithCancelCause(ctx)
	if s.confidence > 0 && s.maxTrials > 0 {
		path.runner = runner
	}
	return path, func() { path.cancel(nil) }
}

func (p *counted) asked(in testcase.Input) {
	if p.runner == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inputs[in.Digest()] = in
}

func (p *counted) step(s reduce.Step) {
	if p.runner == nil {
		return
	}
	p.mu.Lock()
	in, ok := p.inputs[s.Digest]
	delete(p.inputs, s.Digest)
	p.mu.Unlock()
	if ok && p.runner.Step(in) {
		p.cancel(errMaxTrials)
	}
}
