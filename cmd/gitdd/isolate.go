package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// isolate is gitdd in one pass over the changes of a set: which of them belong
// together, which make the command fail, and what to say of them.
func (a *app) isolate(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, s settings, o outputs) error {
	a.session = session
	store, err := answerStore(repo, session) // which gets trees that are tested, see repaired
	if err == nil {
		err = repo.AddObjects(ctx, store)
	}
	if err != nil {
		return err
	}
	cluster, err := s.connect(ctx, s.jobs, session.Name())
	if err != nil {
		return errors.Join(err, discard(session, err, len(session.Records())))
	}
	defer cluster.done()
	view := a.progress(ctx, set.Len(), session, s)
	defer view.close()
	if s.jobs > manyWorkers && s.jobs > 2*set.Len() {
		view.note(fmt.Sprintf("-j %d: of so many workers few have anything to do, among %s", s.jobs, prose.Count(set.Len(), "change")))
	}
	runner, err := trial.New(ctx, s.trial(repo, session, cluster, view.event))
	if err != nil {
		return errors.Join(err, discard(session, err, len(session.Records())))
	}
	path := &recorder{runner: runner}
	found, ends, verdict, err := s.search(ctx, repo, session, set, runner, view, path)
	view.close()
	path.need(found)
	for _, f := range found.further {
		path.need(f.answer)
	}
	stats, disk := runner.Stats(), runner.Disk()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the workspaces: %w; `gitdd clean` tries again", err))
	}

	if a.keepMore(ctx, repo, &s, err) {
		return a.keepOn(ctx, repo, session, set, s, o)
	}
	var command *trial.CommandError
	if errors.As(err, &command) {
		command.Hint = cmp.Or(keepHint(s.missingPaths(ctx, repo, err)), command.Hint)
	}

	facts := s.facts(session, stats, ends.Direction)
	facts.Around.Disk = disk
	facts.Paths = s.leftOut(set)
	facts.Whole, facts.History, facts.Bases = set, found.commits.report(), found.commits.reportBases()
	facts.Unused = found.commits.reportUnused()
	s.bisect.tell(facts.History)
	facts.Verified, found.built = verdict.verified, verdict.built
	facts.Flaky = s.flaky(runner.Flakiness())
	if s.confidence > 0 {
		facts.Confidence, facts.Sure = found.confidence, found.sure
	}
	if verdict.verified && err != nil {
		facts.Status = report.Isolated // the search was cut short behind its first answer
		if errors.Is(err, isolate.ErrBudget) || errors.Is(err, context.Canceled) {
			more := "the search for failures that print what the failing end prints was cut short: `gitdd resume` goes on"
			if s.all {
				more = "--all was cut short: `gitdd resume` goes on to further causes"
			}
			facts.Hints = append(facts.Hints, more)
		}
	} else if facts.Status, facts.Reason = s.status(err, verdict); facts.Status == "" {
		return errors.Join(err, discard(session, err, len(session.Records())))
	}
	records := session.Records()
	s.machines.tell(&facts, records)
	facts.Checks.Dropped = s.precheck != "" && runner.CheckDropped()
	facts.Beyond, facts.Timeouts = path.beyond(records), timeouts(records)
	failing := failingEnd(records, ends)
	if facts.Others = otherFailures(records, failing); failing != nil {
		facts.Signature = failing.Signature
	}
	hint := func(text string) {
		if text != "" {
			facts.Hints = append(facts.Hints, text)
		}
	}
	if verdict.again != "" {
		facts.Suspicions = append(facts.Suspicions, beganAgain(verdict.again))
	}
	if facts.Status == report.Isolated && s.confidence == 0 && !found.repairs() {
		other, err := otherMessage(runner, ends.Direction, found)
		if err != nil {
			return err
		}
		facts.Suspicions = append(facts.Suspicions, other...)
	}
	var untrue error // why the answer is none
	if runner.OutputVaries() {
		untrue = otherExitsOf(records, failing).tell(&facts)
	}
	answered := context.WithoutCancel(ctx) // an interrupted search still says what it found
	if err != nil || facts.Others.Trials > 0 {
		hint(s.takenPort(session, failing, s.away()))
	}
	hint(flakyHint(err))
	if facts.Paths != nil && passesAtBoth(err) {
		hint("the changes elsewhere were left out, and may have the cause: without --path they are tried, too")
	} else {
		for _, text := range s.alike(answered, repo, err) {
			hint(text)
		}
	}
	hint(s.apart(err))
	if ends := (*trial.EndsError)(nil); facts.Paths != nil && errors.As(err, &ends) {
		facts.Reason += fmt.Sprintf(" (bad is %s with the changes of %s below %s)", set.Good.Rev, set.Bad.Rev, strings.Join(facts.Paths, " and "))
	}
	hint(s.offerCheck(records, func(name string) bool { return has(answered, repo, set.Good.Tree, name) }))
	hint(s.emptySubmodules(answered, repo, set, err))
	if facts.Status == report.Isolated {
		hint(s.uncut(found))
	}
	result, err2 := a.conclude(answered, repo, session, found, facts)
	if err2 == nil {
		err2 = a.print(session, result, s.story(answered, session, repo, path, a.gone), o)
	}
	if s.bisect.finish && err2 == nil {
		err2 = a.finish(answered, repo, s, found.commits, facts.Status)
	}
	if err2 != nil {
		err2 = &outputError{err2}
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

func passesAtBoth(err error) bool {
	var ends *trial.EndsError
	return errors.As(err, &ends) && ends.Good.Outcome == isolate.Pass && ends.Bad.Outcome == isolate.Pass
}

// manyWorkers is how many workers are worth a thought whether there is work for them.
const manyWorkers = 16

// search tests both ends and then isolates between them, within the time that
// the settings allow.
func (s *settings) search(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, runner *trial.Runner, view progress, path *recorder) (answer, trial.Ends, verdict, error) {
	limited, cancel := s.limited(ctx)
	defer cancel()
	found := answer{set: set, result: unknown(set)}
	ends, err := runner.Ends(limited, set)
	var v verdict
	var commits *history
	var unused string
	if err == nil {
		view.ends(ends)
		path.fix = ends.Direction == trial.Fix
		if s.confidence > 0 {
			view.note(rates(runner.Flakiness()))
		}
		commits, unused, err = s.history(limited, repo, set, view)
	}
	if err == nil {
		w := s.narrowing(runner, ends, session, view, commits)
		w.repo, w.story, w.mostRejected = repo, path, s.mostRejected(set.Len())
		found, v, err = w.confirmed(limited, set)
		if found.commits != nil && commits == nil {
			found.commits.unused = unused
		}
	}
	if err != nil && context.Cause(limited) == errTime {
		err = errTime
	}
	if found.result.Algorithm == "" { // it never came to the changes
		found.result.Algorithm = s.algorithm
	}
	return found, ends, v, err
}

// errTime says that --max-time was spent.
var errTime = fmt.Errorf("%w: --max-time", isolate.ErrBudget)

// unknown is the result before anything was tested: all changes are suspects.
func unknown(set *changes.Set) isolate.Result {
	none, all := isolate.Empty(set.Len()), isolate.Full(set.Len())
	return isolate.Result{Passing: none, Failing: all, Cause: all, Context: none, ContextUnproven: none, Unproven: all}
}

// discard removes a session in which the command never ran, in this process or
// before: there is nothing to show, and nothing to resume.
func discard(session *trial.Session, err error, trials int) error {
	var command *trial.CommandError
	if trials > 0 && !errors.As(err, &command) {
		return nil
	}
	return session.Discard()
}

// between cuts the difference of two resolved revisions.
func (a *app) between(ctx context.Context, repo *git.Repo, good, bad git.Revision, paths []string) (*changes.Set, error) {
	if good.Tree == bad.Tree {
		return nil, &nothingError{what: fmt.Sprintf("%s and %s have the same content: there is nothing between them", good.Rev, bad.Rev)}
	}
	set, err := changes.Between(ctx, repo, string(cmp.Or(good.Commit, good.Tree)), string(cmp.Or(bad.Commit, bad.Tree)), changes.Options{Paths: paths})
	if spec := (*git.PathspecError)(nil); errors.As(err, &spec) {
		return nil, fmt.Errorf("--path: %w", spec)
	}
	if err != nil {
		return nil, err
	}
	set.Good, set.Bad = good, bad // by the names the user gave
	set.Declarations, set.Nodes = grouping.Declarations, grouping.Nodes
	if set.Len() == 0 {
		below := ""
		if len(paths) > 0 {
			below = fmt.Sprintf(" below %s; `git diff --name-only %s %s` lists what does", strings.Join(paths, " "), good.Rev, bad.Rev)
		}
		return nil, &nothingError{what: fmt.Sprintf("nothing differs between %s and %s%s", good.Rev, bad.Rev, below)}
	}
	return set, nil
}

// conclude composes both ends of the answer, keeps their trees and patches in
// the session for show, checkout and apply, and makes the result.
func (a *app) conclude(ctx context.Context, repo *git.Repo, session *trial.Session, found answer, facts report.Facts) (report.Result, error) {
	tested := found.plan != nil // both ends, at least
	if facts.Status == report.NotIsolated || !tested {
		return report.New(found.set, found.result, facts), nil
	}
	if facts.Status == report.Isolated || found.result.Cause.Len() <= fewSuspects {
		if err := found.set.Blame(ctx, blamed(found, facts.Status)); err != nil {
			return report.Result{}, err
		}
	}
	if err := tellSides(ctx, repo, found, facts.History); err != nil {
		return report.Result{}, err
	}
	kept, err := keep(ctx, repo, session, found)
	if err != nil {
		return report.Result{}, err
	}
	facts.Blob = func(id string) ([]byte, error) { return repo.Blob(ctx, git.ID(id)) }
	facts.Without, facts.With = string(kept.without), string(kept.with)
	facts.Symbols = found.plan.Symbols
	facts.BadLine = placed(ctx, repo, found, facts.Whole.Bad)
	if facts.Status == report.Isolated {
		facts.Apply = fit(ctx, repo, session, facts)
		if err := doubt(found, repo.Prefix(), &facts); err != nil {
			return report.Result{}, err
		}
		if err := failed(ctx, repo, session, found, &facts); err != nil {
			return report.Result{}, err
		}
	}
	facts.Hints = append(facts.Hints, a.insidePins(repo, found)...)
	facts.Alone, facts.Repaired, facts.RepairedReason = found.alone, found.repaired.outcome, found.repaired.reason
	facts.Messages = found.said
	for _, f := range found.further {
		one, err := a.concludeFurther(ctx, repo, session, f, facts)
		if err != nil {
			return report.Result{}, err
		}
		facts.Further = append(facts.Further, one)
	}
	return report.New(found.set, found.result, facts), nil
}

// blamed are the changes of an answer whose commits a report names: its cause, and its context if
// that is not too large and not all of one commit.
func blamed(found answer, status report.Status) []int {
	list := slices.Collect(found.result.Cause.All())
	one := found.commits != nil && len(found.commits.left) == 1 && len(found.commits.sides) == 0
	if context := found.result.Context; status == report.Isolated && !one && context.Len() <= mostBlamed {
		list = append(list, slices.Collect(context.All())...)
	}
	return list
}

// mostBlamed is how many changes of a context are blamed on commits.
const mostBlamed = 100

// fewSuspects is how many suspects of a search that was cut short are blamed on
// commits: whoever pressed Ctrl-C waits for it.
const fewSuspects = 50

// status says how the search ended; "" when there is nothing to report.
func (s *settings) status(err error, v verdict) (report.Status, string) {
	if errors.Is(err, errWithheld) {
		return report.NotIsolated, v.reason
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
func (s *settings) trial(repo *git.Repo, session *trial.Session, away *cluster, observe func(trial.Event)) trial.Options {
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
	s.surroundings.set(&options)
	s.judging.set(&options)
	away.set(&options)
	return options
}

// history returns the commits that a search of these settings goes through
// first, nil when it looks at the whole difference; if it would have wanted them,
// the user hears why not, and why says it.
func (s *settings) history(ctx context.Context, repo *git.Repo, set *changes.Set, view progress) (h *history, why string, err error) {
	if !s.wantsHistory() {
		return nil, "", nil
	}
	why = "--path limits it"
	if len(s.paths) == 0 {
		var known knowledge
		if known, err = s.knowledge(ctx, repo); err == nil {
			h, why, err = historyOf(ctx, repo, set, known)
		}
	}
	if err == nil && h == nil {
		view.note("searching the whole difference: " + why)
	}
	return h, why, err
}

// narrowing says how the search of these settings goes.
func (s *settings) narrowing(runner *trial.Runner, ends trial.Ends, session *trial.Session, view progress, commits *history) *narrowing {
	return &narrowing{
		runner:    runner,
		direction: ends.Direction,
		failing:   failingEnd(session.Records(), ends),
		session:   session,
		view:      view,
		history:   commits,
		levels:    groupings[s.group],
		finest:    s.level,
		all:       s.all,
		clean:     s.clean,
		surely:    s.confidence > 0,
		lenient:   s.mixtures == "lenient",
		through:   s.through,
		command:   s.command,
		once:      s.confidence == 0 && s.repeat <= 1,
		apart:     s.tellsApart(),
		spent:     s.rerunTrials(session.Records()),
		options: isolate.Options{
			Algorithm: s.algorithm,
			Goal:      goals[s.goal],
			Jobs:      s.jobs,
			MaxTrials: s.counted(),
			MaxCost:   s.cost(),
			Rounds:    s.rounds,
		},
	}
}

// counted is how many trials the algorithms may take: with --confidence the
// runner counts, because it knows how many a configuration took.
func (s *settings) counted() int {
	if s.confidence > 0 {
		return 0
	}
	return s.maxTrials
}

// towards turns a test around when the search is for a fix: isolate always
// looks for what turns a pass into a fail.
func towards(direction trial.Direction, test isolate.Test) isolate.Test {
	if direction == trial.Break {
		return test
	}
	return func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		outcome, err := test(ctx, c)
		return turned(outcome), err
	}
}

func turned(o isolate.Outcome) isolate.Outcome {
	switch o {
	case isolate.Pass:
		return isolate.Fail
	case isolate.Fail:
		return isolate.Pass
	}
	return o
}

// facts are what the report needs of the run itself.
func (s *settings) facts(session *trial.Session, stats trial.Stats, direction trial.Direction) report.Facts {
	facts := report.Facts{
		Session:   session.Name(),
		Direction: report.Break,
		Goal:      s.goal,
		Command:   s.command,
		Trials: report.Trials{
			Run: stats.Run, Cached: stats.Cached,
			Pass: stats.Pass, Fail: stats.Fail, Unresolved: stats.Unresolved,
		},
		Checks:  report.Checks{Run: stats.Checks, Rejected: stats.Rejected},
		Total:   stats.Total,
		Testing: stats.Testing,
		Jobs:    s.jobs,
		Rounds:  s.rounds,
		Around:  report.Surroundings{Patches: s.patches, Overlay: s.overlay, Memory: stats.Memory},
	}
	if direction == trial.Fix {
		facts.Direction = report.Fix
	}
	return facts
}
