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
	return w.measuredChanges(ctx, whole, [2]int{})
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
		if m.IsMost(step) {
			line.whole = whole
		}
		lines = append(lines, line)
		m.Steps = append(m.Steps, MeasuredStep{Step: step, Commits: b.Left})
	}
	return lines, m, err
}

// measuredChanges looks for steps among the changes, which are applied one after the other as their plan orders them, each
// with what it requires. earlier is how many runs of the good end and of the bad one are of another line: these are not
// taken again, because the machine may have been slower or faster then.
func (w *searcher) measuredChanges(ctx context.Context, whole *changes.Set, earlier [2]int) ([]*measuredLine, *Measured, error) {
	plan, err := w.plan(ctx, whole, w.Groups)
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
	w.observe(ChangesBegun{Stage: w.stage, SetNumber: w.Runner.Set(whole), Answer: a, Goal: w.options.Goal, Rounds: w.options.Rounds})
	r, m, err := w.along(ctx, len(chain)-1, false, func(ctx context.Context, k, attempt int) (trial.Verdict, error) {
		switch k {
		case 0:
			attempt += earlier[0]
		case len(chain) - 1:
			attempt += earlier[1]
		}
		return w.Runner.Measure(ctx, whole, chain[k], attempt)
	}, func(step isolate.Step, v trial.Verdict) {
		from, to := step.Passing.Len(), step.Failing.Len()
		step.Config, step.Passing, step.Failing = chain[step.Config.Len()], chain[from], chain[to]
		step.Level = len(plan.Groups)
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
		if m.IsMost(step) {
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
	var latest [2]*float64 // values of the ends
	var untold []func()    // runs of which it is not known yet what they tell
	tell := func() {
		for _, one := range untold {
			one()
		}
		untold = nil
	}
	o := changepoint.Options{
		Confidence: w.Numbers.Confidence, Least: w.Numbers.Least, Repeats: w.Numbers.Repeats, Exact: w.Numbers.Exact, Noisy: w.Numbers.Noisy,
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
		one := isolate.Step{Trial: len(m.Runs), Config: prefix(n, k), Outcome: isolate.Unresolved}
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
			latest[0] = v.Value
			one.Outcome = isolate.Pass
		case k == n:
			latest[1] = v.Value
			one.Outcome = isolate.Fail
		case math.Abs(*v.Value-*latest[0]) < math.Abs(*v.Value-*latest[1]):
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
