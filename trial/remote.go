package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/snapshot"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// With Options.Remote trials are performed on other machines. Everything above a
// place stays as it is. A remote place has no directory: it holds a snapshot, and the
// machine that gets it makes a directory of its own, as it does for a candidate of
// Inputs (inputs_remote.go). With Options.Shared a site is the
// place as ever, on a file system that the machines have, too.

// Away records how a trial was performed on another machine.
type Away struct {
	Machine  string  `json:"machine,omitempty"`  // that performed the trial, or lost it last
	Cached   bool    `json:"cached,omitempty"`   // the outcome came from a cache of the cluster, and nothing ran
	Lost     int     `json:"lost,omitempty"`     // how often it was lost before it had an outcome
	Losses   []Loss  `json:"losses,omitempty"`   // the losses, in their order
	GaveUp   bool    `json:"gave_up,omitempty"`  // it never had an outcome: a resumed session runs it again
	Uploaded int64   `json:"uploaded,omitempty"` // bytes that were sent for it
	Queued   float64 `json:"queued,omitempty"`   // seconds that it waited for a machine
}

// A Loss is one performance that was lost.
type Loss struct {
	Machine string `json:"machine,omitempty"` // "" = not known
	Reason  string `json:"reason"`            // one line of UTF-8, cut to 300 bytes
}

// lossesOf are those of a remote trial as a record keeps them.
func (e *remoteTrial) lossesOf() []Loss {
	var all []Loss
	for _, lost := range e.losses {
		all = append(all, Loss{Machine: lost.Machine, Reason: lost.line()})
	}
	return all
}

func (e *LostError) line() string {
	return failure.TrimLine([]byte(strings.Join(strings.Fields(e.Error()), " ")))
}

// gaveUp reports whether machines lost the trial until nobody tried again: the record
// says nothing about its configuration.
func (rec Record) gaveUp() bool { return rec.Remote != nil && rec.Remote.GaveUp }

// checkRemote refuses what cannot be kept to on other machines.
func (o Options) checkRemote() error {
	switch {
	case o.Remote == nil && (o.Shared || o.Upload != nil):
		return errors.New("workspaces are shared, or uploaded, for trials on other machines only")
	case o.Remote == nil:
		return nil
	case o.Shared && o.WorkspaceRoot == "":
		return errors.New("there is no directory for workspaces that the other machines have, too")
	case o.MaxMemory > 0, o.MaxDisk > 0:
		return errors.New("what a trial takes of memory and disk cannot be bounded on other machines: let the cluster do that")
	case containsWord(o.Command, TestsFileWord) && o.Tests != suite.Format{}:
		return errors.New("other machines have no file that {tests-file} could name: want {tests}")
	case o.Tests.ReadsFiles():
		return errors.New("files in which a test suite reports are not brought back from other machines: have it print its report")
	case len(o.Artifacts) > 0:
		return errors.New("artifacts of trials on other machines cannot be compared")
	}
	return nil
}

// A carrier is a place whose trials are performed on other machines.
type carrier interface {
	place
	// load says what is performed, on what was shown last.
	load(w *worker, rec *Record, t *Task)
	// spoil is told that a machine was lost which may still be at work in the place:
	// what is shown next is not shown there.
	spoil()
	// again makes the place ready for another performance of what was shown.
	again(ctx context.Context, w *worker, q question) error
}

// A remotePlace has no directory here: it is the snapshot that another machine gets.
type remotePlace struct {
	nowhere
	*pool
	snap *Snapshot
}

// A remoteTree is the remote place of a configuration of a Runner.
type remoteTree struct {
	*remotePlace
	r *Runner
}

func (r *Runner) newRemoteTree(context.Context, *worker, question, string) (place, error) {
	return &remoteTree{&remotePlace{pool: r.pool}, r}, nil
}

func (*remotePlace) spoil()                                         {}
func (*remotePlace) again(context.Context, *worker, question) error { return nil }

func (t *remoteTree) show(ctx context.Context, w *worker, q question) (err error) {
	if t.snap, err = t.r.snapshot(ctx, w.number, q); err != nil {
		return asNoTrial(err)
	}
	if !snapshot.IsDir(t.snap.Root, cmp.Or(t.opts.Dir, ".")) {
		return t.r.withoutDir()
	}
	return nil
}

// snapshot asks the Snapshotter, and tells the observer when that makes its workspace.
func (r *Runner) snapshot(ctx context.Context, worker int, q question) (*Snapshot, error) {
	return r.snapshots.Snapshot(ctx, q.set, q.tree, func() {
		r.observe(Event{Kind: Preparing, Worker: worker, Purpose: q.purpose})
	})
}

func (t *remoteTree) load(_ *worker, _ *Record, task *Task) { task.Files = t.snap }

func (t *remoteTree) try(ctx context.Context, w *worker, q question, rec *Record) error {
	return t.tryRemotely(ctx, w, q, rec, t)
}

func (t *remoteTree) done(question, *Record) error {
	t.snap = nil
	return nil
}

// tryRemotely performs a trial on another machine and enters into rec what came of it.
func (r *pool) tryRemotely(ctx context.Context, w *worker, q question, rec *Record, c carrier) error {
	rules := r.rules()
	if rules.limits.test == 0 { // nothing is known yet
		rules.limits.test = r.opts.Timeout
	}
	e := remoteTrial{pool: r, w: w, q: q, rec: rec, carrier: c, rules: rules, salt: r.salt(q, rec.Attempt)}
	result, err := e.perform(ctx)
	var gone *LostError
	switch {
	case err == nil:
		return e.enter(result)
	case !errors.As(err, &gone) || ctx.Err() != nil:
		return err
	}
	if gone.Away { // so would be every other trial
		return fmt.Errorf("trial %d, of %s: the machines are out of reach (%w): see what `gitdd doctor` says of them, then `gitdd resume` goes on where this stopped",
			rec.Trial, q.what(), err)
	}
	why := fmt.Sprintf("lost %d times: %v", len(e.losses), err)
	if q.purpose == End || q.purpose == Confirm { // an answer would rest on it
		return fmt.Errorf("trial %d, of %s, was %s: that says nothing about it, and the answer would rest on it; see what `gitdd doctor` says of the machines, then `gitdd resume` goes on where this stopped",
			rec.Trial, q.what(), why)
	}
	rec.Outcome, rec.Reason = Outcome(isolate.Unresolved), why
	rec.Remote = &Away{Machine: gone.Machine, Lost: len(e.losses), Losses: e.lossesOf(), GaveUp: true}
	return nil
}

// salt keeps apart what must be run for each: a repetition is no repetition, and
// nothing is confirmed, when a cache answers.
func (r *pool) salt(q question, attempt int) string {
	if q.purpose != Confirm {
		if attempt == 1 {
			return ""
		}
		return "attempt-" + strconv.Itoa(attempt)
	}
	n := attempt
	if !q.key.fresh { // without a sequential test attempts are counted anew each time
		r.mu.Lock()
		n = len(r.memo.confirms[q.key]) + 1
		r.mu.Unlock()
	}
	if n == 1 {
		return "confirm"
	}
	return "confirm-" + strconv.Itoa(n)
}

// enter judges the result of a remote trial, as one of a command that ran here.
func (e *remoteTrial) enter(result TaskResult) error {
	rec, opts := e.rec, e.opts
	output := func(kind string) string { return e.session.Output(rec.Trial, kind) }
	rec.Remote = &Away{
		Machine: result.Machine, Cached: result.Cached, Lost: len(e.losses), Losses: e.lossesOf(),
		Uploaded: result.Uploaded, Queued: seconds(result.Queued),
	}
	unbuilt := func(what string, part Part, limit time.Duration) {
		rec.Built = false
		rec.Outcome = Outcome(isolate.Unresolved)
		x := part.exit()
		rec.enter(x, process.Command{Stdout: output(rec.kind() + "out"), Stderr: output(rec.kind() + "err"), Timeout: limit})
		rec.Reason = fmt.Sprintf("the %s failed: %s", what, describe(x, limit)) + e.twice(part, part.TimedOut)
	}
	if opts.Setup != "" && result.Setup.failed() {
		unbuilt("setup", result.Setup, 0)
		if e.q.purpose != End {
			return nil
		}
		saw := rec.Reason
		if rec.Last != "" {
			saw += fmt.Sprintf(", output line %s", prose.Quote(rec.Last))
		}
		return fmt.Errorf("%q on another machine, for %s: %s; all that it printed is in %s and .err",
			opts.Setup, e.q.what(), saw, output("build.out"))
	}
	for _, b := range e.preludes(e.rules.limits) {
		part := result.Of(b.name)
		b.enter(rec, part.Duration, part.failed())
		if part.failed() {
			unbuilt(b.name, part, b.limit)
			return nil
		}
	}
	if !result.Test.Ran {
		return fmt.Errorf("trial %d: %s did not run the command, and does not say why", rec.Trial, cmp.Or(result.Machine, "the machine"))
	}
	x := result.Test.exit()
	p := execution{Command: process.Command{Stdout: output("out"), Stderr: output("err"), Timeout: e.rules.limits.test}}
	rec.Seconds = seconds(x.Duration)
	rec.enter(x, p.Command)
	if e.hasTests() {
		return e.enterTests(rec, x, p)
	}
	j, err := e.rules.judge(x, p.Stdout, p.Stderr)
	rec.judged(j, e.rules)
	e.compareNew(rec)
	err = errors.Join(err, e.enterNumber(rec, x, p))
	if j.outcome == isolate.Unresolved {
		rec.Reason += e.twice(result.Test, e.wasLate(result.Test))
	}
	return err
}

// twice says more of a part that ended so each time.
func (e *remoteTrial) twice(p Part, late bool) string {
	switch {
	case e.wasKilled(p):
		return ", twice: as what is killed, for want of memory most of the time"
	case late:
		return ", twice"
	}
	return ""
}

// wasKilled reports whether a part ended as what the kernel, or somebody, kills. Once
// says nothing about the configuration, twice does; see runUnkilled.
func (e *remoteTrial) wasKilled(p Part) bool {
	return p.Ran && p.Exit == exitKilled && !p.TimedOut && e.rules.limits.failure.code != exitKilled
}

// wasLate reports whether the command had no end in time, and the failing end has one.
// Where that hangs, too, a failure is not held to come from the machine: each would be
// waited for twice.
func (e *remoteTrial) wasLate(p Part) bool {
	return p.TimedOut && e.rules.limits.failure.class != hangs
}

func (p Part) failed() bool { return p.Ran && (p.Exit != 0 || p.TimedOut) }

// exit is how a command that ended so here would have.
func (p Part) exit() process.Exit {
	return process.Exit{Code: p.Exit, TimedOut: p.TimedOut, Cut: p.Cut, Duration: p.Duration, CPU: p.CPU, Memory: p.Memory, Started: true}
}

// sharedLimit is what a limit becomes on other machines: 10 s, 20 s, 40 s and so on.
// It is a part of what a cache of the cluster knows an outcome by, and the ends do not
// take equally long for all who ask.
func sharedLimit(d time.Duration) time.Duration {
	limit := leastLimit
	for limit < d {
		limit *= 2
	}
	return limit
}
