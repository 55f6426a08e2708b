package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/isolate"
)

// Direction says which end fails.
type Direction uint8

const (
	Break Direction = iota // good passes and bad fails: the changes that break it
	Fix                    // good fails and bad passes: the changes that mend it
)

// Ends are the verdicts on the two ends of a change set.
type Ends struct {
	Good, Bad Verdict
	Direction Direction
}

// An EndsError says that the two ends do not differ: there is nothing to isolate.
type EndsError struct {
	Good, Bad Verdict
	What      string // a sentence without the full stop: what was seen
	Flaky     bool   // with Options.Confidence: either end passes and fails, and about as often
}

func (e *EndsError) Error() string { return e.What }

// About returns the trials that an error is about, if it is an *EndsError or a *FlakyError: of ends with the same
// outcome the one that was expected to have another, and of a flaky test two that differ.
func About(err error) []int {
	var flaky *FlakyError
	var ends *EndsError
	switch {
	case errors.As(err, &flaky):
		first, other := flaky.differing()
		return []int{flaky.Trials[first], flaky.Trials[other]}
	case !errors.As(err, &ends):
		return nil
	}
	about := []int{ends.Good.Trial, ends.Bad.Trial}
	switch good, bad := ends.Good.Outcome, ends.Bad.Outcome; {
	case ends.Flaky, good == bad && good == isolate.Unresolved, slices.Contains(about, 0): // one end was not tested
	case good == isolate.Unresolved, good == isolate.Fail && bad == isolate.Fail:
		about = about[:1]
	case bad == isolate.Unresolved, good == isolate.Pass && bad == isolate.Pass:
		about = about[1:]
	}
	return slices.DeleteFunc(about, func(n int) bool { return n == 0 })
}

// A CommandError says that the command cannot run, whatever the configuration.
type CommandError struct {
	Exit   int    // 126 or 127
	Detail string // what the system or the shell said
	Hint   string // what may help, "" if nothing is known

	Name    string  // the command, without its arguments
	Verdict Verdict // where it was seen

	where string // it was seen; "" = at the good end
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("the command cannot run: %s (exit %d %s)", e.Detail, e.Exit, cmp.Or(e.where, "at the good end"))
}

// Ends tests good and then bad, and learns from them what the other trials may
// take and how a failure looks. Later calls, for other sets, test their ends
// by what the first one has learnt.
//
// The error is an *EndsError when the outcomes are not one pass and one fail, or when
// bad passes in a session by hand, and a *CommandError when the good end exits with 126 or 127.
//
// With Options.Confidence it tries them as often as it takes to know how often
// the test is wrong at either, and they differ if these rates do.
func (r *Runner) Ends(ctx context.Context, s *changes.Set) (e Ends, err error) {
	good, err := r.question(s, isolate.Empty(s.Len()), End)
	if err != nil {
		return e, err
	}
	bad, err := r.question(s, isolate.Full(s.Len()), End)
	if err != nil {
		return e, err
	}
	if e.Good, err = r.end(ctx, good); err != nil {
		return e, err
	}
	if e.Good.cannotRun() {
		return e, r.cannotRun(e.Good)
	}
	bad.other = e.Good
	if e.Bad, err = r.end(ctx, bad); err != nil {
		return e, err
	}
	if r.uncalibrated() {
		r.limitTime(e)
		if err := r.calibrate(ctx, good, bad, &e); err != nil {
			return e, err
		}
	}
	failing, passing, end := e.Bad, e.Good, bad
	switch [2]isolate.Outcome{e.Good.Outcome, e.Bad.Outcome} {
	case [2]isolate.Outcome{isolate.Pass, isolate.Fail}:
	case [2]isolate.Outcome{isolate.Fail, isolate.Pass}:
		if r.opts.ByHand { // what was judged before says which end is good
			return e, &EndsError{Good: e.Good, Bad: e.Bad, What: fmt.Sprintf("the command says the opposite of what was said by hand: it fails at the good end (%s), and passes at the bad end (%s)", e.Good.Seen(), e.Bad.Seen())}
		}
		e.Direction, failing, passing, end = Fix, e.Good, e.Bad, good
	default:
		return e, &EndsError{Good: e.Good, Bad: e.Bad, What: equalEnds(e)}
	}
	output, _ := r.session.readOutputs(failing.Trial, "err", "out")
	r.settle(e, failing, !tellsPortTaken(output))
	r.setReference(end, failing.Trial, passing.Trial)
	return e, nil
}

// settle fixes the limits, once. ports says that a port that is taken is another failure than failing.
func (r *Runner) settle(e Ends, failing Verdict, ports bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limits.settled && !r.limits.provisional {
		return
	}
	if r.sequential == nil { // else that was done before
		r.limits = r.timeLimits(e)
	}
	r.limits.settled, r.limits.provisional, r.limits.failure, r.limits.ports = true, false, failing.ending(), ports
}

// limitTime fixes how long a trial may take before the ends are known.
func (r *Runner) limitTime(e Ends) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.limits.settled || r.limits.provisional {
		r.limits = r.timeLimits(e)
	}
}

func (r *Runner) timeLimits(e Ends) limits {
	l := limits{test: r.opts.Timeout}
	if l.test == 0 {
		l.test = limitFor(e.Good.Duration, e.Bad.Duration)
	}
	// The first of the two builds was a whole one.
	l.build, l.check = limitFor(e.Good.build, e.Bad.build), limitFor(e.Good.check, e.Bad.check)
	if r.opts.Remote != nil {
		l.build, l.check = sharedLimit(l.build), sharedLimit(l.check)
		if r.opts.Timeout == 0 {
			l.test = sharedLimit(l.test)
		}
	}
	return l
}

// uncalibrated reports whether there is a sequential test that does not know the ends yet.
func (r *pool) uncalibrated() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sequential != nil && r.rates == nil
}

// end tests one end: with a sequential test, that is the first attempt at it.
func (r *pool) end(ctx context.Context, q question) (Verdict, error) {
	if !r.uncalibrated() {
		return r.answer(ctx, q)
	}
	return r.one(ctx, q, 1)
}

// one is the verdict on one attempt at a question.
func (r *pool) one(ctx context.Context, q question, attempt int) (Verdict, error) {
	rec, _, err := r.attempt(ctx, q, attempt, r.shared)
	if err != nil {
		return withoutTrial(err)
	}
	v := r.verdict(rec)
	return v, r.stopped(v)
}

// ending is what other failures are compared with.
func (v Verdict) ending() ending {
	return ending{
		class:     classOf(process.Exit{Code: v.Exit, TimedOut: v.TimedOut, Over: v.over}),
		code:      v.Exit,
		words:     v.Reason,
		signature: v.Signature,
	}
}

func limitFor(a, b time.Duration) time.Duration {
	return max(slowness*max(a, b), leastLimit)
}

// equalEnds is the sentence of an EndsError.
func equalEnds(e Ends) string {
	good, bad := e.Good.Seen(), e.Bad.Seen()
	switch {
	case e.Good.Rejected && e.Bad.Rejected:
		return fmt.Sprintf("neither end passes --check: good: %s; bad: %s", good, bad)
	case e.Good.Rejected:
		return fmt.Sprintf("the good end does not pass --check: %s (bad: %s)", good, bad)
	case e.Bad.Rejected:
		return fmt.Sprintf("the bad end does not pass --check: %s (good: %s)", bad, good)
	case e.Good.Outcome == isolate.Unresolved && e.Bad.Outcome == isolate.Unresolved:
		return fmt.Sprintf("neither end can be judged: good: %s; bad: %s", good, bad)
	case e.Good.Outcome == isolate.Unresolved:
		return fmt.Sprintf("the good end cannot be judged: %s (bad: %s)", good, bad)
	case e.Bad.Outcome == isolate.Unresolved:
		return fmt.Sprintf("the bad end cannot be judged: %s (good: %s)", bad, good)
	case e.Good.Outcome == isolate.Pass:
		return fmt.Sprintf("the test passes at both ends: good: %s; bad: %s", good, bad)
	}
	return fmt.Sprintf("the test fails at both ends: good: %s; bad: %s", good, bad)
}

// cannotRun reports whether the command, or what it calls, cannot be run.
func (v Verdict) cannotRun() bool {
	return !v.unbuilt && (v.Exit == exitCannotRun || v.Exit == exitNotFound)
}

// cannotRun explains the exit codes 126 and 127 of the good end.
func (r *Runner) cannotRun(v Verdict) *CommandError {
	name := r.opts.Command[0]
	files, others := "committed files", "one that is not"
	if r.opts.OverlayFrom != "" {
		files, others = "the files of the two ends", "another one"
	}
	return r.commandError(v, commandHints{
		executable: fmt.Sprintf("it is not executable in the good revision: run it by its interpreter, as -- sh %s, or bring an executable one along: --overlay %s", name, strings.TrimPrefix(name, "./")),
		absent:     fmt.Sprintf("the command runs in a checkout of its own, which has only %s; --overlay %s brings along %s", files, strings.TrimPrefix(name, "./"), others),
		script:     "a script of the repository",
	})
}

// commandHints are what to do about a command that cannot run.
type commandHints struct {
	executable string // it may not be run
	absent     string // it is not where its name says
	script     string // what may be meant by a name without a directory
	called     string // it ran, and something that it calls is not where its name says; "" = not known
	remote     string // it ran on another machine; "" = nothing beside what is true of each
}

// commandError explains the exit codes 126 and 127.
func (r *pool) commandError(v Verdict, hints commandHints) *CommandError {
	e := &CommandError{Exit: v.Exit, Detail: v.Reason, Name: r.opts.Command[0], Verdict: v}
	if !v.missing && v.LastLine != "" {
		e.Detail = v.LastLine
	}
	name := r.opts.Command[0]
	away := r.opts.Remote != nil // then nobody knows whether it was this command
	switch {
	case (v.missing || away) && len(r.opts.Command) == 1 && strings.ContainsAny(name, " \t"):
		e.Hint = fmt.Sprintf("the command is run without a shell, and this is one word of it: for a line of shell, -- sh -c '%s'", name)
	case v.missing && v.Exit == exitCannotRun:
		e.Hint = hints.executable
	case v.missing && strings.Contains(name, "/"):
		e.Hint = hints.absent
	case v.missing:
		e.Hint = fmt.Sprintf("it is looked for in PATH; %s is named with its directory, as ./%s", hints.script, name)
	case away:
		e.Hint = "it ran on another machine, which has programs of its own" + hints.remote + ": `gitdd doctor` looks there"
	case v.Exit == exitNotFound:
		e.Hint = hints.called
	}
	return e
}
