package search

import (
	"context"
	"errors"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/components"
	"github.com/gitdd/gitdd/isolate"
)

// isolate runs the rounds. With an error that ended the search early
// (isolate.ErrBudget, or the context's) comes the best answer so far.
//
// A finer round that does not come to an end leaves the answer as it was: that
// one is whole, too, only in longer pieces.
func (w *searcher) isolate(ctx context.Context, whole *changes.Set) (Answer, error) {
	set, commits, err := w.commits(ctx, whole)
	best := Answer{Commits: commits, Set: set, Result: unknown(set), Trials: commits.Trials()}
	if err != nil {
		ctx = context.WithoutCancel(ctx) // to say what was found so far
	}
	var err2 error
	best.Plan, err2 = w.plan(ctx, set, w.levelsOf(commits))
	if err := errors.Join(err, err2); err != nil {
		return best, err
	}
	p := problem(best.Plan)
	if w.line != nil {
		if p, err = w.line.problem(ctx, w, best, p); err != nil {
			return best, err
		}
	}
	from, found, err := w.searchJointly(ctx, best, p)
	if err != nil {
		best.Result = found
		return best, err
	}
	return w.between(ctx, best, p, from)
}

// levelsOf returns the levels of groups of what the search among the commits has left. The sides of a merge
// come one after the other, each of which is known to pass.
func (w *searcher) levelsOf(b *Bisection) []grouping.Level {
	if b != nil && len(b.Sides) > 0 {
		return byTime
	}
	return w.Groups
}

// between runs the rounds between the ends of p, a problem of the changes of
// best, which holds what was found before. The first round begins at from.
func (w *searcher) between(ctx context.Context, best Answer, p isolate.Problem, from begin) (Answer, error) {
	best.bad = failing(p)
	best, err := w.first(ctx, best, from)
	if err == nil && best.Result.Minimal && best.FirstGenerated() != nil {
		best, err = w.refine(ctx, best, best.Set, identity(best.Set.Len()), changes.LongHunks)
	}
	var asked *changes.Set // the set that renames was last called for
	for left := rounds[w.Finest]; len(left) > 0; {
		// Invariant: best is a whole answer of the rounds so far.
		if err != nil || !best.Result.Minimal || best.Uncut != "" {
			break
		}
		how, renamed := left[0], false
		if last := len(left) - 1; left[last] == changes.WithinLines && best.Set != asked {
			asked = best.Set
			if renamed, err = w.renames(ctx, best); err != nil {
				break
			} else if renamed {
				how, left = changes.WithinLines, left[:last]
			}
		}
		if !renamed {
			left = left[1:]
		}
		finer, starts, ok := best.Set.Split(slices.Collect(best.Result.Cause.All()), how)
		if !ok || how > changes.LongHunks && w.Finest == Auto && !renamed && !worthwhile(best, starts) {
			continue
		}
		best, err = w.refine(ctx, best, finer, starts, how)
	}
	if err == nil && passing(p).IsEmpty() {
		best, err = w.trim(ctx, best)
	}
	return best, err
}

// fewUnresolved is the number of unresolved trials from which on the suspects of a round that has few are taken to require each other.
const fewUnresolved = 2

// first runs the first round, between the ends at which from begins. If the round has few suspects, and those that are left require
// each other, as predicted or because trials were unresolved, and give names new names, the round ends, and the search goes on within
// the lines of these suspects. If that leaves the answer as it was, the round goes on. A round with many suspects does not end early,
// because messages soon tell which of them cannot be told apart.
func (w *searcher) first(ctx context.Context, best Answer, from begin) (_ Answer, err error) {
	run := func(p isolate.Problem, search searchFunc) {
		limit := 0
		if most, limited := w.left(best.Trials); limited {
			limit = max(1, most+knownEnds)
		}
		best.Result, best.Messages, err = w.round(ctx, best, p, limit, search)
		best.Trials += max(0, best.Result.Trials-knownEnds)
	}
	renaming := false
	run(from.Problem, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
		opts.First = from.first
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		if suspects(p) <= fewSuspected && w.options.Goal == isolate.Cause && (w.Finest == Auto || w.Finest == Nodes) {
			observe, asked := opts.Observe, isolate.Configuration{}
			unit, _ := components.Of(p.Predicted)
			unresolved := 0
			opts.Observe = func(s isolate.Step) {
				observe(s)
				if s.Outcome == isolate.Unresolved {
					unresolved++
				}
				left := s.Failing.Minus(s.Passing)
				if renaming || left == asked || left.Len() < 2 || !oneUnit(left, unit) && unresolved < fewUnresolved {
					return
				}
				asked = left
				found := best
				found.Result = isolate.Result{Cause: left}
				if renaming, _ = w.renames(ctx, found); renaming { // an error comes again when the search goes on
					stop()
				}
			}
		}
		result, err := isolate.Search(ctx, p, test, opts)
		if renaming {
			err = nil
		}
		return result, err
	})
	if err != nil || !renaming || best.Result.Minimal {
		return best, err
	}
	finer, starts, _ := best.Set.Split(slices.Collect(best.Result.Cause.All()), changes.WithinLines)
	was := best.Set
	if best, err = w.refine(ctx, best, finer, starts, changes.WithinLines); err != nil || best.Set != was {
		return best, err
	}
	best.Uncut = ""
	p := from.Problem
	p.Passing, p.Failing = best.Result.Passing, best.Result.Failing
	p.Predicted = carryLearned(p.Predicted, best.Result.Learned, identity(p.N))
	run(p, isolate.Search)
	return best, err
}

// oneUnit reports whether changes are all in one unit; unit has the number of that of each change.
func oneUnit(c isolate.Configuration, unit []int) bool {
	first := -1
	for i := range c.All() {
		if first < 0 {
			first = unit[i]
		} else if unit[i] != first {
			return false
		}
	}
	return true
}

// FirstGenerated returns the first declaration in a file that a program made of which the cause has several hunks
// that are one change in the plan; nil if there is none.
func (a Answer) FirstGenerated() []int {
	for _, unit := range a.Plan.Generated {
		if a.Result.Cause.Has(unit[0]) {
			return unit
		}
	}
	return nil
}

// trim leaves out groups of an answer that the failure does not need. It takes no trial if there is
// no context, and each member of the cause is known to be needed.
func (w *searcher) trim(ctx context.Context, best Answer) (Answer, error) {
	found := best.Result
	if w.options.Goal != isolate.Cause || found.Inseparable || found.Passing.IsEmpty() && found.Unproven.Len() < 2 {
		return best, nil
	}
	limit := 0
	if most, limited := w.left(best.Trials + w.confirmations()); limited {
		if limit = most + knownEnds; limit <= knownEnds {
			return best, nil
		}
	}
	p := problem(best.Plan)
	p.Failing = found.Failing
	p.Predicted = carryLearned(p.Predicted, found.Learned, identity(p.N))
	round, mark := best, w.stage
	var err error
	round.Result, _, err = w.round(ctx, best, p, limit, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
		return isolate.Trim(ctx, p, found.Cause, test, opts)
	})
	best.Trials += max(0, round.Result.Trials-knownEnds)
	if err != nil {
		w.discard(mark, "it was cut short")
		if errors.Is(err, isolate.ErrBudget) {
			err = nil
		}
		return best, err
	}
	if r := &round.Result; r.Passing == found.Passing { // its context was not trimmed
		proven := r.Context.Minus(r.ContextUnproven).Union(found.Context.Minus(found.ContextUnproven))
		r.Context = r.Context.Union(found.Context)
		r.ContextUnproven = r.Context.Minus(proven)
	}
	round.Result.Algorithm, round.Result.Why, round.Trials = found.Algorithm, found.Why, best.Trials
	return round, nil
}

// left is how many trials trial.Options.MaxTrials leaves after those of the present path;
// not limited without it.
func (w *searcher) left(trials int) (left int, limited bool) {
	return w.options.MaxTrials - w.spent - trials, w.options.MaxTrials > 0
}

// cost is what Options.MaxCost leaves for the search that comes next, as isolate.Options has
// it: the flag is about all of them.
func (w *searcher) cost() int {
	most := w.options.MaxCost
	if most == 0 {
		return 0
	}
	if most -= w.path.Beyond(w.trials.Session.Records()); most > 0 {
		return most
	}
	return -1
}

// exhausted says whether the trials of the present path have spent trial.Options.MaxTrials.
func (w *searcher) exhausted(trials int) bool {
	left, limited := w.left(trials)
	return limited && left <= 0
}

// confirmations returns how many trials confirm an answer, if they agree with it.
func (w *searcher) confirmations() int {
	if w.Unconfirmed {
		return 0
	}
	return 2
}

// knownEnds are the two ends of a round, which were tested before it.
const knownEnds = 2

// A searchFunc is isolate.Search, or another search between the ends of a problem.
type searchFunc func(context.Context, isolate.Problem, isolate.Test, isolate.Options) (isolate.Result, error)

// round searches once between the ends of p, in at most maxTrials trials, and says what
// kept an inseparable result together. Where changes are lines, or within them, a mixture that does
// not parse is not tried.
func (w *searcher) round(ctx context.Context, a Answer, p isolate.Problem, maxTrials int, search searchFunc) (isolate.Result, []Message, error) {
	w.stage++
	w.observe(ChangesBegun{Stage: w.stage, Number: w.number, SetNumber: w.Runner.Set(a.Set), Answer: a, Goal: w.options.Goal, Rounds: w.options.Rounds, One: w.one})
	options := w.options
	options.Precheck = w.checking(func(c isolate.Configuration) bool { return w.Runner.Rejected(a.Set, c) })
	options.MaxTrials, options.MaxCost, options.Prefetch = maxTrials, w.cost(), w.Runner.Prefetch(a.Set)
	options.Learn = func(c isolate.Configuration) [][2]int {
		return w.Runner.Learned(a.Set, c, func(output []byte) [][2]int { return requirementsOf(a.Plan.Learn(c.All(), output)) })
	}
	var err error
	if p.Prior == nil {
		if p.Prior, err = prior(ctx, a, p, w.direction, w.Runner); err != nil {
			w.observe(StageEnded{unknown(a.Set), err})
			return unknown(a.Set), nil, err
		}
	}
	wellformed := a.Plan.Wellformed()
	defer wellformed.Close()
	if a.lines {
		broken := func(c isolate.Configuration) bool { return wellformed.Broken(c.All()) }
		if !broken(passing(p)) && !broken(failing(p)) { // both were judged
			p.Broken = broken
		}
	}
	read := w.diagnose(a, p, func(c isolate.Configuration) ([]byte, bool) { return w.Runner.AllOutput(a.Set, c) })
	if suspects(p) > fewSuspected {
		p.Affinity = affinity(a.Plan)
	}
	options.Diagnose = func(c isolate.Configuration) []isolate.Message { return messages(read(c)) }
	options.Check = w.faults(a, p, wellformed)
	var unresolved []isolate.Configuration
	options.Observe = func(step isolate.Step) {
		if step.Outcome == isolate.Unresolved {
			unresolved = append(unresolved, step.Config)
		}
		if !step.Known {
			w.odds.add(step.Outcome)
		}
		one := ChangesStep{Step: step, Answer: a, Outcome: w.truly(step.Outcome)}
		if !step.Known {
			one.Trial = w.Runner.Told(a.Set, step.Config)
			w.path.add(one.Trial)
		}
		w.observe(one)
		if w.Runner.Step(a.Set, step.Config) {
			w.stop(errTrials)
		}
	}
	if w.surely() {
		options.Doubt = func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
			holds, err := w.Runner.Doubt(ctx, a.Set, c, w.truly(o), odds)
			return w.hold(holds, err, Applied(c), w.truly(o))
		}
	}
	result, err := search(ctx, p, towards(w.direction, w.Runner.Test(a.Set)), options)
	w.observe(StageEnded{result, err})
	var said []Message
	if result.Inseparable {
		said = saidBetween(result, unresolved, read)
	}
	return result, said, err
}

// Plan groups the changes of a set. It groups them by commit only if blame finds,
// for each change, the commit that made it.
func Plan(ctx context.Context, set *changes.Set, opts grouping.Options) (*grouping.Plan, error) {
	if slices.Contains(opts.By, grouping.Commit) {
		all := make([]int, set.Len())
		for i := range all {
			all[i] = i
		}
		if err := set.Blame(ctx, all); err != nil {
			return nil, err
		}
	}
	return grouping.New(ctx, set, opts)
}

// plan groups the changes of a set by the levels.
func (w *searcher) plan(ctx context.Context, set *changes.Set, levels []grouping.Level) (*grouping.Plan, error) {
	return Plan(ctx, set, grouping.Options{By: levels, Modules: w.Modules})
}

// problem is a plan in the terms of isolate, which knows numbers alone. Where
// the commits stand in order, all up to one of them were a revision once, or
// nearly, and are likely to build.
func problem(plan *grouping.Plan) isolate.Problem {
	p := isolate.Problem{
		N:         len(plan.Order),
		Order:     plan.Order,
		Groups:    plan.Groups,
		Requires:  plan.Requires,
		Predicted: plan.Predicted,
	}
	if len(plan.Levels) > 0 && plan.Levels[0] == grouping.Commit {
		commit := plan.Groups[0]
		for k := 1; k < p.N; k++ {
			if commit[p.Order[k]] != commit[p.Order[k-1]] {
				p.Milestones = append(p.Milestones, k)
			}
		}
	}
	return p
}

// identity are the starts of n changes none of which was cut.
func identity(n int) []int {
	starts := make([]int, n+1)
	for i := range starts {
		starts[i] = i
	}
	return starts
}

// carry takes a configuration over to the finer set in which change i became
// starts[i] to starts[i+1]-1.
func carry(c isolate.Configuration, starts []int, n int) isolate.Configuration {
	var members []int
	for i := range c.All() {
		for j := starts[i]; j < starts[i+1]; j++ {
			members = append(members, j)
		}
	}
	return isolate.Of(n, members...)
}

// carryLearned adds to predictions between pieces what was learned of changes
// that are still whole: of one that was cut nobody knows which piece it is true of.
func carryLearned(predicted [][]int, learned [][2]int, starts []int) [][]int {
	predicted = slices.Clone(predicted)
	for _, r := range learned {
		i, j := starts[r[0]], starts[r[1]]
		if starts[r[0]+1] == i+1 && starts[r[1]+1] == j+1 && !slices.Contains(predicted[i], j) {
			predicted[i] = append(slices.Clone(predicted[i]), j)
		}
	}
	return predicted
}
