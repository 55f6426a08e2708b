package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// errTrials says that Options.MaxTrials were spent, with trial.Options.Confidence.
var errTrials = fmt.Errorf("%w: --max-trials", isolate.ErrBudget)

// settled searches, and with trial.Options.Confidence repeats the trials that the answer
// rests on until it is right with that probability. When one of them turns out
// otherwise, search runs again: all that was asked before is known, so that it
// goes on from where it went wrong. With an error comes the best answer so far,
// with the confidence reached. Without
// trial.Options.Confidence the search also runs again after rerun or spurious has changed an outcome.
func (w *searcher) settled(ctx context.Context, search func() (Answer, error)) (Answer, error) {
	mark := w.stage
	for {
		w.observe(Rewound{mark})
		w.odds.reset()
		found, err := search()
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		if err == nil && found.Plan != nil && !w.surely() {
			decided, err := w.rerun(ctx, &found)
			if err != nil {
				return found, err
			}
			if !decided {
				decided, err = w.spurious(found)
			}
			if err != nil {
				return found, err
			}
			if decided {
				continue
			}
		}
		if err == nil {
			w.settle(found)
		}
		if !w.surely() || found.Plan == nil {
			return found, err
		}
		if err != nil { // cut short: how sure it is costs no trial any more
			over, cancel := context.WithCancel(ctx)
			cancel()
			_, _ = w.weigh(over, &found)
			return found, err
		}
		if holds, err := w.weigh(ctx, &found); err != nil || holds {
			return found, err
		}
	}
}

// weigh settles what an answer rests on, and enters how sure it is. It says what
// turned out otherwise.
func (w *searcher) weigh(ctx context.Context, a *Answer) (holds bool, err error) {
	claim := func(c isolate.Configuration, o isolate.Outcome) trial.Claim {
		return trial.Claim{Set: a.Set, Config: c, Want: w.truly(o)}
	}
	sides, err := w.cleared(ctx, a)
	if err != nil {
		return false, err
	}
	var claims []trial.Claim
	for _, e := range a.Result.Evidence {
		claims = append(claims, claim(e.Config, e.Outcome))
	}
	if b := a.Commits; b != nil && b.Narrowed() && b.tested[b.From.Tree] && b.tested[b.To.Tree] { // the report names them, too
		n := a.Set.Len()
		for _, c := range []trial.Claim{claim(isolate.Empty(n), isolate.Pass), claim(isolate.Full(n), isolate.Fail)} {
			if !slices.Contains(claims, c) { // else it would be told twice when it turns
				claims = append(claims, c)
			}
		}
	}
	lines := len(claims) // the claims after these are about the sides of a merge
	for _, side := range sides {
		claims = append(claims, trial.Claim{Set: side, Config: isolate.Full(side.Len()), Want: w.outside(isolate.Pass)})
	}
	settled, err := w.Runner.Settle(ctx, claims)
	a.Confidence = max(0, 1-settled.Total)
	if len(settled.Risk) == 0 { // it was not even begun
		a.Confidence = 0
	}
	a.Sure = nil
	for i := range a.Result.Cause.All() {
		risk := 1.0
		for k, e := range a.Result.Evidence {
			if k < len(settled.Risk) && e.Needed.N() > 0 && e.Needed.Has(i) {
				risk = min(1, settled.Risk[0]+settled.Risk[k])
			}
		}
		a.Sure = append(a.Sure, 1-risk)
	}
	for _, k := range settled.Turned {
		c := claims[k]
		what := Applied(c.Config)
		if k >= lines {
			what = "commit " + sides[k-lines].Bad.Commit.Short()
		}
		_, _ = w.hold(false, nil, what, c.Want)
	}
	return settled.Holds, err
}

// hold tells the observer when what was tried again does not hold.
func (w *searcher) hold(holds bool, err error, what string, o isolate.Outcome) (bool, error) {
	if err == nil && !holds {
		w.note(fmt.Sprintf("%s: tried again, this does not %v after all; going back to where the search relied on it", what, o))
		w.observe(Contradicted{})
	}
	return holds, err
}

// truly is an outcome of the search as the command has it.
func (w *searcher) truly(o isolate.Outcome) isolate.Outcome {
	if w.direction == trial.Fix {
		return o.Opposite()
	}
	return o
}

// cleared are the sides of a merge that an answer says fail only together, each
// as the difference of the older end and its tip. One that was cleared by mistake
// has the culprit.
func (w *searcher) cleared(ctx context.Context, a *Answer) ([]*changes.Set, error) {
	if a.Commits == nil {
		return nil, nil
	}
	h, from := w.history, a.Commits.From
	var sides []*changes.Set
	for _, id := range a.Commits.Sides {
		tip, err := h.repo.CommitOf(ctx, id)
		if err != nil {
			return nil, err
		}
		if tip.Tree == from.Tree {
			continue // claimed as the passing end already
		}
		side, err := changes.Between(ctx, h.repo, string(from.ID), string(id), changes.Options{Cut: grouping.Cut, Constructs: grouping.Constructs})
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}
