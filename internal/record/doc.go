// Package record records how a search or a reduction came to its result, as the [report.Story] that the
// page of gitdd run --html shows.
//
// A [Recorder] receives the events of a search, stage by stage and step by step, with the suspects that
// each step has left. [Recorder.Story] joins them with the trials in the journal of the session.
// [OfReduction] makes the story of a reduction from what it has found and the journal, and [Trials] that of a
// session that was cut short from the journal alone. [Keep] and [Read] store a story in its session.
//
// Invariants: a story has bounded size, however long the search was and however many changes it had; the
// same path gives the same story, for any number of workers, but for the numbers and times of trials.
//
// Begin with recorder.go and trials.go.
package record
