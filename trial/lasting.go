package trial

import (
	"fmt"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// Lasting is an end one of whose commands has run so long that the user is told. Nothing ends it: without Options.Timeout
// the limit of a trial follows from both ends, and the limits of checks and builds always do.
type Lasting struct {
	Bad   bool          // it is the bad end
	Phase string        // "check", "build", or "" = the test
	After time.Duration // how long it had run
	Other time.Duration // how long the same took at the other end; 0 = that was not tried yet
}

func (l Lasting) String() string {
	which, other := "good", "bad"
	if l.Bad {
		which, other = other, which
	}
	after, took := prose.Duration(l.After), prose.Duration(l.Other)
	switch {
	case l.Phase != "":
		return fmt.Sprintf("the %s of %s still runs after %s, and that of %s took %s: Ctrl-C stops the search, for nothing limits the %s of an end",
			l.Phase, which, after, other, took, l.Phase)
	case l.Other == 0:
		return fmt.Sprintf("%s still runs after %s, and the ends have no limit: --timeout TIME sets one", which, after)
	}
	return fmt.Sprintf("%s still runs after %s, and %s took %s: --timeout TIME ends it, if having no end is the failure", which, after, other, took)
}

// How long a test at an end runs until the user is told: slowness times what the other one took, and leastLimit at
// least; or firstLasting, if none has ended yet. Of checks and builds only the second ones are watched, since the first
// ones are made in an empty workspace, and may well take hours.
const firstLasting = time.Minute

// took returns how long the test took, or the phase of that name; 0 if it was not run.
func (v Verdict) took(phase string) time.Duration {
	switch phase {
	case "check":
		return v.check
	case "build":
		return v.build
	}
	return v.Duration
}

// watch observes an event when a command of an end, which is about to run without a limit, lasts: its test, or the phase
// of that name. The function that it returns has to be called when the command has ended, with the error, if it was ended.
func (r *Runner) watch(w *worker, q question, rec *Record, phase string, limit time.Duration) (stop func(error)) {
	l := Lasting{Bad: q.config.Len() > 0, Phase: phase, After: r.firstLasting, Other: q.other.took(phase)}
	if q.purpose != End || limit != 0 || phase == "" && r.opts.Timeout != 0 || phase != "" && l.Other == 0 {
		return func(error) {}
	}
	if l.Other > 0 {
		l.After = max(slowness*l.Other, r.leastLasting)
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
