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
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// isolate performs a search in a session and prints its result.
func (a *app) isolate(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, s settings, o forms.Files) error {
	a.session = session
	away, err := cluster.Connect(ctx, s.machines.Options, s.jobs, session.Name())
	if err != nil {
		return errors.Join(err, session.DiscardUnused(err))
	}
	defer away.Close()
	view := a.searchView(ctx, set.Len(), session, s)
	defer view.Close()
	if s.jobs > manyWorkers && s.jobs > 2*set.Len() {
		view.Note(fmt.Sprintf("-j %d: of so many workers few have anything to do, among %s", s.jobs, prose.Count(set.Len(), "change")))
	}
	runner, err := trial.New(ctx, s.trial(repo, session, away, view.Trial))
	if err != nil {
		return errors.Join(err, session.DiscardUnused(err))
	}
	path := &record.Recorder{}
	found, err := s.search(ctx, repo, session, set, runner, view, path)
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
		command.Hint = cmp.Or(s.hints().KeepHint(ctx, repo, err), command.Hint)
	}

	facts := s.facts(results.Facts(session, runner, set, found, s.confidence))
	facts.Around.Disk = disk
	facts.Paths = s.leftOut(set)
	s.bisect.AddTerms(facts.History)
	if found.Verdict.Holds() && err != nil {
		facts.Status = report.Isolated // the search was cut short behind its first answer
		if errors.Is(err, isolate.ErrBudget) || errors.Is(err, context.Canceled) {
			more := "the search for failures that print what the failing end prints was cut short: `gitdd resume` goes on"
			if s.all {
				more = "--all was cut short: `gitdd resume` goes on to further causes"
			}
			facts.Hints = append(facts.Hints, more)
		}
	} else if facts.Status, facts.Reason = s.status(err, found.Verdict); facts.Status == "" {
		return errors.Join(err, session.DiscardUnused(err))
	}
	records := session.Records()
	failing := results.FailingEnd(records, found.Ends)
	facts.Remote = s.machines.Report(records)
	facts.Checks.Dropped = s.precheck != "" && runner.CheckDropped()
	untrue := results.Weigh(&facts, session, runner, found, s.confidence) // why the answer is none
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
		hint(hints.Port(session, failing, s.jobs, s.machines.Named()))
	}
	hint(hints.Flaky(err))
	if facts.Paths != nil && hints.PassBoth(err) {
		hint("the changes elsewhere were left out, and may have the cause: without --path they are tried, too")
	} else {
		for _, text := range s.hints().Alike(answered, repo, err) {
			hint(text)
		}
	}
	hint(s.machines.Hint(err))
	if ends := (*trial.EndsError)(nil); facts.Paths != nil && errors.As(err, &ends) {
		facts.Reason += fmt.Sprintf(" (bad is %s with the changes of %s below %s)", set.Good.Rev, set.Bad.Rev, strings.Join(facts.Paths, " and "))
	}
	hint(s.hints().OfferCheck(records, func(name string) bool { return hints.Has(answered, repo, set.Good.Tree, name) }))
	if !s.submodules {
		hint(hints.EmptySubmodules(answered, repo, set, err))
	}
	if facts.Status == report.Isolated {
		hint(hints.Uncut(found.Answer, s.level))
	}
	if facts.Status != report.NotIsolated && found.Plan != nil {
		facts.Hints = append(facts.Hints, hints.InsideSubmodules(repo, found.Set, found.Result.Cause, a.dir)...)
	}
	result, err2 := results.Of(answered, repo, session, found.Answer, facts)
	if err2 == nil {
		err2 = a.print(session, result, path.Story(session, s.environment(answered, session, repo, a.gone)), o)
	}
	if s.bisect.finish && err2 == nil {
		err2 = a.finish(answered, repo, s, found.Commits, facts.Status)
	}
	if err2 != nil {
		err2 = &outputError{Err: err2}
	}
	return errors.Join(err, untrue, err2)
}

// leftOut are the pathspecs because of which the bad end of a set is not bad as it is; nil
// where all that differs lies below them.
func (s *settings) leftOut(set *changes.Set) []string {
	if len(s.paths) == 0 {
		return nil
	}
	all, err := set.Compose(isolate.Full(set.Len()).All())
	if err == nil && all.ID == set.Bad.Tree {
		return nil
	}
	return s.paths
}

// manyWorkers is how many workers are worth a thought whether there is work for them.
const manyWorkers = 16

// search searches within the time that the settings allow, and tells view and path of it.
func (s *settings) search(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, runner *trial.Runner, view tui.Search, path *record.Recorder) (search.Found, error) {
	limited, cancel := s.limited(ctx)
	defer cancel()
	o, err := s.searchOptions(limited, repo, runner)
	if err != nil {
		return search.Found{}, err
	}
	f := &follower{settings: s, view: view, path: path, session: session, runner: runner, apart: s.tellsApart()}
	o.Observe = f.follow
	found, err := search.Run(limited, set, o)
	if err != nil && context.Cause(limited) == errTime {
		err = errTime
	}
	return found, err
}

// searchOptions say how the search of these settings goes.
func (s *settings) searchOptions(ctx context.Context, repo *git.Repo, runner *trial.Runner) (search.Options, error) {
	o := search.Options{
		Runner:    runner,
		Groups:    groupings[s.group],
		Finest:    search.Level(s.level),
		Goal:      goals[s.goal],
		Algorithm: s.algorithm,
		Sigma:     s.sigma,
		Rounds:    s.rounds,
		MaxCost:   s.cost(),
		All:       s.all,
		Through:   search.Through(s.through),
		Lenient:   s.mixtures == "lenient",

		Unconfirmed: s.confirm == "no",
	}
	switch {
	case !s.wantsHistory():
		o.Whole = true
	case len(s.paths) > 0:
		o.Whole, o.WholeReason = true, "--path limits it"
	default:
		var err error
		if o.Known, err = s.bisect.Known(ctx, repo, s.firstParent); err != nil {
			return o, err
		}
	}
	return o, nil
}

// errTime says that a search or a reduction was cut short by --max-time.
var errTime = fmt.Errorf("%w: --max-time", isolate.ErrBudget)

// between cuts the difference of two resolved revisions.
func (a *app) between(ctx context.Context, repo *git.Repo, good, bad git.Revision, paths []string) (*changes.Set, error) {
	if good.Tree == bad.Tree {
		return nil, &nothingError{what: fmt.Sprintf("%s and %s have the same content: there is nothing between them", good.Rev, bad.Rev)}
	}
	set, err := changes.Between(ctx, repo, string(good.ID()), string(bad.ID()), changes.Options{Paths: paths})
	if spec := (*git.PathspecError)(nil); errors.As(err, &spec) {
		return nil, fmt.Errorf("--path: %w", spec)
	}
	if err != nil {
		return nil, err
	}
	set.Good, set.Bad = good, bad // by the names the user gave
	if set.Len() == 0 {
		below := ""
		if len(paths) > 0 {
			below = fmt.Sprintf(" below %s; `git diff --name-only %s %s` lists what does", strings.Join(paths, " "), good.Rev, bad.Rev)
		}
		return nil, &nothingError{what: fmt.Sprintf("nothing differs between %s and %s%s", good.Rev, bad.Rev, below)}
	}
	return set, nil
}

// status says how the search ended; "" when there is nothing to report.
func (s *settings) status(err error, v search.Verdict) (report.Status, string) {
	if errors.Is(err, search.ErrWithheld) {
		return report.NotIsolated, v.Reason
	}
	return s.ended(err, report.Isolated, report.NotIsolated)
}

// ended says how a search or a reduction ended: done without an error, not with one
// that says that there is nothing to find; "" when there is nothing to report.
func (j *judging) ended(err error, done, not report.Status) (report.Status, string) {
	var ends *trial.EndsError
	var flaky *trial.FlakyError
	switch {
	case err == nil:
		return done, ""
	case errors.As(err, &ends), errors.As(err, &flaky):
		return not, err.Error()
	case errors.Is(err, errTime):
		return report.Budget, fmt.Sprintf("after %v (--max-time)", j.maxTime)
	case errors.Is(err, isolate.ErrBudget):
		return report.Budget, fmt.Sprintf("after %s (--max-trials)", prose.Count(j.maxTrials, "trial"))
	case errors.Is(err, context.Canceled):
		return report.Interrupted, "by a signal"
	}
	return "", ""
}

// trial says how the trials of these settings are made and judged.
func (s *settings) trial(repo *git.Repo, session *trial.Session, away *cluster.Cluster, observe func(trial.Event)) trial.Options {
	options := trial.Options{
		Repo:       repo,
		Command:    s.command,
		Dir:        repo.Prefix(),
		Setup:      s.setup,
		Check:      s.precheck,
		Build:      s.build,
		Overlay:    s.overlay,
		Keep:       s.kept(),
		Submodules: s.submodules,
		Clean:      s.clean,
		Artifacts:  s.artifacts,
		Session:    session,
		Observe:    observe,
	}
	if s.confirm == "fresh" || s.confirm == "clean" {
		options.Confirmation = trial.Confirmation(s.confirm)
	}
	s.placement.set(&options)
	s.judging.set(&options)
	away.Set(&options)
	return options
}

// facts adds to the facts of a search what these settings are.
func (s *settings) facts(facts report.Facts) report.Facts {
	facts.Goal, facts.Command, facts.Jobs, facts.Rounds = s.goal, s.command, s.jobs, s.rounds
	facts.Around.Patches, facts.Around.Overlay = s.patches, s.overlay
	return facts
}

// hints are the settings on which hints depend.
func (s *settings) hints() *hints.Settings {
	h := &hints.Settings{
		Command: s.command, Build: s.build, Check: s.precheck, Keep: s.kept(), Good: s.good, Bad: s.bad,
		Brings:   len(s.overlay)+len(s.kept()) > 0,
		Limits:   map[string]string{"--timeout": s.timeout.String(), "--max-memory": s.maxMemory.String(), "--max-disk": s.maxDisk.String()},
		Repeated: s.confidence > 0 || s.repeat > 1,
	}
	if s.timeout == 0 {
		h.Limits["--timeout"] = "" // it follows from the first try
	}
	return h
}

// searchView shows a search among n changes until ctx ends. In rounds all stages of it are mixed.
func (a *app) searchView(ctx context.Context, n int, session *trial.Session, s settings) tui.Search {
	o := tui.SearchOptions{Options: a.viewOptions(ctx, s.jobs), Changes: n, Needs: s.goal == "cause" && !s.rounds}
	o.Output = session.Output
	return tui.NewSearch(o)
}
