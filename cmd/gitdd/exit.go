package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// The exit statuses of gitdd.
const (
	exitIsolated    = 0   // the cause is isolated, or the command did what it says
	exitNothing     = 1   // nothing to isolate, or not trustworthy
	exitUsage       = 2   // the command line cannot be meant
	exitBudget      = 3   // budget spent, best answer printed
	exitTrouble     = 4   // the repository or the machine is at fault
	exitInterrupted = 130 // interrupted, best answer printed, resumable
)

// An unfitError says that an input is not what the command line calls it.
type unfitError struct{ what string }

func (e *unfitError) Error() string { return e.what }

// An outputError says that an answer could not be written where it should go.
type outputError = outfile.Error

// exit says on standard error what went wrong, unless a report has said it,
// and returns the exit status.
func (a *app) exit(ctx context.Context, err error) int {
	var usage *cli.UsageError
	var unfit *unfitError
	var nothing *settings.NothingError
	var ends *trial.EndsError
	var none *search.NoTargetsError
	var flaky *trial.FlakyError
	var output *outputError
	if errors.As(err, &output) {
		a.complain(output)
		if a.answered && a.session != nil && !a.gone {
			a.hint("the session has the answer: `gitdd show` writes it again, with --html FILE and the like")
		}
	}
	switch {
	case err == nil:
		return exitIsolated
	case errors.Is(err, isolate.ErrBudget):
		return exitBudget
	case errors.Is(err, search.ErrWithheld), errors.Is(err, reduction.ErrWithheld), errors.Is(err, reduction.ErrIndistinct), errors.Is(err, errNoFinding), errors.Is(err, errDiffer), errors.As(err, &ends), errors.As(err, &flaky), errors.As(err, &none):
		return exitNothing // the report has said why
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		a.complain(err)
		a.hint(usage.Hint)
		if root := usage.Cmd.Root(); usage.Cmd == root || usage.Cmd.Name() == "help" {
			a.hint("`" + root.CommandPath() + " help` lists the commands")
		} else {
			a.hint("see `" + usage.Cmd.CommandPath() + " --help`")
		}
		return exitUsage
	case errors.As(err, &unfit):
		a.complain(err)
		return exitUsage
	case errors.As(err, &nothing):
		a.complain(err)
		a.hint(nothing.Hint)
		return exitNothing
	case output != nil, errors.Is(err, errSick):
		return exitTrouble
	}
	a.complain(err)
	if command, ok := errors.AsType[*trial.CommandError](err); ok {
		a.hint(command.Hint)
	}
	a.hint(a.revisionsNear(ctx, err))
	return exitTrouble
}

// hint says what may help, if anything does.
func (a *app) hint(text string) {
	if text != "" {
		fmt.Fprintf(a.aside(), "gitdd: hint: %s\n", prose.Printable(a.named(text)))
	}
}

// complain prints an error: what was seen first, then a hint a line.
func (a *app) complain(err error) {
	for line := range strings.SplitSeq(strings.TrimSpace(a.named(err.Error())), "\n") {
		fmt.Fprintf(a.stderr, "gitdd: %s\n", prose.Printable(line))
	}
}
