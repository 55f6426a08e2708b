// Package trial prepares a directory for a configuration, runs the command
// there, determines the outcome and remembers it.
//
// These are the terms of the package:
//
//   - A workspace is a repository that borrows the objects of the user's repository. It is
//     checked out once; then a worker writes one configuration after the other to it.
//   - A trial is one execution of the command on one configuration. It has a number,
//     counted from 1 within its session.
//   - An inference is a requirement between changes that the output of an unresolved
//     trial has taught.
//   - A session is a directory below the user's cache directory. It has the journal, with
//     the inferences and a record for each trial, the output of each trial, and, while a
//     Runner is open, the workspaces.
//
// The package guarantees:
//
//   - Nothing is written outside of the session's directory and its places. The
//     user's repository and checkout are only read, also by a test or a setup that
//     runs git.
//   - Between two trials only the paths that differ are written, with a new
//     modification time. Everything else, including untracked build products,
//     stays as the last trial left it. A path that the difference can touch and
//     that a test has altered is restored first.
//   - Equal trees are tested once, by one process and by all processes that resume its
//     session: a trial whose record is in the journal is never run again. Killing gitdd
//     at any moment loses at most the trials that were running.
//   - No process of a trial outlives the trial.
//
// The outcome of a failed command is a fail only if the failure is that of the failing
// end. It must have the same class of exit status, the same signal, and the same
// [Signature], if a signature is asked for. Otherwise its output must be that of the failing
// end, without what the passing end prints, too; output that differs from run to run is not
// compared. Any other failure is isolate.Unresolved, and its record says so.
//
// An outcome is never an error. What cannot be applied, built or judged is
// isolate.Unresolved. An error means that the search cannot continue:
// the ends do not differ (*EndsError), the command cannot run at all
// (*CommandError), a repeated trial has another outcome (*FlakyError), there is a problem
// with the machine or the repository, or the context ended.
//
// With Options.Tests the command runs a test suite, whose report has an outcome for each test.
// [Runner.ForTest] makes a Runner that judges the trials of another Runner by one of the
// tests. It runs no command itself.
//
// With Options.Remote trials run on other machines. A [Task] describes what such a machine
// has to do, a [Remote] is the function that has it done, and a [Snapshot] is the files
// that the task needs. The script of [Task.Wrapper] does there what a worker does
// here, and [ReadOutcome] reads the file that the script writes last. A task whose failure
// says nothing about its configuration is a *[LostError]. It is performed again; after several
// such errors its trial is unresolved. The guarantees above about processes and places hold for
// this machine; on other machines they also depend on the cluster.
//
// In addition to the command itself, a trial costs the writing of the paths that
// differ, one lstat for each path that the difference can touch, a message to
// the worker's supervisor and one synced line in the journal.
package trial
