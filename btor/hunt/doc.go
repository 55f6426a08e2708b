// Package hunt searches for seeds whose generated files a solver fails on: it runs
// the solver on one after the other, says which kind of failure a run is, keeps what
// it found, has it reduced, and puts findings that are alike together.
//
// A run is the execution of all commands on the file of one seed. A finding
// is a run that failed: the command that is tested crashed, ran out of time or
// memory, exited with a status that means nothing good, or printed the
// words of a crash; or two commands gave different definite answers. A hunt is a directory with a manifest, which says of
// each seed what came of it, and the files of the findings.
//
// [Search] performs a hunt from its beginning to its end, or goes on with one;
// [Summary.Text] writes what was found. [Compare] runs the commands on one file.
//
// # The way of a seed
//
//	seed       ── btor.Generate ──> Case                          run.go
//	Case       ── solvers.Run ──> an Execution of each command    solvers.go
//	Executions ── Judge ──> Failure, or none                      classify.go
//	Run        ── Manifest.Keep, Record ──> disk                  manifest.go
//	finding    ── reduction.Run ──> Reduction, its Shape          reduce.go, sessions.go, shape.go
//	Findings   ── Groups ──> one Group for each flaw              group.go
//
// An engine has its workers do that for one seed after the other (search.go). It reaches
// files and processes only through the functions that it is given. hunt.go has the words,
// options.go what a hunt is given.
//
// # Guarantees
//
//   - What a hunt that has come to its end reports depends on the commands, the options and
//     what the commands did, and not on how many runs were made at a time: seeds count in
//     their order, and those that were run ahead of the end count for nothing. The summary
//     of a hunt that was stopped also counts the runs after Summary.Next, which do.
//   - A run or a reduction that is in the manifest is not made again. Killing the program
//     at any instant loses at most what was running.
//   - What is left of a finding fails in the same way as the finding did.
//   - With Solving.Remote all this holds, too, and a run that other machines lost each time is no finding.
package hunt
