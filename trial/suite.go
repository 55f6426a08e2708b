package trial

import (
	"context"
	"errors"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// With Options.Tests the command runs a test suite, and a trial has an outcome for each test of it. The Runner of
// the suite performs the trials and keeps the report of each. ForTest returns Runners that ask it: each judges the
// trials by one test, in a session of its own. So a trial that one search has asked for is there for all others.

// hasTests reports whether a trial has an outcome for each test of a suite.
func (r *pool) hasTests() bool { return r.opts.Tests != suite.Format{} }

// TestEnds runs the suite at good and then at bad, and learns from them how long trials may take. Tests has the
// reports of the verdicts. The error is a *CommandError if the command cannot be run at good.
func (r *Runner) TestEnds(ctx context.Context, s *changes.Set) (e Ends, err error) {
	for _, end := range []struct {
		config  isolate.Configuration
		verdict *Verdict
	}{{isolate.Empty(s.Len()), &e.Good}, {isolate.Full(s.Len()), &e.Bad}} {
		q, err := r.question(s, end.config, End)
		if err != nil {
			return e, err
		}
		q.other = e.Good
		if *end.verdict, err = r.end(ctx, q); err != nil {
			return e, err
		}
		v := e.Good
		if end.config.IsEmpty() && !v.unbuilt && v.Outcome == isolate.Unresolved && (v.Exit == exitCannotRun || v.Exit == exitNotFound) {
			return e, r.cannotRun(v)
		}
		if err := r.recognise(*end.verdict); err != nil {
			return e, err
		}
	}
	r.limitTime(e)
	return e, nil
}

// recognise learns of which format the reports of the suite are, if the trial of an end had a report of one.
func (r *Runner) recognise(end Verdict) error {
	if end.Trial == 0 || r.format != r.opts.Tests && r.format != (suite.Format{}) {
		return nil
	}
	report, err := r.Tests(end.Trial)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.format = r.opts.Tests.Found(report)
	return nil
}

// Answered returns the number of the trial that a search has made of a configuration of s; false if there was none with the
// present settings.
func (r *Runner) Answered(s *changes.Set, c isolate.Configuration) (trial int, ok bool) {
	rec, ok := r.finishedTrial(s, c)
	return rec.Trial, ok
}

// Reported returns the report of the trial of a configuration of s, which is run if there is none yet. The report is empty if
// nothing could be tried, or nothing was built. The error is isolate.ErrBudget if Stop or Options.MaxTrials leave no trial for it.
func (r *Runner) Reported(ctx context.Context, s *changes.Set, c isolate.Configuration) (report suite.Report, err error) {
	q, err := r.question(s, c, Search)
	if errors.As(err, new(*changes.ConflictError)) {
		return report, nil
	}
	if err != nil {
		return report, err
	}
	if !r.mayRun(q.key, 1) {
		return report, isolate.ErrBudget
	}
	rec, _, err := r.attempted(ctx, q, 1, r.shared)
	if err != nil {
		_, err = withoutTrial(err)
		return report, err
	}
	return r.Tests(rec.Trial)
}

// Judged returns the outcome of a test in a report. A failure is a fail only if it is the failure of the failing end,
// according to what the report says about both (failure.go says how failures are compared).
func Judged(test, atFailingEnd suite.Result) isolate.Outcome {
	if test.Outcome != isolate.Fail {
		return test.Outcome
	}
	nothing := failure.PassingOf(nil)
	if failure.TextOf(1, []byte(test.Message), nothing).Differs(failure.TextOf(1, []byte(atFailingEnd.Message), nothing)) {
		return isolate.Unresolved
	}
	return isolate.Fail
}

// Disagreement returns a *FlakyError if a test had different outcomes in trials of one tree that began in clean
// workspaces, nil if it had not.
func (r *Runner) Disagreement(test string) error {
	for _, recs := range r.repeatedTrials() {
		var told []Record
		for _, rec := range recs {
			report, err := r.Tests(rec.Trial)
			if err != nil {
				return err
			}
			outcome := report.Outcome(test)
			if outcome == isolate.Unresolved {
				continue // it was not asked for, or something else went wrong
			}
			rec.Outcome = Outcome(outcome)
			told = append(told, rec)
		}
		if len(told) < 2 {
			continue
		}
		err := r.disagreement(question{}, told)
		if flaky := (*FlakyError)(nil); errors.As(err, &flaky) && told[0].Commit == "" {
			flaky.what = "one mixture"
			if told[0].Purpose == End {
				flaky.what = "one end"
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeatedTrials returns, for each tree on which there are several of them, the trials that began in clean workspaces.
func (r *Runner) repeatedTrials() (repeated [][]Record) {
	records := r.session.InOrder()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.repeatedOf == len(records) {
		return r.repeated
	}
	begun, trees := map[git.ID][]Record{}, []git.ID(nil)
	for _, rec := range records {
		if !rec.Built || rec.saysNothing() || rec.Purpose != Confirm && rec.Key != r.cleanKey {
			continue
		}
		if begun[rec.Tree] == nil {
			trees = append(trees, rec.Tree)
		}
		begun[rec.Tree] = append(begun[rec.Tree], rec)
	}
	for _, tree := range trees {
		if len(begun[tree]) > 1 {
			repeated = append(repeated, begun[tree])
		}
	}
	r.repeated, r.repeatedOf = repeated, len(records)
	return repeated
}

// ForTest returns a Runner that judges the trials of r, which has Options.Tests, by one test. Its session gets a
// record of each that is asked for: whether the test passed, and of a failure what the report says of it. What
// has no outcome for the test is unresolved, and has the output of the command. A trial that r has not made yet is made
// by r. The Runner has to be closed before r.
func (r *Runner) ForTest(ctx context.Context, session *Session, test string) (*Runner, error) {
	opts := r.given
	opts.Session, opts.Observe = session, nil
	opts.Tests, opts.Setup, opts.Build, opts.WorkspaceRoot = suite.Format{}, "", "", ""
	opts.Remote, opts.Shared, opts.Upload = nil, false, nil
	opts.MaxTrials, opts.MaxDisk, opts.MaxMemory = 0, 0, 0
	base, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	one := newRunner(ctx, base, opts)
	one.source, one.whole = r.source, r.whole
	one.noCommand = true
	one.newPlace = func(_ context.Context, _ *worker, q question, _ string) (place, error) {
		return &testPlace{one: one, all: r, test: test}, nil
	}
	return one, one.begin(ctx, one.digest(one.clean), one.digest(true))
}
