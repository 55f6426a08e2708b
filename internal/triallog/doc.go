// Package triallog writes what the journal of a session has of its trials, as gitdd log shows them: a table,
// or one trial with what was tested and all that it printed.
//
// A search keeps the names of its changes in the session, see [KeepChanges], so that a trial can be said in
// them afterwards.
//
// Begin with triallog.go.
package triallog
