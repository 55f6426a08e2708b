package search

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// confirmed searches for an answer and then tests both configurations of it again in a fresh or a cleaned
// workspace, see trial.Confirmation. If that disagrees with the search, files that one trial left for the next may be the reason: the
// search is repeated with a clean workspace for each trial. A test that both passes and fails in
// clean workspaces is flaky, which is an error.
//
// With trial.Options.Confidence a single trial is no contradiction: each is tried in fresh workspaces until
// its outcome is as certain as the rest of the answer.
func (w *searcher) confirmed(ctx context.Context, set *changes.Set) (Answer, Verdict, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.stop = stop
	w.before = w.stage
	found, v, err := w.searchUntilConfirmed(ctx, set)
	if err != nil && context.Cause(ctx) == errTrials {
		err = errTrials
	}
	return found, v, err
}

// searchWhole goes from the beginning to an answer, and tells the observer to forget earlier paths.
func (w *searcher) searchWhole(ctx context.Context, set *changes.Set) (Answer, error) {
	w.observe(Rewound{w.before})
	return w.settled(ctx, func() (Answer, error) { return w.isolate(ctx, set) })
}

func (w *searcher) searchUntilConfirmed(ctx context.Context, set *changes.Set) (Answer, Verdict, error) {
	again := ""
	for {
		// Invariant: w.spent are the trials on earlier paths that count, and confirmations. A path that begins
		// again with what it knows asks for most of its trials again, so that these are not counted twice.
		found, err := w.searchWhole(ctx, set)
		if ends, ok := errors.AsType[*isolate.EndsError](err); ok { // runner.Ends has seen them differ
			now := trial.Ends{Good: trial.Verdict{Outcome: ends.Good}, Bad: trial.Verdict{Outcome: ends.Bad}}
			if w.direction == trial.Fix {
				now.Good.Outcome, now.Bad.Outcome = ends.Good.Opposite(), ends.Bad.Opposite()
			}
			return w.withheld(set, now)
		}
		if err != nil {
			return found, Verdict{}, err
		}
		if on, err := w.undone(ctx, found); err != nil {
			return found, Verdict{}, err
		} else if on {
			continue
		}
		v, err := w.confirm(ctx, found)
		v.Again = again
		if err == nil && v.Holds() {
			if err = w.repair(ctx, w.repairable(set), &found); err != nil {
				return found, v, err
			}
			if !found.Repairs() {
				if on, err := w.overtaken(ctx, found); err != nil {
					return found, v, err
				} else if on {
					continue
				}
			}
			if !w.repairsAlone(found) && w.line == nil {
				// The confirmation is compared, too: a build in a fresh workspace prints the
				// warnings of all files.
				spurious, err := w.spurious(found)
				if err != nil {
					return found, v, err
				}
				if spurious {
					continue
				}
				if found, v, err = w.expectMessage(ctx, set, found, v); err != nil {
					return found, v, err
				}
			}
		}
		switch {
		case err == nil && v.Holds() && w.line != nil:
			return found, v, nil
		case err == nil && v.Holds() && w.All:
			return found, v, w.others(ctx, set, &found)
		case err == nil && v.Holds():
			if err := w.fault(ctx, &found); err != nil {
				return found, v, err
			}
			return found, v, w.linesWithin(ctx, &found)
		case err != nil:
			return found, v, err
		case w.trials.Clean || again != "":
			return found, v, ErrWithheld
		}
		if w.spent += found.Trials; w.exhausted(0) {
			return found, v, isolate.ErrBudget
		}
		again = v.Reason
		w.note(v.Reason + "; searching again with every trial in a clean workspace")
		w.Runner.Distrust()
		// The failure at the failing end, which others are compared with, may have
		// been that of a stale workspace.
		now, err := w.Runner.Ends(ctx, set)
		var equal *trial.EndsError
		switch {
		case errors.As(err, &equal), err == nil && now.Direction != w.direction:
			return w.withheld(set, now)
		case err != nil:
			return found, v, err
		}
		w.ends = now
		w.observe(EndsTested{now})
	}
}

// spurious reports whether the failing configuration of an answer printed a diagnostic that no commit prints.
// Then such failures are unresolved from now on, and the search goes on from what it knows.
func (w *searcher) spurious(a Answer) (bool, error) {
	if w.surely() || w.Lenient || a.Plan == nil {
		return false, nil
	}
	failing := a.Failing(w.direction)
	line, err := w.Runner.RejectSpurious(a.Set, failing)
	if err != nil || line == "" {
		return false, err
	}
	w.note(fmt.Sprintf("with %s the test prints %s, which no commit prints: searching on without such failures", Applied(failing), prose.Quote(line)))
	return true, nil
}

// expectMessage looks for a better answer than a, which is confirmed, if the test prints another error,
// message or value with the cause of a than at the failing end. It searches again, and a failure of a
// mixture counts only if it prints the line of the failing end. Outcomes that are known cost no
// trial, but count towards the limit, 3*a.Trials + 20, and twice as many if few suspects are left then. Changes that
// could not be told apart are a better answer, too, if they are few or the failing revision passes without them: the
// test fails with them as at the failing end. If there is no better answer, expectMessage returns a and v.
func (w *searcher) expectMessage(ctx context.Context, set *changes.Set, a Answer, v Verdict) (Answer, Verdict, error) {
	if w.surely() || w.Lenient || w.All || w.options.MaxTrials > 0 || w.options.Goal != isolate.Cause {
		return a, v, nil
	}
	failing := a.Failing(w.direction)
	got, want, _, err := w.Runner.OtherMessage(a.Set, failing, 2)
	if err != nil || got == "" {
		return a, v, err
	}
	if ok, err := w.Runner.Expect(ctx, want); err != nil || !ok {
		return a, v, err
	}
	here, there := prose.BriefApart(got, want)
	w.note(fmt.Sprintf("with %s the test prints %s, at the failing end %s: searching on for failures that print the latter",
		Applied(failing), prose.Quote(here), prose.Quote(there)))
	limit := 3*(a.Trials+w.jointly) + 20
	w.options.MaxTrials = w.spent + limit
	better, err := w.searchWhole(ctx, set)
	if errors.Is(err, isolate.ErrBudget) && better.Result.Cause.Len() <= fewSuspects {
		w.options.MaxTrials += limit
		better, err = w.searchWhole(ctx, set)
	}
	var confirmed Verdict
	if err == nil && (better.Result.Minimal || better.Result.Inseparable) {
		confirmed, err = w.confirm(ctx, better)
	}
	w.options.MaxTrials = 0
	if err == nil && confirmed.Holds() {
		confirmed.Again = v.Again
		if !better.Result.Inseparable || better.Result.Cause.Len() <= fewTogether {
			if err = w.Runner.RecordUnexpected(); err == nil {
				err = w.repair(ctx, set, &better)
			}
			return better, confirmed, err
		}
		if err = w.repair(ctx, set, &better); err == nil && better.Repairs() {
			return better, confirmed, w.Runner.RecordUnexpected()
		}
	}
	w.Runner.ExpectNothing()
	if err != nil && !errors.Is(err, isolate.ErrBudget) {
		return a, v, err
	}
	w.note("that led to no better answer: all failures count again")
	// The outcomes are known, so that this takes no trial: it makes the path that of a again.
	again, err := w.searchWhole(ctx, set)
	again.Repaired, again.RestOfHunks, again.Dependents = a.Repaired, a.RestOfHunks, a.Dependents
	return again, v, err
}

// fewSuspects is how many suspects a search should go on with beyond its limit: it is nearly done.
const fewSuspects = 64

// fewTogether is how many changes that could not be told apart are read through more easily than an answer of another failure.
const fewTogether = 16

// withheld says that in clean workspaces the ends are now, which contradicts what the search began with.
func (w *searcher) withheld(set *changes.Set, now trial.Ends) (Answer, Verdict, error) {
	var v Verdict
	var seen []string
	for _, end := range []struct {
		name    string
		was, is trial.Verdict
	}{{"good", w.ends.Good, now.Good}, {"bad", w.ends.Bad, now.Bad}} {
		if end.was.Outcome != end.is.Outcome && end.was.Trial > 0 && end.is.Trial > 0 {
			seen = append(seen, fmt.Sprintf("%s gave %v in trial %d, but %v in trial %d", end.name, end.was.Outcome, end.was.Trial, end.is.Outcome, end.is.Trial))
			v.About = append(v.About, end.was.Trial, end.is.Trial)
		}
	}
	v.Reason = strings.Join(seen, ", and ") + ", in a clean workspace: the test may be flaky"
	if len(seen) == 0 {
		v.Reason = fmt.Sprintf("with every trial in a clean workspace the outcome is %v at good and %v at bad", now.Good.Outcome, now.Bad.Outcome)
	}
	return Answer{Set: set, Result: unknown(set)}, v, ErrWithheld
}

// endOdds are the odds that an end of the answer has the wrong outcome, given the outcomes on the
// path so far and assuming that one trial in ten is wrong: passing are the odds that the passing
// end really fails, failing the odds that the failing end really passes.
//
// An end has been tried once, so its odds start at one in ten. About half of the trials of a search
// pass. But if the failing end failed only by mistake, no configuration that is left really fails,
// and all later trials pass except for further mistakes. So each pass increases the odds of the
// failing end, and each failure decreases them. For the passing end it is the other way round.
// Unresolved outcomes change neither.
type endOdds struct{ passing, failing float64 }

const (
	errorRate      = 0.1                         // assumed share of trials with the wrong outcome
	oppositeFactor = (1 - errorRate) / 0.5       // of the odds, for an outcome of the other kind
	sameFactor     = errorRate / 0.5             // for an outcome of the same kind
	confirmFactor  = errorRate / (1 - errorRate) // for a further trial of the end that agrees
	doubtful       = 0.03                        // an end with higher odds is tested again
	maxOdds        = 20                          // a cause of several changes gives equal outcomes, too
)

// reset starts with the two ends of a search.
func (o *endOdds) reset() { *o = endOdds{errorRate, errorRate} }

// add counts an outcome on the path. The configuration may become an end of the answer, so the
// odds are those that this trial, or an earlier one with the same outcome, was a mistake.
func (o *endOdds) add(outcome isolate.Outcome) {
	switch outcome {
	case isolate.Pass:
		o.failing = min(o.failing*oppositeFactor, maxOdds)
		o.passing = o.passing*sameFactor + errorRate
	case isolate.Fail:
		o.passing = min(o.passing*oppositeFactor, maxOdds)
		o.failing = o.failing*sameFactor + errorRate
	}
}

// confirmedOdds are the odds of the passing and of the failing end after a trial that confirms it.
func (w *searcher) confirmedOdds() []float64 {
	return []float64{w.odds.passing * confirmFactor, w.odds.failing * confirmFactor}
}

// An endOfAnswer is one of both configurations of an answer, with the outcome that the search has seen.
type endOfAnswer struct {
	config isolate.Configuration
	want   isolate.Outcome
}

// endsOf returns the passing and the failing configuration of an answer.
func (w *searcher) endsOf(a Answer) []endOfAnswer {
	without, with := isolate.Pass, isolate.Fail
	if w.direction == trial.Fix {
		without, with = with, without
	}
	return []endOfAnswer{{a.Result.Passing, without}, {a.Result.Failing, with}}
}

// noteOnceMore says that an end of an answer that is confirmed is tested once more, unless the journal has that trial.
func (w *searcher) noteOnceMore(a Answer, end endOfAnswer, cleaned bool) {
	if w.Runner.HasConfirmed(a.Set, end.config) {
		return
	}
	where := "another fresh"
	if cleaned {
		where = "a cleaned"
	}
	w.note(fmt.Sprintf("in case the test is flaky, once more in %s workspace: %s (%v)", where, Applied(end.config), end.want))
}

// confirmDoubtful tests the end of an answer that is confirmed once more: the one with the higher odds of a
// mistake, however low they are. It replaces the trial of the failing revision without the cause, which
// mostly fails where the test is flaky and the answer wrong. An outcome other than the expected one is a
// *trial.FlakyError.
func (w *searcher) confirmDoubtful(ctx context.Context, a Answer) error {
	if w.Unconfirmed || !w.once() || w.line != nil {
		return nil
	}
	ends, odds := w.endsOf(a), w.confirmedOdds()
	for i := range odds {
		for odds[i] > doubtful { // as often as confirm has tested it
			odds[i] *= confirmFactor
		}
	}
	end := ends[0]
	if odds[1] > odds[0] {
		end = ends[1]
	}
	w.noteOnceMore(a, end, w.cleaned)
	w.spent++
	_, err := w.Runner.Confirm(ctx, a.Set, end.config, end.want)
	return err
}

// confirm tests both configurations of an answer in a fresh or a cleaned workspace. One that disagrees is tested
// a second time (not with trial.Options.Confidence), and if it disagrees again, the answer is not verified.
// Then one whose odds are still above doubtful is tested once more, or several times, as far as
// trial.Options.MaxTrials allows. All these trials are added to w.spent. With Options.Unconfirmed there are
// none.
func (w *searcher) confirm(ctx context.Context, a Answer) (Verdict, error) {
	if w.Unconfirmed {
		return Verdict{Untested: true}, nil
	}
	ends := w.endsOf(a)
	times := 2
	if w.surely() {
		times = 1 // each with as many attempts as it takes
	}
	built := make([][]trial.Artifact, len(ends))
	if w.once() {
		for i, odds := range w.confirmedOdds() {
			for ; odds > doubtful; odds *= confirmFactor {
				ends = append(ends, ends[i])
			}
		}
	}
	w.cleaned = false
	for i, end := range ends {
		if i >= len(built) { // both are confirmed
			if w.exhausted(a.Trials) {
				break
			}
			w.noteOnceMore(a, end, w.cleaned)
		}
		var trials []int
		for len(trials) < times {
			if w.exhausted(a.Trials) {
				return Verdict{}, isolate.ErrBudget
			}
			got, err := w.Runner.Confirm(ctx, a.Set, end.config, end.want)
			w.spent++
			if err != nil {
				return Verdict{}, err
			}
			w.cleaned = w.cleaned || got.Cleaned
			if got.Outcome == end.want {
				if i < len(built) {
					built[i] = got.Artifacts
				}
				break
			}
			if trials = append(trials, got.Trial); len(trials) < times {
				continue
			}
			what := "trial " + strconv.Itoa(trials[0])
			if times > 1 {
				what = fmt.Sprintf("trials %d and %d", trials[0], trials[1])
			}
			return Verdict{Reason: what + ": " + got.Reason, About: trials}, nil
		}
	}
	return Verdict{Verified: true, Cleaned: w.cleaned, built: Built{built[0], built[1]}}, nil
}
