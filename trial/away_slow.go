package trial

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Some machines are slow now and then. A performance that runs much longer than others
// did has a copy run beside it while a worker is free, and the first to come counts.
// A copy that says no more than that its machine may be at fault counts for nothing.

// A pace is how long performances took.
type pace struct {
	mu    sync.Mutex
	times []time.Duration // sorted
}

const (
	paceTimes  = 3 // so many are needed to say what is slow
	paceFactor = 3 // slow is longer than so many medians
)

func (p *pace) add(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, _ := slices.BinarySearch(p.times, d)
	p.times = slices.Insert(p.times, at, d)
}

// limit is from when on something is slow; ok is false while that is not known.
func (p *pace) limit(least time.Duration) (d time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.times) < paceTimes {
		return 0, false
	}
	return max(paceFactor*p.times[len(p.times)/2], least), true
}

// A performed task, or what became of it.
type performed struct {
	by     *performance
	result TaskResult
	err    error
}

// one performs the task until it has a result or is lost, and keeps what it printed.
func (e *errand) one(ctx context.Context, salt string) (TaskResult, error) {
	ended := make(chan performed, 1+e.patience.copies) // nobody has to be heard
	count := e.performance(salt)                       // whose result counts, whatever it is
	var copied *performance                            // that runs beside it
	copies := 0
	e.load(e.w, e.rec, &count.Task)
	first := e.begin(ctx, count, ended, func(context.Context) (carrier, error) { return e.carrier, nil })
	defer func() {
		count.abandon()
		if copied != nil {
			copied.abandon()
		}
		if e.stage == nil { // its workspace is needed
			<-first
		}
	}()
	look := time.NewTicker(e.patience.look)
	defer look.Stop()
	for {
		var last performed
		select {
		case <-look.C:
			if copied == nil && copies < e.patience.copies && e.slow(count) {
				if copied = e.copy(ctx, salt, ended); copied != nil {
					copies++
					e.moved("copied", "")
				}
			}
			continue
		case last = <-ended:
		}
		var lost *LostError
		switch {
		case last.by == copied && (last.err != nil || last.result.doubtful()):
			copied.abandon()
			copied = nil
		case last.by == count && copied != nil && errors.As(last.err, &lost):
			e.losses = append(e.losses, lost)
			e.moved("lost", lost.Machine)
			count.abandon()
			count, copied = copied, nil
			e.keepCopy(count)
		case last.err != nil:
			return last.result, last.err
		default:
			return last.result, last.by.keep(last.result)
		}
	}
}

// begin lets a performance run where ready says, and tells when it has ended.
func (e *errand) begin(ctx context.Context, p *performance, ended chan<- performed, ready func(context.Context) (carrier, error)) (done <-chan struct{}) {
	ctx, p.cancel = context.WithCancelCause(ctx)
	over := make(chan struct{})
	e.errands.Go(func() {
		c, err := ready(ctx)
		var result TaskResult
		if err == nil {
			result, err = e.opts.Remote(ctx, p.Task)
		}
		if context.Cause(ctx) == errYielded && err != nil {
			err = &LostError{Reason: errYielded.Error()}
		}
		var lost *LostError
		switch {
		case errors.As(err, &lost) && c != nil:
			c.spoil()
		case err == nil && !result.Cached:
			e.pace.add(p.ran())
		}
		p.over()
		close(over)
		ended <- performed{p, result, err}
	})
	return over
}

// errYielded is the cause for which a copy ends whose worker is needed.
var errYielded = errors.New("its worker was needed for another trial")

// copy begins a second performance, if a worker is free.
func (e *errand) copy(ctx context.Context, salt string, ended chan<- performed) *performance {
	select {
	case e.slots <- struct{}{}:
	default:
		return nil
	}
	w := e.nearest(e.q)
	p := e.performance(salt + "+copy")
	ready := func(context.Context) (carrier, error) { return e.carrier, nil }
	if e.stage != nil {
		e.load(w, e.rec, &p.Task)
	} else {
		ready = func(ctx context.Context) (carrier, error) {
			space, err := e.shared(ctx, w, e.q)
			if err == nil {
				err = space.show(ctx, w, e.q)
			}
			if err != nil {
				return nil, err
			}
			c := space.(carrier)
			c.load(w, e.rec, &p.Task)
			return c, nil
		}
	}
	done := e.begin(ctx, p, ended, ready)
	e.mu.Lock()
	e.copies[p] = p.cancel
	e.mu.Unlock()
	e.errands.Go(func() {
		<-done
		e.keepCopy(p)
		e.release(w)
	})
	return p
}

// keepCopy lets a copy have its worker as long as it takes.
func (e *errand) keepCopy(p *performance) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.copies, p)
}

// yield ends a copy, if there is one, for its worker to be used.
func (r *rig) yield() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p, cancel := range r.copies {
		cancel(errYielded)
		delete(r.copies, p)
		return
	}
}

// slow reports whether a performance runs for longer than it should.
func (e *errand) slow(p *performance) bool {
	limit, ok := e.pace.limit(e.patience.slow)
	return ok && p.ran() > limit
}

// doubtful reports whether a result may be that of its machine.
func (t TaskResult) doubtful() bool {
	for _, p := range []Part{t.Setup, t.Build, t.Test} {
		if p.TimedOut || p.Ran && p.Exit >= exitCannotRun {
			return true
		}
	}
	return t.Setup.failed()
}
