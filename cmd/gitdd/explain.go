package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

func (a *app) explainCommand() *cobra.Command {
	var s reducing
	var m machines
	var o outputs
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
			err := errors.Join(s.check(), m.Check(), o.check())
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
	o.flags(cmd.Flags())
	completeReduction(cmd)
	return cmd
}

const explanationName = "explain"

// explanationSchema names the shape of an explanation.
const explanationSchema = "gitdd.explanation/1"

// An explanation is what explain writes as JSON.
type explanation struct {
	Schema    string          `json:"schema"`
	Reduction json.RawMessage `json:"reduction"` // gitdd.reduction/1
	Result    json.RawMessage `json:"result"`    // gitdd.result/1, null when the reduction did not get so far
}

// explain reduces an input in regression mode, and then isolates the changes that
// make what is left fail. It reports both, one behind the other.
func (a *app) explain(ctx context.Context, s reducing, m machines, o outputs) error {
	stdout := a.stdout
	if o.replaced() {
		a.stdout = io.Discard
		defer func() { a.stdout = stdout }()
	}
	here := s
	if m.Named() {
		here.jobs = min(s.jobs, runtime.NumCPU()) // the others are the cluster's
	}
	err := a.reduce(ctx, here, outputs{full: o.full})
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
		f := formsOfUnexplained(reduced, func() report.Story { return a.storyOfReduction(a.session, reduced) })
		f.json = func(w io.Writer) error { return writeExplanation(w, text, nil) }
		return outputProblem(err, a.write(a.session, o, f))
	}
	if beside := besideName(o.html); beside != "" {
		f := formsOfReduction(reduced, func() report.Story { return a.storyOfReduction(a.session, reduced) })
		err = outputProblem(err, a.write(a.session, outputs{html: beside}, f))
	}
	a.session, a.reduced, a.answered = nil, text, false
	fmt.Fprintln(a.stdout)
	also := outputs{full: o.full, patch: o.patch, html: o.html, sarif: o.sarif, annotations: o.annotations}
	if also.replaced() {
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
	return outputProblem(err, a.write(a.session, outputs{json: o.json}, forms{
		json: func(w io.Writer) error { return writeExplanation(w, text, result) },
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

// formsOfUnexplained are the forms of an explanation without its second half: the
// page of the first one, and else that there was no search.
func formsOfUnexplained(r report.Reduction, story func() report.Story) forms {
	none := report.Result{
		Schema: report.Schema, Status: r.Status, Reason: r.Reason, Direction: report.Break, Command: r.Command,
	}
	if none.Status == report.Reduced || none.Status == report.NotReduced {
		none.Status = report.NotIsolated
	}
	if r.Regression != nil {
		none.Good, none.Bad = r.Regression.Good, r.Regression.Bad
	}
	f := formsOf(none, func() report.Story { return report.Story{Schema: report.StorySchema} })
	f.html = formsOfReduction(r, story).html
	f.patch = func() ([]byte, error) { return nil, nil } // of no cause
	return f
}

// besideName is where the page of the reduction goes, beside that of the search; ""
// when that is not in a file of its own.
func besideName(html string) string {
	if html == "" || html == "-" {
		return ""
	}
	if info, err := os.Stat(html); err == nil && !info.Mode().IsRegular() {
		return "" // /dev/stderr, a named pipe
	}
	ext := filepath.Ext(html)
	return strings.TrimSuffix(html, ext) + ".reduction" + ext
}

// runNext runs `gitdd run` with the words that a reduction says.
func (a *app) runNext(ctx context.Context, argv []string, m machines, jobs int, o outputs) error {
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

// writeExplanation writes the results of both halves; the second is nil where the
// first one did not get so far.
func writeExplanation(w io.Writer, reduced, result []byte) error {
	e := explanation{Schema: explanationSchema, Reduction: reduced, Result: result}
	if result == nil {
		e.Result = json.RawMessage("null")
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(e)
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
