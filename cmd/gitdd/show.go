package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) showCommand() *cobra.Command {
	var o forms.Files
	var cause int
	var edit bool
	cmd := &cobra.Command{
		Use:        "show [SESSION]",
		Short:      "Show the answer of a session again, the newest by default",
		SuggestFor: []string{"result", "report"},
		Long: `Show the answer of a session again, the newest by default, or write it in other
forms. --edit opens the first line of the cause in the editor that git uses:
GIT_EDITOR, core.editor, VISUAL or EDITOR. The file is that of your checkout;
you are told if it is not as in the failing revision.`,
		Example: `  gitdd show
  gitdd show --full
  gitdd show --edit
  gitdd show --patch cause.patch`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			err := o.Check()
			if edit && o != (forms.Files{}) {
				err = errors.New("--edit opens an editor, and writes nothing: want it alone")
			}
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if edit {
				return a.edit(cmd.Context(), names, cause)
			}
			all, err := a.all(cmd.Context())
			if err != nil {
				return err
			}
			session, text, err := answered(all, names)
			if err != nil {
				return err
			}
			a.earlier = earlier(all, session.Name())
			if isReduction(session.Header()) {
				if err := o.CheckReduction(); err != nil {
					return &cli.UsageError{Cmd: cmd, Err: err}
				}
				r, err := report.ReadReduction(bytes.NewReader(text))
				if err != nil {
					return err
				}
				a.warnOutdated(session, r.Status, r.Trials.Run)
				return a.showReduced(cmd.Context(), session, r, o)
			}
			several := report.SchemaOf(text) == report.ResultsSchema
			if !several || cause != 0 {
				if err := o.CheckOne(); err != nil {
					return &cli.UsageError{Cmd: cmd, Err: err}
				}
			}
			if several {
				return a.showEach(session, text, cause, o)
			}
			result, err := resultOf(text, cause)
			if err != nil {
				return err
			}
			a.warnOutdated(session, result.Status, result.Trials.Run)
			return a.show(session, result, func() report.Story { return a.storyOf(session, result.Executed()) }, o)
		},
	}
	o.Flags(cmd.Flags())
	causeFlag(cmd, &cause)
	cmd.Flags().BoolVar(&edit, "edit", false, "open the first line of the cause in git's editor")
	return cmd
}

// warnOutdated warns the user if a result is out of date: it was written when the session stopped early,
// and the session has run more trials since then, but has no new result, because gitdd was killed
// or still runs.
func (a *app) warnOutdated(session *trial.Session, status report.Status, trials int) {
	if status != report.Budget && status != report.Interrupted && status != report.Failed {
		return
	}
	since := -trials
	for _, r := range session.Records() {
		if !r.Rejected && (r.Remote == nil || !r.Remote.Cached) { // as a result counts them
			since++
		}
	}
	if since > 0 {
		fmt.Fprintf(a.stderr, "gitdd: this report is of an earlier stop, after %s; %s since then: `gitdd log %s` shows all, `gitdd resume %s` goes on\n",
			prose.Count(trials, "trial"), haveRun(since), session.Name(), session.Name())
	}
}

func haveRun(n int) string {
	if n == 1 {
		return "1 more has run"
	}
	return prose.Number(n) + " more have run"
}

// showReduced shows the result of a reduction again.
func (a *app) showReduced(ctx context.Context, session *trial.Session, r report.Reduction, o forms.Files) error {
	return a.showReduction(session, r, func() report.Story { return a.storyOfReduction(session, r) }, o, func() ([]byte, error) {
		from, err := reduction.KeptInput(session, reduction.BeforeFile)
		if err != nil {
			return nil, err
		}
		to, err := reduction.KeptInput(session, reduction.OutputFile)
		if err != nil {
			return nil, err
		}
		return reduction.Patch(ctx, from, to)
	})
}
