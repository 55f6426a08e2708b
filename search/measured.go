package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Numbers say how a search judges the numbers of trials. The zero value is usable.
type Numbers struct {
	Confidence float64                    // as in changepoint.Options
	Least      func(good float64) float64 // as in changepoint.Options
	Repeats    int                        // as in changepoint.Options
	Exact      bool                       // as in changepoint.Options
	Noisy      bool                       // as in changepoint.Options

	// Larger says which difference is searched for: 1 if bad has to have the larger number, -1 if bad has to have
	// the smaller number, and 0 if either is accepted.
	Larger int
	// Format writes a number for people, with its unit; "" = it has none. It may be nil.
	Format func(value float64, unit string) string
}

// Measured says how a number changes between the ends.
type Measured struct {
	Unit  string
	Exact bool    // the number did not vary
	Drift float64 // of the machine while the commits, or the changes, were measured; 0 = none was seen
	Good  changepoint.Level
	Bad   changepoint.Level
	Total changepoint.Interval // the difference of the ends
	Steps []MeasuredStep       // along the line that was searched; the highest comes first, and is that of the answer
	Runs  []MeasuredRun        // in order
}

// A MeasuredStep is a place at which the number changes, among the commits or, without a history, among the changes.
type MeasuredStep struct {
	changepoint.Step
	Commits []git.Commit // those that may have made it, from the first on; nil = the line was of changes
	Changes []int        // the indices in Answer.Set of the changes that may have made it; nil = the line was of commits
}

// A MeasuredRun is a run of the search along the line.
type MeasuredRun struct {
	changepoint.Run
	Trial int
}

// measured searches for what changes a number. First it looks along a line for the step: along the commits, or if there
// is no history along the changes in the order of their plan. Then the levels before and after the step tell a pass from
// a failure, and the changes are searched as for any other command. With All the other steps are searched likewise.
func (w *searcher) measured(ctx context.Context, whole *changes.Set) (found Found, err error) {
	found.Answer = Untested(whole)
	history, numbers := w.history, *w.Numbers
	lines, m, err := w.linesOf(ctx, whole)
	if err == nil && !w.sure(lines[0].step, m) {
		found.Measured = m
		found.Verdict.Reason = w.whyUnsure(lines[0], m)
		return found, ErrWithheld
	}
	if err != nil {
		if len(lines) > 0 {
			found.Answer = w.narrowed(ctx, lines[0], m)
		}
		found.Measured = m
		return found, w.unmeasured(err, m)
	}
	ends := w.ends
	for i, line := range lines {
		if !w.sure(line.step, m) {
			w.note("a further step is left aside: " + w.whyUnsure(line, m))
			continue
		}
		w.number = i
		one, v, err := w.within(ctx, line, m)
		if m.Exact && ctx.Err() == nil && w.vary() {
			w.note("the number varies after all: searching on with as many runs as that takes")
			numbers.Exact, numbers.Noisy = false, true
			w.Numbers, w.history, w.line = &numbers, history, nil
			return w.measured(ctx, whole)
		}
		if i == 0 {
			found.Answer, found.Verdict = one, v
			found.Measured = m
			ends = w.ends
		} else if err == nil && v.Holds() {
			found.Further = append(found.Further, Further{one, Step, v.Verified})
		}
		var equal *trial.EndsError
		switch {
		case i > 0 && errors.As(err, &equal):
			w.note("a further step is left aside: " + equal.Error())
			continue
		case i > 0 && errors.Is(err, ErrWithheld):
			w.note("a further step is left aside: " + v.Reason)
			continue
		}
		if err != nil || i == 0 && !v.Holds() {
			return found, err
		}
		if !w.All {
			break
		}
	}
	w.ends = ends
	return found, nil
}

// confidence is the probability with which the place of a step has to be known.
func (w *searcher) confidence() float64 {
	if w.Numbers.Confidence == 0 {
		return 0.99
	}
	return w.Numbers.Confidence
}

// sure reports whether it is known well enough where a step is.
func (w *searcher) sure(step changepoint.Step, m *Measured) bool {
	return m.Exact || step.Sure(w.confidence())
}

// whyUnsure says what is known of the place of a step, if that is not known well enough.
func (w *searcher) whyUnsure(line *measuredLine, m *Measured) string {
	where := "in one of " + prose.Count(line.step.To-line.step.From, "change")
	if line.commits != nil {
		left := line.commits.Left
		where = "in commit " + left[0].ID.Short()
		if len(left) > 1 {
			where = fmt.Sprintf("in one of %s, %s to %s,", prose.Count(len(left), "commit"), left[0].ID.Short(), left[len(left)-1].ID.Short())
		}
	}
	if step := line.step; step.Probability >= w.confidence() {
		return fmt.Sprintf("the number seems to change %s, but those on both sides of it do not differ for sure, after %s",
			where, prose.Count(len(m.Runs), "run"))
	}
	return fmt.Sprintf("the number changes %s with a probability of %s, less than the confidence of %s, and %s told no more",
		where, prose.Percent(line.step.Probability), prose.Percent(w.confidence()), prose.Count(len(m.Runs), "run"))
}

// vary reports whether a configuration had different numbers.
func (w *searcher) vary() bool {
	seen := map[git.ID]float64{}
	for _, r := range w.trials.Session.Records() {
		if r.Value == nil {
			continue
		}
		if value, ok := seen[r.Tree]; ok && value != *r.Value {
			return true
		}
		seen[r.Tree] = *r.Value
	}
	return false
}

// narrowed is the answer when no more is known than a step of the line: all of its changes are suspects.
func (w *searcher) narrowed(ctx context.Context, line *measuredLine, m *Measured) Answer {
	a := Answer{Set: line.set, Commits: line.commits, Measured: m, Result: unknown(line.set), Confidence: line.step.Probability, Trials: len(m.Runs)}
	if line.failing.N() > 0 {
		a.Result = between(line.passing, line.failing)
	}
	plan, err := w.plan(context.WithoutCancel(ctx), line.set, w.Groups)
	if err != nil { // then the commits are told, and no changes
		return a
	}
	a.Plan = plan
	return a
}

// clearStep is how many spreads high a step must be for one number to tell its sides apart well enough. The changes are then
// searched as for a command that is wrong at times. Below it the search along a line takes far fewer runs.
const clearStep = 2

// within searches the changes of one step of the line, by a threshold between its two sides, or, if one number does not
// tell these apart well enough, along a line of the changes.
func (w *searcher) within(ctx context.Context, line *measuredLine, m *Measured) (Answer, Verdict, error) {
	if !m.Exact && math.Abs(line.step.Delta.Value) < clearStep*max(m.Good.Spread, m.Bad.Spread) {
		return w.unclear(ctx, line, m)
	}
	confidence := w.confidence()
	if m.Exact {
		confidence = 0
	}
	w.line, w.history = line, nil
	step := line.step
	err := w.Runner.Threshold(line.set, step.Before/2+step.After/2, (step.After > step.Before) != line.reversed, m.Drift != 0, confidence, len(m.Runs))
	if err != nil {
		return w.narrowed(ctx, line, m), Verdict{}, err
	}
	w.trials = w.Runner.Options()
	w.options.MaxTrials = w.trials.MaxTrials
	if w.surely() {
		w.options.MaxTrials = 0
	} else {
		w.spent = len(m.Runs)
	}
	found, v := w.narrowed(ctx, line, m), Verdict{}
	if w.ends, err = w.Runner.Ends(ctx, line.set); err == nil {
		w.observe(EndsTested{w.ends})
		found, v, err = w.confirmed(ctx, line.set)
	}
	if !m.Exact && (errors.As(err, new(*trial.EndsError)) || errors.As(err, new(*trial.FlakyError)) || errors.Is(err, ErrWithheld)) {
		w.note("a few runs of a configuration do not tell on which side of the step its number is: measuring along the changes")
		return w.unclear(ctx, line, m)
	}
	found.Measured = m
	if !m.Exact { // the answer rests on the step as well
		found.Confidence *= step.Probability
		for i := range found.Sure {
			found.Sure[i] *= step.Probability
		}
	}
	return found, v, err
}

// unclear searches the changes of a step along a line of them, where single runs do not tell on which side of the step a
// number is. The answer is not confirmed, and its confidence is the product of the probabilities of the two steps. If the
// changes cannot be told apart by their numbers well enough, all changes of the step are the answer.
func (w *searcher) unclear(ctx context.Context, line *measuredLine, m *Measured) (Answer, Verdict, error) {
	w.line, w.history = line, nil
	a := w.narrowed(ctx, line, m)
	passing, failing := line.passing, line.failing
	if failing.N() == 0 {
		passing, failing = isolate.Empty(line.set.Len()), isolate.Full(line.set.Len())
	}
	if line.commits != nil && line.set.Len() > 1 {
		all := w.All
		w.All = false // of further steps within a commit nothing is said
		steps, inner, err := w.measuredChanges(ctx, line.set, line.runs(m))
		w.All = all
		if inner != nil {
			a.Trials += len(inner.Runs)
		}
		switch {
		case errors.As(err, new(*changepoint.EqualError)), errors.As(err, new(*trial.EndsError)):
			w.note("the changes of the commit cannot be told apart by their numbers: " + w.unmeasured(err, inner).Error())
		case err != nil:
			return a, Verdict{}, err
		case !w.sure(steps[0].step, inner):
			w.note("the changes of the commit cannot be told apart by their numbers: " + w.whyUnsure(steps[0], inner))
		default:
			passing, failing = steps[0].passing, steps[0].failing
			a.Confidence *= steps[0].step.Probability
		}
	}
	a.Result = between(passing, failing)
	a.Result.Context, a.Result.ContextUnproven = passing, passing
	if a.Result.Cause.Len() == 1 {
		a.Result.Minimal, a.Result.Unproven = true, isolate.Empty(passing.N())
	}
	a.Result.Trials = a.Trials
	for range a.Result.Cause.All() {
		a.Sure = append(a.Sure, a.Confidence)
	}
	w.settle(a)
	return a, Verdict{Untested: true}, nil
}

// A measuredLine is a step that was found along a line, and the difference in which its cause is searched for.
type measuredLine struct {
	step     changepoint.Step
	reversed bool // the newer end is good
	set      *changes.Set
	commits  *Bisection            // nil = the step is among the changes
	passing  isolate.Configuration // of the step among the changes
	failing  isolate.Configuration
	whole    *changes.Set // the user's difference, if this step makes most of it; else nil
}

// runs is how many runs along the line were of the commits on the good side of the step and on its bad side.
func (l *measuredLine) runs(m *Measured) (n [2]int) {
	for _, run := range m.Runs {
		switch run.Position {
		case l.step.From:
			n[0]++
		case l.step.To:
			n[1]++
		}
	}
	if l.reversed {
		n[0], n[1] = n[1], n[0]
	}
	return n
}

// problem is where the cause of a step is searched for: among the changes of the step alone, on good, if these change
// the number there as well, and else where the step was found.
func (l *measuredLine) problem(ctx context.Context, w *searcher, a Answer, p isolate.Problem) (isolate.Problem, error) {
	if l.failing.N() == 0 || l.failing.N() != p.N {
		return p, nil
	}
	alone := p
	alone.Failing = p.With(l.failing.Minus(l.passing))
	if alone.Failing != l.failing {
		o, err := w.outcome(ctx, &a, a, p, alone.Failing)
		if err != nil {
			return p, err
		}
		if o == isolate.Fail {
			return alone, nil
		}
	}
	p.Passing, p.Failing = l.passing, l.failing
	return p, nil
}

// repairable is the difference whose bad end passes without the cause, if the cause makes most of it; else nil.
func (w *searcher) repairable(set *changes.Set) *changes.Set {
	if w.line == nil {
		return set
	}
	return w.line.whole
}

// most is the share of the difference of the ends from which on a step makes most of it.
const most = 0.8

// IsMost reports whether a step makes most of the difference of the ends.
func (m *Measured) IsMost(s changepoint.Step) bool {
	return math.Abs(s.Delta.Value) >= most*math.Abs(m.Total.Value)
}
