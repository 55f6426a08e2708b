package events

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
)

// A State is what a stream has told so far. The zero value is that of none.
type State struct {
	Begun    *Begun
	Test     string    // of the last event
	Best     *Best     // the last one
	Estimate *Estimate // of the stage that began last
	Stages   []*Stage  // on the path
	Notes    []string  // the last ones
	Trials   int       // that ended, without those that were cancelled or rejected
	Answer   *Answer   // nil = gitdd has not said with what it ends

	trials  []report.Trial // the last ones, in the order in which they ended
	dropped int            // trials before these
	sets    map[int]*Set   // by number: the last plan that has the elements
	running map[int]*Running
}

// A Running is what a worker does, or has done last: a trial, or preparing a workspace for one.
type Running struct {
	TrialStarted
	Since   float64 // seconds of the stream
	State   string  // on another machine; "" = here
	Outcome string  // "" = it goes on
}

// A Set is a set of changes, or a line of commits, with its elements.
type Set struct {
	*Plan
	place []int // of each element in the order of the search; nil = its number
}

// A Stage is one of the search.
type Stage struct {
	Plan
	Elements *Set // nil = they were not told
	Suspects isolate.Configuration
	Learned  [][2]int // pairs of changes by number
	Over     *StageEnded
	Left     string // why its answer is not used

	steps   []report.Step           // the last ones; their suspects are written by Steps
	left    []isolate.Configuration // the suspects of each of these
	dropped int                     // steps before these
}

// What a State keeps is bounded.
const (
	keptSteps  = 300 // of a stage
	keptTrials = 500
	keptNotes  = 20
)

// Read takes the whole lines of a part of a stream, and returns how many bytes these are. A line that is no event is an
// error; events and fields that are not known are passed over.
func (s *State) Read(text []byte) (read int, err error) {
	for {
		at := bytes.IndexByte(text[read:], '\n')
		if at < 0 {
			return read, nil
		}
		var e Event
		if err := json.Unmarshal(text[read:read+at], &e); err != nil {
			return read, fmt.Errorf("not an event: %w", err)
		}
		if e.Schema != Schema {
			return read, fmt.Errorf("not an event of %s, but %q", Schema, e.Schema)
		}
		if err := s.Take(&e); err != nil {
			return read, err
		}
		read += at + 1
	}
}

// Take takes an event, parts of which are kept. An error says that it is not as the schema has it.
func (s *State) Take(e *Event) error {
	switch {
	case e.Begun != nil:
		*s = State{Begun: e.Begun, sets: map[int]*Set{}, running: map[int]*Running{}}
	case s.Begun == nil:
		return nil // it is void
	}
	s.Test = e.Test
	switch {
	case e.Plan != nil:
		s.plan(e.Plan)
	case e.Preparing != nil:
		s.running[e.Preparing.Worker] = &Running{TrialStarted: TrialStarted{Worker: e.Preparing.Worker, Purpose: e.Preparing.Purpose}, Since: e.Seconds}
	case e.TrialStarted != nil:
		s.running[e.TrialStarted.Worker] = &Running{TrialStarted: *e.TrialStarted, Since: e.Seconds}
	case e.TrialMoved != nil:
		if r := s.running[e.TrialMoved.Worker]; r != nil {
			r.State = e.TrialMoved.State
		}
	case e.TrialEnded != nil:
		t := e.TrialEnded
		r := s.running[t.Worker]
		ran := r != nil && r.Trial == t.Trial && r.Outcome == ""
		if ran {
			r.Outcome = t.Outcome
		}
		if (ran || t.Replayed != nil) && !t.Rejected && t.Outcome != Cancelled {
			s.Trials++
		}
		s.tried(t)
	case e.Step != nil:
		return s.step(e.Step)
	case e.Learned != nil:
		if g := s.last(e.Learned.Stage); g != nil {
			g.Learned = append(g.Learned, e.Learned.Requires...)
		}
	case e.Best != nil:
		s.Best = e.Best
		if all := e.Best.Changes; all != nil {
			s.sets[e.Best.Set] = &Set{Plan: &Plan{Of: "changes", Set: e.Best.Set, Elements: len(all), Changes: all}}
		}
	case e.Estimate != nil:
		s.Estimate = e.Estimate
	case e.StageEnded != nil:
		if g := s.last(e.StageEnded.Stage); g != nil {
			g.Over = e.StageEnded
			if c, err := isolate.FromRuns(g.Plan.Elements, g.Over.Cause); err == nil && g.Over.Error == "" && len(g.steps) > 0 {
				g.Suspects = c
				last := len(g.steps) - 1
				g.left[last], g.steps[last].Suspects, g.steps[last].Count = c, "", c.Len()
			}
		}
	case e.Rewound != nil:
		s.Stages = slices.DeleteFunc(s.Stages, func(g *Stage) bool { return g.Stage > e.Rewound.Stage })
	case e.Discarded != nil:
		for _, g := range s.Stages {
			if g.Stage > e.Discarded.Stage {
				g.Left = cmp.Or(g.Left, e.Discarded.Why)
			}
		}
	case e.Note != nil:
		s.Notes = append(s.Notes[max(0, len(s.Notes)-keptNotes+1):], e.Note.Text)
	case e.Answer != nil:
		s.Answer = e.Answer
	}
	return nil
}

// tried keeps a trial that has ended.
func (s *State) tried(e *TrialEnded) {
	of := cmp.Or(e.Replayed, e.Amended)
	if of == nil {
		of = s.Started(e.Trial, e.Worker)
	}
	t := report.Trial{
		Number: e.Trial, Purpose: of.Purpose, Stage: -1, Tree: of.Tree, Commit: of.Commit, Applied: of.Applied, Attempt: of.Attempt,
		Worker: e.Worker, Process: max(e.Process, 1), Outcome: e.Outcome, Other: e.Other, Reason: e.Reason,
		Seconds: e.Seconds, BuildSeconds: e.BuildSeconds, CheckSeconds: e.CheckSeconds, Ended: e.Elapsed,
		Machine: e.Machine, Cached: e.Cached, Lost: e.Lost, Rejected: e.Rejected, Value: e.Value,
	}
	for _, end := range []Revision{s.Begun.Good, s.Begun.Bad} {
		if t.Commit == "" && t.Tree == end.Tree {
			t.Commit = end.Commit
		}
	}
	at := -1
	if e.Amended != nil {
		at = slices.IndexFunc(s.trials, func(t report.Trial) bool { return t.Number == e.Trial })
	}
	switch {
	case e.Outcome == Cancelled:
	case at >= 0:
		s.trials[at] = t
	case e.Amended == nil:
		if len(s.trials) == 2*keptTrials {
			s.trials = slices.Clone(s.trials[keptTrials:])
			s.dropped += keptTrials
		}
		s.trials = append(s.trials, t)
	}
}

// Tried returns the last trials, at most so many, as a story has them but for their stages and diagnostics, in the order of their
// numbers. before is how many trials ended before these.
func (s *State) Tried(most int) (trials []report.Trial, before int) {
	list := slices.Clone(s.trials)
	slices.SortStableFunc(list, func(a, b report.Trial) int { return cmp.Compare(a.Number, b.Number) })
	more := max(0, len(list)-most)
	return list[more:], s.dropped + more
}

// last is the stage that began last, if it has the number.
func (s *State) last(number int) *Stage {
	if g := s.Stage(); g != nil && g.Stage == number {
		return g
	}
	return nil
}

// Stage returns the stage on the path that began last, nil if there is none.
func (s *State) Stage() *Stage {
	if len(s.Stages) == 0 {
		return nil
	}
	return s.Stages[len(s.Stages)-1]
}

// plan begins a stage. One that was for a single outcome is dropped when all are asked for.
func (s *State) plan(p *Plan) {
	if p.Of == "commits" && p.Commits != nil || p.Changes != nil {
		s.sets[p.Set] = setOf(p)
	}
	if g := s.Stage(); g != nil && g.One && g.Of == "changes" && g.Set == p.Set {
		s.Stages = s.Stages[:len(s.Stages)-1]
	}
	s.Stages = append(s.Stages, &Stage{Plan: *p, Elements: s.sets[p.Set], Suspects: isolate.Full(max(0, p.Elements))})
	s.Estimate = nil
}

// setOf is the set of a plan that has its elements.
func setOf(p *Plan) *Set {
	s := &Set{Plan: p}
	if len(p.Order) == p.Elements {
		s.place = make([]int, p.Elements)
		for k, i := range p.Order {
			if i >= 0 && i < p.Elements {
				s.place[i] = k
			}
		}
	}
	return s
}

// step is a step of the stage that began last.
func (s *State) step(e *Step) error {
	g := s.last(e.Stage)
	if g == nil {
		return nil
	}
	cleared, err := isolate.FromRuns(g.Plan.Elements, e.Cleared)
	if err != nil {
		return err
	}
	more, err := isolate.FromRuns(g.Plan.Elements, e.Suspected)
	if err != nil {
		return err
	}
	g.Suspects = g.Suspects.Minus(cleared).Union(more)
	if len(g.steps) == 2*keptSteps {
		g.steps = append([]report.Step(nil), g.steps[keptSteps:]...)
		g.left = append([]isolate.Configuration(nil), g.left[keptSteps:]...)
		g.dropped += keptSteps
	}
	g.steps = append(g.steps, report.Step{Trial: e.Trial, Outcome: e.Outcome, Applied: e.Applied, Count: g.Suspects.Len()})
	g.left = append(g.left, g.Suspects)
	return nil
}

// Steps returns the last steps, at most so many, and how many there were before these. Their suspects are by place in the order
// of the search.
func (g *Stage) Steps(most int) (steps []report.Step, before int) {
	from := max(0, len(g.steps)-most)
	for i := from; i < len(g.steps); i++ {
		switch step := &g.steps[i]; {
		case step.Suspects != "": // they were written before
		case i > from && g.left[i] == g.left[i-1]:
			step.Suspects = g.steps[i-1].Suspects
		default:
			step.Suspects = g.Elements.places(g.left[i]).String()
		}
	}
	return g.steps[from:], from + g.dropped
}

// Commit returns the commit with so many elements of a line.
func (s *Set) Commit(elements int) Commit {
	switch {
	case s == nil || elements < 0 || elements > len(s.Commits):
		return Commit{}
	case elements == 0:
		return Commit{ID: s.From, Subject: s.FromSubject}
	}
	return s.Commits[elements-1]
}

// Place returns the place of an element in the order of the search.
func (s *Set) Place(element int) int {
	if s.place == nil {
		return element
	}
	return s.place[element]
}

// places are those of several elements.
func (s *Set) places(c isolate.Configuration) isolate.Configuration {
	if s == nil || s.place == nil {
		return c
	}
	members := make([]int, 0, c.Len())
	for i := range c.All() {
		members = append(members, s.place[i])
	}
	return isolate.Of(c.N(), members...)
}

// Of returns the set, or line, of a number; nil = its elements were not told.
func (s *State) Of(set int) *Set { return s.sets[set] }

// Started returns what was said when a trial started that is the last one of its worker.
func (s *State) Started(trial, worker int) *TrialStarted {
	if r := s.running[worker]; r != nil && r.Trial == trial {
		return &r.TrialStarted
	}
	return &TrialStarted{Trial: trial, Worker: worker}
}

// Running returns what the workers do, or have done last, by their numbers.
func (s *State) Running() []*Running {
	var list []*Running
	for _, r := range s.running {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Running) int { return cmp.Compare(a.Worker, b.Worker) })
	return list
}
