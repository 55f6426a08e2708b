package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

func (a *app) explainCommand() *cobra.Command {
	var s reducing
	var m machines
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
			s.paths, s.command = list[:dash], list[dash:]
			err := errors.Join(s.check(), m.Check(), o.Check())
			if err == nil && m.Named() {
				err = m.explains(&s)
			}
			if s.toStdout() {
				err = errors.New("standard output has the report, and what is left of the input goes to a file: name it with --output FILE")
			}
			if s.good == "" {
				err = errors.New("--good is missing: name a revision with which the command passes on the input")
			}
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.explain(cmd.Context(), s, m, o)
		},
	}
	s.flags(cmd.Flags())
	for _, name := range []string{"passing", "interesting"} {
		if err := cmd.Flags().MarkHidden(name); err != nil {
			panic(err) // it is one of them
		}
	}
	m.flags(cmd.Flags())
	o.Flags(cmd.Flags())
	completeReduction(cmd)
	return cmd
}

const explanationName = "explain"

// explain reduces an input in regression mode, and then isolates the changes that
// make what is left fail. It reports both, one behind the other.
func (a *app) explain(ctx context.Context, s reducing, m machines, o forms.Files) error {
	stdout := a.stdout
	if o.Replaced() {
		a.stdout = io.Discard
		defer func() { a.stdout = stdout }()
	}
	here := s
	if m.Named() {
		here.jobs = min(s.jobs, runtime.NumCPU()) // the others are the cluster's
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
	if beside := forms.BesideName(o.HTML); beside != "" {
		f := forms.OfReduction(reduced, func() report.Story { return a.storyOfReduction(a.session, reduced) })
		err = outputProblem(err, a.out(a.session).Write(forms.Files{HTML: beside}, f))
	}
	a.session, a.reduced, a.answered = nil, text, false
	fmt.Fprintln(a.stdout)
	also := forms.Files{Full: o.Full, Patch: o.Patch, HTML: o.HTML, SARIF: o.SARIF, Annotations: o.Annotations}
	if also.Replaced() {
		a.stdout = stdout
	}
	if err = errors.Join(besides(err), a.runNext(ctx, m.next(&s, reduced), m, s.jobs, also)); !a.answered {
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
	var out *outputError
	if errors.As(err, &out) {
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
func (a *app) runNext(ctx context.Context, argv []string, m machines, jobs int, o forms.Files) error {
	dash := slices.Index(argv, "--")
	var s settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.flags(flags)
	if err := flags.Parse(argv[2:dash]); err != nil {
		return err
	}
	s.command, s.machines, s.jobs = argv[dash+1:], m, jobs
	if err := s.check(); err != nil {
		return err
	}
	argv = slices.Concat(argv[:dash:dash], m.words(), argv[dash:])
	fmt.Fprintf(a.aside(), "gitdd: %s\n", prose.Printable(a.named(prose.Words(argv))))
	return a.run(ctx, s, o)
}

// explains is an error where machines that have only the files of a trial could not be
// given what a reduction has left: it goes there as an overlay, by a name in the checkout.
func (m *machines) explains(s *reducing) error {
	switch {
	case !m.Staged():
		return nil
	case len(s.paths) > 1:
		return fmt.Errorf("explain brings one file or directory to the machines of %s: name one", m.Flag())
	}
	name, err := s.outputOf()
	if err != nil {
		return err
	}
	if rel, ok := below(".", name); !ok || strings.HasPrefix(rel, "..") {
		return fmt.Errorf("the machines of %s get files of this directory only: want --output with a name in it", m.Flag())
	}
	return nil
}

// below is the path of a file relative to a directory that it lies in.
func below(dir, name string) (rel string, ok bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	rel, err = filepath.Rel(abs, name)
	return rel, err == nil && filepath.IsLocal(rel)
}

// next is the command line of the search behind a reduction, in which the machines find
// what is left of the input.
func (m *machines) next(s *reducing, r report.Reduction) []string {
	if !m.Staged() {
		return r.Regression.Next
	}
	name, err := s.outputOf()
	info, none := os.Stat(name)
	if none != nil {
		return r.Regression.Next // the reduction has said what kept it from being written
	}
	rel, ok := below(".", name)
	if err != nil || !ok {
		return r.Regression.Next // explains has seen to the output
	}
	words := append([]string{"gitdd", "run"}, s.runWords()...)
	return append(append(words, "--overlay", rel), s.runCommand(filepath.ToSlash(rel), info.IsDir())...)
}
