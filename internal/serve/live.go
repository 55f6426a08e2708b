package serve

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// What the page shows is bounded.
const (
	shownTrials  = 500 // in the times
	shownSteps   = 120 // of the stage that goes on
	earlierSteps = 24  // of one before
	shownStages  = 8
	shownWorkers = 8
	shownChanges = 60 // of a configuration
	shownEdges   = 48 // requirements that were learned
)

// ended is what a session keeps of its result; nil = it has none.
func ended(session *trial.Session) (*report.Live, error) {
	text, err := session.ReadResult()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &report.Live{State: "over"}
	if report.SchemaOf(text) == report.ResultsSchema {
		r, err := report.ReadResults(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		l.Results = &r
		l.Result = report.Result{Session: r.Session, Status: r.Status, Reason: r.Reason, Good: r.Good, Bad: r.Bad, Command: r.Command, Trials: r.Trials, Jobs: r.Jobs, Hints: r.Hints}
		l.Story = record.Trials(session)
		return l, nil
	}
	if l.Result, err = report.ReadJSON(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	l.Story, _, err = record.Read(session, l.Result.Executed())
	return l, err
}

// live is what the page shows now. w.mu is held.
func (w *watch) live() *report.Live {
	l := w.searched()
	if w.session == nil {
		return l
	}
	if w.control != nil {
		l.Control = &w.beside.control
	}
	if byhand.Is(w.session.Header()) {
		l.Hand = &report.LiveHand{}
		if last := byhand.Last(w.session); w.hand.Tree != "" && last == w.hand.After && !w.running {
			l.Hand = &report.LiveHand{Step: w.hand.Step, What: w.hand.What, Left: w.hand.Left, Best: w.hand.Best, Dir: w.hand.Shown, Shows: w.beside.shows}
			l.Config = w.toJudge()
		}
	}
	return l
}

// toJudge is the configuration that a person is to judge: that of the trial that was begun for it, and got no outcome.
// w.mu is held.
func (w *watch) toJudge() report.LiveConfig {
	for _, r := range w.stream.state.Running() {
		if r.Tree == string(w.hand.Tree) {
			return w.config(r)
		}
	}
	return report.LiveConfig{}
}

// config is the configuration of a trial. w.mu is held.
func (w *watch) config(r *events.Running) report.LiveConfig {
	of := w.stream.state.Of(r.Set)
	if r.Commit != "" || of == nil || of.Changes == nil {
		return w.compared(r)
	}
	return report.LiveConfig{Trial: r.Trial, Applied: r.Applied, Elements: len(of.Changes), Changes: chosen(of, r.Config)}
}

// searched is what the page shows of the search. w.mu is held.
func (w *watch) searched() *report.Live {
	s := &w.stream.state
	if w.over != nil {
		l := *w.over
		l.Trials, l.Notes, l.Problem = len(l.Story.Trials), s.Notes, w.problem
		return &l
	}
	l := &report.Live{State: "stopped", Trials: s.Trials, Notes: s.Notes, Problem: w.problem}
	if w.running {
		l.State = "searching"
	}
	if w.session == nil {
		return l
	}
	end := func(r events.Revision) report.Revision {
		return report.Revision{Rev: r.Rev, Commit: r.Commit, Tree: r.Tree}
	}
	if s.Begun == nil {
		h := w.session.Header()
		l.Result = report.Result{Session: w.session.Name(), Good: end(events.RevisionOf(h.Good)), Bad: end(events.RevisionOf(h.Bad)), Command: h.Command}
		records := w.session.InOrder()
		l.Story.Trials, l.Trials = record.Listed(h, records[max(0, len(records)-shownTrials):]), len(records)
		if l.Problem == "" && !w.running {
			l.Problem = "the session has no events: it is of an older version, or was killed at once; its trials are all there is to see"
		}
		return l
	}
	l.Result = report.Result{Session: s.Begun.Session, Good: end(s.Begun.Good), Bad: end(s.Begun.Bad), Command: s.Begun.Command}
	trials, before := s.Tried(shownTrials)
	l.Story.Trials, l.Trials = trials, before+len(trials)
	w.stages(l)
	w.best(l)
	if w.running {
		l.Test = s.Test
		w.workers(l)
		l.Estimate = estimate(s.Estimate)
	}
	return l
}

// stages are the pictures of the search.
func (w *watch) stages(l *report.Live) {
	all := w.stream.state.Stages
	for i, g := range all[max(0, len(all)-shownStages):] {
		most := earlierSteps
		if i == min(len(all), shownStages)-1 {
			most = shownSteps
			l.Of, l.Elements, l.Suspects = g.Of, g.Plan.Elements, g.Suspects.Len()
		}
		st := report.Stage{Of: g.Of, From: g.From, To: g.To, Answer: g.Answer, Elements: g.Plan.Elements, Left: g.Left}
		var earlier int
		st.Steps, earlier = g.Steps(most)
		if of := g.Elements; of != nil {
			if earlier == 0 {
				st.Groups = groupsOf(of)
			}
			for _, pair := range g.Learned[max(0, len(g.Learned)-shownEdges):] {
				st.Requires = append(st.Requires, report.Edge{From: reference(of, pair[0]), To: reference(of, pair[1]), Kind: "learned"})
			}
		}
		l.Story.Stages = append(l.Story.Stages, st)
		l.Earlier = append(l.Earlier, earlier)
	}
}

// groupsOf are those of a plan, or its commits.
func groupsOf(p *events.Set) []report.Group {
	const most = 2_000
	var list []report.Group
	switch {
	case len(p.Groups) <= most && len(p.Groups) > 0:
		return p.Groups
	case p.Of == "commits" && len(p.Commits) <= most:
		for k, c := range p.Commits {
			list = append(list, report.Group{Level: "commit", Name: c.ID[:min(9, len(c.ID))] + " " + c.Subject, From: k, To: k + 1})
		}
	}
	return list
}

// best is the answer so far, if it is in changes.
func (w *watch) best(l *report.Live) {
	b := w.stream.state.Best
	if b == nil {
		return
	}
	if of := w.stream.state.Of(b.Set); of != nil {
		l.Result.Cause = chosen(of, b.Cause)
		l.Result.Passing.Changes, l.Result.Failing.Changes = b.Passing, b.Failing
	}
}

// chosen are the first changes of a set of them.
func chosen(p *events.Set, runs string) []report.Change {
	c, err := isolate.FromRuns(len(p.Changes), runs)
	if err != nil {
		return nil
	}
	var list []events.Change
	for i := range c.All() {
		if len(list) == shownChanges {
			break
		}
		list = append(list, p.Changes[i])
	}
	return firstOf(list)
}

// firstOf are the first of some changes.
func firstOf(all []events.Change) []report.Change {
	var list []report.Change
	for _, m := range all[:min(len(all), shownChanges)] {
		list = append(list, report.Change{
			ID: m.ID, Kind: m.Kind, Path: m.Path, OldPath: cmp.Or(m.OldPath, m.Path), Symbol: m.Symbol,
			OldStart: m.OldStart, OldLines: m.OldLines, NewStart: m.NewStart, NewLines: m.NewLines, Old: m.Old, New: m.New,
			OldColumn: m.OldColumn, OldEndColumn: m.OldEndColumn, NewColumn: m.NewColumn, NewEndColumn: m.NewEndColumn,
		})
	}
	return list
}

// reference names a change of a set.
func reference(p *events.Set, i int) report.Reference {
	if i < 0 || i >= len(p.Changes) {
		return report.Reference{}
	}
	m := &p.Changes[i]
	return report.Reference{ID: m.ID, Kind: m.Kind, Path: m.Path, Symbol: m.Symbol, Line: m.NewStart}
}

// workers says what the workers do, and which configuration the trial has that runs for the longest, or ran last.
func (w *watch) workers(l *report.Live) {
	s := &w.stream.state
	all := s.Running()
	// Those that go on first, the longest before all others; of those that have ended the last one.
	slices.SortStableFunc(all, func(a, b *events.Running) int {
		switch {
		case (a.Outcome == "") != (b.Outcome == ""):
			return strings.Compare(a.Outcome, b.Outcome)
		case a.Outcome == "":
			return cmp.Compare(a.Since, b.Since)
		}
		return cmp.Compare(b.Since, a.Since)
	})
	for _, r := range all {
		if r.Trial > 0 && l.Config.Trial == 0 {
			l.Config = w.config(r)
		}
		if len(l.Workers) == shownWorkers {
			continue
		}
		one := report.LiveWorker{Number: r.Worker, Doing: "prepares a workspace", Trial: r.Trial}
		if r.Trial > 0 {
			one.Doing = fmt.Sprintf("trial %d: %s applied", r.Trial, prose.Number(r.Applied))
			if r.Commit != "" {
				one.Doing = fmt.Sprintf("trial %d: commit %s", r.Trial, r.Commit[:min(9, len(r.Commit))])
			}
			if r.Purpose != string(trial.Search) {
				one.Doing += ", " + purposes[r.Purpose]
			}
			if r.Outcome != "" {
				one.Doing += ", " + r.Outcome
			} else if r.State != "" && r.State != "running" {
				one.Doing += ", " + r.State
			}
			one.Output = lastLines(w.session, r.Trial)
		}
		l.Workers = append(l.Workers, one)
	}
	slices.SortFunc(l.Workers, func(a, b report.LiveWorker) int { return cmp.Compare(a.Number, b.Number) })
}

// purposes says what a trial is for that the search has not asked for.
var purposes = map[string]string{
	string(trial.End): "an end", string(trial.Confirm): "an answer, tested again", string(trial.Again): "an outcome, tested again",
	string(trial.Repaired): "the failing revision, repaired", string(trial.Older): "before bad, to find a good commit",
}

// estimate says how much is left; "" = that is not known.
func estimate(e *events.Estimate) string {
	if e == nil || e.Trials[1] == 0 {
		return ""
	}
	text := fmt.Sprintf("About %s to %s trials are left", prose.Number(e.Trials[0]), prose.Number(e.Trials[1]))
	if !e.NotKnown {
		in := func(seconds float64) string { return prose.Duration(time.Duration(seconds * float64(time.Second))) }
		text += fmt.Sprintf(", which take %s to %s", in(e.SecondsLeft[0]), in(e.SecondsLeft[1]))
	}
	return text + "."
}
