package trial

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Some machines are slow now and then. A performance that runs much longer than others
// did has a copy run beside it, by the next worker that is free, and the first to come
// counts. A copy that says no more than that its machine may be at fault counts for
// nothing.

// A pace is how long performances took.
type pace struct {
	mu    sync.Mutex
	times []time.Duration // sorted
}

const (
	paceTimes  = 3 // so many are needed to say what is slow
	paceFactor = 3 // slow is longer than so many medians
	copyShare  = 8 // one of so many workers may have a copy
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
func (e *remoteTrial) one(ctx context.Context, salt string) (TaskResult, error) {
	ended := make(chan performed, 1+e.patience.copies) // nobody has to be heard
	count := e.performance(salt)                       // whose result counts, whatever it is
	var copied *performance                            // that runs beside it
	copies := 0
	var slot chan struct{} // that such a one waits for
	e.load(e.w, e.rec, &count.Task)
	first := e.begin(ctx, count, ended, func(context.Context) (carrier, error) { return e.carrier, nil })
	defer func() {
		count.abandon()
		if copied != nil {
			copied.abandon()
		}
		e.unqueue(slot)
		if e.opts.Shared { // its workspace is needed
			<-first
		}
	}()
	look := time.NewTicker(e.patience.look)
	defer look.Stop()
	for {
		var last performed
		select {
		case <-look.C:
			if copied == nil && slot == nil && copies < e.patience.copies && e.slow(count) {
				slot = e.enqueue()
			}
			continue
		case <-slot:
			slot = nil
			copies++
			copied = e.copy(ctx, salt, ended)
			e.moved("copied", "")
			continue
		case last = <-ended:
		}
		var lost *LostError
		switch {
		case last.by == copied && (last.err != nil || last.result.suspect()):
			copied.abandon()
			copied = nil
		case last.by == count && copied != nil && errors.As(last.err, &lost):
			e.losses = append(e.losses, lost)
			e.movedLost(lost)
			count.abandon()
			count, copied = copied, nil
		case last.err != nil:
			return last.result, last.err
		default:
			return last.result, last.by.keep(last.result)
		}
	}
}

// begin lets a performance run where ready says, and tells when it has ended.
func (e *remoteTrial) begin(ctx context.Context, p *performance, ended chan<- performed, ready func(context.Context) (carrier, error)) (done <-chan struct{}) {
	ctx, p.cancel = context.WithCancel(ctx)
	over := make(chan struct{})
	e.background.Go(func() {
		c, err := ready(ctx)
		var result TaskResult
		if err == nil {
			result, err = e.opts.Remote(ctx, p.Task)
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

// enqueue asks for a slot for a copy, before all new trials. It is nil where there are
// copies enough.
func (r *pool) enqueue() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opts.Jobs == 1 || r.copies >= max(1, r.opts.Jobs/copyShare) {
		return nil
	}
	r.copies++
	slot := make(chan struct{}, 1)
	select {
	case r.slots <- struct{}{}:
		slot <- struct{}{}
	default:
		r.queue = append(r.queue, slot)
	}
	return slot
}

// unqueue is for a slot, if it is not nil, that is needed no more.
func (r *pool) unqueue(slot chan struct{}) {
	if slot == nil {
		return
	}
	r.mu.Lock()
	r.copies--
	at := slices.Index(r.queue, slot)
	if at >= 0 {
		r.queue = slices.Delete(r.queue, at, at+1)
	}
	r.mu.Unlock()
	if at < 0 {
		r.pass()
	}
}

// copy begins a second performance by the slot that it has.
func (e *remoteTrial) copy(ctx context.Context, salt string, ended chan<- performed) *performance {
	w := e.nearest(e.q)
	p := e.performance(salt + "+copy")
	ready := func(context.Context) (carrier, error) { return e.carrier, nil }
	if !e.opts.Shared {
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
	e.background.Go(func() {
		<-done
		e.mu.Lock()
		e.copies--
		e.mu.Unlock()
		e.release(w)
	})
	return p
}

// slow reports whether a performance runs for longer than it should.
func (e *remoteTrial) slow(p *performance) bool {
	limit, ok := e.pace.limit(e.patience.slow)
	return ok && p.ran() > limit
}

// suspect reports whether a result is not taken from a copy: it is doubtful, or a crash.
func (t TaskResult) suspect() bool {
	return t.Doubtful() || t.Build.Exit >= exitSignal || t.Test.Exit >= exitSignal
}
