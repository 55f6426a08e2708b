// Package search performs the search of gitdd run: from two revisions to a confirmed answer.
//
// [Run] takes a difference (from [changes.Between]) and a [trial.Runner], which tests configurations of
// the difference. It performs these steps:
//
//	both ends are tested: one passes, and one fails          trial.Runner.Ends
//	the commits between them, to one and its parent          commits.go, bases.go, side_branches.go
//	the changes that are left, from groups to hunks          rounds.go, isolate.Search
//	the pieces of these: declarations, lines, nodes          refine.go
//	what the failure does not need is left out               rounds.go, isolate.Trim
//	outcomes of a flaky test, until the answer is sure       confidence.go
//	both ends of the answer, in an untouched workspace       confirm.go
//	the failing revision without the cause                   repaired.go
//	further causes, or what the cause switches on            all.go, fault.go
//
// [Each] performs such a search for each failing test of a suite, unless an earlier answer explains that
// test. The searches share the trials of the suite, and a search for all tests in each set of changes
// (joint.go). Begin with each.go.
//
// The package guarantees:
//
//   - An answer is verified only if, in a fresh and clean workspace, its passing configuration passed
//     and its failing configuration failed.
//   - Which configurations a search asks for depends on outcomes alone, and not on the time or on the
//     number of trials that run at once. So a search whose session has a journal takes the same path
//     again, without trials, to the point at which it was cut short.
//   - A search that is cut short by a limit or a context returns the best answer so far.
//
// trial.Options.Remote is a function that performs a trial. It may also compute the outcome without
// running anything.
package search
