// Package events tells how a search goes on, as a stream of events for other programs: JSON lines of the schema
// gitdd.event/1, which gitdd run --events writes, and which a session has in its directory for gitdd serve.
//
// An [Observer] makes the events of the stream of those of package search and package trial, and of nothing
// else, as the views of internal/tui do; it is the one place where that is done. An [Output] writes them, a line in one
// write each. [Read] reads them again, and a [State] holds what they have told.
//
// Elements are the changes of a set, or the commits of a line behind its first. A set of elements is written in the
// numbers of the set or line, from 0, as isolate.Configuration prints it: "0-3,7". What is suspected is
// told as what has changed since the step before, so that what a step costs does not grow with the changes.
//
// Invariants:
//
//   - A search never fails, nor waits, for a reader. What a reader has not taken is bounded (mostBehind), and one
//     that lags behind farther gets no more: no event is left out among others.
//   - What the stream says of a search depends on the same events as its views, so that it is the same for a search
//     that is resumed, but for what is marked as replayed.
//
// Begin with event.go and observer.go.
package events
