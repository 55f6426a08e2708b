package serve

import (
	"cmp"
	"time"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A Difference returns what a commit or tree has beyond the good end of a session: of what is not made of the changes of a plan, events
// tell only what it is called.
type Difference func(session *trial.Session, good, it string) ([]events.Change, error)

// Compare lets the page show what such a configuration has beyond good. It is called before the first request.
func (s *Server) Compare(difference Difference) { s.watch.difference = difference }

// A comparison is that of one configuration.
type comparison struct {
	good, it string
	changes  []events.Change
	err      error
	took     time.Duration
	ended    time.Time // zero = it goes on
}

// compared is the configuration of a trial. It has no changes as long as these are not known. w.mu is held.
func (w *watch) compared(r *events.Running) report.LiveConfig {
	l := report.LiveConfig{Commit: r.Commit}
	if r.Commit != "" {
		l.Trial = r.Trial
	}
	good, it := w.goodEnd(), cmp.Or(r.Commit, r.Tree)
	if w.difference == nil || good == "" {
		return l
	}
	c := &w.comparison
	switch goesOn := c.it != "" && c.ended.IsZero(); {
	case c.good != good || c.it != it:
		// As with the session, no more than a share of the time goes into it.
		if !goesOn && w.now().Sub(c.ended) >= share*c.took {
			w.comparison = comparison{good: good, it: it}
			go w.compare(w.session, w.comparison)
		}
	case goesOn:
	case c.err == nil:
		l.Trial, l.Compared, l.Applied, l.Changes = r.Trial, true, len(c.changes), firstOf(c.changes)
	case r.Commit != "": // the tree of a mixture may be with its worker alone
		l.Problem = c.err.Error()
	}
	return l
}

// compare finds out what a configuration has beyond good.
func (w *watch) compare(session *trial.Session, c comparison) {
	begun := w.now()
	c.changes, c.err = w.difference(session, c.good, c.it)
	w.mu.Lock()
	defer w.mu.Unlock()
	c.ended = w.now()
	c.took = c.ended.Sub(begun)
	w.comparison, w.looked = c, time.Time{}
}

// goodEnd is the good end, "" if it is not known yet. w.mu is held.
func (w *watch) goodEnd() string {
	if good := w.session.Header().Good; !good.IsAuto() {
		return string(good.ID())
	}
	if stages := w.stream.state.Stages; len(stages) > 0 { // the first begins at the good end that was found
		return stages[0].From
	}
	return ""
}
