package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// isolate performs a search in a session and prints its result.
func (a *app) isolate(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, s settings.Search, o forms.Files) error {
	a.session = session
	s.Machines.Version = released()
	away, err := cluster.Connect(ctx, s.Machines.Options, s.Jobs, session.Name())
	if err != nil {
		return errors.Join(err, session.DiscardUnused(err))
	}
	defer away.Close()
	view := a.searchView(ctx, set.Len(), session, s)
	defer view.Close()
	if s.Jobs > manyWorkers && s.Jobs > 2*set.Len() {
		view.Note(fmt.Sprintf("-j %d: of so many workers few have anything to do, among %s", s.Jobs, prose.Count(set.Len(), "change")))
	}
	runner, err := trial.New(ctx, s.Trials(repo, session, away, view.Trial))
	if err != nil {
		return errors.Join(err, session.DiscardUnused(err))
	}
	path := &record.Recorder{}
	f := &follower{settings: &s, view: view, path: path, session: session, runner: runner, apart: s.TellsApart()}
	var found search.Found
	err = s.Within(ctx, func(ctx context.Context) error {
		o, err := s.Options(ctx, repo, runner)
		if err == nil {
			o.Observe = f.follow
			found, err = search.Run(ctx, set, o)
		}
		return err
	})
	view.Close()
	path.Need(runner, found.Answer)
	for _, f := range found.Further {
		path.Need(runner, f.Answer)
	}
	disk := runner.Disk()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the workspaces: %w; `gitdd clean` tries again", err))
	}

	if a.keepMore(ctx, repo, &s, err) {
		return a.keepOn(ctx, repo, session, set, s, o)
	}
	var command *trial.CommandError
	if errors.As(err, &command) {
		command.Hint = cmp.Or(s.Hints().KeepHint(ctx, repo, err), command.Hint)
	}

	facts := s.Facts(results.Facts(session, runner, set, found, s.Confidence))
	facts.Around.Disk = disk
	facts.Paths = s.LeftOut(set)
	s.Bisect.AddTerms(facts.History)
	if found.Verdict.Holds() && err != nil {
		facts.Status = report.Isolated // the search was cut short behind its first answer
		if errors.Is(err, isolate.ErrBudget) || errors.Is(err, context.Canceled) {
			more := "the search for failures that print what the failing end prints was cut short: `gitdd resume` goes on"
			if s.All {
				more = "--all was cut short: `gitdd resume` goes on to further causes"
			}
			facts.Hints = append(facts.Hints, more)
		}
	} else if facts.Status, facts.Reason = s.Status(err, found.Verdict); facts.Status == "" {
		return errors.Join(err, session.DiscardUnused(err))
	}
	records := session.Records()
	failing := results.FailingEnd(records, found.Ends)
	facts.Remote = s.Machines.Report(records)
	facts.Checks.Dropped = s.Precheck != "" && runner.CheckDropped()
	untrue := results.Weigh(&facts, session, runner, found, s.Confidence) // why the answer is none
	if untrue != nil && !errors.Is(untrue, search.ErrWithheld) {
		return untrue
	}
	hint := func(text string) {
		if text != "" {
			facts.Hints = append(facts.Hints, text)
		}
	}
	answered := context.WithoutCancel(ctx) // an interrupted search still says what it found
	if err != nil || facts.Others.Trials > 0 {
		hint(hints.Port(session, failing, s.Jobs, s.Machines.Named()))
	}
	hint(hints.Flaky(err))
	if facts.Paths != nil && hints.PassBoth(err) {
		hint("the changes elsewhere were left out, and may have the cause: without --path they are tried, too")
	} else {
		for _, text := range s.Hints().Alike(answered, repo, err) {
			hint(text)
		}
	}
	hint(s.Machines.Hint(err))
	if ends := (*trial.EndsError)(nil); facts.Paths != nil && errors.As(err, &ends) {
		facts.Reason += fmt.Sprintf(" (bad is %s with the changes of %s below %s)", set.Good.Rev, set.Bad.Rev, strings.Join(facts.Paths, " and "))
	}
	hint(s.Hints().OfferCheck(records, func(name string) bool { return hints.Has(answered, repo, set.Good.Tree, name) }))
	if !s.Submodules {
		hint(hints.EmptySubmodules(answered, repo, set, err))
	}
	if facts.Status == report.Isolated {
		hint(hints.Uncut(found.Answer, s.Level))
	}
	if facts.Status != report.NotIsolated && found.Plan != nil {
		facts.Hints = append(facts.Hints, hints.InsideSubmodules(repo, found.Set, found.Result.Cause, a.dir)...)
	}
	result, err2 := results.Of(answered, repo, session, found.Answer, facts)
	if err2 == nil {
		err2 = a.print(session, result, path.Story(session, a.environment(answered, session, repo, &s)), o)
	}
	if s.Bisect.WriteBack && err2 == nil {
		err2 = a.finish(answered, repo, s, found.Commits, facts.Status)
	}
	if err2 != nil {
		err2 = &outputError{Err: err2}
	}
	return errors.Join(err, untrue, err2)
}

// manyWorkers is how many workers are worth a thought whether there is work for them.
const manyWorkers = 16

// searchView shows a search among n changes until ctx ends. In rounds all stages of it are mixed.
func (a *app) searchView(ctx context.Context, n int, session *trial.Session, s settings.Search) tui.Search {
	o := tui.SearchOptions{Options: a.viewOptions(ctx, s.Jobs), Changes: n, Needs: s.Goal == "cause" && !s.Rounds}
	o.Output = session.Output
	return tui.NewSearch(o)
}
