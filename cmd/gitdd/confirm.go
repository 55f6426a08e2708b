package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A verdict says whether an answer may be shown.
type verdict struct {
	verified bool
	reason   string // why it may not
	again    string // why the search began again before it came to the answer; "" = it did not
	built    artifacts
}

// confirmed searches for an answer and then tests both ends of it again in a fresh workspace. If
// that disagrees with the search, files that one trial left for the next may be the reason: the
// search is repeated with a clean workspace for each trial. A test that both passes and fails in
// clean workspaces is flaky, which is an error.
//
// With --confidence a single trial is no contradiction: an end is tried in fresh workspaces until
// its outcome is as certain as the rest of the answer.
func (w *narrowing) confirmed(ctx context.Context, set *changes.Set) (answer, verdict, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.stop = stop
	found, v, err := w.trusted(ctx, set)
	if err != nil && context.Cause(ctx) == errTrials {
		err = errTrials
	}
	return found, v, err
}

func (w *narrowing) trusted(ctx context.Context, set *changes.Set) (answer, verdict, error) {
	again := ""
	for clean := w.clean; ; {
		// Invariant: w.spent are all trials on earlier paths, and confirmations.
		w.story.back(0)
		found, err := w.settled(ctx, func() (answer, error) { return w.isolate(ctx, set) })
		var ends *isolate.EndsError
		if errors.As(err, &ends) { // runner.Ends has seen them differ
			good, bad := ends.Good, ends.Bad
			if w.direction == trial.Fix {
				good, bad = turned(good), turned(bad)
			}
			return withheld(set, good, bad)
		}
		if w.lenient != nil {
			switch lenient := w.lenient; {
			case errors.Is(err, isolate.ErrBudget), err == nil && (!found.result.Minimal || contains(found, lenient.answer)):
				w.relent()
				continue
			case err != nil:
				return lenient.answer, lenient.verdict, err
			}
		}
		if err != nil {
			return found, verdict{}, err
		}
		v, err := w.confirm(ctx, found)
		v.again = again
		if err == nil && v.verified {
			goOn, err := w.unsound(found) // by what it printed where nothing had been built
			if err == nil && !goOn {
				goOn, err = w.unlike(ctx, found, v)
			}
			if err != nil {
				return found, v, err
			}
			if goOn {
				continue
			}
		}
		if w.lenient != nil && !v.verified {
			if err != nil && !errors.Is(err, isolate.ErrBudget) {
				return w.lenient.answer, w.lenient.verdict, err
			}
			w.relent()
			continue
		}
		if w.lenient != nil && err == nil {
			if err := w.runner.SetAside(); err != nil {
				return found, v, err
			}
		}
		switch {
		case err == nil && v.verified && w.all:
			return found, v, w.others(ctx, set, &found)
		case err != nil || v.verified:
			return found, v, err
		case clean:
			return found, v, errWithheld
		}
		if w.spent += found.trials; w.exhausted(0) {
			return found, v, isolate.ErrBudget
		}
		clean, again = true, v.reason
		w.view.note(v.reason + "; searching again with every trial in a clean workspace")
		w.runner.Distrust()
		// The failure at the failing end, which others are compared with, may have
		// been that of a stale workspace.
		again, err := w.runner.Ends(ctx, set)
		var equal *trial.EndsError
		switch {
		case errors.As(err, &equal), err == nil && again.Direction != w.direction:
			return withheld(set, again.Good.Outcome, again.Bad.Outcome)
		case err != nil:
			return found, v, err
		}
	}
}

// unsound reports whether the failing end of an answer printed a diagnostic that no commit prints.
// Then such failures are unresolved from now on, and the search goes on from what it knows.
func (w *narrowing) unsound(a answer) (bool, error) {
	failing := a.result.Failing
	if w.direction == trial.Fix {
		failing = a.result.Passing
	}
	if w.surely || w.strict || a.plan == nil {
		return false, nil
	}
	line, err := w.runner.Unsound(a.set, failing)
	if err != nil || line == "" {
		return false, err
	}
	w.strict = true
	w.runner.Strict()
	w.view.note(fmt.Sprintf("%s fails with %s, which no commit prints: searching on without such failures", applied(failing), trial.QuoteLine(line)))
	return true, nil
}

// A first is an answer that was found before the failures were compared more strictly.
type first struct {
	answer
	verdict
}

// unlike reports whether with the confirmed answer the test prints another error or value than at
// the failing end. Then only failures count that print what the failing end prints, for some
// trials, and the search goes on from what it knows. Where that leads to no smaller answer, relent
// goes back.
func (w *narrowing) unlike(ctx context.Context, a answer, v verdict) (bool, error) {
	if w.surely || w.all || w.wanting || w.options.MaxTrials > 0 || w.options.Goal != isolate.Cause {
		return false, nil
	}
	failing := a.result.Failing
	if w.direction == trial.Fix {
		failing = a.result.Passing
	}
	said, wanted, _, err := w.runner.Unlike(a.set, failing)
	if err != nil || said == "" {
		return false, err
	}
	w.wanting = true
	if ok, err := w.runner.Want(ctx, wanted); err != nil || !ok {
		return false, err
	}
	w.lenient = &first{a, v}
	w.options.MaxTrials = w.spent + 3*a.trials + 20
	w.view.note(fmt.Sprintf("%s fails with %q, the failing end with %q: searching on for failures that print the latter", applied(failing), brief(said), brief(wanted)))
	return true, nil
}

// relent makes all failures count again.
func (w *narrowing) relent() {
	w.view.note("that led to no better answer: all failures count again")
	w.runner.Unwant()
	w.lenient, w.options.MaxTrials = nil, 0
}

// contains reports whether the cause of a has all changes of the cause of b, or pieces of them.
func contains(a, b answer) bool {
	for i := range b.result.Cause.All() {
		c := &b.set.Changes[i]
		if !slices.ContainsFunc(slices.Collect(a.result.Cause.All()), func(j int) bool {
			d := &a.set.Changes[j]
			return d.ID == c.ID || d.Path == c.Path && d.NewStart <= c.NewStart && c.NewStart+c.NewLines <= d.NewStart+d.NewLines &&
				d.OldStart <= c.OldStart && c.OldStart+c.OldLines <= d.OldStart+d.OldLines
		}) {
			return false
		}
	}
	return true
}

// withheld says that clean workspaces contradict what the search began with.
func withheld(set *changes.Set, good, bad isolate.Outcome) (answer, verdict, error) {
	reason := fmt.Sprintf("with every trial in a clean workspace the outcome is %v at good and %v at bad", good, bad)
	return answer{set: set, result: unknown(set)}, verdict{reason: reason}, errWithheld
}

// flakyHint says what to do about a test that does not always say the same; "" when
// there is nothing to say.
func flakyHint(err error) string {
	var flaky *trial.FlakyError
	var ends *trial.EndsError
	switch {
	case errors.As(err, &ends) && ends.Flaky:
		return "let COMMAND fail more often at one of them than at the other, such as by trying several times what fails now and then"
	case errors.As(err, &flaky):
		return "--confidence 0.99 repeats trials until the whole answer is right with that probability"
	case errors.Is(err, errWithheld):
		return "if the test is flaky, --confidence 0.99 repeats trials until the whole answer is right with that probability"
	}
	return ""
}

// lacking says what trials may lack, where both ends are alike or do not build: files
// that are not committed; "" when there is nothing to say.
func (s *settings) lacking(err error) string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) || ends.Flaky || len(s.overlay)+len(s.kept()) > 0 {
		return ""
	}
	good, bad := ends.Good.Outcome, ends.Bad.Outcome
	switch {
	case ends.Good.Rejected || ends.Bad.Rejected:
		return "both ends have to pass --check: let it test less, or leave it out"
	case good == isolate.Pass && bad == isolate.Pass:
		return "trials have committed files only: if the failure needs other files, name them with --overlay or --keep"
	case good == isolate.Fail && bad == isolate.Fail:
		return "name an older --good; or if it passes there in your checkout, trials lack files that are not committed, which --overlay, --keep and --setup bring along"
	case s.build != "" && good == isolate.Unresolved && bad == isolate.Unresolved:
		return "a build has committed files only: --overlay, --keep and --setup bring along what else it needs"
	}
	return ""
}

// doubts holds the odds that an end of the answer has the wrong outcome, given the outcomes on the
// path so far and assuming that one trial in ten is wrong: passing are the odds that the passing
// end really fails, failing the odds that the failing end really passes.
//
// An end has been tried once, so its odds start at one in ten. About half of the trials of a search
// pass. But if the failing end failed only by mistake, no configuration that is left really fails,
// and all later trials pass except for further mistakes. So each pass increases the odds of the
// failing end, and each failure decreases them. For the passing end it is the other way round.
// Unresolved outcomes change neither.
type doubts struct{ passing, failing float64 }

const (
	wrongly   = 0.1                     // assumed share of trials with the wrong outcome
	speaking  = (1 - wrongly) / 0.5     // factor of the odds for an outcome of the other kind
	backing   = wrongly / 0.5           // factor for an outcome of the same kind
	confirmed = wrongly / (1 - wrongly) // factor for a further trial of the end that agrees
	doubtful  = 0.03                    // an end with higher odds is tested again
	mostOdds  = 20                      // limit: a cause of several changes gives equal outcomes, too
)

// begin is for the two ends that a search starts with.
func (d *doubts) begin() { *d = doubts{wrongly, wrongly} }

// add counts an outcome on the path. What has it may become an end of the answer, so the odds
// are those that this trial, or one before it of the same outcome, was a mistake.
func (d *doubts) add(o isolate.Outcome) {
	switch o {
	case isolate.Pass:
		d.failing = min(d.failing*speaking, mostOdds)
		d.passing = d.passing*backing + wrongly
	case isolate.Fail:
		d.passing = min(d.passing*speaking, mostOdds)
		d.failing = d.failing*backing + wrongly
	}
}

// confirm tests both ends of an answer in a fresh, clean workspace. An end that disagrees is tested
// a second time (not with --confidence), and if it disagrees again, the answer is not verified.
// Then an end whose odds are still above doubtful is tested once more, or several times, as far as
// --max-trials allows. All these trials are added to w.spent.
func (w *narrowing) confirm(ctx context.Context, a answer) (verdict, error) {
	without, with := isolate.Pass, isolate.Fail
	if w.direction == trial.Fix {
		without, with = with, without
	}
	type end struct {
		config isolate.Configuration
		want   isolate.Outcome
	}
	ends := []end{{a.result.Passing, without}, {a.result.Failing, with}}
	times := 2
	if w.surely {
		times = 1 // each with as many attempts as it takes
	}
	built := make([][]trial.Artifact, len(ends))
	if w.once {
		for i, odds := range []float64{w.doubts.passing, w.doubts.failing} {
			for odds *= confirmed; odds > doubtful; odds *= confirmed {
				ends = append(ends, ends[i])
			}
		}
	}
	for i, end := range ends {
		if i >= len(built) { // both are confirmed
			if w.exhausted(a.trials) {
				break
			}
			w.view.note(fmt.Sprintf("once more, since a mistake there would explain the outcomes after it: %s, which %s", applied(end.config), map[isolate.Outcome]string{isolate.Pass: "passed", isolate.Fail: "failed"}[end.want]))
		}
		var trials []string
		for len(trials) < times {
			if w.exhausted(a.trials) {
				return verdict{}, isolate.ErrBudget
			}
			got, err := w.runner.Confirm(ctx, a.set, end.config, end.want)
			w.spent++
			if err != nil {
				return verdict{}, err
			}
			if got.Outcome == end.want {
				if i < len(built) {
					built[i] = got.Artifacts
				}
				break
			}
			if trials = append(trials, strconv.Itoa(got.Trial)); len(trials) < times {
				continue
			}
			what := "trial "
			if times > 1 {
				what = "trials "
			}
			return verdict{reason: what + strings.Join(trials, " and ") + ": " + got.Reason}, nil
		}
	}
	return verdict{verified: true, built: artifacts{built[0], built[1]}}, nil
}
