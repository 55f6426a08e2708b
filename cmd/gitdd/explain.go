package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/report"
)

func (a *app) explainCommand() *cobra.Command {
	var s reducing
	var o outputs
	cmd := &cobra.Command{
		Use:   "explain PATH... --good REV [--bad REV] [flags] -- COMMAND [ARG...]",
		Short: "Reduce an input that broke between two revisions, then isolate why",
		Long: `Make the input on which COMMAND fails with --bad, and passes with --good, as
small as can be, then isolate the changes between the two that make it fail on
what is left. It does what gitdd reduce --good REV --bad REV does, and then as
gitdd run; each has a session of its own to show, to resume and to apply. Where
the budget of the first is spent, the second goes on with the smallest input.`,
		Example: `  gitdd explain crash.c --good v1 --bad HEAD --build make -- ./cc {}`,
		Args:    args(pathsBeforeDash),
		RunE: func(cmd *cobra.Command, list []string) error {
			dash := cmd.ArgsLenAtDash()
			s.paths, s.command = list[:dash], list[dash:]
			err := errors.Join(s.check(), o.check())
			if s.good == "" {
				err = errors.New("--good is missing: name a revision with which the command passes on the input")
			}
			if err != nil {
				return &usageError{cmd: cmd, err: err}
			}
			return a.explain(cmd.Context(), s, o)
		},
	}
	s.flags(cmd.Flags())
	for _, name := range []string{"passing", "interesting"} {
		if err := cmd.Flags().MarkHidden(name); err != nil {
			panic(err) // it is one of them
		}
	}
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
func (a *app) explain(ctx context.Context, s reducing, o outputs) error {
	stdout := a.stdout
	if o.json == "-" || o.patch == "-" {
		a.stdout = io.Discard
		defer func() { a.stdout = stdout }()
	}
	text := outputs{full: o.full}
	err := a.reduce(ctx, s, text)
	if !a.answered {
		return err
	}
	reduced, errRead := a.session.ReadResult()
	if errRead != nil {
		return errors.Join(err, errRead)
	}
	next, errNext := nextOf(reduced)
	if errNext != nil {
		return errors.Join(err, errNext)
	}
	var result []byte
	if len(next) > 0 && ctx.Err() == nil {
		a.session, a.reduced, a.answered = nil, reduced, false
		text.patch = o.patch
		fmt.Fprintln(a.stdout)
		if o.patch == "-" {
			a.stdout = stdout
		}
		if err = a.runNext(ctx, next, text); !a.answered {
			a.stdout = stdout
			return err
		}
		if result, errRead = a.session.ReadResult(); errRead != nil {
			return errors.Join(err, errRead)
		}
	}
	if o.json == "" {
		return err
	}
	a.stdout = stdout
	errJSON := a.writeTo(a.session, o.json, func(w io.Writer) error { return writeExplanation(w, reduced, result) })
	if errJSON != nil {
		err = errors.Join(err, &outputError{errJSON})
	}
	return err
}

// nextOf is the command that the result of a reduction says to be the next.
func nextOf(reduced []byte) ([]string, error) {
	r, err := report.ReadReduction(bytes.NewReader(reduced))
	if err != nil || r.Regression == nil {
		return nil, err
	}
	return r.Regression.Next, nil
}

// runNext runs `gitdd run` with the words that a reduction says.
func (a *app) runNext(ctx context.Context, argv []string, o outputs) error {
	dash := slices.Index(argv, "--")
	var s settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.flags(flags)
	if err := flags.Parse(argv[2:dash]); err != nil {
		return err
	}
	s.command = argv[dash+1:]
	if err := s.check(); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "gitdd: %s\n", printable(a.named(report.Words(argv))))
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
