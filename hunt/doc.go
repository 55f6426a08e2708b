// Package hunt searches for seeds whose generated files a solver fails on: it runs
// the solver on one after the other, says which kind of failure a run is, keeps what
// it found, has it reduced, and puts findings that are alike together.
//
// A run is the execution of all commands on the file of one seed. A finding
// is a run that failed: the command that is tested crashed, ran out of time or
// memory, exited with a status that means nothing good, or two commands gave
// different definite answers. A hunt is a directory with a manifest, which says of
// each seed what came of it, and the files of the findings.
//
// # The way of a seed
//
//	seed       ── Options.Generate ──> Case                       hunt.go
//	Case       ── Solvers.Run ──> an Execution of each command    solvers.go
//	Executions ── Judge ──> Failure, or none                      classify.go
//	Run        ── Manifest.Keep, Record ──> disk                  manifest.go
//	finding    ── Options.Reduce ──> Reduction, its Shape         shape.go
//	Findings   ── Groups ──> one Group for each flaw              group.go
//
// [Search] has its workers do that for one seed after the other (search.go); hunt.go
// has the words, and what a search is given.
//
// # Guarantees
//
//   - What a hunt reports depends on the commands, the options and what the commands
//     did, and not on how many runs were made at a time: seeds count in their order,
//     and those that were run ahead of the end count for nothing.
//   - A run or a reduction that is in the manifest is not made again. Killing gitdd at
//     any instant loses at most what was running.
//
// [Search] is pure in the functions it is given; processes are those of package
// trial.
package hunt
