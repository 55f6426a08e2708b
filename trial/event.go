package trial

import (
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// An Event is for the eyes of the user: its order depends on Jobs and on time.
type Event struct {
	Kind    EventKind
	Worker  int // 0..Jobs-1
	Trial   int // 0 for Preparing
	Attempt int // from 1
	Purpose Purpose
	Set     int // which change set or line of commits Config is of, as in Record
	Config  isolate.Configuration
	Commit  git.ID  // of Runner.Commits, else ""
	Tree    git.ID  // or the digest of an input
	Size    int64   // bytes of that input
	Cleaned bool    // of Confirm: in a cleaned workspace
	Verdict Verdict // of Finished and Amended
	Lasting Lasting // of Lasts

	// Of Moved, with Options.Remote: "uploading", "queued", "running", "lost" (it is
	// performed again) or "copied" (it is slow, and performed a second time beside).
	State   string
	Machine string // where; "" = not known
	Loss    string // of "lost": why, as in Loss.Reason
}

// EventKind says what has happened.
type EventKind uint8

const (
	Preparing EventKind = iota // a workspace, or one of each version, is being checked out and set up
	Started                    // the trial begins
	Finished                   // it has a verdict, which is in the journal
	Abandoned                  // it was cancelled, or an error ended it: it counts for nothing
	Amended                    // its verdict is another one by now: it failed otherwise than the failing end
	Moved                      // it has come to another State on another machine
	Lasts                      // it is that of an end, has no limit, and runs for long
)

func (r *pool) observe(e Event) {
	if r.opts.Observe == nil {
		return
	}
	r.observed.Lock()
	defer r.observed.Unlock()
	r.opts.Observe(e)
}
