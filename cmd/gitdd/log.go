package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) logCommand() *cobra.Command {
	var number int
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "List the trials of a session, or print the output of one",
		Example: `  gitdd log
  gitdd log --trial 7`,
		Args:              args(cobra.MaximumNArgs(1)),
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
			return a.printTrials(session)
		},
	}
	cmd.Flags().IntVar(&number, "trial", 0, "print what trial `N` printed")
	return cmd
}

func (a *app) printTrials(session *trial.Session) error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TRIAL\tFOR\tCHANGES\tTREE\tOUTCOME\tSECONDS\tREASON")
	for _, r := range session.Records() {
		changes := "?"
		if r.Commit != "" {
			changes = "commit " + short(r.Commit)
		} else if c, err := isolate.FromRuns(1<<30, r.Config); err == nil {
			changes = fmt.Sprint(c.Len())
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%.10s\t%v\t%.2f\t%s\n",
			r.Trial, r.Purpose, changes, r.Tree, isolate.Outcome(r.Outcome), r.Seconds, printable(r.Reason))
	}
	return table.Flush()
}

// printTrial prints one trial as the journal has it, then all that its build
// and its command printed, byte for byte.
func (a *app) printTrial(session *trial.Session, number int) error {
	for _, r := range session.Records() {
		if r.Trial != number {
			continue
		}
		took := time.Duration(r.Seconds * float64(time.Second)).Round(time.Millisecond)
		fmt.Fprintf(a.stdout, "trial %d: %v (%s) after %v\n", r.Trial, isolate.Outcome(r.Outcome), printable(r.Reason), took)
		if r.Commit != "" {
			fmt.Fprintf(a.stdout, "commit %s\n", r.Commit)
		}
		fmt.Fprintf(a.stdout, "tree %s\n", r.Tree)
		for _, kind := range []string{"build.out", "build.err", "out", "err"} {
			if err := a.printFile(kind, session.Output(number, kind)); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("session %s has no trial %d; gitdd log lists them", session.Name(), number)
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
