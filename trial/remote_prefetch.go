package trial

import (
	"context"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
)

// prefetches is how many configurations are uploaded ahead at a time.
const prefetches = 2

// A prefetch uploads what is likely to be asked for, before a machine is free for it.
type prefetch struct {
	r   *Runner
	set *changes.Set

	mu      sync.Mutex
	wanted  []isolate.Configuration                      // the likeliest first
	done    map[isolate.Configuration]bool               // or tried
	running map[isolate.Configuration]context.CancelFunc // at most prefetches
}

// Prefetch returns a function that is told, again and again, which configurations of s
// are likely to be asked for, the likeliest first, and brings their files to the
// machines in the background, a few at a time. What is not told again is given up. It
// does not wait, and has nothing to say: what cannot be brought ahead is brought, or
// refused, when it is asked for. It is nil where there is nothing to bring, and for
// isolate.Options.Prefetch.
func (r *Runner) Prefetch(s *changes.Set) func([]isolate.Configuration) {
	if r.snapshots == nil || r.opts.Upload == nil {
		return nil
	}
	p := &prefetch{r: r, set: s, done: map[isolate.Configuration]bool{}, running: map[isolate.Configuration]context.CancelFunc{}}
	return p.tell
}

func (p *prefetch) tell(configs []isolate.Configuration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = slices.Clone(configs)
	for c, cancel := range p.running {
		if !slices.Contains(configs, c) {
			cancel()
		}
	}
	p.fill()
}

// fill begins as many as may run. p.mu is held.
func (p *prefetch) fill() {
	for _, c := range p.wanted {
		if len(p.running) == prefetches || p.r.lasting.Err() != nil {
			return
		}
		if p.done[c] || p.running[c] != nil {
			continue
		}
		ctx, cancel := context.WithCancel(p.r.lasting)
		p.running[c] = cancel
		p.r.background.Go(func() {
			defer cancel()
			p.upload(ctx, c)
			p.mu.Lock()
			defer p.mu.Unlock()
			delete(p.running, c)
			p.done[c] = ctx.Err() == nil
			p.fill()
		})
	}
}

func (p *prefetch) upload(ctx context.Context, c isolate.Configuration) {
	q, err := p.r.question(p.set, c, Search)
	if err != nil {
		return
	}
	p.r.mu.Lock()
	_, known := p.r.memo.attempt(q.key, 1)
	p.r.mu.Unlock()
	if known {
		return
	}
	if snap, err := p.r.snapshot(ctx, 0, q); err == nil {
		_ = p.r.opts.Upload(ctx, snap)
	}
}
