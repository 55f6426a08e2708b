package trial

import (
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// An Event reports progress to the user. The order of events depends on Jobs and on time.
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
	Varies  bool    // of End: a second run of the failing end, to see whether what it prints varies
	Verdict Verdict // of Finished and Amended
	Record  Record  // likewise: what the journal has of it
	Lasting Lasting // of Lasts

	// State is set for Moved, with Options.Remote: "uploading", "queued", "running", "lost" (the
	// trial is performed again) or "copied" (the trial is slow, and a second copy of it was started).
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
	Abandoned                  // the trial was cancelled, or an error ended it: it does not count
	Amended                    // its verdict has changed: its failure is another one than that of the failing end
	Moved                      // its State on another machine has changed
	Lasts                      // it is the trial of an end, has no limit, and has been running for a long time
)

func (r *pool) observe(e Event) {
	if r.opts.Observe == nil {
		return
	}
	r.observed.Lock()
	defer r.observed.Unlock()
	r.opts.Observe(e)
}
