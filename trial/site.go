package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/workspace"
	"github.com/gitdd/gitdd/isolate"
)

// A site is the place of a Runner: a workspace that shows configurations.
type site struct {
	space  *workspace.Workspace
	r      *Runner
	used   bool // a trial has been here
	warm   bool // likewise, and did what only the first one has to do
	spoilt bool // a machine that was lost may still write to it
}

// newSpace makes a workspace in dir and sets it up.
func (r *Runner) newSpace(ctx context.Context, w *worker, q question, dir string) (place, error) {
	r.observe(Event{Kind: Preparing, Worker: w.number, Purpose: q.purpose})
	space, err := r.source.New(ctx, q.set, dir)
	if err != nil {
		return nil, asNoTrial(err)
	}
	r.mu.Lock()
	r.paths = max(r.paths, space.Paths())
	r.mu.Unlock()
	s := &site{space: space, r: r}
	if err := s.setup(ctx, w); err != nil {
		return nil, errors.Join(err, space.Remove())
	}
	return s, nil
}

func (s *site) distance(q question) int { return s.space.Distance(q.set, q.tree) }

func (s *site) usage() int64 { return s.space.Usage() }

func (s *site) worn() bool { return s.used && !s.r.cleans() }

func (s *site) setup(ctx context.Context, w *worker) error {
	if s.r.opts.Remote != nil { // it is a part of the first trial
		return disk.RemoveAll(s.state())
	}
	return s.r.prepare(ctx, w, "setup", s.r.opts.Setup, s.space)
}

func (s *site) renew(ctx context.Context, w *worker) error {
	if !s.used {
		return nil
	}
	if err := s.space.Clean(ctx); err != nil {
		return err
	}
	if err := s.setup(ctx, w); err != nil {
		return err
	}
	s.used, s.warm = false, false
	return nil
}

func (s *site) show(ctx context.Context, w *worker, q question) error {
	if err := s.move(ctx, w, q); err != nil {
		return err
	}
	if s.r.cleans() {
		if err := s.renew(ctx, w); err != nil {
			return err
		}
	}
	s.used = true
	if err := s.space.Show(ctx, q.set, q.tree); err != nil {
		return asNoTrial(err)
	}
	if !s.r.hasDir(s.space) {
		return s.r.withoutDir()
	}
	return nil
}

func (r *Runner) withoutDir() error {
	return &noTrial{fmt.Sprintf("there is no directory %s to run the command in", r.opts.Dir)}
}

// asNoTrial tells files that cannot be had, which is the configuration's fault or
// that of what it needs, from trouble with the machine.
func asNoTrial(err error) error {
	if workspace.Impossible(err) {
		return &noTrial{err.Error()}
	}
	return err
}

func (s *site) done(question, *Record) error { return s.space.Present() }

// try runs check, build and test.
func (s *site) try(ctx context.Context, w *worker, q question, rec *Record) error {
	if s.r.opts.Remote != nil {
		return s.r.tryRemotely(ctx, w, q, rec, s)
	}
	rules := s.r.rules()
	rec.Cold = !s.warm || s.r.cleans()
	rules.limits = s.r.limitsOf(q, rec.Cold)
	for _, b := range s.r.preludes(rules.limits) {
		stop := s.r.watch(w, q, rec, b.name, b.limit)
		err := s.prepare(ctx, w, rec, b)
		stop(err)
		if err != nil || !rec.Built {
			rec.Shortened = rec.TimedOut && b.name == "build" && rules.limits.shortBuild
			return err
		}
	}
	command, err := s.r.command(q.purpose, q.key.tree, s.r.session.Output(rec.Trial, askedKind))
	if err != nil {
		return err
	}
	p := execution{Command: s.process(w, rec, command)}
	p.Stdout, p.Stderr = s.r.session.Output(rec.Trial, "out"), s.r.session.Output(rec.Trial, "err")
	p.reports = s.r.reportFiles(p.Dir)
	p.measured, p.Measure = s.r.measured(s.space.Root()), s.r.opts.Measure.Machine()
	stop := s.r.watch(w, q, rec, "", rules.limits.test)
	err = s.r.test(ctx, w, s, p, rec, rules)
	stop(err)
	if err != nil {
		return err
	}
	rec.Shortened = rec.TimedOut && rules.limits.shortTest
	// One that had no end in time took longer than a cold end: whatever only the first
	// trial of a workspace does is done.
	s.warm = s.warm || rec.TimedOut || isolate.Outcome(rec.Outcome) != isolate.Unresolved
	if q.purpose == Confirm {
		rec.Artifacts = artifacts(s.space.Root(), s.r.opts.Artifacts)
	}
	return nil
}

// process is a command of a trial in the workspace.
func (s *site) process(w *worker, rec *Record, argv []string) process.Command {
	p := s.r.process(w, rec.Trial, argv, filepath.Join(s.space.Dir, s.r.dir), s.space.Dir)
	p.Env = append(p.Env, attemptOf(rec))
	return p
}

// A prelude is a line of shell that is run before the test of a configuration. If it
// fails, what follows it is not run: the configuration is unresolved.
type prelude struct {
	name  string // "check" or "build": in reasons, and in the names of its outputs
	line  string
	limit time.Duration
}

// preludes are those that there are now, in their order.
func (r *pool) preludes(l limits) (list []prelude) {
	for _, one := range []prelude{{"check", r.check(), l.check}, {"build", r.opts.Build, l.build}} {
		if one.line != "" {
			list = append(list, one)
		}
	}
	return list
}

// enter notes how long a prelude took, and that it failed, if it did.
func (b prelude) enter(rec *Record, took time.Duration, failed bool) {
	if b.name == "check" {
		rec.Checked, rec.Rejected, rec.CheckSeconds = true, failed, seconds(took)
	} else {
		rec.BuildSeconds = seconds(took)
	}
	if failed {
		rec.Built, rec.Outcome = false, Outcome(isolate.Unresolved)
	}
}

// kind is what the outputs are called of which a trial that got so far has the most to
// tell: "", "build." or "check.".
func (rec *Record) kind() string {
	switch {
	case rec.Rejected:
		return "check."
	case !rec.Built:
		return "build."
	}
	return ""
}

// prepare runs a prelude and enters into rec what came of it.
func (s *site) prepare(ctx context.Context, w *worker, rec *Record, b prelude) error {
	r := s.r
	p := s.process(w, rec, []string{shellProgram(), "-c", b.line})
	p.Stdout, p.Stderr = r.session.Output(rec.Trial, b.name+".out"), r.session.Output(rec.Trial, b.name+".err")
	p.Timeout = b.limit
	x, err := r.runUnkilled(ctx, w, s, p)
	if err != nil {
		return err
	}
	failed := x.Code != 0 || !x.Started || x.TimedOut || x.Over != ""
	b.enter(rec, x.Duration, failed)
	rec.Memory = max(rec.Memory, x.Memory)
	if !failed {
		return nil
	}
	rec.enter(x, p)
	rec.Reason = "the " + b.name + " failed: " + describe(x, b.limit)
	return s.printAll(ctx, w, rec, b, p, x)
}
