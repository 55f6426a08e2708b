package trial

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

// attemptOf tells a command which attempt at its files it is, so that a test with
// random input can take its seed from that.
func attemptOf(rec *Record) string { return "GITDD_ATTEMPT=" + strconv.Itoa(rec.Attempt) }

// runUnkilled runs p, and once more if it was killed: by the kernel where memory
// was short, or by somebody. Neither says anything about the configuration, but
// to be killed twice does; so does what gitdd itself has killed for a limit.
func (r *Runner) runUnkilled(ctx context.Context, w *worker, space *workspace, p process) (exit, error) {
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

// trial runs build and test once on q in a workspace that w holds, and puts
// the record into the journal.
func (r *Runner) trial(ctx context.Context, w *worker, space *workspace, q question, attempt int) (rec Record, err error) {
	if err := r.makeRoom(ctx, w, space); err != nil {
		return rec, err
	}
	rec, err = r.once(ctx, w, space, q, attempt)
	if !errors.Is(err, errFilled) {
		return rec, err
	}
	if err := r.renew(ctx, w, space); err != nil {
		return rec, err
	}
	return r.once(ctx, w, space, q, attempt)
}

// once is trial in the workspace as it is.
func (r *Runner) once(ctx context.Context, w *worker, space *workspace, q question, attempt int) (rec Record, err error) {
	grown := space.used && !r.cleans()
	if err := r.present(ctx, w, space, q); err != nil {
		return rec, err
	}
	r.mu.Lock()
	r.last++
	n := r.last
	r.mu.Unlock()
	event := Event{Kind: Started, Worker: w.number, Trial: n, Attempt: attempt, Purpose: q.purpose, Config: q.config, Commit: q.commit, Tree: q.tree.ID}
	r.observe(event)
	defer func() {
		event.Kind = Finished
		if err != nil {
			event.Kind = Abandoned
		} else {
			event.Verdict = r.verdict(rec)
		}
		r.observe(event)
	}()

	rec = Record{
		Trial: n, Purpose: q.purpose, Tree: q.tree.ID, Set: q.round, Config: q.config.String(), Commit: q.commit, Key: q.key.settings,
		Attempt: attempt, Worker: w.number, Built: true,
	}
	if err := r.freshTemp(w); err != nil {
		return rec, err
	}
	rules := r.rules()
	if err := r.build(ctx, w, space, &rec, rules.limits.build); err != nil {
		return rec, err
	}
	if rec.Built {
		if err := r.test(ctx, w, space, &rec, rules); err != nil {
			return rec, err
		}
		if q.purpose == Confirm {
			rec.Artifacts = artifacts(space.writer.root, r.opts.Artifacts)
		}
	}
	if err := space.present(); err != nil {
		return rec, err
	}
	if rec.Over == overDisk && grown {
		return rec, errFilled
	}
	if err := r.roomLeft(rec); err != nil {
		return rec, err
	}
	if err := r.freshTemp(w); err != nil { // not at the next trial: that may be long
		return rec, err
	}
	if r.opts.MaxDisk > 0 {
		r.own(w, space)
	}
	if err := r.session.keepOutput(rec); err != nil {
		return rec, err
	}
	rec.Process, rec.Elapsed = r.turn, seconds(time.Since(r.began))
	if err := r.session.append(rec); err != nil {
		return rec, err
	}
	r.mu.Lock()
	r.memo.stats.count(rec)
	if r.opts.MaxDisk > 0 {
		r.outputs += r.outputSize(rec.Trial)
	}
	r.mu.Unlock()
	return rec, nil
}

// renew makes a workspace as new, and sets it up.
func (r *Runner) renew(ctx context.Context, w *worker, space *workspace) error {
	if !space.used {
		return nil
	}
	if err := space.clean(ctx); err != nil {
		return err
	}
	if err := r.setup(ctx, w, space); err != nil {
		return err
	}
	space.used = false
	return nil
}

// present makes the workspace show q. A *noTrial error when that cannot be.
func (r *Runner) present(ctx context.Context, w *worker, space *workspace, q question) error {
	if r.cleans() {
		if err := r.renew(ctx, w, space); err != nil {
			return err
		}
	}
	space.used = true
	if err := space.show(ctx, q.set, q.tree); err != nil {
		return asNoTrial(err)
	}
	if info, err := space.writer.root.Stat(r.dirOrTop()); err != nil || !info.IsDir() {
		return &noTrial{fmt.Sprintf("there is no directory %s to run the command in", r.opts.Dir)}
	}
	return nil
}

// cleans reports whether workspaces are made as new before each trial.
func (r *Runner) cleans() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clean
}

// asNoTrial tells files that cannot be had, which is the configuration's fault or
// that of what it needs, from trouble with the machine.
func asNoTrial(err error) error {
	var unfit *unfitError
	var absent *absentError
	var conflict *patchError
	if errors.As(err, &unfit) || errors.As(err, &absent) || errors.As(err, &conflict) {
		return &noTrial{err.Error()}
	}
	return err
}

// build runs Options.Build and enters into rec what came of it.
func (r *Runner) build(ctx context.Context, w *worker, space *workspace, rec *Record, limit time.Duration) error {
	if r.opts.Build == "" {
		return nil
	}
	p := r.process(w, space, rec.Trial, []string{"sh", "-c", r.opts.Build})
	p.Env = append(p.Env, attemptOf(rec))
	p.Stdout, p.Stderr = r.session.Output(rec.Trial, "build.out"), r.session.Output(rec.Trial, "build.err")
	p.Timeout = limit
	x, err := r.runUnkilled(ctx, w, space, p)
	if err != nil {
		return err
	}
	rec.BuildSeconds = seconds(x.Duration)
	rec.Memory = x.Memory
	if x.Code == 0 && x.Started && !x.TimedOut && x.Over == "" {
		return nil
	}
	rec.Built = false
	rec.Outcome = Outcome(isolate.Unresolved)
	rec.enter(x, p)
	rec.Reason = "the build: " + describe(x, limit)
	return nil
}

// test runs the command and enters into rec what came of it.
func (r *Runner) test(ctx context.Context, w *worker, space *workspace, rec *Record, rules rules) error {
	p := r.process(w, space, rec.Trial, r.opts.Command)
	p.Env = append(p.Env, attemptOf(rec))
	p.Stdout, p.Stderr = r.session.Output(rec.Trial, "out"), r.session.Output(rec.Trial, "err")
	p.Timeout = rules.limits.test
	if rules.limits.test == 0 { // nothing is known yet
		p.Timeout, rules.limits.test = r.opts.Timeout, r.opts.Timeout
	}
	run := r.runUnkilled
	if rules.limits.failure.code == exitKilled {
		run = r.runBounded // this is how it fails
	}
	x, err := run(ctx, w, space, p)
	if err != nil {
		return err
	}
	rec.Seconds = seconds(x.Duration)
	rec.enter(x, p)
	j, err := rules.judge(x, p.Stdout, p.Stderr)
	rec.Outcome, rec.Reason, rec.Signature, rec.Other = Outcome(j.outcome), j.reason, j.signature, j.other
	if rec.Cut > 0 {
		unseen := ""
		if rules.match != nil || rules.signature != nil {
			unseen = " and not looked at"
		}
		rec.Reason += fmt.Sprintf("; %d MiB of its output were left out%s", max(rec.Cut>>20, 1), unseen)
	}
	return err
}

// enter notes how p ended.
func (rec *Record) enter(x exit, p process) {
	rec.Exit, rec.Signal, rec.TimedOut, rec.Missing = x.Code, x.Signal, x.TimedOut, !x.Started
	rec.Over, rec.Memory, rec.Cut = x.Over, max(rec.Memory, x.Memory), x.Cut
	rec.First, rec.Last = firstAndLast(p.Stderr, p.Stdout)
}

// leastRoom is what must be free on the disk for a failed test to be blamed on
// the configuration.
const leastRoom = 1 << 20

// roomLeft refuses an outcome that may come from a full disk. Such a test has
// mostly failed, and whatever it failed of is not the configuration's fault.
func (r *Runner) roomLeft(rec Record) error {
	if isolate.Outcome(rec.Outcome) == isolate.Pass {
		return nil
	}
	r.mu.Lock()
	temp := r.temp
	r.mu.Unlock()
	for _, at := range []struct{ dir, advice string }{
		{r.session.dir, "set " + CacheVariable + " to a directory on another disk"},
		{r.work, "begin with another --workspace-root"},
		{temp, "set TMPDIR to a directory on another disk"},
	} {
		free, err := freeBytes(at.dir)
		if err != nil || free >= leastRoom {
			continue // not every file system says
		}
		return fmt.Errorf("trial %d: %s, but the disk of %s is full, so that says nothing: make room there, or %s; `gitdd resume` goes on where this stopped",
			rec.Trial, rec.Reason, at.dir, at.advice)
	}
	return nil
}
