package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/grouping"
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
	output  func(trial int, kind string) string
	printed bool // a trial has printed something

	pass, fail, unresolved int               // trials finished
	outcomes               []isolate.Outcome // of the last of them
	trying                 time.Duration     // that they took, over all workers
	pace                   pace

	line    []git.Commit // among which the search looks; nil = among changes
	between [2]git.ID    // where it has narrowed these to

	fix        bool
	searched   bool // a step was made: the rest is known
	stage      stage
	suspects   int
	least      int      // trials to go, of the present search
	most       int      //
	bar        []bool   // which of its equal parts of the changes, in the order of the search, hold suspects
	passes     int      // changes applied in the best passing configuration
	fails      int      // and in the best failing one
	places     []string // files of the suspects
	confirming bool

	shown  answer                // what bar and places are about
	left   isolate.Configuration // the suspects among its changes
	stale  bool                  // bar and places are not of these yet
	ranked *grouping.Plan
	rank   []int // of each change in the order of that plan
}

// A worker is what one of them does now.
type worker struct {
	busy  bool
	doing string // "trial 8"
	on    string // ": 24 of 48 changes"
	since time.Time

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
		if s.output != nil {
			w.prints(e.Trial, func(kind string) string { return s.output(e.Trial, kind) })
		}
	case trial.Abandoned:
		*w = worker{}
	case trial.Finished:
		if w.busy {
			s.trying += now.Sub(w.since)
		}
		*w = worker{}
		s.last = &e
		s.pace.finished()
		s.outcomes = append(s.outcomes[max(0, len(s.outcomes)-mostOutcomes+1):], e.Verdict.Outcome)
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
func (s *state) commit(step isolate.Step, now time.Time) {
	s.searched = true
	s.comes(step, now)
	s.total, s.suspects = len(s.line)-1, left(step)
	from, to := step.Passing.Len(), step.Failing.Len()
	s.between = [2]git.ID{s.line[from].ID, s.line[to].ID}
	s.bar = make([]bool, min(parts, s.total))
	for i := from; i < to; i++ {
		s.bar[i*len(s.bar)/s.total] = true
	}
	s.places, s.stale = nil, false
}

// comes takes from a step how many trials are still to come, and how fast they do.
func (s *state) comes(step isolate.Step, now time.Time) {
	s.least, s.most = step.Least, step.Most
	if !step.Known {
		s.pace.step(now)
	}
}

func (s *state) step(a answer, step isolate.Step, now time.Time) {
	s.comes(step, now)
	s.stage.take(a, step)
	s.show(a, step.Passing, step.Failing, s.stage.suspects)
}

// found shows an answer, which may be in other changes than the last step: a
// finer round that did not end leaves the answer of the one before.
func (s *state) found(a answer) {
	s.least, s.most, s.stage.needs = 0, 0, false
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
	s.shown, s.left, s.stale = a, failing.Minus(passing), true
}

// look finds out where the suspects are, for a frame: steps may come more often.
func (s *state) look() {
	if !s.stale {
		return
	}
	s.stale = false
	if plan := s.shown.plan; s.ranked != plan {
		s.ranked, s.rank = plan, make([]int, s.total)
		for at, i := range plan.Order {
			s.rank[i] = at
		}
	}
	s.bar, s.places = make([]bool, min(parts, s.total)), nil
	for i := range s.left.All() {
		s.bar[s.rank[i]*len(s.bar)/s.total] = true
		file := s.shown.set.Changes[i].Path
		if n := len(s.places); n == 0 || s.places[n-1] != file { // changes are sorted by path
			s.places = append(s.places, file)
		}
	}
}

// trials is how many have finished.
func (s *state) trials() int { return s.pass + s.fail + s.unresolved }

// toGo is how long the trials to come will take, between two times. ok is false as long
// as there is nothing to go by.
func (s *state) toGo() (from, to time.Duration, ok bool) {
	if s.trials() == 0 {
		return 0, 0, false
	}
	from, to = s.pace.left(s.least, s.most, s.trying/time.Duration(s.trials()), len(s.workers))
	return from, to, true
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

// A screenful is what a view shows: labelled lines, of which some can be left out where
// the screen has no room for all.
type screenful struct {
	width int
	lines []*report.Line
	ranks []int // of each line; the highest go first
}

// add adds a line that is left out before those of a lower rank.
func (p *screenful) add(rank int, label string, l *report.Line) {
	labelled := (&report.Line{}).Add(report.Note, label).Add(report.Plain, strings.Repeat(" ", max(labels-len(label), 1)))
	p.lines, p.ranks = append(p.lines, labelled.Join(l).Cut(p.width-1)), append(p.ranks, rank)
}

func (p *screenful) text(rank int, label, text string) {
	p.add(rank, label, (&report.Line{}).Add(report.Plain, text))
}

// fit returns the lines that there is room for: less than height, but two at least.
func (p *screenful) fit(height int) []*report.Line {
	for len(p.lines) > max(height-1, 2) {
		worst := 0
		for i, rank := range p.ranks {
			if rank >= p.ranks[worst] {
				worst = i
			}
		}
		p.lines, p.ranks = slices.Delete(p.lines, worst, worst+1), slices.Delete(p.ranks, worst, worst+1)
	}
	return p.lines
}

// Ranks of lines: what is needed most to see that it goes on, and where it stands.
const (
	always = iota
	working
	expecting
	moreWorking
	best
	lastOne
	outcomes
	hints
)

// render draws s for a screen, in lines of less than width columns and, as far
// as the first two allow, less than height lines.
func render(s *state, width, height int, now time.Time) []*report.Line {
	s.look()
	p := &screenful{width: width}
	p.add(always, "suspects", suspectLine(s, width-1-labels))
	p.add(always, "trials", trialLine(s, width))
	p.outcomes(s)
	if !s.confirming && s.searched {
		p.text(expecting, "to go", s.expected())
	}
	if s.stage.needs && s.line == nil {
		p.text(best, "stage", s.stage.String())
	}
	p.workers(s.running(), s.printed, now)
	if s.last != nil {
		p.add(lastOne, "last", lastLine(s.last))
	}
	if s.searched && s.line != nil {
		p.text(best, "between", short(s.between[0])+" and "+short(s.between[1]))
	} else if s.searched {
		p.text(best, "best", fmt.Sprintf("passes with %s, fails with %s", report.Number(s.passes), report.Number(s.fails)))
		if len(s.places) > 0 {
			p.text(best, "where", places(s.places, width-1-labels))
		}
	}
	return p.fit(height)
}

// expected says how many trials are still to come, and how long they take.
func (s *state) expected() string {
	text := "a last check"
	if s.most > 0 {
		text = fromTo(s.least, s.most) + " trials"
		if s.most == 1 {
			text = fromTo(s.least, s.most) + " trial"
		}
		if from, to, ok := s.toGo(); ok {
			text += ", " + between(from, to)
		}
		if s.line != nil {
			text += ", then the changes"
		}
	}
	return text
}

// letters are the outcomes in one column each: told apart without colours.
var letters = map[isolate.Outcome]string{isolate.Pass: "p", isolate.Fail: "F", isolate.Unresolved: "u"}

// outcomes are the last outcomes, the newest at the end.
func (p *screenful) outcomes(s *state) {
	if len(s.outcomes) == 0 {
		return
	}
	l := &report.Line{}
	shown := s.outcomes[max(0, len(s.outcomes)-min(p.width-1-labels, 60)):]
	for _, o := range shown {
		l.Add(outcomeStyle(o), letters[o])
	}
	p.add(outcomes, "outcomes", l)
}

// running are the workers, for whoever looks at what they print.
func (s *state) running() []*worker {
	all := make([]*worker, len(s.workers))
	for i := range s.workers {
		all[i] = &s.workers[i]
	}
	return all
}

// looked is called when the files of running were looked at: one was read.
func (s *state) looked() { s.printed = true }

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

// trialLine counts trials by outcome; where there is no room for words, by the letters
// of outcomes.
func trialLine(s *state, width int) *report.Line {
	l := &report.Line{}
	if width >= 60 {
		l.Add(report.Plain, fmt.Sprintf("%s run: ", report.Number(s.trials())))
	}
	counts := []struct {
		n       int
		outcome isolate.Outcome
	}{{s.pass, isolate.Pass}, {s.fail, isolate.Fail}, {s.unresolved, isolate.Unresolved}}
	add := func(name func(isolate.Outcome) string) *report.Line {
		for i, c := range counts {
			style, and := report.Plain, ", "
			if c.n > 0 {
				style = outcomeStyle(c.outcome)
			}
			if i == len(counts)-1 {
				and = ""
			}
			l.Add(style, report.Number(c.n)+" "+name(c.outcome)).Add(report.Plain, and)
		}
		return l
	}
	if add(isolate.Outcome.String).Columns() < width-labels {
		return l
	}
	l = &report.Line{}
	return add(func(o isolate.Outcome) string { return letters[o] })
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

// workers adds a line for each worker, with what its trial printed last; where there
// is one worker, that has a line of its own, as soon as any trial printed something.
func (p *screenful) workers(workers []*worker, printed bool, now time.Time) {
	doing := func(w *worker) string {
		switch {
		case w.busy:
			return w.doing + ", " + elapsed(now.Sub(w.since))
		case len(workers) == 1:
			return "…"
		}
		return "idle"
	}
	if len(workers) == 1 {
		w := workers[0]
		p.text(working, "now", doing(w)+w.on)
		if printed {
			p.add(lastOne, "prints", (&report.Line{}).Add(report.Note, w.said))
		}
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
			p.text(moreWorking, "", fmt.Sprintf("and %d of %d more workers", busy, len(workers)-i))
			return
		}
		rank := moreWorking
		if i == 0 {
			rank = working
		}
		l := (&report.Line{}).Add(report.Plain, doing(w))
		if w.said != "" {
			l.Add(report.Plain, ": ").Add(report.Note, w.said)
		} else {
			l.Add(report.Plain, w.on)
		}
		p.add(rank, fmt.Sprintf("worker %d", i), l)
	}
}

// lastLine says how the last trial went, with the last words of the command.
func lastLine(e *trial.Event) *report.Line {
	l := (&report.Line{}).Add(report.Plain, numbered(*e)+": ")
	l.Add(outcomeStyle(e.Verdict.Outcome), e.Verdict.Outcome.String())
	if said := strings.TrimSpace(asShown([]byte(e.Verdict.LastLine))); said != "" {
		l.Add(report.Plain, ", ").Add(report.Note, said)
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
