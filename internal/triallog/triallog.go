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
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Log writes the trials of a session.
type Log struct {
	Session     *trial.Session
	Inputs      bool // its trials are of inputs, and not of changes
	Interesting bool // outcomes are called interesting and not interesting
}

// Table lists the trials of a session, a line each. A trial that began and has no outcome has a line, too.
func (l Log) Table() ([]byte, error) {
	heading, cells := l.columns()
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(heading, "\t"))
	cancelled := make([]string, len(heading))
	cancelled[slices.Index(heading, "OUTCOME")], cancelled[len(heading)-1] = "cancelled", whyCancelled
	last := 0
	for _, r := range l.all() {
		for last++; last < r.Trial; last++ {
			cancelled[0] = strconv.Itoa(last)
			fmt.Fprintln(table, strings.Join(cancelled, "\t"))
		}
		fmt.Fprintln(table, strings.Join(cells(r), "\t"))
	}
	err := table.Flush()
	return text.Bytes(), err
}

// all are the trials in the order in which they began, with those that were taken back.
func (l Log) all() []trial.Record {
	list := append(l.Session.InOrder(), l.Session.Withdrawn()...)
	slices.SortFunc(list, func(a, b trial.Record) int { return a.Trial - b.Trial })
	return list
}

// columns are the headings of the table, and what stands below them. SUITE, TRY, MACHINE and VALUE are left out of a search
// none of whose trials has them, and MACHINE of a reduction. SUITE has the numbers of trials in the session of the suite.
func (l Log) columns() (heading []string, cells func(trial.Record) []string) {
	list := l.Session.InOrder()
	tries := l.Inputs || slices.ContainsFunc(list, func(r trial.Record) bool { return r.Attempt > 1 })
	machines := slices.ContainsFunc(list, func(r trial.Record) bool { return r.Remote != nil })
	heading = []string{"TRIAL", "FOR", "CHANGES", "TREE"}
	if l.Inputs {
		heading = []string{"TRIAL", "FOR", "BYTES", "INPUT"}
	}
	suites := slices.ContainsFunc(list, func(r trial.Record) bool { return r.Suite > 0 })
	if suites {
		heading = append(heading, "SUITE")
	}
	if tries {
		heading = append(heading, "TRY")
	}
	if machines {
		heading = append(heading, "MACHINE")
	}
	values := slices.ContainsFunc(list, func(r trial.Record) bool { return r.Value != nil })
	heading = append(heading, "OUTCOME")
	if values {
		heading = append(heading, "VALUE")
	}
	return append(heading, "SECONDS", "REASON"), func(r trial.Record) []string {
		line := []string{strconv.Itoa(r.Trial), string(r.Purpose), l.extent(r), fmt.Sprintf("%.10s", r.Tree)}
		if suites {
			line = append(line, strconv.Itoa(r.Suite))
		}
		if tries {
			line = append(line, strconv.Itoa(r.Attempt))
		}
		if machines {
			line = append(line, machineOf(r.Remote))
		}
		line = append(line, outcomeOf(r, l.Interesting))
		if values {
			line = append(line, valueOf(r))
		}
		return append(line, fmt.Sprintf("%.2f", r.CheckSeconds+r.BuildSeconds+r.Seconds), prose.Printable(r.Reason+lostBefore(r)))
	}
}

// valueOf is the number of a trial as people read it, "" if it has none.
func valueOf(r trial.Record) string {
	if r.Value == nil {
		return ""
	}
	return prose.Printable(measure.Format(*r.Value, r.Unit))
}

// extent is how much of what is made smaller was in a trial.
func (l Log) extent(r trial.Record) string {
	if l.Inputs {
		return strconv.FormatInt(r.Size, 10)
	}
	if r.Commit != "" {
		return "commit " + r.Commit.Short()
	}
	if c, err := isolate.FromRuns(1<<30, r.Config); err == nil {
		return strconv.Itoa(c.Len())
	}
	return "?"
}

// machineOf names the machine of a trial on a cluster, or its cache; "" for a trial on this machine.
func machineOf(away *trial.Away) string {
	switch {
	case away == nil:
		return ""
	case away.Cached:
		return "cache"
	}
	return prose.Printable(away.Machine)
}

// whyCancelled is said of a trial that began and has no outcome.
const whyCancelled = "it began, and was not needed any more or cut short"

// Print writes one trial as the journal has it: what was tested, the outcome, and then, byte for byte, all that its
// check, its build and its command printed.
func (l Log) Print(out io.Writer, number int) error {
	session := l.Session
	list := l.all()
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
	if command := session.Header().Command; len(command) > 0 {
		fmt.Fprintf(out, "command %s\n", prose.Printable(prose.Words(command)))
	}
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
	if r.Value != nil {
		fmt.Fprintf(out, "value %s\n", valueOf(r))
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

// ofCluster says on which machine of a cluster a trial ran, and what else the cluster did with it.
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

// took says how long a trial took, and how much of that its check and its build took.
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

// outcomeOf returns the outcome of a trial in a word.
func outcomeOf(r trial.Record, interesting bool) string {
	switch {
	case r.Withdrawn:
		return "taken back"
	case r.Rejected:
		return "rejected"
	}
	return isolate.Outcome(r.Outcome).Word(interesting)
}
