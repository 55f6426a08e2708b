package triallog

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

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Log is a session as it is listed.
type Log struct {
	Session     *trial.Session
	Inputs      bool // its trials are of inputs, and not of changes
	Interesting bool // outcomes are called interesting and not interesting
}

// Table lists the trials of a session, a line each.
func (l Log) Table() ([]byte, error) {
	if l.Inputs {
		return l.inputs()
	}
	return l.trials()
}

// inputs is the table of a reduction.
func (l Log) inputs() ([]byte, error) {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TRIAL\tFOR\tBYTES\tINPUT\tTRY\tOUTCOME\tSECONDS\tREASON")
	last := 0
	for _, r := range l.Session.InOrder() {
		for last++; last < r.Trial; last++ {
			fmt.Fprintf(table, "%d\t\t\t\t\tcancelled\t\t%s\n", last, whyCancelled)
		}
		fmt.Fprintf(table, "%d\t%s\t%d\t%.10s\t%d\t%v\t%.2f\t%s\n",
			r.Trial, r.Purpose, r.Size, r.Tree, r.Attempt, outcomeOf(r, l.Interesting), r.BuildSeconds+r.Seconds, prose.Printable(r.Reason))
	}
	err := table.Flush()
	return text.Bytes(), err
}

func (l Log) trials() ([]byte, error) {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	list := l.Session.InOrder()
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
	err := table.Flush()
	return text.Bytes(), err
}

// whyCancelled is said of a trial that began and has no outcome.
const whyCancelled = "it began, and was not needed any more or cut short"

// Print writes one trial as the journal has it, with what was tested, then
// all that its check, its build and its command printed, byte for byte.
func (l Log) Print(out io.Writer, number int) error {
	session := l.Session
	list := session.InOrder()
	at, ok := slices.BinarySearchFunc(list, number, func(r trial.Record, n int) int { return r.Trial - n })
	if !ok && at < len(list) && number > 0 {
		fmt.Fprintf(out, "trial %d: cancelled (%s)\n", number, whyCancelled)
		return nil
	}
	if !ok {
		return fmt.Errorf("session %s has no trial %d; `gitdd log %s` lists those it has", session.Name(), number, session.Name())
	}
	r := list[at]
	fmt.Fprintf(out, "trial %d: %s (%s) after %s\n", r.Trial, outcomeOf(r, l.Interesting), prose.Printable(r.Reason), took(r))
	fmt.Fprintf(out, "command %s\n", prose.Printable(prose.Words(session.Header().Command)))
	if r.Commit != "" {
		fmt.Fprintf(out, "commit %s\n", r.Commit)
	}
	if l.Inputs {
		fmt.Fprintf(out, "input %s in %s, sha256 %s\n", prose.Count(int(r.Size), "byte"), prose.Count(r.Files, "file"), r.Tree)
	} else {
		fmt.Fprintf(out, "tree %s\n", r.Tree)
	}
	if r.Good != nil {
		fmt.Fprintf(out, "in the good version: %s\n", prose.Printable(r.Good.Reason))
	}
	if r.Remote != nil {
		fmt.Fprintf(out, "machine %s\n", prose.Printable(ofCluster(r.Remote)))
		for _, l := range r.Remote.Losses {
			fmt.Fprintf(out, "lost on %s: %s\n", prose.Printable(cmp.Or(l.Machine, "a machine that is not known")), prose.Printable(l.Reason))
		}
	}
	if r.Attempt > 1 {
		fmt.Fprintf(out, "try %d\n", r.Attempt)
	}
	if r.Signature != "" {
		fmt.Fprintf(out, "signature %s\n", prose.Printable(r.Signature))
	}
	if r.Commit == "" && !l.Inputs {
		if err := printApplied(out, session, r); err != nil {
			return err
		}
	}
	for _, kind := range []string{"setup.out", "setup.err", "check.out", "check.err", "check.all", "build.out", "build.err", "build.all", "out", "err", "good.out", "good.err"} {
		if err := printFile(out, kind, session.Output(number, kind)); err != nil {
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

func printFile(out io.Writer, kind, name string) error {
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
	fmt.Fprintf(out, "--- %s\n", kind)
	_, err = io.Copy(out, f)
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
