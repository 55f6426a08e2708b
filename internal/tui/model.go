package tui

import (
	"time"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A searchModel is the model of a search: everything that has happened, and
// nothing about the screen.
type searchModel struct {
	total   int // changes
	started time.Time
	workers []worker
	last    *trial.Event // the trial that finished last
	output  func(trial int, kind string) string
	printed bool // a trial has printed something

	pass, fail, unresolved int               // trials finished
	measured               int               // likewise: with a number that told no outcome
	unjudged               bool              // numbers do not tell outcomes yet
	measures               bool              // it looks for a step of a number
	rejected               int               // configurations, by a check
	outcomes               []numberedOutcome // of the last of them
	trying                 time.Duration     // that they took, over all workers
	pace                   events.Pace
	cluster                cluster
	ahead                  ahead

	line    search.LineBegun // among whose commits the search looks; without any: among changes
	between [2]string        // the commits that it has narrowed these to, in short

	interesting bool // what outcomes are called: as with --interesting

	fix        bool
	searched   bool // a step was made: the rest is known
	phase      phase
	suspects   int
	least      int      // trials to go, of the present search
	most       int      //
	bar        []bool   // which of its equal parts of the changes, in the order of the search, hold suspects
	passes     int      // changes applied in the best passing configuration
	fails      int      // and in the best failing one
	places     []string // files of the suspects
	confirming bool

	shown  search.Answer         // what bar and places are about
	left   isolate.Configuration // the suspects among its changes
	stale  bool                  // bar and places are not of these yet
	ranked *grouping.Plan
	rank   []int // of each change in the order of that plan
}

// A numberedOutcome is that of a trial.
type numberedOutcome struct {
	isolate.Outcome
	trial    int
	measured bool // it has a number, and no outcome yet
}

// A worker is what one of them does now.
type worker struct {
	busy  bool
	doing string // "trial 8"
	on    string // ": 24 of 48 changes"
	brief string // on in few columns, ": 24 of 48"; "" = there is nothing shorter
	since time.Time

	state, machine string // of a trial on another machine, as trial.Event has them

	serial int      // of what it does, to tell it from what it did before; 0 = nothing that prints
	files  []string // to which that prints while it runs
	said   string   // the last line of these, when they were looked at last
}

// prints says what the worker runs now, and where its output goes.
func (w *worker) prints(serial int, files func(kind string) string) {
	w.serial, w.files = serial, nil
	for _, kind := range outputKinds {
		w.files = append(w.files, files(kind))
	}
}

// mostOutcomes is how many of the last outcomes are kept to be shown.
const mostOutcomes = 200

// parts is the finest that the bar of suspects can show.
const parts = 400

func newSearchModel(o SearchOptions) *searchModel {
	return &searchModel{total: o.Changes, started: o.Now(), workers: make([]worker, o.Jobs), suspects: o.Changes, unjudged: true, output: o.Output, phase: phase{tells: o.Needs}}
}

// among reports whether the search looks among commits.
func (s *searchModel) among() bool { return s.line.Commits != nil }

// event takes an event of the search.
func (s *searchModel) event(e search.Event, now time.Time) {
	switch e := e.(type) {
	case search.EndsTested:
		s.fix = e.Direction == trial.Fix
		s.measures = unjudged(e)
		s.unjudged = s.measures
	case search.LineBegun:
		s.line = e
	case search.LineStep:
		if e.Judged || s.measures {
			s.commit(e.Step, now)
		}
	case search.ChangesStep:
		s.step(e, now)
	case search.Settled:
		s.found(e.Answer)
	}
}

// trial takes an event of a trial.
func (s *searchModel) trial(e trial.Event, now time.Time) {
	for e.Worker >= len(s.workers) {
		s.workers = append(s.workers, worker{})
	}
	w := &s.workers[e.Worker]
	s.confirming = e.Purpose == trial.Confirm
	switch e.Kind {
	case trial.Preparing:
		*w = worker{busy: true, doing: "preparing a workspace", since: now}
	case trial.Started:
		*w = worker{busy: true, doing: numbered(e), on: ": " + what(e, s.line), brief: ": " + inShort(e, s.line), since: now}
		if s.output != nil {
			w.prints(e.Trial, func(kind string) string { return s.output(e.Trial, kind) })
		}
	case trial.Moved:
		w.state, w.machine = e.State, e.Machine
		s.cluster.take(e)
	case trial.Abandoned:
		*w = worker{}
	case trial.Amended: // a failure of another kind than the failing end's
		s.fail--
		s.unresolved++
		for i := range s.outcomes {
			if o := &s.outcomes[i]; o.trial == e.Trial {
				o.Outcome = e.Verdict.Outcome
			}
		}
	case trial.Finished:
		if e.Purpose == trial.Search {
			s.ahead.finished(e.Config)
		}
		if e.Verdict.Cached {
			s.cluster.cached++
		}
		took := now.Sub(w.since)
		if !w.busy {
			took = 0
		}
		*w = worker{}
		s.last = &e
		if e.Verdict.Rejected {
			s.rejected++
			return
		}
		s.trying += took
		s.pace.Finished()
		s.outcomes = append(s.outcomes[max(0, len(s.outcomes)-mostOutcomes+1):], numberedOutcome{e.Verdict.Outcome, e.Trial, s.unjudged && e.Verdict.Value != nil})
		switch outcome := e.Verdict.Outcome; {
		case s.unjudged && e.Verdict.Value != nil:
			s.measured++
		case outcome == isolate.Pass:
			s.pass++
		case outcome == isolate.Fail:
			s.fail++
		default:
			s.unresolved++
		}
	}
}

// commit shows a step of the search in the line of commits.
func (s *searchModel) commit(step isolate.Step, now time.Time) {
	s.searched = true
	s.ahead.step(&s.line.Commits[0], step.Config)
	s.comes(step, now)
	s.total, s.suspects = len(s.line.Commits)-1, left(step)
	from, to := step.Passing.Len(), step.Failing.Len()
	s.between = [2]string{s.line.Commits[from].ID.Short(), s.line.Commits[to].ID.Short()}
	s.bar = make([]bool, min(parts, s.total))
	for i := from; i < to; i++ {
		s.bar[i*len(s.bar)/s.total] = true
	}
	s.places, s.stale = nil, false
}

// comes takes from a step how many trials are still to come, and how fast they do.
func (s *searchModel) comes(step isolate.Step, now time.Time) {
	s.least, s.most = step.Least, step.Most
	if !step.Known {
		s.pace.Step(now)
	}
}

func (s *searchModel) step(e search.ChangesStep, now time.Time) {
	s.ahead.step(e.Answer.Set, e.Step.Config)
	s.comes(e.Step, now)
	s.phase.take(e)
	s.show(e.Answer, e.Step.Passing, e.Step.Failing, s.phase.suspects)
}

// found shows an answer, which may be in other changes than the last step: a
// finer round that did not end leaves the answer of the one before.
func (s *searchModel) found(a search.Answer) {
	s.least, s.most, s.phase.needs = 0, 0, false
	s.show(a, a.Result.Passing, a.Result.Failing, a.Result.Cause.Len())
}

func (s *searchModel) show(a search.Answer, passing, failing isolate.Configuration, suspects int) {
	s.searched, s.line = true, search.LineBegun{}
	s.total = failing.N()
	s.suspects = suspects
	s.passes, s.fails = passing.Len(), failing.Len()
	if s.fix {
		s.passes, s.fails = s.fails, s.passes
	}
	s.shown, s.left, s.stale = a, failing.Minus(passing), true
}

// locate finds out where the suspects are, for a frame: steps may come more often.
func (s *searchModel) locate() {
	if !s.stale {
		return
	}
	s.stale = false
	if plan := s.shown.Plan; s.ranked != plan {
		s.ranked, s.rank = plan, make([]int, s.total)
		for at, i := range plan.Order {
			s.rank[i] = at
		}
	}
	s.bar, s.places = make([]bool, min(parts, s.total)), nil
	for i := range s.left.All() {
		s.bar[s.rank[i]*len(s.bar)/s.total] = true
		file := s.shown.Set.Changes[i].Path
		if n := len(s.places); n == 0 || s.places[n-1] != file { // changes are sorted by path
			s.places = append(s.places, file)
		}
	}
}

// trials is how many have finished.
func (s *searchModel) trials() int { return s.pass + s.fail + s.unresolved + s.measured }

// toGo is how long the trials to come will take, between two times. ok is false as long
// as there is nothing to go by.
func (s *searchModel) toGo() (from, to time.Duration, ok bool) {
	if s.trials() == 0 {
		return 0, 0, false
	}
	from, to = s.pace.Left(s.least, s.most, s.trying/time.Duration(s.trials()), len(s.workers))
	return from, to, true
}

// running are the workers, for whoever looks at what they print.
func (s *searchModel) running() []*worker {
	all := make([]*worker, len(s.workers))
	for i := range s.workers {
		all[i] = &s.workers[i]
	}
	return all
}

// looked is called when the files of running were looked at: one was read.
func (s *searchModel) looked() { s.printed = true }
