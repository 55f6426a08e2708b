package events

import (
	"slices"
	"sync"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// An Observer makes the stream of a search. Its methods may be called by several goroutines.
type Observer struct {
	mu    sync.Mutex
	write func(*Event)
	now   func() time.Time
	began time.Time

	runner *trial.Runner // with --each that of the suite, which numbers sets and lines; nil = the events of the search have their numbers
	test   string        // with --each
	number func(int) int // of a trial of the test, among those that are told; nil = the same

	jobs    int
	running map[int]time.Time // since when, by worker
	ended   int               // trials in this process
	trying  time.Duration     // that they took, over all workers
	pace    Pace
	told    time.Time // the last estimate

	fix      bool
	measures bool // as in Ends
	stage    *stage
	phase    phase
	plans    map[any]bool    // by set or line: those whose elements were told
	ran      map[asked][]int // the trials of the search that no step has named
	named    map[int]bool    // those that one has
}

// asked is what a trial of the search tests.
type asked struct {
	set    int
	config isolate.Configuration
}

// NewObserver returns an Observer that writes by write, which must not change what it is given.
func NewObserver(now func() time.Time, write func(*Event)) *Observer {
	return &Observer{write: write, now: now, began: now()}
}

// emit writes an event. o.mu is held.
func (o *Observer) emit(name string, e Event) {
	e.Schema, e.Event, e.Test = Schema, name, o.test
	e.Seconds = rounded(o.now().Sub(o.began))
	o.write(&e)
}

// Begin begins what is told of a session. The trials that it has are told as replayed.
func (o *Observer) Begin(b Begun, session *trial.Session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	records := session.Records()
	b.Began = o.now().UTC().Format(time.RFC3339Nano)
	b.Session, b.Dir, b.Replayed = session.Name(), session.Dir(), len(records)
	o.jobs = b.Jobs
	o.running, o.ended, o.trying, o.pace = map[int]time.Time{}, 0, 0, Pace{}
	o.runner, o.stage, o.phase, o.measures = nil, nil, phase{}, false
	o.plans, o.ran, o.named = map[any]bool{}, map[asked][]int{}, map[int]bool{}
	o.emit("begun", Event{Begun: &b})
	for _, r := range records {
		o.emit("trial_ended", Event{TrialEnded: replayed(r)})
	}
}

// Numbers says, with --each, which runner runs the trials of the suite: before the first event of a search.
func (o *Observer) Numbers(runner *trial.Runner) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runner = runner
}

// Test says for which test of a suite the next search is. number returns, of a trial of that search, the trial of the
// suite that answered it.
func (o *Observer) Test(name string, number func(int) int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.test, o.number = name, number
}

// Note tells something that the user should know.
func (o *Observer) Note(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.emit("note", Event{Note: &Note{text}})
}

// Answer tells with what gitdd ends.
func (o *Observer) Answer(a Answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.test = ""
	o.emit("answer", Event{Answer: &a})
}

// Trial takes an event of the trials.
func (o *Observer) Trial(e trial.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e.Kind {
	case trial.Started:
		o.running[e.Worker] = o.now()
	case trial.Finished, trial.Abandoned:
		if began, ok := o.running[e.Worker]; ok && e.Kind == trial.Finished && !e.Verdict.Rejected {
			o.ended++
			o.trying += o.now().Sub(began)
			o.pace.Finished()
		}
		delete(o.running, e.Worker)
	}
	if e.Purpose == trial.Search && (e.Kind == trial.Finished || e.Kind == trial.Amended) && !o.named[e.Trial] {
		of := asked{e.Set, e.Config}
		o.ran[of] = append(slices.DeleteFunc(o.ran[of], func(n int) bool { return n == e.Trial }), e.Trial)
	}
	told := OfTrial(e)
	o.emit(told.Event, told)
}

// Event takes an event of the search.
func (o *Observer) Event(e search.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := e.(type) {
	case search.EndsTested:
		o.fix = e.Direction == trial.Fix
		direction := report.Break
		if o.fix {
			direction = report.Fix
		}
		o.measures = e.Good.Value != nil && e.Bad.Value != nil && e.Good.Outcome == e.Bad.Outcome
		o.emit("ends", Event{Ends: &Ends{Direction: string(direction), Good: o.end(e.Good), Bad: o.end(e.Bad), Measures: o.measures}})
	case search.LineBegun:
		o.along(e)
	case search.LineStep:
		if e.Judged || o.measures {
			o.step(e.Step, e.Outcome, e.Trial)
		}
	case search.ChangesBegun:
		o.among(e)
	case search.ChangesStep:
		o.phase.take(e)
		o.step(e.Step, e.Outcome, e.Trial)
	case search.StageEnded:
		o.over(e)
	case search.Rewound:
		o.emit("rewound", Event{Rewound: &Rewound{e.Stage}})
	case search.Discarded:
		o.emit("discarded", Event{Discarded: &Discarded{e.Stage, valid(e.Why)}})
	case search.Settled:
		o.settled(e)
	case search.Note:
		o.emit("note", Event{Note: &Note{valid(e.Text)}})
	}
}

// end is what was seen at an end.
func (o *Observer) end(v trial.Verdict) End {
	return End{Trial: o.numberOf(v.Trial), Outcome: v.Outcome.String(), Reason: valid(v.Reason)}
}

// numberOf is the number of a trial as it is told.
func (o *Observer) numberOf(trial int) int {
	if o.number == nil || trial == 0 {
		return trial
	}
	return o.number(trial)
}

// A stage is the one that began last.
type stage struct {
	number, answer, set int
	elements            int
	changes             bool                                     // these are changes, not commits
	look                func(isolate.Step) isolate.Configuration // returns the suspects
	left                isolate.Configuration                    // the suspects of the last step
	passing, failing    isolate.Configuration                    // the best so far
}

// step is a step of the stage that began last.
func (o *Observer) step(s isolate.Step, outcome isolate.Outcome, trial int) {
	g := o.stage
	if g == nil {
		return
	}
	of := asked{g.set, s.Config}
	step := &Step{
		Stage: g.number, Trial: o.numberOf(trial), Outcome: outcome.String(), Applied: s.Config.Len(),
		Ran: o.ran[of], TrialsLeft: [2]int{s.Least, s.Most},
	}
	delete(o.ran, of)
	for _, n := range step.Ran {
		o.named[n] = true
	}
	now := o.now()
	if !s.Known {
		o.pace.Step(now)
		if left := g.look(s); left.N() == g.left.N() && left != g.left {
			step.Cleared, step.Suspected = g.left.Minus(left).String(), left.Minus(g.left).String()
			g.left = left
		}
	}
	if o.ended > 0 {
		from, to := o.pace.Left(s.Least, s.Most, o.trying/time.Duration(o.ended), max(1, o.jobs))
		step.SecondsLeft = &[2]float64{rounded(from), rounded(to)}
	}
	step.Suspects = g.left.Len()
	if step.Among = step.Suspects; g.changes {
		step.Among, step.Needs, step.Undecided = o.phase.suspects, o.phase.needs, o.phase.others()
	}
	if s.Known {
		o.emit("known", Event{Known: step})
		return
	}
	o.emit("step", Event{Step: step})
	if len(s.Learned) > 0 {
		o.emit("learned", Event{Learned: &Learned{g.number, s.Learned}})
	}
	if s.Failing.N() == g.elements && s.Passing.N() == g.elements && (s.Failing != g.failing || s.Passing != g.passing) {
		g.passing, g.failing = s.Passing, s.Failing
		o.best(isolate.Result{Passing: s.Passing, Failing: s.Failing, Cause: s.Failing.Minus(s.Passing)}, Best{Set: g.set})
	}
	if o.told.IsZero() || now.Sub(o.told) >= time.Second {
		o.told = now
		e := &Estimate{Stage: g.number, Trials: step.TrialsLeft, NotKnown: step.SecondsLeft == nil}
		if !e.NotKnown {
			e.SecondsLeft = *step.SecondsLeft
		}
		o.emit("estimate", Event{Estimate: e})
	}
}

// best tells an answer of the stage; b has its set, and whether it is settled.
func (o *Observer) best(r isolate.Result, b Best) {
	b.Stage, b.Answer = o.stage.number, o.stage.answer
	b.Passing, b.Failing, b.Cause, b.Context = r.Passing.Len(), r.Failing.Len(), r.Cause.String(), r.Context.String()
	if o.fix {
		b.Passing, b.Failing = b.Failing, b.Passing
	}
	o.emit("best", Event{Best: &b})
}

// over is the end of the stage that began last.
func (o *Observer) over(e search.StageEnded) {
	if o.stage == nil {
		return
	}
	end := &StageEnded{Stage: o.stage.number, Cause: e.Result.Cause.String(), Minimal: e.Result.Minimal}
	if e.Err != nil {
		end.Error = valid(e.Err.Error())
	}
	o.emit("stage_ended", Event{StageEnded: end})
}

// settled tells what a search has ended with: an answer in the changes of a set, or none.
func (o *Observer) settled(e search.Settled) {
	a := e.Answer
	if a.Set == nil || a.Plan == nil || o.stage == nil {
		return
	}
	b := Best{Set: o.setNumber(a.Set, e.SetNumber), Settled: true}
	if !o.plans[a.Plan] {
		o.plans[a.Plan] = true
		b.Changes = Changes(a.Set, a.Plan.Symbols)
	}
	o.best(a.Result, b)
}

// setNumber is the number of a set, which that of the search may have numbered otherwise.
func (o *Observer) setNumber(set *changes.Set, number int) int {
	if o.runner != nil {
		return o.runner.Set(set)
	}
	return number
}

// rounded is a time in seconds as exact as anybody looks at it.
func rounded(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}
