package trial

import (
	"context"
	"time"

	"github.com/gitdd/gitdd/internal/snapshot"
)

// A Remote performs a task on another machine: it brings the files there, runs setup,
// build and command, and writes what they print to the files that the task names. It
// is called by Options.Jobs goroutines at once. It judges nothing; what the two
// adapters, packages reapi and slurm, have in common is on this side of it.
//
// A *LostError says that the machine, its memory or the network failed: that says
// nothing about the configuration, and the task is performed again, elsewhere if that
// is possible. Any other error ends the search. When ctx ends, the task is cancelled
// where it runs, and the error is that of ctx. In a shared workspace nothing of it runs
// any more when the Remote returns, unless it was lost: that workspace is given up.
type Remote func(ctx context.Context, t Task) (TaskResult, error)

// A Task is one attempt at a configuration, on its way to another machine. Two tasks
// with equal Files, Dir, Setup, Check, Build, Command, Env, Stdin, limits, Measure, Keep and Salt ask for the
// same, whoever asks: a shared cache may answer.
type Task struct {
	// Name is that of this performance, unique in time and on the cluster: "gitdd-",
	// the session's name and three numbers; letters, digits and - only.
	Name string

	// One of these two is set.
	Files  *Snapshot // what the workspace holds; the machine gets it, in a directory of its own
	Shared string    // a workspace on a file system that the machine has under the same name, an absolute path

	State string // with Shared: the name of a directory beside it, for Layout.State; else ""

	Dir     string   // where check, build and command run, relative to the top of the workspace, slash-separated; "" = there
	Setup   string   // a line of shell before the first build in a workspace; "" = none
	Check   string   // a line of shell before the build: if it fails, neither build nor command is run; "" = none
	Build   string   // a line of shell before the command; "" = none
	Command []string // argv, without a shell; for TopDir see there
	Env     []string // NAME=value, beside the machine's own environment; for TopDir see there
	Stdin   string   // the file that the command has as its standard input, relative to the top of the workspace; "" = none

	CheckLimit, BuildLimit, Limit time.Duration // of check, build and command; 0 = none

	// Measure is what the machine measures of the command beside its time: "cpu" or "memory"; "time" has the time taken
	// as near to the command as can be, and "" is none of these.
	Measure string

	Keep int64 // bytes that are kept of each output, half of its begin and half of its end

	// Salt keeps answers apart that must not serve each other: "" for the search,
	// "confirm" for trials that confirm, "attempt-2" and so on for repetitions, with
	// "+killed" behind for what was killed and is tried again, "+late" for what had no end
	// in time and is, "+measured-" and the session where times are measured, and "+copy" for
	// a second copy of what is slow: servers take equal tasks that run together for one.
	Salt string

	// Fresh: an answer is confirmed by it, in a directory that no other task has left
	// anything in, where a cluster keeps such. So the Salt of such a task is its own, too.
	Fresh bool

	Lost  int      // how often it was lost before
	Avoid []string // machines that have lost it, to keep clear of where that is possible

	Output func(name string) string // the file for "setup.out", "setup.err", "check.out", "check.err", "build.out", "build.err", "out" or "err"
	Told   func(TaskEvent)          // may be nil; for the eyes of the user
}

// TopDir stands, in the words of Task.Command and Task.Env, for the absolute name of the top of the
// workspace, which only the machine knows. No other word can have it.
const TopDir = "\x00"

// A TaskEvent says how far a task is.
type TaskEvent struct {
	State   string // "uploading", "queued", "running"
	Machine string // where, as soon as it is known
}

// A TaskResult is what became of a task.
type TaskResult struct {
	Setup, Check, Build, Test Part

	Machine  string        // that did it; "" = not known
	Cached   bool          // nothing ran: a cache of the cluster had the answer
	Uploaded int64         // bytes that were sent for it
	Queued   time.Duration // that it waited for a machine, as far as the cluster says
}

// Doubtful reports whether a result may be that of the machine, and not of the files: a
// time-out of one that is slow, a kill for want of its memory, a program that it lacks, a
// setup that the network failed. Who did not see it happen does not take it from a cache,
// but performs the task.
func (t TaskResult) Doubtful() bool {
	if t.Setup.failed() {
		return true
	}
	for _, p := range []Part{t.Check, t.Build, t.Test} {
		if p.TimedOut || p.Ran && (p.Exit == exitCannotRun || p.Exit == exitNotFound || p.Exit == exitKilled) {
			return true
		}
	}
	return false
}

// A Part is how one of the commands of a task ended. One that was not run, since there
// is none or because what goes before it failed, is the zero Part.
type Part struct {
	Ran      bool
	Exit     int           // as a shell counts it: 0-255, 128 plus the number of the signal that killed it, 127 not found, 126 not executable
	TimedOut bool          // its limit passed; Exit says how it answered to being ended
	Duration time.Duration //
	Cut      int64         // bytes of its outputs that were left out
	CPU      time.Duration // with Task.Measure "cpu", of the command and its children; 0 = not known
	Memory   int64         // with Task.Measure "memory", bytes that the largest of its processes took; 0 = not known
}

// A LostError is the error of a task that says nothing about its configuration.
type LostError struct {
	Reason  string        // in words: "the worker was lost"
	Machine string        // "" = not known
	After   time.Duration // when the cluster wants to be asked again; 0 = it did not say
	Away    bool          // nobody answers: it is the whole cluster that is out of reach
	Err     error         // may be nil
}

func (e *LostError) Error() string {
	if e.Err != nil {
		return e.Reason + ": " + e.Err.Error()
	}
	return e.Reason
}

func (e *LostError) Unwrap() error { return e.Err }

// A Snapshot is what a workspace holds, and does not change: Root is its top, and Read calls a function with the
// contents of some of its files, one after the other. Snapshots of one session share the folders in which they do not
// differ, so what was made of a *Folder can be kept under its address.
type Snapshot = snapshot.Snapshot

// A Folder is a directory of a Snapshot: Entries are in the order of their names, as bytes.
type Folder = snapshot.Folder

// An Entry of a Folder has a Name, and is one of three: a File, a symbolic link to Target, or a Folder.
type Entry = snapshot.Entry

// A Leaf is a regular file of a Snapshot: its Path from the top, slash-separated; whether it is Executable; its Size in
// bytes; and Sum, the SHA-256 of its content.
type Leaf = snapshot.Leaf
