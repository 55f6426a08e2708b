package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Numbers say how a search judges the numbers of trials. The zero value is usable.
type Numbers struct {
	Confidence float64                    // as in changepoint.Options
	Least      func(good float64) float64 // likewise
	Repeats    int                        // likewise
	Exact      bool                       // likewise

	// Larger is which difference is searched for: 1 if bad is to have the larger number, -1 if it is to have the
	// smaller one, and 0 if either will do.
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
	Steps []MeasuredStep       // along the line that was searched, the highest first: that of the answer
	Runs  []MeasuredRun        // in order
}

// A MeasuredStep is a place at which the number changes, among the commits or, without a history, among the changes.
type MeasuredStep struct {
	changepoint.Step
	Commits []git.Commit // those that may have made it, from the first on; nil = it is among the changes of Answer.Set
	Changes []int        // these
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
	lines, m, err := w.linesOf(ctx, whole)
	if err != nil {
		found.Measured = m
		return found, w.unmeasured(err, m)
	}
	ends := w.ends
	for i, line := range lines {
		w.number = i
		one, v, err := w.within(ctx, line, m)
		if i == 0 {
			found.Answer, found.Verdict = one, v
			found.Measured = m
			ends = w.ends
		} else if err == nil && v.Holds() {
			found.Further = append(found.Further, Further{one, Independent, v.Verified})
		}
		var equal *trial.EndsError
		if i > 0 && errors.As(err, &equal) {
			w.note("a further step is left aside: " + equal.Error())
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

// within searches the changes of one step of the line.
func (w *searcher) within(ctx context.Context, line *measuredLine, m *Measured) (Answer, Verdict, error) {
	confidence := w.Numbers.Confidence
	if confidence == 0 {
		confidence = 0.99
	}
	if m.Exact {
		confidence = 0
	}
	w.line, w.history = line, nil
	step := line.step
	w.Runner.Threshold(step.Before/2+step.After/2, (step.After > step.Before) != line.reversed, confidence, len(m.Runs))
	w.trials = w.Runner.Options()
	w.options.MaxTrials = w.trials.MaxTrials
	if w.surely() {
		w.options.MaxTrials = 0
	} else {
		w.spent = len(m.Runs)
	}
	var err error
	if w.ends, err = w.Runner.Ends(ctx, line.set); err != nil {
		return Answer{Set: line.set, Result: unknown(line.set), Commits: line.commits, Measured: m}, Verdict{}, err
	}
	w.observe(EndsTested{w.ends})
	found, v, err := w.confirmed(ctx, line.set)
	found.Measured = m
	return found, v, err
}

// A measuredLine is a step of the line that was searched, and the difference in which its cause is.
type measuredLine struct {
	step     changepoint.Step
	reversed bool // the newer end is good
	set      *changes.Set
	commits  *Bisection            // nil = the step is among the changes
	passing  isolate.Configuration // of the step among the changes
	failing  isolate.Configuration
	whole    *changes.Set // the user's difference, if this step makes most of it; else nil
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

// changed is the share of the whole difference from which on a step makes most of it.
const changed = 0.8

// linesOf measures along the line, and returns its steps, the highest first.
func (w *searcher) linesOf(ctx context.Context, whole *changes.Set) ([]*measuredLine, *Measured, error) {
	if w.history != nil {
		lines, m, err := w.measuredCommits(ctx, whole)
		var equal *changepoint.EqualError
		begin := w.history.line.all[0].ID
		if !errors.As(err, &equal) || w.history.isEnd(begin) {
			return lines, m, err
		}
		w.note(fmt.Sprintf("searching the whole difference: %s, where the histories of %s and %s part, has the number of %s",
			begin.Short(), whole.Good.Rev, whole.Bad.Rev, whole.Bad.Rev))
		w.history = nil
	}
	return w.measuredChanges(ctx, whole)
}

// measuredCommits looks for steps among the commits between the ends.
func (w *searcher) measuredCommits(ctx context.Context, whole *changes.Set) ([]*measuredLine, *Measured, error) {
	h := w.history
	l := h.line
	stops := l.stops()
	commits := make([]git.Commit, len(stops))
	for i, stop := range stops {
		commits[i] = l.all[stop]
	}
	w.stage++
	w.observe(LineBegun{Stage: w.stage, SetNumber: w.Runner.Line(commits), Commits: commits})
	n := len(commits) - 1
	outcomes := map[git.ID]isolate.Outcome{}
	tested := map[git.ID]bool{whole.Good.Tree: true, whole.Bad.Tree: true}
	r, m, err := w.along(ctx, n, h.back, func(ctx context.Context, k, attempt int) (trial.Verdict, error) {
		return w.Runner.MeasureCommit(ctx, whole.Good, commits, prefix(n, k), attempt)
	}, func(step isolate.Step, v trial.Verdict) {
		k := step.Config.Len()
		w.observe(LineStep{Step: step, Commits: commits, Outcome: w.outside(step.Outcome), Trial: v.Trial, Judged: !tested[commits[k].Tree]})
		outcomes[commits[k].ID], tested[commits[k].Tree] = step.Outcome, true
	})
	w.observe(StageEnded{stageResult(n, r.Steps), err})
	if err != nil && len(r.Steps) == 0 {
		return nil, m, err
	}
	var lines []*measuredLine
	for _, step := range r.Steps {
		from, to := stops[step.From], stops[step.To]
		b := &Bisection{
			From: l.all[from], To: l.all[to], Left: l.all[from+1 : to+1], Reversed: h.back,
			Commits: len(l.all) - 1, FirstParents: len(l.all) - 1, tested: tested, Outcomes: outcomes,
		}
		for _, c := range l.all[1:] {
			if len(c.Parents) > 1 {
				b.Merges++
			}
			if outcomes[c.ID] == isolate.Unresolved && tested[c.Tree] {
				b.Skipped = append(b.Skipped, c)
			}
		}
		set, err := h.difference(context.WithoutCancel(ctx), b)
		if err != nil {
			return nil, m, err
		}
		line := &measuredLine{step: step, reversed: h.back, set: set, commits: b}
		if math.Abs(step.Delta.Value) >= changed*math.Abs(r.Total.Value) {
			line.whole = whole
		}
		lines = append(lines, line)
		m.Steps = append(m.Steps, MeasuredStep{Step: step, Commits: b.Left})
	}
	return lines, m, err
}

// measuredChanges looks for steps among the changes, which are applied one after the other as their plan orders them, each
// with what it requires.
func (w *searcher) measuredChanges(ctx context.Context, whole *changes.Set) ([]*measuredLine, *Measured, error) {
	plan, err := Plan(ctx, whole, w.Groups)
	if err != nil {
		return nil, nil, err
	}
	p := problem(plan)
	chain := []isolate.Configuration{isolate.Empty(p.N)}
	order := p.Order
	if order == nil {
		order = slices.Collect(isolate.Full(p.N).All())
	}
	for _, i := range order {
		if last := chain[len(chain)-1]; !last.Has(i) {
			chain = append(chain, p.With(last.With(i)))
		}
	}
	a := Answer{Set: whole, Plan: plan, Result: unknown(whole)}
	w.stage++
	w.observe(ChangesBegun{Stage: w.stage, SetNumber: w.Runner.Set(whole), Answer: a, Goal: w.options.Goal})
	r, m, err := w.along(ctx, len(chain)-1, false, func(ctx context.Context, k, attempt int) (trial.Verdict, error) {
		return w.Runner.Measure(ctx, whole, chain[k], attempt)
	}, func(step isolate.Step, v trial.Verdict) {
		from, to := step.Passing.Len(), step.Failing.Len()
		step.Config, step.Passing, step.Failing = chain[step.Config.Len()], chain[from], chain[to]
		step.Suspects = step.Failing.Len() - step.Passing.Len()
		w.observe(ChangesStep{Step: step, Answer: a, Outcome: step.Outcome, Trial: v.Trial})
	})
	result := unknown(whole)
	if len(r.Steps) > 0 {
		result = between(chain[r.Steps[0].From], chain[r.Steps[0].To])
	}
	w.observe(StageEnded{result, err})
	if err != nil && len(r.Steps) == 0 {
		return nil, m, err
	}
	var lines []*measuredLine
	for _, step := range r.Steps {
		line := &measuredLine{step: step, set: whole, passing: chain[step.From], failing: chain[step.To]}
		if math.Abs(step.Delta.Value) >= changed*math.Abs(r.Total.Value) {
			line.whole = whole
		}
		lines = append(lines, line)
		m.Steps = append(m.Steps, MeasuredStep{Step: step, Changes: slices.Collect(line.failing.Minus(line.passing).All())})
	}
	return lines, m, err
}

// along searches a line of n steps, and tells each run to step, with what is known after it of where the number changes.
// reversed says that the line leads from bad to good.
func (w *searcher) along(ctx context.Context, n int, reversed bool, measure func(ctx context.Context, k, attempt int) (trial.Verdict, error),
	step func(isolate.Step, trial.Verdict)) (changepoint.Result, *Measured, error) {
	m := &Measured{}
	from, to := 0, n
	var first [2]*float64 // values of the ends
	var untold []func()   // runs of which it is not known yet what they tell
	tell := func() {
		for _, one := range untold {
			one()
		}
		untold = nil
	}
	o := changepoint.Options{
		Confidence: w.Numbers.Confidence, Least: w.Numbers.Least, Repeats: w.Numbers.Repeats, Exact: w.Numbers.Exact,
		All: w.All, MaxRuns: w.trials.MaxTrials,
		Accept:  func(older, newer changepoint.Level) error { return w.accept(m, older, newer, reversed) },
		Observe: func(p changepoint.Progress) { from, to = p.From, p.To; tell() },
	}
	r, err := changepoint.Search(ctx, n, func(ctx context.Context, k, attempt int) (float64, bool, error) {
		v, err := measure(ctx, k, attempt)
		if err != nil {
			return 0, false, err
		}
		w.path.add(v.Trial)
		m.Runs = append(m.Runs, MeasuredRun{Trial: v.Trial})
		one := isolate.Step{Trial: len(m.Runs), Config: prefix(n, k), Outcome: isolate.Unresolved, Level: 1}
		untold = append(untold, func() {
			one.Suspects, one.Passing, one.Failing = to-from, prefix(n, from), prefix(n, to)
			step(one, v)
		})
		if v.Value == nil {
			return 0, false, nil
		}
		m.Unit = v.Unit
		switch {
		case k == 0:
			first[0] = v.Value
			one.Outcome = isolate.Pass
		case k == n:
			first[1] = v.Value
			one.Outcome = isolate.Fail
		case math.Abs(*v.Value-*first[0]) < math.Abs(*v.Value-*first[1]):
			one.Outcome = isolate.Pass
		default:
			one.Outcome = isolate.Fail
		}
		return *v.Value, true, nil
	}, o)
	if len(r.Steps) > 0 {
		from, to = r.Steps[0].From, r.Steps[0].To
	}
	tell()
	for i, run := range r.Runs {
		m.Runs[i].Run = run
	}
	m.Exact, m.Drift, m.Good, m.Bad, m.Total = r.Exact, r.Drift, r.Good, r.Bad, r.Total
	if reversed {
		m.Good, m.Bad = r.Bad, r.Good
		m.Total = changepoint.Interval{Value: -r.Total.Value, Low: -r.Total.High, High: -r.Total.Low}
	}
	if errors.Is(err, changepoint.ErrBudget) {
		err = isolate.ErrBudget
	}
	return r, m, err
}

// accept refuses ends whose numbers differ in the other direction.
func (w *searcher) accept(m *Measured, older, newer changepoint.Level, reversed bool) error {
	good, bad := older, newer
	if reversed {
		good, bad = newer, older
	}
	larger := w.Numbers.Larger
	if larger == 0 || (bad.Median > good.Median) == (larger > 0) {
		return nil
	}
	how, instead := "smaller", "--better searches for what made it better, and --good and --bad exchanged for what made it worse again"
	if larger < 0 {
		how, instead = "larger", "without --better what made it worse is searched for"
	}
	m.Good, m.Bad = good, bad
	return &trial.EndsError{Good: w.ends.Good, Bad: w.ends.Bad, What: fmt.Sprintf("the number of bad is %s than that of good, %s instead of %s: %s",
		how, w.format(bad.Median, m.Unit), w.format(good.Median, m.Unit), instead)}
}

func (w *searcher) format(value float64, unit string) string {
	if w.Numbers.Format == nil {
		return fmt.Sprint(value, unit)
	}
	return w.Numbers.Format(value, unit)
}

// unmeasured turns an error of the ends of a line into one of the user's ends.
func (w *searcher) unmeasured(err error, m *Measured) error {
	var equal *changepoint.EqualError
	if !errors.As(err, &equal) {
		return err
	}
	what := "the numbers of the ends cannot be told apart"
	good, bad := w.format(m.Good.Median, m.Unit), w.format(m.Bad.Median, m.Unit)
	runs := min(len(m.Good.Values), len(m.Bad.Values))
	switch {
	case m.Good.Spread == 0 && m.Bad.Spread == 0 && m.Total.Value == 0:
		what += fmt.Sprintf(": %s at good and at bad", good)
		if runs > 1 {
			what += fmt.Sprintf(", in each of %d runs", runs)
		}
	case w.Numbers.Least != nil && equal.Needed == 0 && math.Abs(m.Total.Value) < w.Numbers.Least(m.Good.Median):
		what = fmt.Sprintf("the numbers of the ends differ by less than what matters: %s at good, %s at bad, and %s matters",
			good, bad, w.format(w.Numbers.Least(m.Good.Median), m.Unit))
	default:
		what += fmt.Sprintf(": %s at good and %s at bad after %d runs of each, which vary by %s", good, bad, runs,
			w.format(max(m.Good.Spread, m.Bad.Spread), m.Unit))
		if equal.Needed > runs {
			what += fmt.Sprintf("; about %d runs of each would do (--repeat %d)", equal.Needed, equal.Needed)
		}
	}
	return &trial.EndsError{Good: w.ends.Good, Bad: w.ends.Bad, What: what}
}

// prefix is the first k of n elements.
func prefix(n, k int) isolate.Configuration {
	members := make([]int, k)
	for i := range members {
		members[i] = i
	}
	return isolate.Of(n, members...)
}

// stageResult is that of a search along a line.
func stageResult(n int, steps []changepoint.Step) isolate.Result {
	if len(steps) == 0 {
		return between(isolate.Empty(n), isolate.Full(n))
	}
	return between(prefix(n, steps[0].From), prefix(n, steps[0].To))
}

// between is the result that the cause is between two configurations.
func between(passing, failing isolate.Configuration) isolate.Result {
	cause := failing.Minus(passing)
	return isolate.Result{
		Passing: passing, Failing: failing, Cause: cause, Context: isolate.Empty(cause.N()), ContextUnproven: isolate.Empty(cause.N()),
		Unproven: cause, Algorithm: "changepoint",
	}
}
