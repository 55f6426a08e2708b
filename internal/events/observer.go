package events

import (
	"sync"
	"time"

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

	runner *trial.Runner // whose trials are told, by whose numbers sets are
	test   string        // with --each
	number func(int) int // of a trial of the test, among those that are told; nil = the same

	jobs    int
	running map[int]time.Time // since when, by worker
	ended   int               // trials in this process
	trying  time.Duration     // that they took, over all workers
	pace    Pace
	told    time.Time // the last estimate

	fix   bool
	stage *stage
	plans map[any]bool // by set or line: those whose elements were told
}

// NewObserver returns an Observer that writes by write, which must not keep what it is given.
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
	o.stage, o.plans = nil, map[any]bool{}
	o.emit("begun", Event{Begun: &b})
	for _, r := range records {
		o.emit("trial_ended", Event{TrialEnded: replayed(r)})
	}
}

// Numbers says which runner runs the trials: before the first event of a search.
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
	case trial.Preparing:
		o.emit("preparing", Event{Preparing: &Preparing{e.Worker}})
	case trial.Started:
		o.running[e.Worker] = o.now()
		o.emit("trial_started", Event{TrialStarted: started(e)})
	case trial.Lasts:
		o.emit("note", Event{Note: &Note{e.Lasting.String()}})
	case trial.Moved:
		o.emit("trial_moved", Event{TrialMoved: &TrialMoved{Trial: e.Trial, Worker: e.Worker, State: e.State, Machine: e.Machine}})
	case trial.Finished, trial.Abandoned, trial.Amended:
		if began, ok := o.running[e.Worker]; ok && e.Kind == trial.Finished && !e.Verdict.Rejected {
			o.ended++
			o.trying += o.now().Sub(began)
			o.pace.Finished()
		}
		if e.Kind != trial.Amended {
			delete(o.running, e.Worker)
		}
		o.emit("trial_ended", Event{TrialEnded: ended(e)})
	}
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
		o.emit("ends", Event{Ends: &Ends{Direction: string(direction), Good: o.end(e.Good), Bad: o.end(e.Bad)}})
	case search.LineBegun:
		o.along(e)
	case search.LineStep:
		if e.Judged {
			o.step(e.Step, e.Outcome, e.Trial)
		}
	case search.ChangesBegun:
		o.among(e)
	case search.ChangesStep:
		o.step(e.Step, e.Outcome, e.Trial)
	case search.StageEnded:
		o.over(e)
	case search.Rewound:
		o.emit("rewound", Event{Rewound: &Rewound{e.Stage}})
	case search.Discarded:
		o.emit("discarded", Event{Discarded: &Discarded{e.Stage, valid(e.Why)}})
	case search.Settled:
		o.settled(e.Answer)
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
	look                func(isolate.Step) isolate.Configuration // returns the suspects
	left                isolate.Configuration                    // the suspects of the last step
	passing, failing    isolate.Configuration                    // the best so far
}

// step is a step of the stage that began last.
func (o *Observer) step(s isolate.Step, outcome isolate.Outcome, trial int) {
	g := o.stage
	if s.Known || g == nil {
		return
	}
	o.pace.Step(o.now())
	step := &Step{Stage: g.number, Trial: o.numberOf(trial), Outcome: outcome.String(), Applied: s.Config.Len()}
	if left := g.look(s); left.N() == g.left.N() && left != g.left {
		step.Cleared, step.Suspected = g.left.Minus(left).String(), left.Minus(g.left).String()
		g.left = left
	}
	step.Suspects = g.left.Len()
	o.emit("step", Event{Step: step})
	if len(s.Learned) > 0 {
		o.emit("learned", Event{Learned: &Learned{g.number, s.Learned}})
	}
	if s.Failing.N() == g.elements && s.Passing.N() == g.elements && (s.Failing != g.failing || s.Passing != g.passing) {
		g.passing, g.failing = s.Passing, s.Failing
		o.best(isolate.Result{Passing: s.Passing, Failing: s.Failing, Cause: s.Failing.Minus(s.Passing)}, false)
	}
	if now := o.now(); o.told.IsZero() || now.Sub(o.told) >= time.Second {
		o.told = now
		o.emit("estimate", Event{Estimate: o.estimate(s)})
	}
}

// best tells an answer of the stage.
func (o *Observer) best(r isolate.Result, settled bool) {
	b := &Best{
		Stage: o.stage.number, Answer: o.stage.answer, Set: o.stage.set, Settled: settled,
		Passing: r.Passing.Len(), Failing: r.Failing.Len(), Cause: r.Cause.String(), Context: r.Context.String(),
	}
	if o.fix {
		b.Passing, b.Failing = b.Failing, b.Passing
	}
	o.emit("best", Event{Best: b})
}

func (o *Observer) estimate(s isolate.Step) *Estimate {
	e := &Estimate{Stage: o.stage.number, Trials: [2]int{s.Least, s.Most}, NotKnown: o.ended == 0}
	if o.ended > 0 {
		from, to := o.pace.Left(s.Least, s.Most, o.trying/time.Duration(o.ended), max(1, o.jobs))
		e.SecondsLeft = [2]float64{rounded(from), rounded(to)}
	}
	return e
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
func (o *Observer) settled(a search.Answer) {
	if a.Set == nil || a.Plan == nil || o.stage == nil {
		return
	}
	before := *o.stage
	o.stage.set = o.runner.Set(a.Set)
	o.best(a.Result, true)
	o.stage.set = before.set
}

// rounded is a time in seconds as exact as anybody looks at it.
func rounded(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}
