package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// others goes on after a confirmed answer, for Options.All: to the earlier change
// that a commit's cause may take beside it, and to causes that are independent
// of it. What it finds is added to the answer. When it is cut short the error
// says so, and the answer holds what was found until then.
func (w *searcher) others(ctx context.Context, whole *changes.Set, first *Answer) error {
	if err := w.earlier(ctx, whole, first); err != nil {
		return err
	}
	return w.independent(ctx, whole, first)
}

// earlier puts the cause that was found in one commit on the older end, with
// what it requires and nothing else. When that passes, the cause makes a
// difference only on top of an earlier change, which is looked for between
// there and the commit.
func (w *searcher) earlier(ctx context.Context, whole *changes.Set, first *Answer) error {
	if w.history == nil || w.history.back || !first.Commits.Narrowed() || first.Commits.From.ID == whole.Good.Commit {
		return nil
	}
	set, err := w.history.cut(ctx, whole.Good.Commit, first.Commits.To.ID)
	if err != nil {
		return err
	}
	members, ok := set.Counterparts(first.Set, slices.Collect(first.Result.Cause.All()))
	if !ok {
		return nil // some of it puts back what good has
	}
	plan, err := w.plan(ctx, set, w.Groups)
	if err != nil {
		return err
	}
	p := problem(plan)
	core := p.With(isolate.Of(p.N, members...))
	if core == isolate.Full(p.N) {
		return nil
	}
	w.note("testing the cause without the commits before it")
	outcome, err := w.outcome(ctx, first, Answer{Set: set, Plan: plan}, p, core)
	if err != nil {
		return err
	}
	if w.direction == trial.Fix {
		first.Alone = outcome.Opposite().String()
	} else {
		first.Alone = outcome.String()
	}
	if outcome != isolate.Pass {
		return nil
	}
	w.note("the cause takes an earlier change as well: looking for it")
	p.Passing = core
	return w.add(ctx, first, Answer{Set: set, Plan: plan}, p, Interacting)
}

// outcome tests one configuration of a set, at the cost of a trial: the passing
// end of p is known.
func (w *searcher) outcome(ctx context.Context, first *Answer, a Answer, p isolate.Problem, c isolate.Configuration) (isolate.Outcome, error) {
	mark := w.stage
	return isolate.UntilSettled(func() (isolate.Outcome, error) {
		w.observe(Rewound{mark})
		return w.ask(ctx, first, a, p, c)
	}, func(outcome isolate.Outcome) (bool, error) {
		if !w.surely() {
			return true, nil
		}
		// The answer may rest on it that there is nothing else: it is settled as an answer is.
		settled, err := w.Runner.Settle(ctx, []trial.Claim{{Set: a.Set, Config: c, Want: w.truly(outcome)}})
		return settled.Holds, err
	})
}

func (w *searcher) ask(ctx context.Context, first *Answer, a Answer, p isolate.Problem, c isolate.Configuration) (isolate.Outcome, error) {
	if w.exhausted(first.Trials) {
		return isolate.Unresolved, isolate.ErrBudget
	}
	w.number = 1 + len(first.Further)
	return w.askOnce(ctx, &first.Trials, a, p, c)
}

// askOnce returns the outcome of one configuration of a set, and adds its trial to trials if it was not known.
func (w *searcher) askOnce(ctx context.Context, trials *int, a Answer, p isolate.Problem, c isolate.Configuration) (isolate.Outcome, error) {
	p.Failing = c
	w.one = true
	result, _, err := w.round(ctx, a, p, knownEnds, isolate.Search)
	w.one = false
	*trials += max(0, result.Trials-1)
	var ends *isolate.EndsError
	switch {
	case errors.As(err, &ends):
		return ends.Bad, nil
	case err == nil, errors.Is(err, isolate.ErrBudget): // its ends are as they should be
		return isolate.Fail, nil
	}
	return isolate.Unresolved, err
}

// independent takes out of the newer end all that was found, with what
// requires it, and searches what is left as long as it fails.
func (w *searcher) independent(ctx context.Context, whole *changes.Set, first *Answer) error {
	last, gone := *first, first.Result.Cause
	if first.Set.Good.Tree != whole.Good.Tree || first.Set.Bad.Tree != whole.Bad.Tree {
		var err error
		if last, gone, err = w.elsewhere(ctx, whole, first); err != nil {
			return err
		}
		if gone.IsEmpty() {
			w.note(fmt.Sprintf("causes that are independent of it were not looked for: later commits left nothing of it in %s", whole.Bad.Rev))
			return nil
		}
	}
	for {
		// Invariant: last.bad fails, and all causes found so far but those in gone were taken out of it.
		p := problem(last.Plan)
		p.Failing = p.Without(last.bad, gone)
		if p.Failing.IsEmpty() {
			return nil
		}
		w.note("looking for a cause that is independent of those found")
		next := Answer{Set: last.Set, Plan: last.Plan}
		if outcome, err := w.outcome(ctx, first, next, p, p.Failing); err != nil || outcome != isolate.Fail {
			return err
		}
		before := len(first.Further)
		if err := w.add(ctx, first, next, p, Independent); err != nil || len(first.Further) == before {
			return err
		}
		last = first.Further[before].Answer
		gone = last.Result.Cause
	}
}

// elsewhere finds the cause of a commit in the difference of the user's ends: of
// what the commit made in the same file, by either name of it, the changes that
// hold the texts of the cause; all of that where later commits went over them.
func (w *searcher) elsewhere(ctx context.Context, whole *changes.Set, first *Answer) (Answer, isolate.Configuration, error) {
	gone := isolate.Empty(whole.Len())
	culprits := map[git.ID]bool{}
	for _, c := range first.Commits.Left {
		culprits[c.ID] = true
	}
	for i := range first.Result.Cause.All() {
		member := &first.Set.Changes[i]
		var same []int
		for j := range whole.Changes {
			if c := &whole.Changes[j]; c.Path == member.Path || c.OldPath == member.Path || c.OldPath == member.OldPath {
				same = append(same, j)
			}
		}
		if err := whole.Blame(ctx, same); err != nil {
			return Answer{}, gone, err
		}
		made := slices.DeleteFunc(same, func(j int) bool {
			return !slices.ContainsFunc(whole.Changes[j].Commits, func(c changes.Commit) bool { return culprits[c.ID] })
		})
		holding := slices.DeleteFunc(slices.Clone(made), func(j int) bool {
			c := &whole.Changes[j]
			return c.Kind != member.Kind || !bytes.Contains(c.Old, member.Old) || !bytes.Contains(c.New, member.New)
		})
		if len(holding) == 0 {
			holding = made
		}
		gone = gone.With(holding...)
	}
	plan, err := w.plan(ctx, whole, w.Groups)
	return Answer{Set: whole, Plan: plan, bad: isolate.Full(whole.Len())}, gone, err
}

// add searches between the ends of p, which were tested, and adds what it finds
// to the first answer, confirmed; nothing if they no longer differ.
func (w *searcher) add(ctx context.Context, first *Answer, a Answer, p isolate.Problem, relation Relation) error {
	a.Trials = first.Trials
	w.number = 1 + len(first.Further)
	if w.exhausted(a.Trials) {
		return isolate.ErrBudget
	}
	found, err := w.settled(ctx, func() (Answer, error) { return w.between(ctx, a, p, begin{Problem: p}) })
	first.Trials = found.Trials
	if _, ok := errors.AsType[*isolate.EndsError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	v, err := w.confirm(ctx, found)
	if err == nil {
		found.Built = v.built
		first.Further = append(first.Further, Further{found, relation, v.Verified})
	}
	return err
}
