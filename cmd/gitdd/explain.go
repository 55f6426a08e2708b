package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) explainCommand() *cobra.Command {
	var s settings.Reduction
	var m settings.Machines
	var o forms.Files
	cmd := &cobra.Command{
		Use:   "explain PATH... --good REV [--bad REV] [flags] -- COMMAND [ARG...]",
		Short: "Reduce an input that broke between two revisions, then isolate why",
		Long: `Make the input on which COMMAND fails with --bad, and passes with --good, as
small as can be, then isolate the changes between the two that make it fail on
what is left. It does what gitdd reduce --good REV --bad REV does, and then as
gitdd run; each has a session of its own to show, to resume and to apply. Where
the budget of the first is spent, the second goes on with the smallest input.
The page of --html is that of the search; that of the reduction is beside it,
by the name of NAME.reduction.html. With --remote or --slurm the search runs on
a cluster, and the reduction here.`,
		Example: `  gitdd explain crash.c --good v1 --bad HEAD --build make -- ./cc {}`,
		Args:    cli.Args(a.pathsBeforeDash),
		RunE: func(cmd *cobra.Command, list []string) error {
			dash := cmd.ArgsLenAtDash()
			s.Paths, s.Command = list[:dash], list[dash:]
			err := errors.Join(s.Check(), m.Check(), o.CheckOne())
			if err == nil && m.Named() {
				err = m.Explains(&s)
			}
			if s.ToStdout() {
				err = errors.New("standard output has the report, and what is left of the input goes to a file: name it with --output FILE")
			}
			if s.Good == "" {
				err = errors.New("--good is missing: name a revision with which the command passes on the input")
			}
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.explain(cmd.Context(), s, m, o)
		},
	}
	s.LocalFlags(cmd.Flags())
	for _, name := range []string{"passing", "interesting"} {
		cmd.Flags().Lookup(name).Hidden = true
	}
	m.Flags(cmd.Flags())
	o.OneFlags(cmd.Flags())
	completeReduction(cmd)
	return cmd
}

const explanationName = "explain"

// explain reduces an input in regression mode, and then isolates the changes that
// make what is left fail. It reports both, one behind the other.
func (a *app) explain(ctx context.Context, s settings.Reduction, m settings.Machines, o forms.Files) error {
	stdout := a.stdout
	if o.Replaced() {
		a.stdout = io.Discard
		defer func() { a.stdout = stdout }()
	}
	here := s
	if m.Named() {
		here.Jobs = min(s.Jobs, runtime.NumCPU()) // the others are the cluster's
	}
	err := a.reduce(ctx, here, forms.Files{Full: o.Full})
	if !a.answered {
		return err
	}
	text, errRead := a.session.ReadResult()
	if errRead != nil {
		return errors.Join(err, errRead)
	}
	reduced, errRead := report.ReadReduction(bytes.NewReader(text))
	if errRead != nil {
		return errors.Join(err, errRead)
	}
	searches := reduced.Regression != nil && len(reduced.Regression.Next) > 0 && ctx.Err() == nil
	if !searches {
		a.stdout = stdout
		f := forms.OfUnexplained(reduced, func() report.Story { return a.storyOfReduction(a.session, reduced) })
		f.JSON = func(w io.Writer) error { return forms.WriteExplanation(w, text, nil) }
		return outputProblem(err, a.out(a.session).Write(o, f))
	}
	if beside := forms.BesideName(o.HTML, "reduction"); beside != "" {
		f := forms.OfReduction(reduced, func() report.Story { return a.storyOfReduction(a.session, reduced) })
		err = outputProblem(err, a.out(a.session).Write(forms.Files{HTML: beside}, f))
	}
	a.session, a.reduced, a.answered = nil, text, false
	fmt.Fprintln(a.stdout)
	also := forms.Files{Full: o.Full, Patch: o.Patch, HTML: o.HTML, SARIF: o.SARIF, Annotations: o.Annotations}
	if also.Replaced() {
		a.stdout = stdout
	}
	if err = errors.Join(besides(err), a.runNext(ctx, m.Next(&s, reduced), m, s.Jobs, also)); !a.answered {
		a.stdout = stdout
		return err
	}
	result, errRead := a.session.ReadResult()
	if errRead != nil {
		return errors.Join(err, errRead)
	}
	a.stdout = stdout
	return outputProblem(err, a.out(a.session).Write(forms.Files{JSON: o.JSON}, forms.Forms{
		JSON: func(w io.Writer) error { return forms.WriteExplanation(w, text, result) },
	}))
}

// besides are those of the errors of a reduction that its search does not answer for:
// what could not be written.
func besides(err error) error {
	if out, ok := errors.AsType[*outputError](err); ok {
		return out
	}
	return nil
}

// outputProblem adds what could not be written to an error.
func outputProblem(err, problem error) error {
	if problem == nil {
		return err
	}
	return errors.Join(err, &outputError{Err: problem})
}

// runNext runs `gitdd run` with the words that a reduction says.
func (a *app) runNext(ctx context.Context, argv []string, m settings.Machines, jobs int, o forms.Files) error {
	dash := slices.Index(argv, "--")
	s, err := settings.OfSearch(trial.Header{Args: argv[2:dash], Command: argv[dash+1:]})
	if err != nil {
		return err
	}
	s.Machines, s.Jobs = m, jobs
	if err := s.Check(); err != nil {
		return err
	}
	argv = slices.Concat(argv[:dash:dash], m.Words(), argv[dash:])
	fmt.Fprintf(a.aside(), "gitdd: %s\n", prose.Printable(a.named(prose.Words(argv))))
	return a.run(ctx, s, o)
}
