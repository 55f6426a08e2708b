package tui

import (
	"time"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A searchModel is the model of a search: everything that the stream has told, and
// nothing about the screen.
type searchModel struct {
	trialModel
	measures bool // it looks for a step of a number
	cluster  cluster
	ahead    ahead

	searched bool         // a step was made: the rest is known
	step     *events.Step // the last one; nil = the search has settled since
	total    int          // changes, or commits of the line
	suspects int
	best     *events.Best
	between  [2]string // the commits that the search has narrowed a line to, in short
	bar      []bool    // which of its equal parts of the elements, in the order of the search, hold suspects
	places   []string  // files of the suspects
	stale    bool      // bar and places are not of best yet
}

// parts is the finest that the bar of suspects can show.
const parts = 400

func newSearchModel(o Options) *searchModel { return &searchModel{trialModel: newTrialModel(o)} }

// among reports whether the search looks among commits.
func (s *searchModel) among() bool { return s.line != nil }

// take takes an event of the stream.
func (s *searchModel) take(e *events.Event, now time.Time) {
	s.trialModel.take(e, now)
	switch {
	case e.Begun != nil:
		s.total, s.suspects = e.Begun.Changes, e.Begun.Changes
	case e.TrialMoved != nil:
		s.cluster.take(e.TrialMoved)
	case e.TrialEnded != nil:
		t := e.TrialEnded
		if t.Replayed != nil || t.Amended != nil || t.Outcome == events.Cancelled {
			break
		}
		if s.state.Started(t.Trial, t.Worker).Purpose == string(trial.Search) {
			s.ahead.ran++
		}
		if t.Cached {
			s.cluster.cached++
		}
	case e.Ends != nil:
		s.measures, s.unjudged = e.Ends.Measures, e.Ends.Measures
	case e.Plan != nil && e.Plan.Of == "commits":
		s.line = s.state.Of(e.Plan.Set)
	case e.Step != nil:
		s.steps(e.Step)
	case e.Known != nil:
		s.steps(e.Known)
	case e.Best != nil:
		s.shows(e.Best)
	}
}

// steps takes a step of the stage that began last.
func (s *searchModel) steps(step *events.Step) {
	stage := s.state.Stage()
	if stage == nil {
		return
	}
	s.searched, s.step = true, step
	for _, n := range step.Ran {
		if n > s.before {
			s.ahead.onPath++
		}
	}
	s.total, s.suspects = stage.Plan.Elements, step.Among
	if stage.Of == "changes" {
		s.line = nil
	}
}

// shows takes the best answer so far. One that a search has ended with may be in other changes than the last step: a
// finer round that did not end leaves the answer of the one before.
func (s *searchModel) shows(b *events.Best) {
	s.best, s.stale = b, true
	if b.Settled {
		s.step, s.line = nil, nil
	}
}

// locate finds out where the suspects are, for a frame: steps may come more often.
func (s *searchModel) locate() {
	if !s.stale {
		return
	}
	s.stale = false
	of := s.state.Of(s.best.Set)
	if of == nil {
		return
	}
	left, err := isolate.FromRuns(of.Elements, s.best.Cause)
	if err != nil {
		return // the Observer writes no such text
	}
	if s.best.Settled {
		s.total, s.suspects = left.N(), left.Len()
	}
	s.bar, s.places = make([]bool, min(parts, left.N())), nil
	for i := range left.All() {
		s.bar[of.Place(i)*len(s.bar)/left.N()] = true
	}
	if of.Of == "commits" {
		from, to := min(s.best.Passing, s.best.Failing), max(s.best.Passing, s.best.Failing)
		s.between = [2]string{short(of.Commit(from).ID), short(of.Commit(to).ID)}
		return
	}
	for i := range left.All() {
		file := of.Changes[i].Path
		if n := len(s.places); n == 0 || s.places[n-1] != file { // changes are sorted by path
			s.places = append(s.places, file)
		}
	}
}
