package main

import (
	"context"
	"errors"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// An answer is what a search has come to, in the changes it was found in:
// those of Between, or finer ones.
type answer struct {
	commits *bisection // what they told before
	set     *changes.Set
	plan    *grouping.Plan
	bad     isolate.Configuration // the failing end that the rounds began with
	result  isolate.Result
	trials  int                 // on the path of all rounds
	said    []report.Diagnostic // why parts of the cause could not be tested, if result is inseparable
	lines   bool                // set has lines of short hunks, or parts of lines
	coarse  string              // why long changes in it were not cut further; "" when they were

	confidence float64   // with which it is right, with --confidence
	sure       []float64 // with which each member of the cause belongs to it, in their order

	built   artifacts // of its ends, in fresh workspaces
	alone   string    // Result.Alone of a report
	further []further

	repaired repairTrial
}

// A narrowing goes through the commits, if there is a history to go by. Then,
// among the changes that are left, it goes from groups to hunks in a first round,
// and cuts what is left of long hunks and whole files at declarations, into
// lines, and within lines, one round each.
type narrowing struct {
	repo      *git.Repo
	runner    *trial.Runner
	direction trial.Direction // as its ends have it
	failing   *trial.Record   // the end that failures are compared with
	session   *trial.Session
	view      progress
	story     *recorder

	history *history // nil = search the whole difference
	levels  []grouping.Level
	finest  string // --level: which rounds there are
	all     bool   // go on to what there is beside the first answer
	clean   bool   // every trial begins in a clean workspace already
	surely  bool   // --confidence: what the answer rests on is repeated
	lenient bool   // failures that only mixtures have count
	through string // --through
	command []string
	once    bool // neither --confidence nor --repeat: one trial per outcome
	options isolate.Options

	mostRejected int // see settings.mostRejected; 0 = there is no check

	apart bool                    // failures of different kinds are told apart, or the user has heard how to
	odds  endOdds                 // of the present path
	spent int                     // trials off the path of the present search: of earlier ones, and confirmations
	stop  context.CancelCauseFunc // ends the search at once
}

// isolate runs the rounds. With an error that ended the search early
// (isolate.ErrBudget, or the context's) comes the best answer so far.
//
// A finer round that does not come to an end leaves the answer as it was: that
// one is whole, too, only in longer pieces.
func (w *narrowing) isolate(ctx context.Context, whole *changes.Set) (answer, error) {
	set, commits, err := w.commits(ctx, whole)
	best := answer{commits: commits, set: set, result: unknown(set), trials: commits.trials()}
	if err != nil {
		ctx = context.WithoutCancel(ctx) // to say what was found so far
	}
	var err2 error
	best.plan, err2 = plan(ctx, set, w.levelsOf(commits))
	if err := errors.Join(err, err2); err != nil {
		return best, err
	}
	return w.between(ctx, best, problem(best.plan))
}

// levelsOf returns the levels of groups of what the search among the commits has left. The sides of a merge
// come one after the other, each of which is known to pass.
func (w *narrowing) levelsOf(b *bisection) []grouping.Level {
	if b != nil && len(b.sides) > 0 {
		return groupings["time"]
	}
	return w.levels
}

// between runs the rounds between the ends of p, a problem of the changes of
// best, which holds what was found before.
func (w *narrowing) between(ctx context.Context, best answer, p isolate.Problem) (answer, error) {
	limit := 0
	if most, limited := w.left(best.trials); limited {
		limit = max(1, most+knownEnds)
	}
	best.bad = failing(p)
	var err error
	best.result, best.said, err = w.round(ctx, best, p, limit, isolate.Search)
	best.trials += max(0, best.result.Trials-knownEnds)
	for _, how := range rounds[w.finest] {
		// Invariant: best is a whole answer of the rounds so far.
		if err != nil || !best.result.Minimal || best.coarse != "" {
			break
		}
		finer, starts, ok := best.set.Split(slices.Collect(best.result.Cause.All()), how)
		if !ok || how > changes.LongHunks && w.finest == "auto" && !worthwhile(best, starts) {
			continue
		}
		best, err = w.refine(ctx, best, finer, starts, how)
	}
	if err == nil && passing(p).IsEmpty() {
		best, err = w.trim(ctx, best)
	}
	return best, err
}

// trim leaves out groups of an answer that the failure does not need. It takes no trial if there is
// no context, and each member of the cause is known to be needed.
func (w *narrowing) trim(ctx context.Context, best answer) (answer, error) {
	found := best.result
	if w.options.Goal != isolate.Cause || found.Inseparable || found.Passing.IsEmpty() && found.Unproven.Len() < 2 {
		return best, nil
	}
	limit := 0
	if most, limited := w.left(best.trials + confirmations); limited {
		if limit = most + knownEnds; limit <= knownEnds {
			return best, nil
		}
	}
	p := problem(best.plan)
	p.Failing = found.Failing
	p.Predicted = carryLearned(p.Predicted, found.Learned, identity(p.N))
	round, mark := best, w.story.mark()
	var err error
	round.result, _, err = w.round(ctx, best, p, limit, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
		return isolate.Trim(ctx, p, found.Cause, test, opts)
	})
	best.trials += max(0, round.result.Trials-knownEnds)
	if err != nil {
		w.story.leave(mark, "it was cut short")
		if errors.Is(err, isolate.ErrBudget) {
			err = nil
		}
		return best, err
	}
	if r := &round.result; r.Passing == found.Passing { // its context was not trimmed
		proven := r.Context.Minus(r.ContextUnproven).Union(found.Context.Minus(found.ContextUnproven))
		r.Context = r.Context.Union(found.Context)
		r.ContextUnproven = r.Context.Minus(proven)
	}
	round.result.Algorithm, round.result.Why, round.trials = found.Algorithm, found.Why, best.trials
	return round, nil
}

// left is how many trials --max-trials leaves behind those of the present path;
// not limited without the flag.
func (w *narrowing) left(trials int) (left int, limited bool) {
	return w.options.MaxTrials - w.spent - trials, w.options.MaxTrials > 0
}

// noLimit is the value of --max-cost that bounds nothing.
const noLimit = -1

// cost is --max-cost as isolate.Options has it, where 0 is no limit.
func (s *settings) cost() int {
	switch s.maxCost {
	case noLimit:
		return 0
	case 0:
		return -1
	}
	return s.maxCost
}

// cost is what --max-cost leaves for the search that comes next, as isolate.Options has
// it: the flag is about all of them.
func (w *narrowing) cost() int {
	most := w.options.MaxCost
	if most == 0 {
		return 0
	}
	if most -= w.story.beyond(w.session.Records()); most > 0 {
		return most
	}
	return -1
}

// exhausted says whether the trials of the present path have spent --max-trials.
func (w *narrowing) exhausted(trials int) bool {
	left, limited := w.left(trials)
	return limited && left <= 0
}

// confirmations is how many trials confirm an answer, if they agree with it.
const confirmations = 2

// knownEnds are the two ends of a round, which were tested before it.
const knownEnds = 2

// A searchFunc is isolate.Search, or another search between the ends of a problem.
type searchFunc func(context.Context, isolate.Problem, isolate.Test, isolate.Options) (isolate.Result, error)

// round searches once between the ends of p, in at most maxTrials trials, and says what
// kept an inseparable result together. Where changes are lines, or within them, a mixture that does
// not parse is not tried.
func (w *narrowing) round(ctx context.Context, a answer, p isolate.Problem, maxTrials int, search searchFunc) (isolate.Result, []report.Diagnostic, error) {
	list(w.session, w.runner.Set(a.set), a)
	w.story.among(a, w.options.Goal)
	options := w.options
	options.Precheck = w.checking(func(c isolate.Configuration) bool { return w.runner.Rejected(a.set, c) })
	options.MaxTrials, options.MaxCost, options.Prefetch = maxTrials, w.cost(), w.runner.Prefetch(a.set)
	options.Learn = func(c isolate.Configuration) [][2]int {
		return w.runner.Learned(a.set, c, func(output []byte) [][2]int { return lessons(a.plan.Learn(c.All(), output)) })
	}
	var err error
	if p.Prior, err = prior(ctx, a, p, w.direction, w.runner); err != nil {
		return unknown(a.set), nil, err
	}
	wellformed := a.plan.Wellformed()
	defer wellformed.Close()
	if a.lines {
		broken := func(c isolate.Configuration) bool { return wellformed.Broken(c.All()) }
		if !broken(passing(p)) && !broken(failing(p)) { // both were judged
			p.Broken = broken
		}
	}
	read := w.diagnose(a, p)
	if suspects := failing(p).Len() - passing(p).Len(); suspects > fewSuspected {
		p.Affinity = affinity(a.plan)
		options.Diagnose = func(c isolate.Configuration) []isolate.Message { return messages(read(c)) }
		options.Check = func(c isolate.Configuration) []isolate.Message { return messages(wellformed.Check(c.All())) }
	}
	var unresolved []isolate.Configuration
	options.Observe = func(step isolate.Step) {
		if step.Outcome == isolate.Unresolved {
			unresolved = append(unresolved, step.Config)
		}
		if !step.Known {
			w.odds.add(step.Outcome)
		}
		w.view.step(a, step)
		w.story.step(step)
		if w.runner.Step(a.set, step.Config) {
			w.stop(errTrials)
		}
	}
	if w.surely {
		options.Doubt = func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
			holds, err := w.runner.Doubt(ctx, a.set, c, w.truly(o), odds)
			return w.hold(holds, err, applied(c), w.truly(o))
		}
	}
	result, err := search(ctx, p, towards(w.direction, w.runner.Test(a.set)), options)
	w.story.ended(result, err)
	var said []report.Diagnostic
	if result.Inseparable {
		said = saidBetween(result, unresolved, read)
	}
	return result, said, err
}

// plan groups the changes of a set; by commit only when blame says of each
// which commit made it.
func plan(ctx context.Context, set *changes.Set, levels []grouping.Level) (*grouping.Plan, error) {
	if slices.Contains(levels, grouping.Commit) {
		all := make([]int, set.Len())
		for i := range all {
			all[i] = i
		}
		if err := set.Blame(ctx, all); err != nil {
			return nil, err
		}
	}
	return grouping.New(ctx, set, grouping.Options{By: levels})
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
