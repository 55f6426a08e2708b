package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) logCommand() *cobra.Command {
	var number int
	cmd := &cobra.Command{
		Use:        "log [SESSION]",
		Short:      "List the trials of a session, or print the output of one",
		SuggestFor: []string{"trials"},
		Long: `List the trials of a session with what was in each, its outcome and the reason,
or print one as the journal has it: what was tested, and all that it printed.
What --check rejected has a number, too, but was no trial.`,
		Example: `  gitdd log
  gitdd log --trial 7`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			found, err := a.find(cmd.Context(), names)
			if err != nil {
				return err
			}
			session, err := trial.ReadSession(found.Dir)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("trial") {
				return a.printTrial(session, number)
			}
			if isReduction(session.Header()) {
				return a.printInputs(session)
			}
			return a.printTrials(session)
		},
	}
	cmd.Flags().IntVar(&number, "trial", 0, "print what trial `N` printed")
	return cmd
}

func (a *app) printTrials(session *trial.Session) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	list := session.InOrder()
	heading, try, none := "", func(trial.Record) string { return "" }, ""
	if slices.ContainsFunc(list, func(r trial.Record) bool { return r.Attempt > 1 }) {
		heading, none = "TRY\t", "\t"
		try = func(r trial.Record) string { return fmt.Sprintf("%d\t", r.Attempt) }
	}
	machine := func(trial.Record) string { return "" }
	if slices.ContainsFunc(list, func(r trial.Record) bool { return r.Remote != nil }) {
		heading, none = heading+"MACHINE\t", none+"\t"
		machine = func(r trial.Record) string {
			switch {
			case r.Remote == nil:
				return "\t"
			case r.Remote.Cached:
				return "cache\t"
			}
			return prose.Printable(r.Remote.Machine) + "\t"
		}
	}
	fmt.Fprintf(table, "TRIAL\tFOR\tCHANGES\tTREE\t%sOUTCOME\tSECONDS\tREASON\n", heading)
	last := 0
	for _, r := range list {
		for last++; last < r.Trial; last++ {
			fmt.Fprintf(table, "%d\t\t\t\t%scancelled\t\t%s\n", last, none, whyCancelled)
		}
		changes := "?"
		if r.Commit != "" {
			changes = "commit " + r.Commit.Short()
		} else if c, err := isolate.FromRuns(1<<30, r.Config); err == nil {
			changes = fmt.Sprint(c.Len())
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%.10s\t%s%s\t%.2f\t%s\n",
			r.Trial, r.Purpose, changes, r.Tree, try(r)+machine(r), outcomeOf(r, false), r.CheckSeconds+r.BuildSeconds+r.Seconds, prose.Printable(r.Reason+lostBefore(r)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return a.printTable(text.Bytes())
}

// whyCancelled is said of a trial that began and has no outcome.
const whyCancelled = "it began, and was not needed any more or cut short"

// printTrial prints one trial as the journal has it, with what was tested, then
// all that its check, its build and its command printed, byte for byte.
func (a *app) printTrial(session *trial.Session, number int) error {
	list := session.InOrder()
	at, ok := slices.BinarySearchFunc(list, number, func(r trial.Record, n int) int { return r.Trial - n })
	if !ok && at < len(list) && number > 0 {
		fmt.Fprintf(a.stdout, "trial %d: cancelled (%s)\n", number, whyCancelled)
		return nil
	}
	if !ok {
		return fmt.Errorf("session %s has no trial %d; `gitdd log %s` lists those it has", session.Name(), number, session.Name())
	}
	r := list[at]
	fmt.Fprintf(a.stdout, "trial %d: %s (%s) after %s\n", r.Trial, outcomeOf(r, interesting(session.Header())), prose.Printable(r.Reason), took(r))
	fmt.Fprintf(a.stdout, "command %s\n", prose.Printable(prose.Words(session.Header().Command)))
	if r.Commit != "" {
		fmt.Fprintf(a.stdout, "commit %s\n", r.Commit)
	}
	reduction := isReduction(session.Header())
	if reduction {
		fmt.Fprintf(a.stdout, "input %s in %s, sha256 %s\n", prose.Count(int(r.Size), "byte"), prose.Count(r.Files, "file"), r.Tree)
	} else {
		fmt.Fprintf(a.stdout, "tree %s\n", r.Tree)
	}
	if r.Good != nil {
		fmt.Fprintf(a.stdout, "in the good version: %s\n", prose.Printable(r.Good.Reason))
	}
	if r.Remote != nil {
		fmt.Fprintf(a.stdout, "machine %s\n", prose.Printable(ofCluster(r.Remote)))
		for _, l := range r.Remote.Losses {
			fmt.Fprintf(a.stdout, "lost on %s: %s\n", prose.Printable(cmp.Or(l.Machine, "a machine that is not known")), prose.Printable(l.Reason))
		}
	}
	if r.Attempt > 1 {
		fmt.Fprintf(a.stdout, "try %d\n", r.Attempt)
	}
	if r.Signature != "" {
		fmt.Fprintf(a.stdout, "signature %s\n", prose.Printable(r.Signature))
	}
	if r.Commit == "" && !reduction {
		if err := a.printApplied(session, r); err != nil {
			return err
		}
	}
	for _, kind := range []string{"setup.out", "setup.err", "check.out", "check.err", "check.all", "build.out", "build.err", "build.all", "out", "err", "good.out", "good.err"} {
		if err := a.printFile(kind, session.Output(number, kind)); err != nil {
			return err
		}
	}
	return nil
}

// lostBefore says why a trial was lost before it had its outcome, at last.
func lostBefore(r trial.Record) string {
	if r.Remote == nil || r.Remote.GaveUp || len(r.Remote.Losses) == 0 { // else the reason says so
		return ""
	}
	last := r.Remote.Losses[len(r.Remote.Losses)-1]
	text := "; lost before"
	if r.Remote.Lost > 1 {
		text = fmt.Sprintf("; lost %d times before, at last", r.Remote.Lost)
	}
	if last.Machine != "" {
		text += " on " + last.Machine
	}
	return text + ": " + last.Reason
}

// ofCluster says what a cluster did with a trial.
func ofCluster(away *trial.Away) string {
	parts := []string{cmp.Or(away.Machine, "not known")}
	if away.Cached {
		parts[0] = "none: the cache had the outcome"
	}
	if away.Lost > 0 {
		parts = append(parts, "lost "+prose.Count(away.Lost, "time")+" before")
	}
	if away.GaveUp {
		parts = append(parts, "and given up")
	}
	if away.Queued >= 0.1 {
		parts = append(parts, "waited for it "+prose.Duration(time.Duration(away.Queued*float64(time.Second))))
	}
	if away.Uploaded > 0 {
		parts = append(parts, prose.Size(away.Uploaded)+" sent")
	}
	return strings.Join(parts, ", ")
}

// took says how long a trial was, and what of it the check and the build were.
func took(r trial.Record) string {
	seconds := func(s float64) time.Duration {
		return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
	}
	text := seconds(r.CheckSeconds + r.BuildSeconds + r.Seconds).String()
	if r.CheckSeconds > 0 && !r.Rejected {
		text += fmt.Sprintf(", %v of it the check", seconds(r.CheckSeconds))
	}
	if r.BuildSeconds > 0 {
		text += fmt.Sprintf(", %v of it the build", seconds(r.BuildSeconds))
	}
	return text
}

func (a *app) printFile(kind, name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() == 0 {
		return err
	}
	fmt.Fprintf(a.stdout, "--- %s\n", kind)
	_, err = io.Copy(a.stdout, f)
	return err
}

// outcomeOf is how a record went, in a word.
func outcomeOf(r trial.Record, interesting bool) string {
	if r.Rejected {
		return rejected
	}
	return isolate.Outcome(r.Outcome).Word(interesting)
}

const rejected = "rejected"
