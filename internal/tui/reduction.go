package tui

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/trial"
)

// A Reduction shows the reduction of an input while it goes on: on a terminal in a view that is drawn
// again and again, elsewhere in a line for each success. Its methods may be called by several
// goroutines.
type Reduction interface {
	// Trial takes an event of the trials of the reduction. Events come in the order of time.
	Trial(trial.Event)
	// Event takes an event of the reduction.
	Event(reduction.Event)
	// Close ends the view when the reduction is over. It may be called twice.
	Close()
}

// ReductionOptions are those of a Reduction.
type ReductionOptions struct {
	Options
	Size        int64 // of the input, in bytes
	Unit        Unit
	Total       int64 // units of the input; known from the first step of a pass if Unit is Differences
	Interesting bool  // outcomes are called interesting and not interesting
}

// A Unit is what a reduction makes fewer: the name of one of them.
type Unit string

const (
	Bytes       Unit = "byte"
	Nodes       Unit = "node"       // of a graph
	Differences Unit = "difference" // of two inputs
)

// A stepper is told of the events of a reduction one by one.
type stepper interface {
	step(reduce.Step)
	Note(string)
}

func dispatch(v stepper, e reduction.Event) {
	switch e := e.(type) {
	case reduction.Step:
		v.step(e.Step)
	case reduction.Note:
		v.Note(e.Text)
	}
}

func (p *reductionLines) Event(e reduction.Event) { dispatch(p, e) }
func (v *liveReduction) Event(e reduction.Event)  { dispatch(v, e) }

// NewReduction returns a view of a reduction.
func NewReduction(o ReductionOptions) Reduction {
	if size := sizeOf(o.Out); size != nil {
		return newLiveReduction(size, o)
	}
	return newReductionLines(o)
}

func newLiveReduction(size func() (int, int, error), o ReductionOptions) *liveReduction {
	v := &liveReduction{model: newReductionModel(o)}
	v.canvas = newCanvas(size, o.Options, v.model)
	return v
}

func newReductionLines(o ReductionOptions) *reductionLines {
	return &reductionLines{lines: lines{out: o.Out, verbose: o.Verbose, interesting: o.Interesting}, unit: o.Unit, size: o.Size, best: o.Total, trials: map[string]ended{}, state: trialsAlone()}
}

// trialsAlone is the state of trials that belong to no search.
func trialsAlone() (s events.State) {
	_ = s.Take(&events.Event{Begun: &events.Begun{}}) // which is always taken
	return s
}

// count is n of the unit, in words.
func (u Unit) count(n int) string { return prose.Count(n, string(u)) }

// left is how many units the best input so far has. ok is false where the step is not about them.
func (u Unit) left(s reduce.Step) (n int64, ok bool) {
	if u == Nodes {
		return int64(s.Nodes), s.Nodes > 0
	}
	return s.Best, true
}

// silence is how many trials go by, at most, without a line.
const silence = 100

// reductionLines writes a line for each success, and now and then another: most
// trials of a reduction find nothing, and there may be thousands. Verbose, it
// writes a line for each trial on the path. The lines are the same for any number
// of jobs but for the numbers of the trials.
type reductionLines struct {
	lines
	unit   Unit
	size   int64
	best   int64
	pass   string
	told   int              // the step that had the last line
	trials map[string]ended // by what they tried: what the path has not come by yet
	state  events.State
}

func (p *reductionLines) Trial(e trial.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := events.OfTrial(e)
	_ = p.state.Take(&told)
	if told.TrialMoved != nil {
		p.lost(p.state.Started(e.Trial, e.Worker), told.TrialMoved)
	}
	if e.Kind != trial.Finished {
		return
	}
	switch t := endedOf(&p.state, told.TrialEnded); e.Purpose {
	case trial.Search:
		p.trials[string(e.Tree)] = t
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
		p.trial(t, what, "")
	}
}

func (p *reductionLines) step(s reduce.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ran := p.trials[s.Digest]
	delete(p.trials, s.Digest)
	best, ok := p.unit.left(s)
	if p.unit == Differences && s.Pass != p.pass {
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
	told := *e.TrialEnded
	told.Outcome = s.Outcome.String() // of a repeated trial: that of all tries
	unit, rest := p.unit, ", "+prose.Number(int(s.Best))+" left"
	switch {
	case unit == Nodes:
		unit, rest = Bytes, ", "+p.unit.count(int(p.best))+" left"
	case success && unit == Bytes:
		rest = ""
	}
	p.trial(ended{e.started, &told}, s.Pass+", "+unit.count(int(s.Size)), rest)
}

// liveReduction draws the model of a reduction on a terminal.
type liveReduction struct {
	*canvas
	model *reductionModel
}

func (v *liveReduction) Trial(e trial.Event) {
	v.change(func() { v.model.trial(e, v.now()) })
}

func (v *liveReduction) step(s reduce.Step) {
	v.change(func() { v.model.step(s, v.now()) })
}

// A reductionModel is the model of a reduction.
type reductionModel struct {
	trialModel
	trying     time.Duration // that trials took, over all workers
	pace       events.Pace
	unit       Unit // of size and best
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

func newReductionModel(o ReductionOptions) *reductionModel {
	s := &reductionModel{trialModel: newTrialModel(o.Options), unit: o.Unit, size: o.Total, best: o.Total}
	s.state, s.interesting = trialsAlone(), o.Interesting
	return s
}

func (s *reductionModel) step(step reduce.Step, now time.Time) {
	best, ok := s.unit.left(step)
	if s.unit == Differences && s.pass != step.Pass {
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
		s.pace.Step(now)
		s.recent = append(s.recent[max(0, len(s.recent)-recently+1):], smaller)
	}
}

// expected says what can be known of the trials to come. A reduction ends when nothing
// goes any more, and each success makes room for others: only the list that the pass
// goes through has an end, as long as none comes.
func (s *reductionModel) expected() string {
	if s.left > 0 {
		text := "up to " + prose.Count(s.left, "trial") + " of this pass"
		if s.trials() > 0 {
			_, to := s.pace.Left(0, s.left, s.trying/time.Duration(s.trials()), len(s.workers))
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

func (s *reductionModel) trial(e trial.Event, now time.Time) {
	if e.Kind == trial.Finished && !e.Verdict.Rejected {
		if w := s.worker(e.Worker, ""); w.busy {
			s.trying += now.Sub(w.since)
		}
		s.pace.Finished()
	}
	told := events.OfTrial(e)
	s.take(&told, now)
	if e.Kind == trial.Started {
		s.workers[e.Worker].on = ": " + prose.Count(int(e.Size), "byte")
	}
}

func (s *reductionModel) render(width, height int, now time.Time) []*prose.Line {
	p := &screenful{width: width}
	p.add(always, "size", s.sizeLine(width-1-labels))
	p.add(always, "trials", trialLine(&s.trialModel, width))
	p.outcomes(&s.trialModel)
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
func (s *reductionModel) sizeLine(width int) *prose.Line {
	percent := int64(100)
	if s.size > 0 {
		percent = (100*s.best + s.size - 1) / s.size
	}
	count := fmt.Sprintf("  %s of %s, %d %%", prose.Number(int(s.best)), s.unit.count(int(s.size)), percent)
	columns := max(min(width-len(count), 60), 0)
	filled := columns
	if s.size > 0 {
		filled = int((int64(columns)*s.best + s.size - 1) / s.size)
	}
	return (&prose.Line{}).Add(prose.Hash, strings.Repeat("█", filled)).
		Add(prose.Note, strings.Repeat("░", columns-filled)).Add(prose.Plain, count)
}
