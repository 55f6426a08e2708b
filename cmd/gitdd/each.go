package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// testsDir is where a session of --each has the session of each test that was searched for.
const testsDir = "tests"

// isolateEach performs a search for each test of a suite in a session, and prints what came of it.
func (a *app) isolateEach(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, s settings.Search, o forms.Files) error {
	runner, stream, disconnect, err := a.trials(ctx, repo, session, set.Len(), &s)
	if err != nil {
		return err
	}
	defer disconnect()
	stream.Numbers(runner)
	e := &eachSearch{app: a, repo: repo, session: session, set: set, settings: s, suite: runner, results: map[string]report.Result{}, sessions: map[string]string{}}
	if err := e.findSessions(); err != nil {
		return errors.Join(err, runner.Close())
	}
	var found search.EachFound
	err = s.Within(ctx, func(ctx context.Context) (err error) {
		found, err = search.Each(ctx, set, search.EachOptions{Suite: runner, Tests: s.Tests(), Fixed: s.Fixed, Search: e.search, Observe: e.progress})
		return err
	})
	stream.Close()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the workspaces: %w; `gitdd clean` tries again", err))
	}
	hint := ""
	status, reason := s.Status(err, search.Verdict{})
	if _, ok := errors.AsType[*search.NoTargetsError](err); ok {
		status, reason = report.NotIsolated, err.Error()
		switch {
		case len(found.Gone) > 0 && !s.Fixed:
			hint = "at bad a part of the suite may not build, or may end early, as " + prose.Count(len(found.Gone), "test") + " of good cannot be found there: without --each, and with a command for that part, gitdd finds what that comes from"
		case len(found.Bad.Tests) == 0:
			hint = "`gitdd help each` shows how suites are asked for a report, and what its format is called"
		}
	}
	if status == "" {
		return errors.Join(err, session.DiscardUnused(err))
	}
	if err == nil && len(found.Causes) == 0 {
		status, reason, err = report.NotIsolated, "of the tests that fail none has an answer", search.ErrWithheld
	}
	r := results.OfEach(session, runner, set, found, &s)
	r.Status, r.Reason = status, reason
	if slices.ContainsFunc(found.Unanswered, func(u search.Unanswered) bool { return errors.As(u.Err, new(*trial.FlakyError)) }) && s.Confidence == 0 {
		hint = "--confidence 0.99 searches for flaky tests, too: it repeats trials"
	}
	if test := runner.Missed(); test != "" {
		r.Hints = append(r.Hints, "{tests} does not choose the tests of this command: asked for it, "+prose.Quote(test)+" did not run; so the whole suite ran in each trial")
	}
	if hint != "" {
		r.Hints = append(r.Hints, hint)
	}
	for i, cause := range found.Causes {
		result := e.results[cause.Test]
		result.Tests, result.Number = cause.Tests, i+1
		r.Causes = append(r.Causes, report.Cause{
			Number: i + 1, Tests: results.Failing(found, cause.Tests), Session: e.sessions[cause.Test], Result: result,
		})
	}
	err2 := a.printEach(session, r, a.environment(context.WithoutCancel(ctx), session, repo, &s), o)
	return outputProblem(err, err2)
}

// An eachSearch searches for one test after the other.
type eachSearch struct {
	*app
	repo     *git.Repo
	session  *trial.Session
	set      *changes.Set
	settings settings.Search
	suite    *trial.Runner

	results  map[string]report.Result // by test
	sessions map[string]string        // the names of their sessions, by test
}

// root is where the sessions of the tests are.
func (e *eachSearch) root() string { return filepath.Join(e.session.Dir(), testsDir) }

// findSessions finds the sessions of the tests that an earlier process has searched for.
func (e *eachSearch) findSessions() error {
	all, err := trial.Sessions(e.root())
	for _, s := range all {
		if s.State != trial.StateDamaged {
			e.sessions[s.Header.Test] = s.Name
		}
	}
	return err
}

// open opens the session of a test, or makes it.
func (e *eachSearch) open(test string) (*trial.Session, error) {
	if name, ok := e.sessions[test]; ok {
		return trial.OpenSession(filepath.Join(e.root(), name))
	}
	header := e.session.Header()
	header.Started, header.Test = e.now(), test
	session, err := trial.CreateSession(e.root(), header)
	if err == nil {
		e.sessions[test] = session.Name()
	}
	return session, err
}

// progress tells the user how far the search has come.
func (e *eachSearch) progress(found search.EachFound) {
	if len(found.Open) == 0 {
		return
	}
	text, n, further := "searching for "+found.Open[0], len(found.Open), len(found.Causes)+len(found.Unanswered) > 0
	switch {
	case further && n > 1:
		text += fmt.Sprintf(", the first of %s that no cause explains yet", prose.Count(n, "test"))
	case further:
		text += ", which no cause explains yet"
	case n > 1:
		text += fmt.Sprintf(", the first of %s", prose.Count(n, "test"))
	}
	e.stream.Note(text)
}

// search searches for what makes one test fail.
func (e *eachSearch) search(ctx context.Context, test string, joint *search.Joint) (found search.Found, err error) {
	session, err := e.open(test)
	if err != nil {
		return found, err
	}
	defer session.Close()
	one, err := e.suite.ForTest(ctx, session, test)
	if err != nil {
		return found, err
	}
	defer one.Close()
	e.stream.Test(test, session.SuiteTrial)
	defer e.stream.Test("", nil)
	path := &record.Recorder{}
	s := e.settings
	f := &follower{settings: &s, stream: e.stream, path: path, session: session, runner: one, apart: s.TellsApart()}
	o, err := s.Options(ctx, e.repo, one)
	if err != nil {
		return found, err
	}
	o.Observe, o.Joint = f.follow, joint
	found, err = search.Run(ctx, e.set, o)
	if err != nil && context.Cause(ctx) == settings.ErrTime {
		err = settings.ErrTime
	}
	path.Need(one, found.Answer)
	result, ok, err := e.resultOf(ctx, e.repo, session, one, e.set, &s, found, 0, err)
	if !ok {
		return found, err
	}
	result.Session = e.session.Name()
	e.results[test] = result
	story := path.Story(session, e.environment(context.WithoutCancel(ctx), session, e.repo, &s))
	return found, errors.Join(err, e.keep(session, story, func(w io.Writer) error { return report.JSON(w, result) }))
}

// printEach keeps results in the session and writes them wherever the user wants them.
func (a *app) printEach(session *trial.Session, r report.Results, e report.Environment, o forms.Files) error {
	story := report.Story{Schema: report.StorySchema, Environment: e} // those of the causes have the trials
	if err := a.keep(session, story, func(w io.Writer) error { return report.ResultsJSON(w, r) }); err != nil {
		return err
	}
	return a.give(session, o, forms.OfEach(r, o.HTML, a.storiesOf(session, r)))
}
