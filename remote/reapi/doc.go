// Package reapi runs trials by Bazel's Remote Execution API, version 2, on whatever
// server speaks it.
//
// A task ([trial.Task]) becomes an action: its input root is the Merkle tree of the
// task's snapshot, with a wrapper beside it that runs setup, build and command; its
// outputs are what [trial.ReadOutcome] reads. Equal tasks are equal actions, whoever
// asks, so what a server's cache of actions knows is not run again.
//
// # The way of a task
//
//	Snapshot ── tree ──> directories, digests       tree.go
//	Task     ── action ──> command, action          action.go
//	digests  ── upload ──> what the server lacks    upload.go, store.go, write.go
//	action   ── execute ──> a result, or the cache  execute.go, run.go
//	result   ── take ──> trial.TaskResult           fetch.go
//
// line.go holds the connections, errors.go says which failures are mended in a call,
// which make a task lost ([trial.LostError]) and which end a search, check.go looks at
// a server for gitdd doctor.
//
// # Guarantees
//
//   - What the machines or the network do is mended or a loss, and never an outcome.
//   - No blob is sent twice at once, nor one that the server is known to have.
//   - When the context of a call ends, the server is asked to end the action.
//   - No header's value, which may be a key, is in an error.
//
// It knows no changes, no configurations and no outcomes.
package reapi
