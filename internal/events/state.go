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
	Best     *Best     // the last one
	Estimate *Estimate // of the stage that began last
	Stages   []*Stage  // on the path
	Notes    []string  // the last ones
	Trials   int       // that ended, without those that were cancelled or rejected
	Answer   *Answer   // nil = gitdd has not said with what it ends

	sets    map[int]*Plan // by number: the last that has the elements
	running map[int]*Running
}

// A Running is what a worker does, or has done last: a trial, or preparing a workspace for one.
type Running struct {
	TrialStarted
	Since   float64 // seconds of the stream
	State   string  // on another machine; "" = here
	Outcome string  // "" = it goes on
}

// A Stage is one of the search.
type Stage struct {
	Plan
	Elements *Plan         // that has them
	Steps    []report.Step // the last ones; suspects are by place in the order of the search
	Dropped  int           // steps before these
	Suspects isolate.Configuration
	Learned  [][2]int // pairs of changes by number
	Over     *StageEnded
	Left     string // why its answer is not used

	place []int // of each element; nil = its number
}

// What a State keeps is bounded.
const (
	keptSteps = 300 // of a stage
	keptNotes = 20
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
		if err := s.take(&e); err != nil {
			return read, err
		}
		read += at + 1
	}
}

// take takes an event.
func (s *State) take(e *Event) error {
	switch {
	case e.Begun != nil:
		*s = State{Begun: e.Begun, sets: map[int]*Plan{}, running: map[int]*Running{}}
	case s.Begun == nil:
		return nil // it is void
	case e.Plan != nil:
		s.plan(e.Plan)
	case e.Preparing != nil:
		s.running[e.Preparing.Worker] = &Running{TrialStarted: TrialStarted{Worker: e.Preparing.Worker}, Since: e.Seconds}
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
		if (ran || t.Replayed != nil) && !t.Rejected && t.Outcome != "cancelled" {
			s.Trials++
		}
	case e.Step != nil:
		return s.step(e.Step)
	case e.Learned != nil:
		if g := s.last(e.Learned.Stage); g != nil {
			g.Learned = append(g.Learned, e.Learned.Requires...)
		}
	case e.Best != nil:
		s.Best = e.Best
	case e.Estimate != nil:
		s.Estimate = e.Estimate
	case e.StageEnded != nil:
		if g := s.last(e.StageEnded.Stage); g != nil {
			g.Over = e.StageEnded
			if c, err := isolate.FromRuns(g.Plan.Elements, g.Over.Cause); err == nil && g.Over.Error == "" && len(g.Steps) > 0 {
				g.Suspects = c
				last := &g.Steps[len(g.Steps)-1]
				last.Suspects, last.Count = g.places(c).String(), c.Len()
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

// last is the stage that began last, if it has the number.
func (s *State) last(number int) *Stage {
	if n := len(s.Stages); n > 0 && s.Stages[n-1].Stage == number {
		return s.Stages[n-1]
	}
	return nil
}

// plan begins a stage. One that was for a single outcome is dropped when all are asked for.
func (s *State) plan(p *Plan) {
	if p.Of == "commits" && p.Commits != nil || p.Changes != nil {
		s.sets[p.Set] = p
	}
	of := s.sets[p.Set]
	if n := len(s.Stages); n > 0 && s.Stages[n-1].One && s.Stages[n-1].Of == "changes" && s.Stages[n-1].Set == p.Set {
		s.Stages = s.Stages[:n-1]
	}
	g := &Stage{Plan: *p, Elements: of, Suspects: isolate.Full(max(0, p.Elements))}
	if of != nil && len(of.Order) == p.Elements {
		g.place = make([]int, p.Elements)
		for k, i := range of.Order {
			if i >= 0 && i < p.Elements {
				g.place[i] = k
			}
		}
	}
	s.Stages, s.Estimate = append(s.Stages, g), nil
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
	before := g.Suspects
	g.Suspects = g.Suspects.Minus(cleared).Union(more)
	step := report.Step{Trial: e.Trial, Outcome: e.Outcome, Applied: e.Applied, Count: g.Suspects.Len()}
	if n := len(g.Steps); n > 0 && before == g.Suspects {
		step.Suspects = g.Steps[n-1].Suspects
	} else {
		step.Suspects = g.places(g.Suspects).String()
	}
	if len(g.Steps) == 2*keptSteps {
		g.Steps = append([]report.Step(nil), g.Steps[keptSteps:]...)
		g.Dropped += keptSteps
	}
	g.Steps = append(g.Steps, step)
	return nil
}

// places are the places of elements in the order of the search.
func (g *Stage) places(c isolate.Configuration) isolate.Configuration {
	if g.place == nil {
		return c
	}
	members := make([]int, 0, c.Len())
	for i := range c.All() {
		members = append(members, g.place[i])
	}
	return isolate.Of(c.N(), members...)
}

// Of returns the plan that has the elements of a set; nil = it was not told.
func (s *State) Of(set int) *Plan { return s.sets[set] }

// Running returns what the workers do, or have done last, by their numbers.
func (s *State) Running() []*Running {
	var list []*Running
	for _, r := range s.running {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Running) int { return cmp.Compare(a.Worker, b.Worker) })
	return list
}
