package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
)

// Patience says how often what machines lose is tried again, and when something is
// slow.
type patience struct {
	losses      int           // so many, and it is given up
	first, most time.Duration // waits between two: the first, twice as long each time, at most
	asked       time.Duration // the longest that a cluster is left alone when it wants to be

	slow   time.Duration // what is slow takes longer than this at least
	look   time.Duration // how often what runs is looked at
	copies int           // of one performance, one after the other
}

// DefaultPatience is how long gitdd waits for machines that do not answer. MostLosses is how
// often a trial may be lost.
const (
	DefaultPatience = 10 * time.Minute
	MostLosses      = 5
)

// patienceOf scales the waits between two performances: 1 s to 30 s in 10 minutes.
func patienceOf(o Options) patience {
	all := cmp.Or(o.Patience, DefaultPatience)
	return patience{
		losses: MostLosses, first: min(time.Second, all/600), most: min(30*time.Second, all/20), asked: 15 * time.Minute,
		slow: 30 * time.Second, look: time.Second, copies: 3,
	}
}

// wait is how long to wait after so many losses, in proportions that differ from trial
// to trial: what was lost together does not come back together.
func (p patience) wait(trial, losses int, after time.Duration) time.Duration {
	d := p.most
	if n := losses - 1; n < 30 && p.first<<n < p.most {
		d = p.first << n
	}
	h := uint64(trial)*0x9e3779b97f4a7c15 + uint64(losses)*0xbf58476d1ce4e5b9
	h ^= h >> 31
	part := float64(h%1024) / 1024
	return max(time.Duration(float64(d)*(0.75+part/2)), min(after, p.asked))
}

// A remoteTrial is one trial that is performed elsewhere, as often as it takes.
type remoteTrial struct {
	*pool
	carrier
	w     *worker
	q     question
	rec   *Record
	rules rules
	salt  string

	made   int // performances that were begun
	losses []*LostError
	late   string // the machine on which it had no end in time; "" = none
}

// perform performs the task until it is not lost, and once more if it was killed, or had
// no end in time: the machine may have been short of memory, or slow. A *LostError is the
// last of as many as it takes to give up.
func (e *remoteTrial) perform(ctx context.Context) (TaskResult, error) {
	result, err := e.unlost(ctx, e.salt)
	if err != nil {
		return result, err
	}
	suffix := ""
	switch {
	case e.wasKilled(result.Setup), e.wasKilled(result.Check), e.wasKilled(result.Build), e.wasKilled(result.Test):
		suffix = "+killed"
	case result.Check.TimedOut, result.Build.TimedOut, e.wasLate(result.Test):
		suffix, e.late = "+late", result.Machine
	default:
		return result, nil
	}
	again, err := e.unlost(ctx, e.salt+suffix)
	again.Cached = again.Cached && result.Cached
	again.Uploaded += result.Uploaded
	return again, err
}

// unlost performs the task until it is not lost.
func (e *remoteTrial) unlost(ctx context.Context, salt string) (TaskResult, error) {
	for {
		result, err := e.one(ctx, salt)
		if err == nil {
			return result, ctx.Err()
		}
		if err := e.patience.tryAgain(ctx, e.rec.Trial, &e.losses, err, e.movedLost); err != nil {
			return result, err
		}
		if err := e.again(ctx, e.w, e.q); err != nil {
			return result, err
		}
	}
}

// tryAgain returns nil when a task that has ended with err is to be performed once more: it was lost, which is added to
// losses and passed to lost, and waited for as long as it takes. Otherwise the error is that of ctx if it has ended, or
// err, which is no *LostError or the last of as many as it takes to give up. trial is the number of the trial.
func (p patience) tryAgain(ctx context.Context, trial int, losses *[]*LostError, err error, lost func(*LostError)) error {
	var last *LostError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &last):
		return err
	}
	*losses = append(*losses, last)
	if len(*losses) >= p.losses {
		return err
	}
	lost(last)
	wait := time.NewTimer(p.wait(trial, len(*losses), last.After))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// avoided are the machines that have lost a task, and the one on which it had no end in time, if there is one.
func avoided(late string, losses []*LostError) []string {
	var all []string
	if late != "" {
		all = append(all, late)
	}
	for _, lost := range losses {
		if lost.Machine != "" && !slices.Contains(all, lost.Machine) {
			all = append(all, lost.Machine)
		}
	}
	return all
}

// A performance is a task with outputs of its own.
type performance struct {
	Task
	e      *remoteTrial
	n      int
	cancel context.CancelFunc

	mu        sync.Mutex
	since     time.Time // when it began to run, as far as is told
	ended     bool
	abandoned bool // nobody waits for it
}

// performance makes the next one, but for where it takes place.
func (e *remoteTrial) performance(salt string) *performance {
	e.made++
	p := &performance{e: e, n: e.made, since: time.Now()}
	opts := e.opts
	command, _ := e.command(e.q.purpose, e.q.key.tree, "") // without a file there is no error
	p.Task = Task{
		Name: fmt.Sprintf("gitdd-%s-%d-%d-%d", e.session.Name(), e.turn, e.rec.Trial, p.n),
		Dir:  opts.Dir, Setup: opts.Setup, Check: e.check(), Build: opts.Build, Command: command,
		Env:     []string{attemptOf(e.rec)},
		Measure: opts.Measure.Machine(),
		Keep:    opts.MaxOutput, Limit: e.rules.limits.test, Salt: salt + e.ownSalt(), Fresh: e.q.purpose == Confirm,
		Lost: len(e.losses), Output: p.output,
	}
	if p.Check != "" {
		p.CheckLimit = e.rules.limits.check
	}
	if opts.Build != "" {
		p.BuildLimit = e.rules.limits.build
	}
	p.Avoid = avoided(e.late, e.losses)
	p.Told = p.told
	return p
}

// told passes on what the machine says, but nothing once it is abandoned: the trial may
// have finished then.
func (p *performance) told(t TaskEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.State == "running" {
		p.since = time.Now()
	}
	if !p.abandoned {
		p.e.moved(t.State, t.Machine)
	}
}

// ran is how long it has run by now.
func (p *performance) ran() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.since)
}

// abandon ends it, if it runs. What it has printed goes, but for what was kept.
func (p *performance) abandon() {
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.abandoned = true; p.ended {
		p.discard()
	}
}

// over is that it has ended.
func (p *performance) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended = true; p.abandoned {
		p.discard()
	}
}

// moved tells how far the remote trial is.
func (e *remoteTrial) moved(state, machine string) {
	event := e.event(Moved, e.w, e.q, e.rec.Trial, e.rec.Attempt)
	event.State, event.Machine = state, machine
	e.observe(event)
}

func (e *remoteTrial) movedLost(lost *LostError) {
	event := e.event(Moved, e.w, e.q, e.rec.Trial, e.rec.Attempt)
	event.State, event.Machine, event.Loss = "lost", lost.Machine, lost.line()
	e.observe(event)
}

func (p *performance) output(kind string) string {
	return fmt.Sprintf("%s.%d", p.e.session.Output(p.e.rec.Trial, kind), p.n)
}

// keep makes the outputs of this performance those of the trial. Of a setup only that
// of one that failed stays, as that of a build.
func (p *performance) keep(result TaskResult) error {
	for _, kind := range OutputNames[2:] { // but those of the setup
		name, from := p.e.session.Output(p.e.rec.Trial, kind), p.output(kind)
		if result.Setup.failed() && (kind == "build.out" || kind == "build.err") {
			from = p.output("setup" + kind[len("build"):])
		}
		err := os.Rename(from, name)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(name) // of a process that was killed in this trial
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return disk.Wrap("keep what a trial printed", err)
		}
	}
	return nil
}

// discard removes the outputs that were not kept. One that cannot be removed is in
// nobody's way.
func (p *performance) discard() {
	for _, kind := range OutputNames {
		_ = os.Remove(p.output(kind))
	}
}
