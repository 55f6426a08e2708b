// Package reduction performs the reduction of gitdd reduce: from a failing input to a confirmed smaller one.
//
// [Run] takes a [trial.Inputs], which runs a command on inputs, and goes through these steps:
//
//	the input is tested: it fails                            trial.Inputs.Original
//	its failure can be told from an answer of a solver       oracle.go
//	it is reduced                                            reduce.Reduce
//	outcomes of a flaky test, until the answer is sure       run.go, trial.Inputs.Settle
//	the smallest input, in a fresh directory                 trial.Inputs.Confirm
//
// [Isolate] takes a failing input and a passing one, tests both, finds the smallest difference between them
// (reduce.Isolate), and confirms it. It does not check what kind of failure it is (isolate.go).
//
// Guarantees.
//
//   - The output of Run is verified only if it failed once more in a fresh directory.
//   - What a reduction asks for depends on the outcomes alone: not on the time, nor on how many trials run
//     at once. So a reduction whose session has a journal goes the same way again, without trials, to where
//     it was cut short.
//   - A reduction that is cut short, by a limit or a context, has the smallest input so far.
package reduction
