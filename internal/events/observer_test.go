package events

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// An observed search is one whose stream goes to a list. Only the test moves its clock.
type observed struct {
	*Observer
	clock  time.Time
	events []*Event
	answer search.Answer
}

// observe begins the stream of a search among ten changes, with two workers, in a stage among these.
func observe(t *testing.T) *observed {
	t.Helper()
	session, err := trial.CreateSession(t.TempDir(), trial.Header{Started: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	s := &observed{clock: time.Now(), answer: search.Answer{Set: &changes.Set{Changes: make([]changes.Change, 10)}, Plan: &grouping.Plan{}}}
	s.Observer = NewObserver(func() time.Time { return s.clock }, func(e *Event) { s.events = append(s.events, e) })
	s.Begin(Begun{Jobs: 2, Changes: 10}, session)
	s.Event(search.ChangesBegun{Stage: 1, SetNumber: 3, Answer: s.answer})
	return s
}

// run tells a trial of the search from its start to its end.
func (s *observed) run(e trial.Event, took time.Duration) trial.Event {
	e.Attempt, e.Purpose = max(e.Attempt, 1), trial.Search
	e.Kind = trial.Started
	s.Trial(e)
	s.clock = s.clock.Add(took)
	e.Kind, e.Verdict = trial.Finished, trial.Verdict{Outcome: isolate.Pass, Trial: e.Trial}
	s.Trial(e)
	return e
}

// step tells a step among the changes, and returns what the stream says of it.
func (s *observed) step(step isolate.Step) *Step {
	s.events = nil
	s.Event(search.ChangesStep{Step: step, Answer: s.answer})
	if step.Known {
		return s.events[0].Known
	}
	return s.events[0].Step
}

// A step names the trials that were run of what it asks, once: of the same set, and in the order in which they ended
// or were amended last.
func TestStepRan(t *testing.T) {
	s := observe(t)
	config := func(members ...int) isolate.Configuration { return isolate.Of(10, members...) }
	want := func(what string, known bool, c isolate.Configuration, want ...int) {
		t.Helper()
		if diff := cmp.Diff(want, s.step(isolate.Step{Config: c, Known: known}).Ran); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	s.run(trial.Event{Trial: 1, Set: 3, Config: config(1)}, 0)
	s.run(trial.Event{Trial: 2, Set: 4, Config: config(1)}, 0)
	three := s.run(trial.Event{Trial: 3, Set: 3, Config: config(2)}, 0)
	s.run(trial.Event{Trial: 4, Set: 3, Config: config(2), Attempt: 2}, 0)
	want("not asked before", false, config(3))
	want("another set has the same configuration", false, config(1), 1)
	want("asked again", true, config(1))
	three.Kind = trial.Amended
	s.Trial(three)
	want("several attempts, the first of which was amended", false, config(2), 4, 3)
	s.Trial(three)
	want("amended when it was named", true, config(2))
	s.Trial(trial.Event{Kind: trial.Amended, Trial: 5, Set: 3, Purpose: trial.Search, Config: config(5)})
	want("of an earlier process, and amended", false, config(5), 5)
	s.run(trial.Event{Trial: 6, Set: 3, Config: config(6)}, 0)
	s.Event(search.LineBegun{Stage: 2, SetNumber: 5, Commits: []git.Commit{{ID: "a"}, {ID: "b"}}})
	s.Event(search.ChangesBegun{Stage: 3, SetNumber: 3, Answer: s.answer})
	want("run before a line began", false, config(6))
}

// Before there is a pace the range goes by the trials so far, which are the ends; then
// by the times between trials on the path, of which those of a resumed session, that
// take no time, do not count.
func TestSecondsLeft(t *testing.T) {
	s := observe(t)
	step := func(known bool) (from, to time.Duration, ok bool) {
		left := s.step(isolate.Step{Config: isolate.Of(10, 1), Least: 4, Most: 9, Known: known}).SecondsLeft
		if left == nil {
			return 0, 0, false
		}
		return time.Duration(left[0] * float64(time.Second)), time.Duration(left[1] * float64(time.Second)), true
	}
	for range 50 { // trials of before
		if from, to, ok := step(false); ok {
			t.Fatalf("before any trial: got %v to %v", from, to)
		}
	}
	number := 0
	run := func(took time.Duration) {
		number++
		s.run(trial.Event{Trial: number, Config: isolate.Of(10, 1)}, took)
	}
	run(40 * time.Second)
	if from, to, ok := step(false); !ok || from != 20*time.Second || to != 540*time.Second {
		t.Errorf("of a trial of 40 s, with two workers: got %v to %v, want 20 s to 9 min", from, to)
	}
	for range 2 {
		run(40 * time.Second)
		step(false)
		step(true)
	}
	if from, to, _ := step(true); from != 160*time.Second || to != 360*time.Second {
		t.Errorf("all take 40 s: got %v to %v, want 160 s to 360 s", from, to)
	}
	for range 40 { // and 10 and 30 s in turn from now on
		run(10 * time.Second)
		step(false)
		run(30 * time.Second)
		step(false)
	}
	// Deviation 10.26 s: 4 trials are 80 s less 1.28*10.26*sqrt(4+16/20), 9 are 180 s and more by so much.
	from, to, _ := step(true)
	if from.Round(time.Second) != 51*time.Second || to.Round(time.Second) != 227*time.Second {
		t.Errorf("10 and 30 s in turn: got %v to %v, want 51 s to 227 s", from, to)
	}
}
