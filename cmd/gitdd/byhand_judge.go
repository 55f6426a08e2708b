package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) goodCommand() *cobra.Command {
	return a.judgementCommand("good", "Say that the configuration to judge is good", `What you search for is not there.`)
}

func (a *app) badCommand() *cobra.Command {
	return a.judgementCommand("bad", "Say that it is bad, as the bad revision is", `What you search for is there.`)
}

func (a *app) skipCommand() *cobra.Command {
	return a.judgementCommand("skip", "Say that it cannot be judged", `Skip what does not build, and what has
another fault than the one that you search for. A note is read like the output
of a command: a message of a compiler may say what is missing.`)
}

// judgementCommand is one of the commands by which the user judges what was shown.
func (a *app) judgementCommand(name, short, when string) *cobra.Command {
	var note string
	var after int
	cmd := &cobra.Command{
		Use:   name + " [SESSION]",
		Short: short,
		Long: short + `, and put the next
one into the directory. ` + when + `
SESSION is the newest search by hand if you name none. gitdd log shows notes.
More in gitdd help by-hand.`,
		Example:           "  gitdd " + name,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			j, _ := byhand.Judgement(name, note)
			return a.judge(cmd.Context(), names, after, j)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&note, "note", "", "remember `TEXT` with it")
	afterFlag(cmd, &after)
	return cmd
}

// judge records a judgement on what was shown, and shows the next configuration.
func (a *app) judge(ctx context.Context, names []string, after int, j trial.Judgement) error {
	h, err := a.openByHand(ctx, names, after)
	if err != nil {
		return err
	}
	defer h.Close()
	given, err := h.Given(j, a.marked)
	if err != nil {
		return err
	}
	_, err = a.advance(ctx, h, given)
	return err
}

func (a *app) nextCommand() *cobra.Command {
	var into, open string
	cmd := &cobra.Command{
		Use:   "next [SESSION]",
		Short: "Put the configuration that is to be judged into a directory",
		Long: `Put the configuration that is to be judged into a directory, and say what it is.
Only files that differ from the one before are written, and what else lies
there stays, such as build products: builds take as long as they do after a
small edit. gitdd good, bad and skip do the same when they have judged.`,
		Example: `  gitdd next
  gitdd next --into ../judge`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			into, err := absolute(into)
			if err != nil {
				return err
			}
			h, err := a.openByHand(cmd.Context(), names, anyMoment)
			if err != nil {
				return err
			}
			defer h.Close()
			if into != "" {
				h.State.Into = into
			}
			return a.judgeOn(cmd.Context(), h, nil, open)
		},
	}
	intoFlag(cmd, &into)
	openFlag(cmd, &open)
	return cmd
}

func (a *app) undoCommand() *cobra.Command {
	var after int
	cmd := &cobra.Command{
		Use:   "undo [N] [SESSION]",
		Short: "Take back the last judgement, or the last N",
		Long: `Take back the last judgement of the newest search by hand, or of SESSION, or the
last N, also those of a command, and put the configuration of the first of them
there again. One argument that is a number is N.`,
		Example: "  gitdd undo",
		Args:    cli.Args(cobra.MaximumNArgs(2)),
		ValidArgsFunction: func(cmd *cobra.Command, list []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(list) == 1 && isNumber(list[0]) {
				list = nil
			}
			return a.completeSession(cmd, list, word)
		},
		RunE: func(cmd *cobra.Command, list []string) error {
			n := 1
			if len(list) == 2 || len(list) == 1 && isNumber(list[0]) {
				var err error
				if n, err = strconv.Atoi(list[0]); err != nil || n < 1 {
					return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("undo %s: want how many judgements to take back, 1 or more", list[0])}
				}
				list = list[1:]
			}
			h, err := a.openByHand(cmd.Context(), list, after)
			if err != nil {
				return err
			}
			defer h.Close()
			if err := h.At(h.Before); err != nil {
				return err
			}
			if err := h.TakeBack(n); err != nil {
				return err
			}
			_, err = a.advance(cmd.Context(), h, nil)
			return err
		},
	}
	afterFlag(cmd, &after)
	return cmd
}

// isNumber reports whether a word is all digits.
func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status [SESSION]",
		Short: "Say where a search by hand stands",
		Long: `Say where a search by hand stands: what was judged, what is to be judged, and
how much is left. Nothing is changed.`,
		Example:           "  gitdd status",
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			found, err := a.findByHand(cmd.Context(), names)
			if err != nil {
				return err
			}
			session, err := trial.ReadSession(found.Dir)
			if err != nil {
				return err
			}
			return a.printStatus(session, found.State == trial.StateRunning)
		},
	}
}

// shownJudgements is how many of the last judgements gitdd status lists.
const shownJudgements = 10

// printStatus says where a search by hand stands, in which another gitdd is running or not.
func (a *app) printStatus(session *trial.Session, running bool) error {
	state, err := byhand.ReadState(session)
	if err != nil {
		return err
	}
	header, judged := session.Header(), byhand.Judged(session)
	good := header.Good.Rev + " is good"
	if header.Good.IsAuto() {
		good = "a good commit is looked for"
	}
	fmt.Fprintf(a.stdout, "session %s: %s, %s is bad\n", session.Name(), prose.Printable(good), prose.Printable(header.Bad.Rev))
	count := map[isolate.Outcome]int{}
	for _, rec := range judged {
		count[isolate.Outcome(rec.Outcome)]++
	}
	fmt.Fprintf(a.stdout, "judged: %d good, %d bad, %d skipped", count[isolate.Pass], count[isolate.Fail], count[isolate.Unresolved])
	if back := len(session.Withdrawn()); back > 0 {
		fmt.Fprintf(a.stdout, "; %d taken back", back)
	}
	fmt.Fprintln(a.stdout)
	for _, rec := range judged[max(0, len(judged)-shownJudgements):] {
		what := "a configuration"
		if rec.Commit != "" {
			what = "commit " + rec.Commit.Short()
		} else if c, err := isolate.FromRuns(1<<30, rec.Config); err == nil {
			what = prose.Count(c.Len(), "change")
		}
		fmt.Fprintf(a.stdout, "  trial %d, %s: %s\n", rec.Trial, what, prose.Printable(rec.Reason))
	}
	_, err = session.ReadResult()
	switch {
	case running:
		fmt.Fprintln(a.stdout, "another gitdd is running in it: what comes next is known when that has ended")
	case state.Tree == "" && err == nil:
		fmt.Fprintln(a.stdout, a.named("the search has ended: `gitdd show` has the answer"))
	case state.Tree == "" || state.After != byhand.Last(session): // gitdd was killed, or a command has judged until it was stopped
		fmt.Fprintln(a.stdout, a.named("what is to be judged is not shown yet: `gitdd next` puts it there"))
	case !state.Shows(session):
		state.Good = ""
		a.printPending(state)
		fmt.Fprintln(a.stdout, a.named("  which does not show it now: `gitdd next` puts it there"))
	default:
		a.printPending(state)
	}
	return nil
}
