package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A state is what the live view shows: everything that has happened, and
// nothing about the screen.
type state struct {
	total   int // changes
	started time.Time
	workers []worker
	last    *trial.Event // the trial that finished last

	pass, fail, unresolved int           // trials finished
	trying                 time.Duration // that they took, over all workers

	line    []git.Commit // among which the search looks; nil = among changes
	between [2]git.ID    // where it has narrowed these to

	fix        bool
	searched   bool // a step was made: the rest is known
	stage      stage
	suspects   int
	estimate   int      // trials to go
	bar        []bool   // which of its equal parts of the changes, in the order of the search, hold suspects
	passes     int      // changes applied in the best passing configuration
	fails      int      // and in the best failing one
	places     []string // files of the suspects
	confirming bool
}

// A worker is what one of them does now.
type worker struct {
	busy  bool
	doing string // "trial 8"
	on    string // ": 24 of 48 changes"
	since time.Time
}

// parts is the finest that the bar of suspects can show.
const parts = 400

func newState(total, jobs int, now time.Time) *state {
	return &state{total: total, started: now, workers: make([]worker, jobs), suspects: total}
}

func (s *state) event(e trial.Event, now time.Time) {
	for e.Worker >= len(s.workers) {
		s.workers = append(s.workers, worker{})
	}
	w := &s.workers[e.Worker]
	s.confirming = e.Purpose == trial.Confirm
	switch e.Kind {
	case trial.Preparing:
		*w = worker{busy: true, doing: "preparing a workspace", since: now}
	case trial.Started:
		*w = worker{busy: true, doing: numbered(e), on: ": " + what(e, s.line), since: now}
	case trial.Abandoned:
		*w = worker{}
	case trial.Finished:
		if w.busy {
			s.trying += now.Sub(w.since)
		}
		*w = worker{}
		s.last = &e
		switch e.Verdict.Outcome {
		case isolate.Pass:
			s.pass++
		case isolate.Fail:
			s.fail++
		default:
			s.unresolved++
		}
	}
}

// commit shows a step of the search in the line of commits.
func (s *state) commit(step isolate.Step) {
	s.searched = true
	s.estimate = step.Estimate
	s.total, s.suspects = len(s.line)-1, left(step)
	from, to := step.Passing.Len(), step.Failing.Len()
	s.between = [2]git.ID{s.line[from].ID, s.line[to].ID}
	s.bar = make([]bool, min(parts, s.total))
	for i := from; i < to; i++ {
		s.bar[i*len(s.bar)/s.total] = true
	}
	s.places = nil
}

func (s *state) step(a answer, step isolate.Step) {
	s.estimate = step.Estimate
	s.stage.take(a, step)
	s.show(a, step.Passing, step.Failing, s.stage.suspects)
}

// found shows an answer, which may be in other changes than the last step: a
// finer round that did not end leaves the answer of the one before.
func (s *state) found(a answer) {
	s.estimate, s.stage.needs = 0, false
	s.show(a, a.result.Passing, a.result.Failing, a.result.Cause.Len())
}

func (s *state) show(a answer, passing, failing isolate.Configuration, suspects int) {
	s.searched, s.line = true, nil
	s.total = failing.N()
	s.suspects = suspects
	s.passes, s.fails = passing.Len(), failing.Len()
	if s.fix {
		s.passes, s.fails = s.fails, s.passes
	}
	left := failing.Minus(passing)
	s.bar = make([]bool, min(parts, s.total))
	for at, i := range a.plan.Order {
		if left.Has(i) {
			s.bar[at*len(s.bar)/s.total] = true
		}
	}
	s.places = nil
	for i := range left.All() {
		file := a.set.Changes[i].Path
		if n := len(s.places); n == 0 || s.places[n-1] != file { // changes are sorted by path
			s.places = append(s.places, file)
		}
	}
}

// trials is how many have finished.
func (s *state) trials() int { return s.pass + s.fail + s.unresolved }

// toGo is how long the estimated trials will take: the mean of those so far,
// shared by the workers. ok is false as long as there is nothing to go by.
func (s *state) toGo() (left time.Duration, ok bool) {
	if s.trials() == 0 {
		return 0, false
	}
	mean := s.trying / time.Duration(s.trials())
	return mean * time.Duration(s.estimate) / time.Duration(max(len(s.workers), 1)), true
}

// about is a time to come in words: as exact as an estimate is.
func about(d time.Duration) string {
	round := func(unit time.Duration, step int) int {
		n := int(d.Round(time.Duration(step)*unit) / unit)
		return max(n, step)
	}
	switch {
	case d < 8*time.Second:
		return "a few seconds"
	case d < 55*time.Second:
		return fmt.Sprintf("about %d s", round(time.Second, 10))
	case d < 19*time.Minute:
		return fmt.Sprintf("about %d min", round(time.Minute, 1))
	case d < 85*time.Minute:
		return fmt.Sprintf("about %d min", round(time.Minute, 10))
	case d < 47*time.Hour:
		return fmt.Sprintf("about %d h", round(time.Hour, 1))
	}
	return fmt.Sprintf("about %d days", round(24*time.Hour, 1))
}

// elapsed is a time that runs, to the second.
func elapsed(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return report.Duration(d)
}

const (
	shownWorkers = 8
	labels       = 10 // columns, as in the report
)

// render draws s for a screen, in lines of less than width columns and, as far
// as the first two allow, less than height lines.
func render(s *state, width, height int, now time.Time) []*report.Line {
	var lines []*report.Line
	add := func(label string, l *report.Line) {
		labelled := (&report.Line{}).Add(report.Note, label).Add(report.Plain, strings.Repeat(" ", max(labels-len(label), 1)))
		lines = append(lines, labelled.Join(l).Cut(width-1))
	}
	text := func(label, text string) { add(label, (&report.Line{}).Add(report.Plain, text)) }

	add("suspects", suspectLine(s, width-1-labels))
	add("trials", trialLine(s, width))
	if !s.confirming && s.searched {
		toGo := report.Count(s.estimate, "trial")
		left, ok := s.toGo()
		switch {
		case s.estimate == 0:
			toGo = "a last check"
		case ok:
			toGo += ", " + about(left)
		}
		if s.line != nil && s.estimate > 0 {
			toGo += ", then the changes"
		}
		text("to go", toGo)
	}
	if s.stage.needs && s.line == nil {
		text("stage", s.stage.String())
	}
	workerLines(s.workers, now, text)
	if s.last != nil {
		add("last", lastLine(s.last))
	}
	if s.searched && s.line != nil {
		text("between", short(s.between[0])+" and "+short(s.between[1]))
	} else if s.searched {
		text("best", fmt.Sprintf("passes with %s, fails with %s", report.Number(s.passes), report.Number(s.fails)))
		if len(s.places) > 0 {
			text("where", places(s.places, width-1-labels))
		}
	}
	return lines[:min(len(lines), max(height-1, 2))]
}

// suspectLine is the bar of the changes, or commits, in the order of the search, with those
// still suspected filled in, and their number.
func suspectLine(s *state, width int) *report.Line {
	what := "change"
	if s.line != nil && s.searched {
		what = "commit"
	}
	count := fmt.Sprintf("  %s of %s", report.Number(s.suspects), report.Count(s.total, what))
	columns := min(width-len(count), 60)
	l := &report.Line{}
	for c := range max(columns, 0) {
		// A column is filled when any of the parts below it is.
		from := c * len(s.bar) / columns
		to := max(((c+1)*len(s.bar)+columns-1)/columns, from+1)
		if !s.searched || slices.Contains(s.bar[from:min(to, len(s.bar))], true) {
			l.Add(report.Hash, "█")
		} else {
			l.Add(report.Note, "░")
		}
	}
	return l.Add(report.Plain, count)
}

func trialLine(s *state, width int) *report.Line {
	l := &report.Line{}
	if width >= 60 {
		l.Add(report.Plain, fmt.Sprintf("%d run: ", s.trials()))
	}
	count := func(n int, outcome isolate.Outcome, rest string) {
		style := report.Plain
		if n > 0 {
			style = outcomeStyle(outcome)
		}
		l.Add(style, fmt.Sprintf("%d %v", n, outcome)).Add(report.Plain, rest)
	}
	count(s.pass, isolate.Pass, ", ")
	count(s.fail, isolate.Fail, ", ")
	count(s.unresolved, isolate.Unresolved, "")
	return l
}

func outcomeStyle(o isolate.Outcome) report.Style {
	switch o {
	case isolate.Pass:
		return report.Added
	case isolate.Fail:
		return report.Removed
	}
	return report.Hash
}

func workerLines(workers []worker, now time.Time, text func(label, text string)) {
	doing := func(w worker) string {
		switch {
		case w.busy:
			return w.doing + ", " + elapsed(now.Sub(w.since)) + w.on
		case len(workers) == 1:
			return "…"
		}
		return "idle"
	}
	if len(workers) == 1 {
		text("now", doing(workers[0]))
		return
	}
	for i, w := range workers {
		if i == shownWorkers-1 && len(workers) > shownWorkers {
			busy := 0
			for _, w := range workers[i:] {
				if w.busy {
					busy++
				}
			}
			text("", fmt.Sprintf("and %d of %d more workers", busy, len(workers)-i))
			return
		}
		text(fmt.Sprintf("worker %d", i), doing(w))
	}
}

// lastLine says how the last trial went, with the last words of the command.
func lastLine(e *trial.Event) *report.Line {
	l := (&report.Line{}).Add(report.Plain, numbered(*e)+": ")
	l.Add(outcomeStyle(e.Verdict.Outcome), e.Verdict.Outcome.String())
	if e.Verdict.LastLine != "" {
		l.Add(report.Plain, ", ").Add(report.Note, strings.TrimSpace(e.Verdict.LastLine))
	}
	return l
}

// places names as many files as fit, and at least one.
func places(files []string, width int) string {
	and := func(n int) string {
		if n == 0 {
			return ""
		}
		return " and " + report.Number(n) + " more"
	}
	text := printable(files[0])
	if report.Columns(text+and(len(files)-1)) > width {
		return "…/" + printable(path.Base(files[0])) + and(len(files)-1)
	}
	for i, file := range files[1:] {
		named := text + ", " + printable(file)
		if report.Columns(named+and(len(files)-i-2)) > width {
			return text + and(len(files)-i-1)
		}
		text = named
	}
	return text
}

func (s *state) render(width, height int, now time.Time) []*report.Line {
	return render(s, width, height, now)
}

func (s *state) summary(now time.Time) string {
	if s.trials() == 0 {
		return ""
	}
	return summary(s, now)
}

// summary is what stays on the screen when the search is over.
func summary(s *state, now time.Time) string {
	return fmt.Sprintf("gitdd: %s: %d pass, %d fail, %d unresolved; %s",
		report.Count(s.trials(), "trial"), s.pass, s.fail, s.unresolved, report.Duration(now.Sub(s.started)))
}
