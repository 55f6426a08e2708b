package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// errTrials says that --max-trials were spent, with --confidence.
var errTrials = fmt.Errorf("%w: --max-trials", isolate.ErrBudget)

// settled searches, and with --confidence repeats the trials that the answer
// rests on until it is right with that probability. When one of them turns out
// otherwise, search runs again: all that was asked before is known, so that it
// goes on from where it went wrong. With an error comes the best answer so far,
// with the confidence reached.
func (w *narrowing) settled(ctx context.Context, search func() (answer, error)) (answer, error) {
	mark := w.story.mark()
	for {
		w.story.back(mark)
		w.odds.reset()
		found, err := search()
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		if err == nil && found.plan != nil && !w.surely {
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
			w.view.found(found)
		}
		if !w.surely || found.plan == nil {
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
func (w *narrowing) weigh(ctx context.Context, a *answer) (holds bool, err error) {
	claim := func(c isolate.Configuration, o isolate.Outcome) trial.Claim {
		return trial.Claim{Set: a.set, Config: c, Want: w.truly(o)}
	}
	sides, err := w.cleared(ctx, a)
	if err != nil {
		return false, err
	}
	var claims []trial.Claim
	for _, e := range a.result.Witnesses {
		claims = append(claims, claim(e.Config, e.Outcome))
	}
	if b := a.commits; b != nil && b.known() && b.tested[b.from.Tree] && b.tested[b.to.Tree] { // the report names them, too
		n := a.set.Len()
		for _, c := range []trial.Claim{claim(isolate.Empty(n), isolate.Pass), claim(isolate.Full(n), isolate.Fail)} {
			if !slices.Contains(claims, c) { // else it would be told twice when it turns
				claims = append(claims, c)
			}
		}
	}
	lines := len(claims) // behind them those about the sides of a merge
	for _, side := range sides {
		claims = append(claims, trial.Claim{Set: side, Config: isolate.Full(side.Len()), Want: w.outside(isolate.Pass)})
	}
	settled, err := w.runner.Settle(ctx, claims)
	a.confidence = max(0, 1-settled.Total)
	if len(settled.Risk) == 0 { // it was not even begun
		a.confidence = 0
	}
	a.sure = nil
	for i := range a.result.Cause.All() {
		risk := 1.0
		for k, e := range a.result.Witnesses {
			if k < len(settled.Risk) && e.Needed.N() > 0 && e.Needed.Has(i) {
				risk = min(1, settled.Risk[0]+settled.Risk[k])
			}
		}
		a.sure = append(a.sure, 1-risk)
	}
	for _, k := range settled.Turned {
		c := claims[k]
		what := applied(c.Config)
		if k >= lines {
			what = "commit " + short(sides[k-lines].Bad.Commit)
		}
		_, _ = w.hold(false, nil, what, c.Want)
	}
	return settled.Holds, err
}

// hold tells the user when what was tried again does not hold, and once what may
// be behind that: two failures that are taken for one contradict each other as a
// flaky test does, and cost far more.
func (w *narrowing) hold(holds bool, err error, what string, o isolate.Outcome) (bool, error) {
	if err == nil && !holds {
		w.view.note(fmt.Sprintf("%s: tried again, this does not %v after all; going back to where the search relied on it", what, o))
		if others := otherExitsOf(w.session.Records(), w.failing); others.others > 0 && !w.apart && w.runner.OutputVaries() {
			w.apart = true
			w.view.note("hint: " + others.String())
		}
	}
	return holds, err
}

// truly is an outcome of the search as the command has it.
func (w *narrowing) truly(o isolate.Outcome) isolate.Outcome {
	if w.direction == trial.Fix {
		return turned(o)
	}
	return o
}

// cleared are the sides of a merge that an answer says fail only together, each
// as the difference of the older end and its tip. One that was cleared by mistake
// has the culprit.
func (w *narrowing) cleared(ctx context.Context, a *answer) ([]*changes.Set, error) {
	if a.commits == nil {
		return nil, nil
	}
	h, from := w.history, a.commits.from
	var sides []*changes.Set
	for _, id := range a.commits.sides {
		tip, err := h.repo.CommitOf(ctx, id)
		if err != nil {
			return nil, err
		}
		if tip.Tree == from.Tree {
			continue // it is settled as that
		}
		side, err := changes.Between(ctx, h.repo, string(from.ID), string(id), changes.Options{})
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}

// rates says how often the test was wrong at the ends.
func rates(f trial.Flakiness) string {
	return fmt.Sprintf("how steady the test is: good %v; bad %v", f.Good, f.Bad)
}

// flaky is what a report says of how steady the test is.
func (s *judging) flaky(f trial.Flakiness) report.Flaky {
	r := report.Flaky{Wanted: s.confidence}
	if f.Good.Total() > 0 {
		r.Good, r.Bad = tries(f.Good), tries(f.Bad)
		r.Passing, r.Failing = tries(f.Passing), tries(f.Failing)
		r.WrongFail, r.WrongPass = f.WrongFail, f.WrongPass
	}
	for _, t := range f.Torn {
		r.Torn = append(r.Torn, report.Torn{Tree: string(t.Tree), Trials: t.Trials, Outcomes: words(t.Outcomes)})
	}
	return r
}

func tries(t isolate.Tally) report.Tries {
	return report.Tries{Pass: t.Pass, Fail: t.Fail, Unresolved: t.Unresolved}
}

func words(outcomes []isolate.Outcome) []string {
	list := make([]string, len(outcomes))
	for i, o := range outcomes {
		list[i] = o.String()
	}
	return list
}
