// Package events tells how a search goes on, as a stream of events of the schema gitdd.event/1. Its readers are the
// view on the terminal, which takes each [Event] as a value, and others, which read lines of JSON: programs that gitdd
// run --events writes them to, and gitdd serve, for which a session has them in its directory.
//
// An [Observer] makes the events of the stream of those of package search and package trial, and of nothing
// else; it is the one place where that is done. An [Output] writes them, a line in one
// write each. [State.Read] reads them again, and a [State] holds what they have told.
//
// Elements are the changes of a set, or the commits of a line behind its first. A set of elements is written in the
// numbers of the set or line, from 0, as isolate.Configuration prints it: "0-3,7". What is suspected is
// told as what has changed since the step before, so that what a step costs does not grow with the changes.
//
// Invariants:
//
//   - A search never fails, nor waits, for a reader. What a reader has not taken is bounded (mostBehind), and one
//     that lags behind farther gets no more: no event is left out among others.
//   - The stream tells the steps of the path in their order, so that it is the same for a search that is resumed, but for
//     what is marked as replayed, and for which trials a step names as run.
//   - What an event costs its maker and a State grows with the runs of its sets, and not with the changes or the steps before.
//
// Begin with event.go, observer.go and state.go.
package events
