package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
)

// Options.MaxDisk bounds what the workspaces, the temporary files and the kept
// outputs of a session take together.
//
// Whether a trial has an outcome must not depend on what the others take at the
// moment: it is over the limit only if what it has itself, from a clean workspace
// on, is more than the limit. When all together are, room is made: idle
// workspaces go, then what is long of older outputs, and if that does not do, the
// search ends with an error, for more room or fewer workers to be given.

// errDisk is the cause for which a run is cancelled that takes too much.
var errDisk = errors.New("it took more of the disk than --max-disk")

// errFilled says that a trial took too much in a workspace that others had used
// before: it is for a clean one to tell.
var errFilled = errors.New("the workspace has grown beyond --max-disk")

// own measures what a trial in a workspace that the worker holds has on the disk.
func (r *pool) own(w *worker, space place) int64 {
	temp, here := disk.Usage(w.own.temp), space.usage()
	apart := w.space != space // an answer is confirmed
	kept := here
	if apart {
		if kept = 0; w.space != nil {
			kept = w.space.usage()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w.own.disk = temp + kept
	if apart {
		r.apart[space] = here
	}
	return temp + here
}

// leave removes a workspace in which an answer was confirmed.
func (r *pool) leave(space place) error {
	err := space.remove()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.apart, space)
	return err
}

// runBounded is run, but for a process that takes too much of the disk: it is
// ended, and the exit says so.
func (r *pool) runBounded(ctx context.Context, w *worker, space place, p process.Command) (process.Exit, error) {
	if r.opts.MaxDisk == 0 {
		return w.run(ctx, p)
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(watched)
		r.watchDisk(limited, cancel, w, space, p)
	}()
	x, err := w.run(limited, p)
	over := errors.Is(context.Cause(limited), errDisk) && ctx.Err() == nil
	cancel(nil)
	<-watched
	if over && err != nil && !errors.Is(err, process.ErrGone) {
		x, err = process.Exit{Code: exitKilled, Signal: "SIGKILL", Started: true, Duration: time.Since(began)}, nil
	}
	if err == nil && (over || r.own(w, space)+size(p.Stdout, p.Stderr) > r.opts.MaxDisk) {
		x.Over = process.OverDisk
	}
	return x, err
}

// watchDisk cancels a run when its worker takes too much, until ctx ends. It takes
// a twentieth of a processor at most.
func (r *pool) watchDisk(ctx context.Context, cancel context.CancelCauseFunc, w *worker, space place, p process.Command) {
	pause := 200 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		began := time.Now()
		if r.own(w, space)+size(p.Stdout, p.Stderr) > r.opts.MaxDisk {
			cancel(errDisk)
			return
		}
		pause = max(pause, 20*time.Since(began))
	}
}

// size is that of some files, as far as they are there.
func size(names ...string) int64 {
	sum := int64(0)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// outputSize is that of the kept outputs of a trial.
func (r *pool) outputSize(trial int) int64 {
	sum := size(r.session.Output(trial, testsKind))
	for _, kind := range outputKinds {
		sum += size(r.session.Output(trial, kind))
	}
	return sum
}

var outputKinds = []string{"out", "err", "check.out", "check.err", "check.all", "build.out", "build.err", "build.all", "good.out", "good.err", askedKind}

// makeRoom makes sure that the session is within its limit before a trial of w in
// a workspace.
func (r *pool) makeRoom(ctx context.Context, w *worker, space place) error {
	if r.opts.MaxDisk == 0 || r.total() <= r.opts.MaxDisk {
		return nil
	}
	for r.total() > r.opts.MaxDisk {
		removed, err := r.removeIdle(w)
		if err != nil {
			return err
		}
		if !removed {
			break
		}
	}
	if r.total() > r.opts.MaxDisk {
		// The worker's own idles while an answer is confirmed in another one.
		if w.space != nil && w.space != space {
			if err := w.space.remove(); err != nil {
				return err
			}
			r.mu.Lock() // take looks at it
			w.space = nil
			r.mu.Unlock()
		}
		if err := space.renew(ctx, w); err != nil {
			return err
		}
		r.own(w, space)
	}
	if r.total() <= r.opts.MaxDisk {
		return nil
	}
	if err := r.shortenOutputs(); err != nil {
		return err
	}
	return r.awaitRoom(ctx, w)
}

// awaitRoom waits for the workers whose trials run: their workspaces can go then.
// The error comes when every other waits here, too, with a workspace as new.
func (r *pool) awaitRoom(ctx context.Context, w *worker) error {
	waits := func(on bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		w.own.waits = on
	}
	waits(true)
	defer waits(false)
	for {
		n := r.total()
		if n <= r.opts.MaxDisk {
			return nil
		}
		removed, err := r.removeIdle(w)
		if err != nil {
			return err
		}
		if !removed && !r.others(w) {
			return fmt.Errorf("the session takes %s of the disk, more than --max-disk (%s), and no room can be made: begin again with more, or go on with fewer workers, by `gitdd resume -j 1`", prose.Size(n), prose.Size(r.opts.MaxDisk))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// others reports whether a worker beside w is at work, and not waiting for room.
func (r *pool) others(w *worker) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.workers {
		if other != w && other.busy && !other.own.waits {
			return true
		}
	}
	return false
}

// total is what the session takes, as last measured.
func (r *pool) total() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := r.outputs
	for _, w := range r.workers {
		sum += w.own.disk
	}
	for _, n := range r.apart {
		sum += n
	}
	return sum
}

// removeIdle removes a workspace in which nothing runs, but for that of w.
func (r *pool) removeIdle(w *worker) (removed bool, err error) {
	select {
	case r.slots <- struct{}{}:
	default:
		return false, nil // all are at work
	}
	var idle *worker
	r.mu.Lock()
	for _, other := range r.workers {
		if other != w && !other.busy && other.space != nil && idle == nil {
			idle = other
			idle.busy = true
		}
	}
	r.mu.Unlock()
	if idle == nil {
		<-r.slots
		return false, nil
	}
	defer r.release(idle)
	err = idle.space.remove()
	r.mu.Lock()
	idle.space = nil
	idle.own.disk = 0
	r.mu.Unlock()
	return true, err
}

// shortenOutputs keeps of the outputs of finished trials what gitdd itself reads
// of them: the first and the last lines.
func (r *pool) shortenOutputs() error {
	saved := int64(0)
	for _, rec := range r.session.Records() {
		for _, kind := range outputKinds {
			name := r.session.Output(rec.Trial, kind)
			long := size(name)
			if long <= 2*outputBytes+1 {
				continue
			}
			text, err := ends(name)
			if err == nil {
				err = disk.WriteFile(name, text)
			}
			if err != nil {
				return disk.Wrap("shorten the output of trial "+strconv.Itoa(rec.Trial), err)
			}
			saved += long - int64(len(text))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outputs -= saved
	return nil
}

// Disk returns what the session takes of the disk now: workspaces, temporary files
// and what is kept of the trials. Cost: it looks at every file.
func (r *pool) Disk() int64 {
	r.mu.Lock()
	dirs := []string{r.session.dir, r.temp}
	r.mu.Unlock()
	if !below(r.work, r.session.dir) {
		dirs = append(dirs, r.work)
	}
	return disk.Usage(dirs...)
}
