package main

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/triallog"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A follower passes the events of a search on to the progress that the user sees, to the recorder of the
// path, and to the session.
type follower struct {
	settings *settings.Search
	view     tui.Search
	path     *record.Recorder
	session  *trial.Session
	runner   *trial.Runner

	ends  trial.Ends
	apart bool // contradicted needs no hint: failures of different kinds are told apart, or it was given
}

func (f *follower) follow(e search.Event) {
	f.path.Event(e)
	f.view.Event(e)
	switch e := e.(type) {
	case search.EndsTested:
		f.ends = e.Ends
		if f.settings.Confidence > 0 {
			often := f.runner.Flakiness()
			f.view.Note(fmt.Sprintf("how steady the test is: good %v; bad %v", often.Good, often.Bad))
		}
	case search.ChangesBegun:
		triallog.KeepChanges(f.session, e.SetNumber, e.Answer)
	case search.Contradicted:
		f.contradicted()
	}
}

// contradicted tells the user once what may be behind an outcome that did not hold when it was tested
// again: two failures that are taken for one contradict each other as a flaky test does, and cost far
// more trials.
func (f *follower) contradicted() {
	if f.apart || !f.runner.OutputVaries() {
		return
	}
	records := f.session.Records()
	if others := results.OtherExitsOf(records, results.FailingEnd(records, f.ends)); others.Any() {
		f.apart = true
		f.view.Note("hint: " + others.String())
	}
}
