package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/isolate"
)

// attemptOf tells a command which attempt at its files it is, so that a test with
// random input can take its seed from that.
func attemptOf(rec *Record) string { return "GITDD_ATTEMPT=" + strconv.Itoa(rec.Attempt) }

// runUnkilled runs p, and once more if it was killed: by the kernel where memory
// was short, or by somebody. Neither says anything about the configuration, but
// to be killed twice does; so does what gitdd itself has killed for a limit.
func (r *pool) runUnkilled(ctx context.Context, w *worker, space place, p process.Command) (process.Exit, error) {
	x, err := r.runBounded(ctx, w, space, p)
	if err == nil && x.Code == exitKilled && x.Signal != "" && !x.TimedOut && x.Over == "" {
		x, err = r.runBounded(ctx, w, space, p)
	}
	return x, err
}

// A noTrial is a configuration on which the command cannot even be started
// because of the files: unresolved, and not counted.
type noTrial struct{ reason string }

func (e *noTrial) Error() string { return e.reason }

// withoutTrial is the verdict on what err says there can be no trial of. Another error stays one.
func withoutTrial(err error) (Verdict, error) {
	if none, ok := errors.AsType[*noTrial](err); ok {
		return Verdict{Outcome: isolate.Unresolved, Reason: none.reason}, nil
	}
	return Verdict{}, err
}

// trial tries q once in a place of w, and puts the record into the journal.
func (r *pool) trial(ctx context.Context, w *worker, space place, q question, attempt int) (rec Record, err error) {
	defer func() { err = r.withAdvice(err) }()
	if err := r.makeRoom(ctx, w, space); err != nil {
		return rec, err
	}
	if rec, err = r.once(ctx, w, space, q, attempt); errors.Is(err, errAbsent) {
		for _, kind := range outputKinds {
			_ = os.Remove(r.session.Output(rec.Trial, kind)) // mostly there is none
		}
		r.mu.Lock()
		if r.last == rec.Trial {
			r.last-- // the number is free again
		}
		r.mu.Unlock()
		rec, err = r.once(ctx, w, space, q, attempt)
	}
	if !errors.Is(err, errFilled) {
		return rec, err
	}
	if err := space.renew(ctx, w); err != nil {
		return rec, err
	}
	return r.once(ctx, w, space, q, attempt)
}

// once is trial in the place as it is.
func (r *pool) once(ctx context.Context, w *worker, space place, q question, attempt int) (rec Record, err error) {
	grown := space.worn()
	if err := space.show(ctx, w, q); err != nil {
		return rec, err
	}
	r.mu.Lock()
	r.last++
	n := r.last
	r.mu.Unlock()
	event := r.event(Started, w, q, n, attempt)
	r.observe(event)
	defer func() {
		event.Kind = Finished
		if err != nil {
			event.Kind = Abandoned
		} else {
			event.Verdict, event.Record = r.verdict(rec), rec
		}
		r.observe(event)
	}()

	rec = Record{
		Trial: n, Purpose: q.purpose, Tree: q.key.tree, Set: q.round, Config: q.config.String(), Commit: q.commit, Key: q.key.settings,
		Attempt: attempt, Worker: w.number, Built: true, Cleaned: q.cleaned,
	}
	if q.input != nil {
		rec.Config, rec.Files, rec.Size = "", len(q.input.Files), q.input.Size()
	}
	r.session.forgetAll(n)
	if err := r.freshTemp(w); err != nil {
		return rec, err
	}
	if err := space.try(ctx, w, q, &rec); err != nil {
		return rec, err
	}
	if rec.Over == process.OverDisk && grown {
		return rec, errFilled
	}
	if err := r.roomLeft(rec); err != nil { // while all that the command wrote is there
		return rec, err
	}
	if err := space.done(q, &rec); err != nil {
		return rec, err
	}
	if err := r.freshTemp(w); err != nil { // not at the next trial: that may be long
		return rec, err
	}
	if r.opts.MaxDisk > 0 {
		r.own(w, space)
	}
	if q.input == nil { // nothing is learned from the output of an input
		if err := r.session.keepOutput(rec); err != nil {
			return rec, err
		}
	}
	rec.Process, rec.Elapsed = r.turn, seconds(time.Since(r.began))
	if err := r.session.append(rec); err != nil {
		return rec, err
	}
	r.mu.Lock()
	r.memo.stats.count(rec)
	r.measure(rec)
	if r.opts.MaxDisk > 0 {
		r.outputs += r.outputSize(rec.Trial)
	}
	r.mu.Unlock()
	if q.input != nil {
		return rec, r.limitOutputs(rec)
	}
	return rec, nil
}

func (r *pool) event(kind EventKind, w *worker, q question, trial, attempt int) Event {
	e := Event{
		Kind: kind, Worker: w.number, Trial: trial, Attempt: attempt, Purpose: q.purpose,
		Set: q.round, Config: q.config, Commit: q.commit, Tree: q.key.tree, Cleaned: q.cleaned, Varies: q.varies,
	}
	if q.input != nil {
		e.Size = q.input.Size()
	}
	return e
}

// cleans reports whether workspaces are made as new before each trial.
func (r *pool) cleans() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clean
}

// An execution is the command of a trial, and how its workspace was before it.
type execution struct {
	process.Command
	reports  map[string]fs.FileInfo // files of a test suite that were there, see reportFiles
	measured measured               // see enterNumber
}

// test runs p, which is the command, in a place and enters into rec what came of it.
func (r *pool) test(ctx context.Context, w *worker, space place, p execution, rec *Record, rules rules) error {
	p.Timeout = rules.limits.test
	if rules.limits.test == 0 { // nothing is known yet
		p.Timeout, rules.limits.test = r.opts.Timeout, r.opts.Timeout
	}
	run := r.runUnkilled
	if rules.limits.failure.code == exitKilled {
		run = r.runBounded // this is how it fails
	}
	x, err := r.runApart(ctx, p.Command, rec, func(ctx context.Context) (process.Exit, error) { return run(ctx, w, space, p.Command) })
	if err != nil {
		return err
	}
	rec.Seconds = seconds(x.Duration)
	rec.enter(x, p.Command)
	if r.hasTests() {
		return r.enterTests(rec, x, p)
	}
	j, err := rules.judge(x, p.Stdout, p.Stderr)
	rec.judged(j, rules)
	r.compareNew(rec)
	return errors.Join(err, r.enterNumber(rec, x, p))
}

// judged notes what rules make of how the command ended.
func (rec *Record) judged(j judgement, rules rules) {
	rec.Outcome, rec.Reason, rec.Signature, rec.Other, rec.Unmatched = Outcome(j.outcome), j.reason, j.signature, j.other, j.unmatched
	if rec.Cut > 0 {
		unseen := ""
		if rules.match != nil || rules.signature != nil {
			unseen = " and not looked at"
		}
		rec.Reason += fmt.Sprintf("; %d MiB of its output were left out%s", max(rec.Cut>>20, 1), unseen)
	}
}

// enter notes how p ended. The lines of output that it keeps name files relative to the workspace, which has another
// name in each session.
func (rec *Record) enter(x process.Exit, p process.Command) {
	rec.Exit, rec.Signal, rec.TimedOut, rec.Missing = x.Code, x.Signal, x.TimedOut, !x.Started
	rec.Over, rec.Memory, rec.Cut = x.Over, max(rec.Memory, x.Memory), x.Cut
	rec.First, rec.Last = failure.FirstAndErrorLine(x.Code != 0 || !x.Started || x.TimedOut, p.Stderr, p.Stdout)
	for _, v := range p.Env {
		if dir, ok := strings.CutPrefix(v, workspaceVariable+"="); ok {
			dir += string(filepath.Separator)
			rec.First, rec.Last = strings.ReplaceAll(rec.First, dir, ""), strings.ReplaceAll(rec.Last, dir, "")
		}
	}
	if x.TimedOut {
		rec.Limit = seconds(p.Timeout)
	}
}

// leastRoom is what must be free on the disk for a failed test to be blamed on
// the configuration.
const leastRoom = 1 << 20

// roomLeft refuses an outcome that may come from a full disk. Such a test has
// mostly failed, and whatever it failed of is not the configuration's fault.
func (r *pool) roomLeft(rec Record) error {
	well := isolate.Pass // what needs an exit status of 0
	if r.interpret.interesting {
		well = isolate.Fail
	}
	if isolate.Outcome(rec.Outcome) == well {
		return nil
	}
	r.mu.Lock()
	temp := r.temp
	r.mu.Unlock()
	for _, at := range []struct{ dir, advice string }{
		{r.session.dir, disk.OtherCache},
		{r.work, "begin again with another " + r.rootFlag()},
		{temp, disk.OtherTemp},
	} {
		free, err := disk.Free(at.dir)
		if err != nil || free >= leastRoom {
			continue // not every file system says
		}
		return fmt.Errorf("trial %d: %s, but the disk of %s is full, so that says nothing: %s",
			rec.Trial, rec.Reason, at.dir, disk.MakeRoom(at.advice))
	}
	return nil
}
