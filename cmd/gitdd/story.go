package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A storyteller notes how a search goes, for report.Story. It hears of each step on
// the path, in its order, and so of all of them again when a session is resumed. A
// nil one notes nothing.
type storyteller struct {
	runner *trial.Runner
	fix    bool // the search has pass and fail exchanged
	answer int  // Stage.Answer of what comes
	asking bool // what comes asks for one outcome only
	trying bool // likewise, for that of a commit
	stages []*telling
	needed []report.Needed
}

// A telling is a stage while it goes on.
type telling struct {
	report.Stage
	sets  []int // as records number what it is about
	asked bool  // it was for one outcome
	tried []git.Commit
	line  []git.Commit
	steps []storyStep
	left  isolate.Configuration // the suspects of the last step

	// Of changes:
	set   *changes.Set
	plan  *grouping.Plan
	place []int                 // of each change in the order of the search
	look  lookout               // zero for another goal than a cause
	sees  isolate.Configuration // the suspects of the last step, as changes
	best  isolate.Result
}

// add adds a step that has left these suspects.
func (s *telling) add(step storyStep, suspects isolate.Configuration) {
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

// mark is where the story has come to, for back.
func (t *storyteller) mark() int {
	if t == nil {
		return 0
	}
	return len(t.stages)
}

// back forgets the stages behind a mark: what they told begins again.
func (t *storyteller) back(mark int) {
	if t != nil {
		t.stages = t.stages[:mark]
	}
}

// looksFor says which answer the stages that come are about.
func (t *storyteller) looksFor(answer int) {
	if t != nil {
		t.answer = answer
	}
}

// asks says that what comes is about one outcome only; tries that this is that of a
// commit.
func (t *storyteller) asks(is bool) {
	if t != nil {
		t.asking = is
	}
}

func (t *storyteller) tries(is bool) {
	if t != nil {
		t.trying = is
	}
}

func (t *storyteller) last() *telling { return t.stages[len(t.stages)-1] }

// among begins a stage among the changes of an answer.
func (t *storyteller) among(a answer, goal isolate.Goal) {
	if t == nil {
		return
	}
	if n := len(t.stages); n > 0 && t.last().asked && t.last().plan == a.plan {
		t.stages = t.stages[:n-1] // what comes asks that again
	}
	s := &telling{set: a.set, plan: a.plan, asked: t.asking, sets: []int{t.runner.Set(a.set)}, place: make([]int, a.set.Len())}
	s.Of, s.Answer, s.Elements = "changes", t.answer, a.set.Len()
	s.From, s.To = idOf(a.set.Good), idOf(a.set.Bad)
	s.look.needs = goal == isolate.Cause
	for k, i := range a.plan.Order {
		s.place[i] = k
	}
	t.stages = append(t.stages, s)
}

func idOf(r git.Revision) string {
	if r.Commit != "" {
		return string(r.Commit)
	}
	return string(r.Tree)
}

// along begins a stage in a line of commits. Those that are tried one by one are a
// stage together.
func (t *storyteller) along(line []git.Commit) {
	if t == nil {
		return
	}
	n := t.runner.Line(line)
	if t.trying {
		if len(t.stages) == 0 || t.last().tried == nil {
			s := &telling{}
			s.Of, s.Answer = "commits", t.answer
			t.stages = append(t.stages, s)
		}
		s := t.last()
		s.tried, s.sets = append(s.tried, line[1]), append(s.sets, n)
		s.Elements = len(s.tried)
		return
	}
	s := &telling{line: line, sets: []int{n}}
	s.Of, s.Answer, s.Elements = "commits", t.answer, len(line)-1
	s.From, s.To = string(line[0].ID), string(line[len(line)-1].ID)
	t.stages = append(t.stages, s)
}

// commit is a step in a line of commits, or of one that is tried. The outcome is
// that of the command.
func (t *storyteller) commit(line []git.Commit, step isolate.Step, outcome isolate.Outcome) {
	if t == nil || step.Known {
		return
	}
	s := t.last()
	var next storyStep
	next.Trial, next.Outcome, next.Applied = t.runner.ToldCommit(line, step.Config), outcome.String(), step.Config.Len()
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
func (t *storyteller) step(step isolate.Step) {
	if t == nil || step.Known {
		return
	}
	s := t.last()
	outcome := step.Outcome
	if t.fix {
		outcome = turned(outcome)
	}
	var next storyStep
	if inRuns(step.Config, keptRuns) {
		next.config = step.Config
	}
	next.Trial, next.Outcome, next.Applied = t.runner.Told(s.set, step.Config), outcome.String(), step.Config.Len()
	left := s.left
	if sees := s.look.take(step); sees != s.sees || len(s.steps) == 0 {
		s.sees, left = sees, s.places(sees)
	}
	for _, pair := range step.Learned {
		next.Learned = append(next.Learned, [2]int{s.place[pair[0]], s.place[pair[1]]})
	}
	s.add(next, left)
}

// places are the places of changes in the order of the search.
func (s *telling) places(c isolate.Configuration) isolate.Configuration {
	members := make([]int, 0, c.Len())
	for i := range c.All() {
		members = append(members, s.place[i])
	}
	return isolate.Of(c.N(), members...)
}

// ended is the end of a stage: among changes with what it has found.
func (t *storyteller) ended(result isolate.Result, err error) {
	if t == nil {
		return
	}
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
func (t *storyteller) sameEnds(ends *isolate.EndsError) string {
	switch {
	case ends.Good == isolate.Unresolved || ends.Bad == isolate.Unresolved:
		return "an end of it could not be judged"
	case ends.Good == ends.Bad:
		return "its ends do not differ: there is nothing to find"
	}
	return "its ends are the other way round"
}

// leave says why what the last stage found was left.
func (t *storyteller) leave(why string) {
	if t != nil {
		t.last().Left = why
	}
}

// need notes which trials show that each member of an answer is needed.
func (t *storyteller) need(a answer) {
	if t == nil || a.plan == nil {
		return
	}
	for i := range a.result.Cause.All() {
		n := report.Needed{Change: a.set.Changes[i].ID}
		for _, e := range a.result.Witnesses {
			if e.Needed.N() == 0 || !e.Needed.Has(i) {
				continue
			}
			outcome := e.Outcome
			if t.fix {
				outcome = turned(outcome)
			}
			n.Trials = append(n.Trials, t.runner.Attempts(a.set, e.Config, outcome)...)
		}
		slices.Sort(n.Trials)
		t.needed = append(t.needed, n)
	}
}

// finish makes the stages of the story.
func (t *storyteller) finish() []report.Stage {
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
func (s *telling) clear() {
	suspects := isolate.Full(s.Elements)
	for k := range s.steps {
		if s.steps[k].passes {
			suspects = suspects.Minus(isolate.Of(s.Elements, k))
		}
		s.steps[k].suspects, s.steps[k].Count, s.left = suspects, suspects.Len(), suspects
	}
}

// inRuns reports whether c has at most so many runs.
func inRuns(c isolate.Configuration, most int) bool {
	runs, end := 0, -1
	for i := range c.All() {
		if i != end {
			if runs++; runs > most {
				return false
			}
		}
		end = i + 1
	}
	return true
}

// coarse is c, or what holds it in at most so many runs.
func coarse(c isolate.Configuration, most int) isolate.Configuration {
	if inRuns(c, most) {
		return c
	}
	fewer, err := isolate.FromRuns(c.N(), fewerRuns(c, most))
	if err != nil {
		panic(err) // it has the form that it reads
	}
	return fewer
}

// fewerRuns is what c prints as when the smallest gaps between its runs are closed,
// the first ones of these, until there are at most so many. Its cost is linear in
// the members.
func fewerRuns(c isolate.Configuration, most int) string {
	type run struct{ from, to int }
	var runs []run
	for i := range c.All() {
		if n := len(runs); n > 0 && runs[n-1].to == i {
			runs[n-1].to++
		} else {
			runs = append(runs, run{i, i + 1})
		}
	}
	if len(runs) <= most {
		return c.String()
	}
	gap := func(k int) int { return runs[k].from - runs[k-1].to } // before run k
	wide := make([]int, c.N())                                    // how many gaps are so wide
	for k := 1; k < len(runs); k++ {
		wide[gap(k)]++
	}
	// Invariant: closed gaps are narrower than limit.
	limit, closed := 1, 0
	for ; closed+wide[limit] < len(runs)-most; limit++ {
		closed += wide[limit]
	}
	var text []byte
	last := runs[0]
	add := func() {
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(last.from), 10)
		if last.to-last.from > 1 {
			text = strconv.AppendInt(append(text, '-'), int64(last.to-1), 10)
		}
	}
	for k := 1; k < len(runs); k++ {
		switch at := gap(k); {
		case at < limit:
			last.to = runs[k].to
		case at == limit && closed < len(runs)-most:
			closed++
			last.to = runs[k].to
		default:
			add()
			last = runs[k]
		}
	}
	add()
	return string(text)
}

// groups are those of a stage: all if there is room, else only those of several
// elements, else of coarser levels.
func (s *telling) groups(room int) []report.Group {
	if s.set == nil {
		return s.commitGroups(room)
	}
	for _, least := range []int{1, 2} {
		if list, ok := s.tree(len(s.plan.Levels)+1, least, room); ok {
			return list
		}
	}
	for levels := len(s.plan.Levels) - 1; levels > 0; levels-- {
		if list, ok := s.tree(levels, 2, room); ok {
			return list
		}
	}
	return nil
}

func (s *telling) commitGroups(room int) []report.Group {
	commits := s.tried
	if s.line != nil {
		commits = s.line[1:]
	}
	if len(commits) > room {
		return nil
	}
	var list []report.Group
	for k, c := range commits {
		name := short(c.ID)
		if c.Subject != "" {
			name += " " + c.Subject
		}
		list = append(list, report.Group{Level: grouping.Commit.String(), Name: name, From: k, To: k + 1})
	}
	return list
}

// tree lists the groups of the first so many levels in preorder, and behind the last
// one the elements, of at least so many elements; not ok if these are more than
// there is room for. A group that is all of the one around it, and has its name, is
// left out: a file that is one change, say.
func (s *telling) tree(levels, least, room int) (list []report.Group, ok bool) {
	order, plan := s.plan.Order, s.plan
	var below func(l, from, to int) bool
	below = func(l, from, to int) bool {
		if l == levels {
			return true
		}
		for k := from; k < to; {
			end := k + 1
			g := report.Group{Level: grouping.Line.String(), From: k}
			if l < len(plan.Levels) {
				in := plan.Groups[l]
				for end < to && in[order[end]] == in[order[k]] {
					end++
				}
				g.Level, g.Name = plan.Levels[l].String(), plan.Names[l][in[order[k]]]
			} else if to-from > 1 {
				g.Name = placeOf(&s.set.Changes[order[k]])
			} else {
				return true // its group has the one element
			}
			g.To = end
			again := len(list) > 0 && list[len(list)-1] == report.Group{Level: list[len(list)-1].Level, Name: g.Name, From: g.From, To: g.To}
			if end-k >= least && !again {
				if list = append(list, g); len(list) > room {
					return false
				}
			}
			if !below(l+1, k, end) {
				return false
			}
			k = end
		}
		return true
	}
	ok = below(0, 0, len(order))
	return list, ok
}

// placeOf is where a change is, as grouping names a hunk.
func placeOf(c *changes.Change) string {
	name := c.Path
	if name == "" {
		name = c.OldPath
	}
	if c.Kind != changes.Text {
		return name
	}
	return fmt.Sprintf("%s:%d", name, max(c.NewStart, 1))
}

// requires are the requirements among what a stage has found, its context and what
// it has learned, as far as no trial has refuted them.
func (s *telling) requires() []report.Edge {
	if s.set == nil || s.best.Cause.N() == 0 {
		return nil
	}
	nodes := s.best.Cause.Union(s.best.Context)
	for _, pair := range s.best.Learned {
		nodes = nodes.With(pair[0], pair[1])
	}
	var list []report.Edge
	seen := map[[2]int]bool{}
	add := func(i, j int, kind string) {
		if seen[[2]int{i, j}] || !nodes.Has(i) || !nodes.Has(j) || len(list) == mostRequires {
			return
		}
		seen[[2]int{i, j}] = true
		list = append(list, report.Edge{From: report.ReferenceTo(s.set, i, s.plan.Symbols), To: report.ReferenceTo(s.set, j, s.plan.Symbols), Kind: kind})
	}
	for _, pair := range s.best.Learned {
		add(pair[0], pair[1], "learned")
	}
	for _, rows := range []struct {
		kind string
		of   [][]int
	}{{"structural", s.plan.Requires}, {"predicted", s.plan.Predicted}} {
		for i := range nodes.All() {
			if rows.of == nil || len(list) == mostRequires {
				break
			}
			for _, j := range rows.of[i] {
				if rows.kind == "structural" || nodes.Has(j) && !s.refuted(i, j) {
					add(i, j, rows.kind)
				}
			}
		}
	}
	return list
}

// refuted reports whether a trial was judged that had i and not j.
func (s *telling) refuted(i, j int) bool {
	return slices.ContainsFunc(s.steps, func(step storyStep) bool {
		return step.Outcome != isolate.Unresolved.String() && step.config.Has(i) && !step.config.Has(j)
	})
}
