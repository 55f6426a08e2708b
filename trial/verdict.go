package trial

import (
	"fmt"
	"time"

	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// A Verdict is the outcome of a configuration and how it was come by.
type Verdict struct {
	Outcome        isolate.Outcome // Pass = exit 0, whichever end of the set passes
	Exit           int             // of the command, or of the build or the check that did not go through
	Signal         string          // that ended it, "" if none
	TimedOut       bool
	Reason         string        // in words
	Signature      string        // of a failure, with Options.SameOutput
	Other          bool          // it failed, but not as the failing end did
	Unmatched      bool          // it exited as failures do, but its output does not match Options.Match
	Rejected       bool          // by Options.Check: it was no trial
	Artifacts      []Artifact    // of Confirm, with Options.Artifacts
	Duration       time.Duration // of the command, without the build; the longest if repeated
	Trial          int           // its number; 0 = no command was run
	Cached         bool          // no trial was needed
	Cleaned        bool          // of Confirm: in a cleaned workspace, not in a fresh one
	Value          *float64      // with Options.Measure; nil = it has none
	Unit           string        // of the Value
	Suite          bool          // of a Runner with Options.Tests: Reason says how many tests fail
	Machine        string        // that ran it, with Options.Remote; "" = not known
	Stdout, Stderr string        // file names: of the check or the build if that failed
	LastLine       string        // the line of output that tells why it failed; of a pass the last

	good    *Ended // see Record.Good
	check   time.Duration
	build   time.Duration
	over    process.Excess
	unbuilt bool // Exit and the rest are the build's or the check's, which did not go through
	missing bool // the command could not be started
}

// Limit is the flag whose limit the command was ended for, "" if it was for none.
func (v Verdict) Limit() string {
	switch {
	case v.over == process.OverMemory:
		return "--max-memory"
	case v.over == process.OverDisk:
		return "--max-disk"
	case v.TimedOut && !v.unbuilt:
		return "--timeout"
	}
	return ""
}

// Stats count what a session has done, over all processes that worked in it.
type Stats struct {
	Run                    int // trials; Pass + Fail + Unresolved
	Cached                 int // questions that were answered without a trial
	Pass, Fail, Unresolved int
	Checks, Rejected       int           // runs of Options.Check, and the configurations that it rejected: they are no trials
	Memory                 int64         // bytes, of the trial that took most at once; 0 = not known
	Testing                time.Duration // in commands and builds, over all workers
	Total                  time.Duration // since New, and from New to the last trial in earlier processes
}

// A StoppedError says that a command was ended by a signal, and SignalStop
// asks to stop then.
type StoppedError struct {
	Trial  int
	Reason string
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("trial %d: %s: stopped, as --on-signal=stop asks", e.Trial, e.Reason)
}

func (s *Stats) count(rec Record) {
	cached := rec.Remote != nil && rec.Remote.Cached // somebody else's trial
	if rec.Checked && !cached {
		s.Checks++
		s.Testing += duration(rec.CheckSeconds)
	}
	switch {
	case rec.Rejected:
		s.Rejected++
		return
	case cached:
		s.Cached++
		return
	}
	s.Run++
	s.Memory = max(s.Memory, rec.Memory)
	s.Testing += duration(rec.Seconds) + duration(rec.BuildSeconds)
	if rec.Good != nil {
		s.Testing += duration(rec.Good.Seconds)
	}
	switch isolate.Outcome(rec.Outcome) {
	case isolate.Pass:
		s.Pass++
	case isolate.Fail:
		s.Fail++
	default:
		s.Unresolved++
	}
}

// amend counts a trial that was counted as a failure as unresolved.
func (s *Stats) amend(rec Record) {
	if rec.Remote == nil || !rec.Remote.Cached {
		s.Fail--
		s.Unresolved++
	}
}

// verdict is what a record says.
func (r *pool) verdict(rec Record) Verdict {
	v := Verdict{
		Outcome:   r.outcome(rec),
		Suite:     r.hasTests() && rec.Built,
		Exit:      rec.Exit,
		Signal:    rec.Signal,
		TimedOut:  rec.TimedOut,
		Reason:    rec.Reason,
		Signature: rec.Signature,
		Other:     rec.Other,
		Unmatched: rec.Unmatched,
		Rejected:  rec.Rejected,
		Artifacts: rec.Artifacts,
		Duration:  duration(rec.Seconds),
		Trial:     rec.Trial,
		Cleaned:   rec.Cleaned,
		LastLine:  rec.Last,
		Value:     rec.Value,
		Unit:      rec.Unit,
		Stdout:    r.session.Output(rec.Trial, rec.kind()+"out"),
		Stderr:    r.session.Output(rec.Trial, rec.kind()+"err"),
		check:     duration(rec.CheckSeconds),
		build:     duration(rec.BuildSeconds),
		over:      rec.Over,
		good:      rec.Good,
		unbuilt:   !rec.Built,
		missing:   rec.Missing,
	}
	if rec.Remote != nil {
		v.Cached, v.Machine = rec.Remote.Cached, rec.Remote.Machine
	}
	if rec.Good != nil {
		v.Duration = max(v.Duration, duration(rec.Good.Seconds))
	}
	return v
}

// Seen says how the trial ended, and the last line that it printed.
func (v Verdict) Seen() string {
	if v.LastLine == "" {
		return v.Reason
	}
	return fmt.Sprintf("%s, output line %s", v.Reason, prose.Quote(v.LastLine))
}
