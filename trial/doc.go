// Package trial gives a configuration a place to live, runs the command
// there, names the outcome and remembers it.
//
// Words. A workspace is a repository that borrows the objects of the user's, checked
// out once, in which a worker shows one configuration after the other. A trial
// is one execution of the command on one configuration; it has a number,
// counted from 1 within its session. An inference is what the output of an
// unresolved trial taught of the changes: which one requires which. A session
// is a directory below the user's cache directory: the journal with a record
// per trial and the inferences, the output of each trial, and the workspaces while
// a Runner lives.
//
// Guarantees.
//
//   - Nothing is written outside of the session's directory and its places. The
//     user's repository and checkout are only read, also by a test or a setup that
//     runs git.
//   - Between two trials only the paths that differ are written, with a new
//     modification time; everything else, untracked build products included,
//     stays as the last trial left it. A path that the difference can touch and
//     that a test has altered is mended first.
//   - Equal trees are one trial, in one process and over all resumed ones: a
//     record that is in the journal is never run again. Killing gitdd at any
//     instant loses at most the trials that were running.
//   - No process of a trial outlives the trial.
//
// A failure is a fail only if it is that of the failing end: its class of exit
// status, its signal, and its [Signature] if one is asked for, else what it says
// beyond the passing end, unless that differs from run to run. Any other failure
// is isolate.Unresolved, and its record says so.
//
// An outcome is never an error: what cannot be applied or built, or cannot be
// judged, is isolate.Unresolved. An error means that the search cannot go on:
// the ends do not differ (*EndsError), the command cannot run at all
// (*CommandError), a repetition disagrees (*FlakyError), the machine or the
// repository is in trouble, or the context ended.
//
// With Options.Tests the command runs a test suite, and its report has an outcome for each test. [Runner.ForTest]
// makes a Runner that judges the trials of another one by one of the tests: it runs no command itself.
//
// With Options.Remote trials run on other machines. A [Task] is what such a machine is
// asked for, a [Remote] the function that has it performed, a [Snapshot] the files that
// it works on; the script of [Task.Wrapper] runs there what a worker runs here, and
// [ReadOutcome] reads what that wrote last. A task that says nothing of its configuration
// is a *[LostError]: it is performed again, and after some times its trial is unresolved.
// What is said above of processes and places holds for this machine; there the cluster
// has its part in it.
//
// Beside the command itself a trial costs the writing of the paths that
// differ, one lstat for each path that the difference can touch, a message to
// the worker's supervisor and one synced line in the journal.
package trial
