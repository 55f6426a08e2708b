package record

import (
	"errors"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A Recorder records how a search goes. It receives the events of the search, also those of trials that
// were known before, when a session is resumed. The zero value is ready to use.
type Recorder struct {
	fix    bool // the search has pass and fail exchanged
	stages []*openStage
	needed []report.Needed
}

// Event receives an event of the search.
func (t *Recorder) Event(e search.Event) {
	switch e := e.(type) {
	case search.EndsTested:
		t.fix = e.Direction == trial.Fix
	case search.LineBegun:
		t.along(e)
	case search.LineStep:
		t.commit(e)
	case search.ChangesBegun:
		t.among(e)
	case search.ChangesStep:
		t.step(e)
	case search.StageEnded:
		t.ended(e.Result, e.Err)
	case search.Rewound:
		t.stages = t.stages[:t.behind(e.Stage)]
	case search.Discarded:
		for _, s := range t.stages[t.behind(e.Stage):] {
			if s.Left == "" {
				s.Left = e.Why
			}
		}
	}
}

// behind returns the index of the first stage that began after the one of a number.
func (t *Recorder) behind(number int) int {
	i := slices.IndexFunc(t.stages, func(s *openStage) bool { return s.number > number })
	if i < 0 {
		return len(t.stages)
	}
	return i
}

// An openStage is what the Recorder knows of one stage; finish makes a report.Stage of it.
type openStage struct {
	report.Stage
	number int   // that it began with
	sets   []int // as records number what it is about
	asked  bool  // it was for one outcome
	tried  []git.Commit
	line   []git.Commit
	steps  []storyStep
	left   isolate.Configuration // the suspects of the last step

	// Of changes:
	set   *changes.Set
	plan  *grouping.Plan
	place []int                 // of each change in the order of the search
	look  Suspects              // zero for another goal than a cause
	sees  isolate.Configuration // the suspects of the last step, as changes
	best  isolate.Result
}

// add adds a step that has left these suspects.
func (s *openStage) add(step storyStep, suspects isolate.Configuration) {
	step.Count = suspects.Len()
	if n := len(s.steps); n > 0 && s.left == suspects {
		step.suspects = s.steps[n-1].suspects
	} else {
		step.suspects = coarse(suspects, keptRuns)
	}
	s.steps, s.left = append(s.steps, step), suspects
}

// A storyStep is a step of the path.
type storyStep struct {
	report.Step
	config   isolate.Configuration // as the search numbers its elements; the zero value for one of many runs
	suspects isolate.Configuration // by place, in at most keptRuns runs
	passes   bool                  // of a commit that was tried by itself
}

func (t *Recorder) last() *openStage { return t.stages[len(t.stages)-1] }

// among begins a stage among the changes of an answer.
func (t *Recorder) among(e search.ChangesBegun) {
	a := e.Answer
	if n := len(t.stages); n > 0 && t.last().asked && t.last().plan == a.Plan {
		t.stages = t.stages[:n-1] // what comes asks that again
	}
	s := &openStage{number: e.Stage, set: a.Set, plan: a.Plan, asked: e.One, sets: []int{e.SetNumber}, place: make([]int, a.Set.Len())}
	s.Of, s.Answer, s.Elements = "changes", e.Number, a.Set.Len()
	s.From, s.To = string(a.Set.Good.ID()), string(a.Set.Bad.ID())
	s.look.Needs = e.Goal == isolate.Cause
	for k, i := range a.Plan.Order {
		s.place[i] = k
	}
	t.stages = append(t.stages, s)
}

// along begins a stage in a line of commits. Those that are tried one by one are a
// stage together.
func (t *Recorder) along(e search.LineBegun) {
	line := e.Commits
	if e.One {
		if len(t.stages) == 0 || t.last().tried == nil {
			s := &openStage{number: e.Stage}
			s.Of, s.Answer = "commits", e.Number
			t.stages = append(t.stages, s)
		}
		s := t.last()
		s.tried, s.sets = append(s.tried, line[1]), append(s.sets, e.SetNumber)
		s.Elements = len(s.tried)
		return
	}
	s := &openStage{number: e.Stage, line: line, sets: []int{e.SetNumber}}
	s.Of, s.Answer, s.Elements = "commits", e.Number, len(line)-1
	s.From, s.To = string(line[0].ID), string(line[len(line)-1].ID)
	t.stages = append(t.stages, s)
}

// commit is a step in a line of commits, or of one that is tried.
func (t *Recorder) commit(e search.LineStep) {
	step := e.Step
	if step.Known {
		return
	}
	s := t.last()
	var next storyStep
	next.Trial, next.Outcome, next.Applied = e.Trial, e.Outcome.String(), step.Config.Len()
	if s.tried != nil {
		if step.Config.IsEmpty() {
			return // known, before it
		}
		next.passes = step.Outcome == isolate.Pass
		next.Applied = 1
	}
	s.add(next, step.Failing.Minus(step.Passing))
}

// step is a step among changes.
func (t *Recorder) step(e search.ChangesStep) {
	step := e.Step
	if step.Known {
		return
	}
	s := t.last()
	var next storyStep
	if inRuns(step.Config, keptRuns) {
		next.config = step.Config
	}
	next.Trial, next.Outcome, next.Applied = e.Trial, e.Outcome.String(), step.Config.Len()
	left := s.left
	if sees := s.look.Take(step); sees != s.sees || len(s.steps) == 0 {
		s.sees, left = sees, s.places(sees)
	}
	for _, pair := range step.Learned {
		next.Learned = append(next.Learned, [2]int{s.place[pair[0]], s.place[pair[1]]})
	}
	s.add(next, left)
}

// places are the places of changes in the order of the search.
func (s *openStage) places(c isolate.Configuration) isolate.Configuration {
	members := make([]int, 0, c.Len())
	for i := range c.All() {
		members = append(members, s.place[i])
	}
	return isolate.Of(c.N(), members...)
}

// ended is the end of a stage: among changes with what it has found.
func (t *Recorder) ended(result isolate.Result, err error) {
	s := t.last()
	var ends *isolate.EndsError
	switch {
	case errors.As(err, &ends):
		if s.tried != nil {
			break
		}
		if s.Left = t.sameEnds(ends); ends.Good == ends.Bad && ends.Good != isolate.Unresolved {
			s.left = isolate.Empty(s.Elements)
		}
	case s.set != nil && len(s.steps) > 0:
		s.best = result
		s.left = s.places(result.Cause)
	}
}

// sameEnds says why nothing was searched, of the search's outcomes.
func (t *Recorder) sameEnds(ends *isolate.EndsError) string {
	switch {
	case ends.Good == isolate.Unresolved || ends.Bad == isolate.Unresolved:
		return "an end of it could not be judged"
	case ends.Good == ends.Bad:
		return "its ends do not differ: there is nothing to find"
	}
	return "its ends are the other way round"
}

// Need records which trials show that each member of an answer is needed.
func (t *Recorder) Need(runner *trial.Runner, a search.Answer) {
	if a.Plan == nil {
		return
	}
	for i := range a.Result.Cause.All() {
		n := report.Needed{Change: a.Set.Changes[i].ID}
		for _, e := range a.Result.Evidence {
			if e.Needed.N() == 0 || !e.Needed.Has(i) {
				continue
			}
			outcome := e.Outcome
			if t.fix {
				outcome = outcome.Opposite()
			}
			n.Trials = append(n.Trials, runner.Attempts(a.Set, e.Config, outcome)...)
		}
		slices.Sort(n.Trials)
		t.needed = append(t.needed, n)
	}
}

// Story returns the story of how the search came to its result.
func (t *Recorder) Story(session *trial.Session, environment report.Environment) report.Story {
	stages := t.finish()
	return report.Story{
		Schema:      report.StorySchema,
		Environment: environment,
		Trials:      storyTrials(session, t.stageOf()),
		Stages:      stages,
		Needed:      t.needed,
	}
}

// finish makes the stages of the story.
func (t *Recorder) finish() []report.Stage {
	steps := 0
	for _, s := range t.stages {
		steps += len(s.steps)
	}
	room := mostGroups
	most := min(max(mostRuns/max(steps, 1), 20), keptRuns)
	var list []report.Stage
	for _, s := range t.stages {
		if s.tried != nil {
			s.clear()
		}
		s.Groups = s.groups(room)
		room -= len(s.Groups)
		s.Requires = s.requires()
		s.Steps = nil
		for k := range s.steps {
			step := &s.steps[k]
			switch {
			case k == len(s.steps)-1:
				step.Suspects, step.Count = s.left.String(), s.left.Len()
			case k > 0 && step.suspects == s.steps[k-1].suspects:
				step.Suspects = s.steps[k-1].Suspects
			default:
				step.Suspects = fewerRuns(step.suspects, most)
			}
			s.Steps = append(s.Steps, step.Step)
		}
		list = append(list, s.Stage)
	}
	return list
}

const (
	mostGroups   = 20_000  // of a story
	mostRuns     = 100_000 // of suspects in the steps of a story
	keptRuns     = 1_000   // of a configuration of a step
	mostRequires = 300     // of a stage
)

// clear takes those that passed off the suspects of commits that were tried one by
// one.
func (s *openStage) clear() {
	suspects := isolate.Full(s.Elements)
	for k := range s.steps {
		if s.steps[k].passes {
			suspects = suspects.Minus(isolate.Of(s.Elements, k))
		}
		s.steps[k].suspects, s.steps[k].Count, s.left = suspects, suspects.Len(), suspects
	}
}
