package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/trial"
)

// A shrinking is the progress of a reduction, as progress is that of a search.
type shrinking interface {
	event(trial.Event) // of the trials, in the order of time
	step(reduce.Step)  // of the reduction, in the order of its path
	note(string)
	close() // may be called twice
}

// shrinking shows a reduction of so many bytes in a session on standard error, until ctx
// ends, in which what counts
// is unit, of which there are total; with any but bytesLeft and nodesLeft that is known
// after the first step of a pass. Outcomes are called as interesting says.
func (a *app) shrinking(ctx context.Context, session *trial.Session, size, total int64, unit string, jobs int, interesting bool) shrinking {
	o := a.looking(ctx, jobs)
	o.output = session.Output
	if dimensions := dimensionsOf(a.aside()); dimensions != nil {
		v := &liveShrinking{shrink: newShrink(total, unit, o)}
		v.shrink.interesting = interesting
		v.canvas = newCanvas(a.aside(), dimensions, o, v.shrink)
		return v
	}
	return &plainShrinking{lines: lines{out: a.aside(), verbose: o.verbose, interesting: interesting}, unit: unit, size: size, best: total, trials: map[string]trial.Event{}}
}

// bytesLeft and nodesLeft are the units of a reduction: of texts, and of graphs.
const (
	bytesLeft = "byte"
	nodesLeft = "node"
)

// remaining is how much of a unit the best input so far has. ok is false where the step is
// not about that.
func remaining(s reduce.Step, unit string) (n int64, ok bool) {
	if unit == nodesLeft {
		return int64(s.Nodes), s.Nodes > 0
	}
	return s.Best, true
}

// silence is how many trials go by, at most, without a line.
const silence = 100

// plainShrinking writes a line for each success, and now and then another: most
// trials of a reduction find nothing, and there may be thousands. Verbose, it
// writes a line for each trial on the path. The lines are the same for any number
// of jobs but for the numbers of the trials.
type plainShrinking struct {
	lines
	unit   string
	size   int64
	best   int64
	pass   string
	told   int                    // the step that had the last line
	trials map[string]trial.Event // by what they tried: what the path has not come by yet
}

func (p *plainShrinking) event(e trial.Event) {
	if e.Kind != trial.Finished {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Purpose {
	case trial.Search:
		p.trials[string(e.Tree)] = e
	default:
		what := "the input"
		switch {
		case e.Purpose == trial.Confirm && p.pass == "":
			what = "the input once more" // after a timeout
		case e.Purpose == trial.Confirm:
			what = "the answer in a fresh directory"
		case e.Purpose == trial.Again, e.Size != p.size:
			what = prose.Count(int(e.Size), "byte")
		}
		p.trial(e, what, "")
	}
}

func (p *plainShrinking) step(s reduce.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ran := p.trials[s.Digest]
	delete(p.trials, s.Digest)
	best, ok := remaining(s, p.unit)
	if p.unit != bytesLeft && p.unit != nodesLeft && s.Pass != p.pass {
		p.best = math.MaxInt64
	}
	p.pass = s.Pass
	success := ok && best < p.best
	if ok {
		p.best = min(p.best, best)
	}
	if !ran || !success && !p.verbose && s.Trial-p.told < silence {
		return
	}
	p.told = s.Trial
	e.Verdict.Outcome = s.Outcome // of a repeated trial: that of all tries
	unit, rest := p.unit, ", "+prose.Number(int(s.Best))+" left"
	switch {
	case unit == nodesLeft:
		unit, rest = bytesLeft, ", "+prose.Count(int(p.best), p.unit)+" left"
	case success && unit == bytesLeft:
		rest = ""
	}
	p.trial(e, s.Pass+", "+prose.Count(int(s.Size), unit), rest)
}

// liveShrinking draws the state of a reduction on a terminal.
type liveShrinking struct {
	*canvas
	shrink *shrink
}

func (v *liveShrinking) event(e trial.Event) {
	v.change(func() { v.shrink.event(e, v.now()) })
}

func (v *liveShrinking) step(s reduce.Step) {
	v.change(func() { v.shrink.step(s, v.now()) })
}

// A shrink is what the live view of a reduction shows.
type shrink struct {
	state             // its workers, and counts of trials by outcome
	unit       string // of size and best
	size, best int64
	pass       string // that asks now
	successes  int
	idle       int    // trials since the last success
	path       int    // trials on the path
	recent     []bool // of the last of these: it was a success
	left       int    // questions in the list that the pass goes through, at most; 0 = not known
}

// recently is how many of the last trials say how often it gets smaller now.
const recently = 50

func newShrink(size int64, unit string, o progressOptions) *shrink {
	s := &shrink{state: *newState(0, o.jobs, o.now()), unit: unit, size: size, best: size}
	s.output = o.output
	return s
}

func (s *shrink) step(step reduce.Step, now time.Time) {
	best, ok := remaining(step, s.unit)
	if s.unit != bytesLeft && s.unit != nodesLeft && s.pass != step.Pass {
		s.size, s.best = best, best
	}
	s.pass, s.left = step.Pass, step.Left
	s.idle++
	smaller := ok && best < s.best
	if smaller {
		s.successes++
		s.idle = 0
		s.best = best
	}
	if step.Trial > s.path {
		s.path = step.Trial
		s.pace.step(now)
		s.recent = append(s.recent[max(0, len(s.recent)-recently+1):], smaller)
	}
}

// expected says what can be known of the trials to come. A reduction ends when nothing
// goes any more, and each success makes room for others: only the list that the pass
// goes through has an end, as long as none comes.
func (s *shrink) expected() string {
	if s.left > 0 {
		text := "up to " + prose.Count(s.left, "trial") + " of this pass"
		if s.trials() > 0 {
			_, to := s.pace.left(0, s.left, s.trying/time.Duration(s.trials()), len(s.workers))
			text += ", " + between(0, to)
		}
		return text + ", if nothing goes"
	}
	n := 0
	for _, smaller := range s.recent {
		if smaller {
			n++
		}
	}
	return fmt.Sprintf("not known: %s of the last %s made it smaller", prose.Number(n), prose.Count(len(s.recent), "trial"))
}

func (s *shrink) event(e trial.Event, now time.Time) {
	s.state.event(e, now)
	if e.Kind == trial.Started {
		s.workers[e.Worker].on = ": " + prose.Count(int(e.Size), "byte")
	}
}

func (s *shrink) render(width, height int, now time.Time) []*prose.Line {
	p := &screenful{width: width}
	p.add(always, "size", s.sizeLine(width-1-labels))
	p.add(always, "trials", trialLine(&s.state, width))
	p.outcomes(&s.state)
	if s.pass != "" && !s.confirming {
		p.text(best, "pass", fmt.Sprintf("%s; %s, the last %s ago", s.pass, smallerTimes(s.successes), prose.Count(s.idle, "trial")))
	}
	if s.path > 0 && !s.confirming {
		p.text(expecting, "to go", s.expected())
	}
	p.workers(s.running(), s.printed, now)
	if s.last != nil {
		p.add(lastOne, "last", s.lastLine())
	}
	return p.fit(height)
}

func smallerTimes(n int) string {
	if n == 1 {
		return "smaller once"
	}
	return "smaller " + prose.Number(n) + " times"
}

// sizeLine is a bar of the input, with what is left of it filled in.
func (s *shrink) sizeLine(width int) *prose.Line {
	percent := int64(100)
	if s.size > 0 {
		percent = (100*s.best + s.size - 1) / s.size
	}
	count := fmt.Sprintf("  %s of %s, %d %%", prose.Number(int(s.best)), prose.Count(int(s.size), s.unit), percent)
	columns := max(min(width-len(count), 60), 0)
	filled := columns
	if s.size > 0 {
		filled = int((int64(columns)*s.best + s.size - 1) / s.size)
	}
	return (&prose.Line{}).Add(prose.Hash, strings.Repeat("█", filled)).
		Add(prose.Note, strings.Repeat("░", columns-filled)).Add(prose.Plain, count)
}
