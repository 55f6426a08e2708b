package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A further answer stands beside the first one.
type further struct {
	answer
	relation report.Relation
	verified bool
}

// others goes on behind a confirmed answer, for --all: to the earlier change
// that a commit's cause may take beside it, and to causes that are independent
// of it. What it finds is added to the answer. When it is cut short the error
// says so, and the answer holds what was found until then.
func (w *narrowing) others(ctx context.Context, whole *changes.Set, first *answer) error {
	if err := w.earlier(ctx, whole, first); err != nil {
		return err
	}
	return w.independent(ctx, whole, first)
}

// earlier puts the cause that was found in one commit on the older end, with
// what it requires and nothing else. When that passes, the cause makes a
// difference only on top of an earlier change, which is looked for between
// there and the commit.
func (w *narrowing) earlier(ctx context.Context, whole *changes.Set, first *answer) error {
	if w.history == nil || w.history.back || !first.commits.known() || first.commits.from.ID == whole.Good.Commit {
		return nil
	}
	set, err := w.history.cut(ctx, whole.Good.Commit, first.commits.to.ID)
	if err != nil {
		return err
	}
	members, ok := set.Counterparts(first.set, slices.Collect(first.result.Cause.All()))
	if !ok {
		return nil // some of it puts back what good has
	}
	plan, err := plan(ctx, set, w.levels)
	if err != nil {
		return err
	}
	p := problem(plan)
	core := p.With(isolate.Of(p.N, members...))
	if core == isolate.Full(p.N) {
		return nil
	}
	w.view.note("testing the cause without the commits before it")
	outcome, err := w.outcome(ctx, first, answer{set: set, plan: plan}, p, core)
	if err != nil {
		return err
	}
	if w.direction == trial.Fix {
		first.alone = turned(outcome).String()
	} else {
		first.alone = outcome.String()
	}
	if outcome != isolate.Pass {
		return nil
	}
	w.view.note("the cause takes an earlier change as well: looking for it")
	p.Passing = core
	return w.add(ctx, first, answer{set: set, plan: plan}, p, report.Interacting)
}

// outcome tests one configuration of a set, at the cost of a trial: the passing
// end of p is known.
func (w *narrowing) outcome(ctx context.Context, first *answer, a answer, p isolate.Problem, c isolate.Configuration) (isolate.Outcome, error) {
	mark := w.story.mark()
	for {
		w.story.back(mark)
		outcome, err := w.ask(ctx, first, a, p, c)
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		if err != nil || !w.surely {
			return outcome, err
		}
		// Behind it may stand that there is nothing else: it is settled as an answer is.
		settled, err := w.runner.Settle(ctx, []trial.Claim{{Set: a.set, Config: c, Want: w.truly(outcome)}})
		if err != nil || settled.Holds {
			return outcome, err
		}
	}
}

func (w *narrowing) ask(ctx context.Context, first *answer, a answer, p isolate.Problem, c isolate.Configuration) (isolate.Outcome, error) {
	if w.exhausted(first.trials) {
		return isolate.Unresolved, isolate.ErrBudget
	}
	p.Failing = c
	w.story.looksFor(1 + len(first.further))
	w.story.asks(true)
	result, _, err := w.round(ctx, a, p, knownEnds, isolate.Search)
	w.story.asks(false)
	first.trials += max(0, result.Trials-1)
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
func (w *narrowing) independent(ctx context.Context, whole *changes.Set, first *answer) error {
	last, gone := *first, first.result.Cause
	if first.set.Good.Tree != whole.Good.Tree || first.set.Bad.Tree != whole.Bad.Tree {
		var err error
		if last, gone, err = w.elsewhere(ctx, whole, first); err != nil {
			return err
		}
		if gone.IsEmpty() {
			w.view.note(fmt.Sprintf("causes that are independent of it were not looked for: later commits left nothing of it in %s", whole.Bad.Rev))
			return nil
		}
	}
	for {
		// Invariant: last.bad fails, and all causes found so far but those in gone were taken out of it.
		p := problem(last.plan)
		p.Failing = p.Without(last.bad, gone)
		if p.Failing.IsEmpty() {
			return nil
		}
		w.view.note("looking for a cause that is independent of those found")
		next := answer{set: last.set, plan: last.plan}
		if outcome, err := w.outcome(ctx, first, next, p, p.Failing); err != nil || outcome != isolate.Fail {
			return err
		}
		before := len(first.further)
		if err := w.add(ctx, first, next, p, report.Independent); err != nil || len(first.further) == before {
			return err
		}
		last = first.further[before].answer
		gone = last.result.Cause
	}
}

// elsewhere finds the cause of a commit in the difference of the user's ends: of
// what the commit made in the same file, by either name of it, the changes that
// hold the texts of the cause; all of that where later commits went over them.
func (w *narrowing) elsewhere(ctx context.Context, whole *changes.Set, first *answer) (answer, isolate.Configuration, error) {
	gone := isolate.Empty(whole.Len())
	culprits := map[git.ID]bool{}
	for _, c := range first.commits.left {
		culprits[c.ID] = true
	}
	for i := range first.result.Cause.All() {
		member := &first.set.Changes[i]
		var same []int
		for j := range whole.Changes {
			if c := &whole.Changes[j]; c.Path == member.Path || c.OldPath == member.Path || c.OldPath == member.OldPath {
				same = append(same, j)
			}
		}
		if err := whole.Blame(ctx, same); err != nil {
			return answer{}, gone, err
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
	plan, err := plan(ctx, whole, w.levels)
	return answer{set: whole, plan: plan, bad: isolate.Full(whole.Len())}, gone, err
}

// add searches between the ends of p, which were tested, and adds what it finds
// to the first answer, confirmed; nothing if they no longer differ.
func (w *narrowing) add(ctx context.Context, first *answer, a answer, p isolate.Problem, relation report.Relation) error {
	a.trials = first.trials
	w.story.looksFor(1 + len(first.further))
	if w.exhausted(a.trials) {
		return isolate.ErrBudget
	}
	found, err := w.settled(ctx, func() (answer, error) { return w.between(ctx, a, p) })
	first.trials = found.trials
	var ends *isolate.EndsError
	if errors.As(err, &ends) {
		return nil
	}
	if err != nil {
		return err
	}
	v, err := w.confirm(ctx, found)
	if err == nil {
		found.built = v.built
		first.further = append(first.further, further{found, relation, v.verified})
	}
	return err
}

// concludeFurther makes what a report says of a further answer, and keeps the
// trees of its ends.
func (a *app) concludeFurther(ctx context.Context, repo *git.Repo, session *trial.Session, f further, facts report.Facts) (report.Further, error) {
	if err := f.set.Blame(ctx, blamed(f.answer, report.Isolated)); err != nil {
		return report.Further{}, err
	}
	scratch, err := answerStore(repo, session)
	if err != nil {
		return report.Further{}, err
	}
	without, with, err := ends(ctx, f.answer, scratch)
	if err != nil {
		return report.Further{}, err
	}
	facts.BadLine = placed(ctx, repo, f.answer, facts.Whole.Bad)
	facts.Whole, facts.History, facts.Further, facts.Place = nil, nil, nil, nil
	facts.Without, facts.With = string(without.ID), string(with.ID)
	facts.Symbols, facts.Verified = f.plan.Symbols, f.verified
	if f.sure != nil {
		facts.Confidence, facts.Sure = f.confidence, f.sure
	}
	if err := doubt(f.answer, repo.Prefix(), &facts); err != nil {
		return report.Further{}, err
	}
	return report.New(f.set, f.result, facts).AsFurther(f.relation), nil
}
