package trial

import (
	"fmt"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// Lasting is an end whose command has run so long that the user is told. Nothing ends it: without Options.Timeout the
// limit of a trial follows from both ends.
type Lasting struct {
	Bad   bool          // it is the bad end
	After time.Duration // how long it had run
	Other time.Duration // how long the command took at the other end; 0 = that was not tried yet
}

func (l Lasting) String() string {
	which, other := "good", "bad"
	if l.Bad {
		which, other = other, which
	}
	if l.Other == 0 {
		return fmt.Sprintf("%s still runs after %s, and the ends have no limit: --timeout TIME sets one", which, prose.Duration(l.After))
	}
	return fmt.Sprintf("%s still runs after %s, and %s took %s: --timeout TIME ends it, if having no end is the failure",
		which, prose.Duration(l.After), other, prose.Duration(l.Other))
}

// How long an end runs until the user is told: slowness times what the other one took, and leastLimit at least; or
// firstLasting, if none has ended yet.
const firstLasting = time.Minute

// watch observes an event when the command of an end, which is about to run without a limit, lasts. The function that it
// returns has to be called when the command has ended, with the error, if it was ended.
func (r *Runner) watch(w *worker, q question, rec *Record, rules rules) (stop func(error)) {
	if q.purpose != End || rules.limits.test != 0 || r.opts.Timeout != 0 {
		return func(error) {}
	}
	l := Lasting{Bad: q.config.Len() > 0, After: r.firstLasting}
	if q.other > 0 {
		l.Other, l.After = q.other, max(slowness*q.other, r.leastLasting)
	}
	ended, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		timer := time.NewTimer(l.After)
		defer timer.Stop()
		select {
		case <-ended:
			return
		case <-timer.C:
		}
		r.mu.Lock()
		r.hanging = &l
		r.mu.Unlock()
		e := r.event(Lasts, w, q, rec.Trial, rec.Attempt)
		e.Lasting = l
		r.observe(e)
	}()
	return func(err error) {
		close(ended)
		<-over
		if err == nil {
			r.mu.Lock()
			r.hanging = nil
			r.mu.Unlock()
		}
	}
}

// Lasting returns the end that lasted when the search was stopped; ok is false if none did.
func (r *Runner) Lasting() (l Lasting, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hanging == nil {
		return l, false
	}
	return *r.hanging, true
}
