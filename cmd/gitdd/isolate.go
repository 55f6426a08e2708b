package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/internal/triallog"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// isolate performs a search in a session and prints its result. If set is nil, the good end is to be found first.
func (a *app) isolate(ctx context.Context, repo *git.Repo, session *trial.Session, set *changes.Set, s settings.Search, o forms.Files) error {
	if s.Each != "" {
		return a.isolateEach(ctx, repo, session, set, s, o)
	}
	find, n := set == nil, 0
	if !find {
		n = set.Len()
	}
	runner, stream, disconnect, err := a.trials(ctx, repo, session, n, &s)
	if err != nil {
		return err
	}
	defer disconnect()
	path := &record.Recorder{}
	f := &follower{settings: &s, stream: stream, path: path, session: session, runner: runner, apart: s.TellsApart()}
	f.missed = func(bad trial.Verdict) string {
		if set == nil || set.Bad.Base == "" {
			return ""
		}
		return hints.UntrackedMissed(ctx, &s, repo, bad)
	}
	var found search.Found
	err = s.Within(ctx, func(ctx context.Context) error {
		if find {
			var err error
			if set, found, err = findGood(ctx, repo, session, runner, &s, stream.Note, a.lookingBack); err != nil {
				return err
			}
		}
		o, err := s.Options(ctx, repo, runner)
		if err == nil {
			o.Observe = f.follow
			if a.manual != nil {
				f.hand = &a.manual.progress
			}
			found, err = search.Run(ctx, set, o)
		}
		return err
	})
	stream.Close()
	path.Need(runner, found.Answer)
	for _, f := range found.Further {
		path.Need(runner, f.Answer)
	}
	disk := runner.Disk()
	if err := runner.Close(); err != nil {
		a.complain(fmt.Errorf("remove the workspaces: %w; `gitdd clean` tries again", err))
	}

	if errors.As(err, new(*byhand.PendingError)) || errors.As(err, new(*byhand.StaleError)) {
		return err
	}
	if set == nil {
		return errors.Join(err, session.DiscardUnused(err))
	}
	if a.keepMore(ctx, repo, &s, err) {
		if find {
			set = nil
		}
		return a.keepOn(ctx, repo, session, set, s, o)
	}
	if command, ok := errors.AsType[*trial.CommandError](err); ok {
		command.Hint = cmp.Or(hints.Lacked(ctx, &s, repo, set, err), command.Hint)
	}

	result, ok, err := a.resultOf(ctx, repo, session, runner, set, &s, found, disk, err)
	if !ok {
		return err
	}
	story := path.Story(session, a.environment(context.WithoutCancel(ctx), session, repo, &s))
	into, err2 := a.inside(ctx, repo, session, &result, story, s, o)
	if !into {
		err2 = a.print(session, result, story, o)
	}
	if s.Bisect.WriteBack && err2 == nil {
		err2 = a.finish(context.WithoutCancel(ctx), repo, s, found.Commits, result.Status)
	}
	if into {
		return err2
	}
	return outputProblem(err, err2)
}

// trials makes what runs the trials of a search among n changes (0 = that is not known yet), the stream that tells of them, and a function that ends the
// connection to a cluster. If that cannot be, a session that was not used is discarded.
func (a *app) trials(ctx context.Context, repo *git.Repo, session *trial.Session, n int, s *settings.Search) (runner *trial.Runner, stream *eventStream, disconnect func(), err error) {
	a.session = session
	s.Machines.Version = released()
	connection, err := cluster.Connect(ctx, s.Machines.Options, s.Jobs, session.Name())
	if err != nil {
		return nil, nil, nil, errors.Join(err, session.DiscardUnused(err))
	}
	stream = a.streamed(a.searchView(ctx, session, s.Jobs), session, n, s.Jobs)
	if n > 0 && s.Jobs > manyWorkers && s.Jobs > 2*n {
		stream.Note(fmt.Sprintf("-j %d: of so many workers few have anything to do, among %s", s.Jobs, prose.Count(n, "change")))
	}
	options := s.Trials(repo, session, connection, stream.Trial)
	if a.manual != nil {
		options.Judge = a.manual.judge
	}
	if runner, err = trial.New(ctx, options); err != nil {
		stream.Close()
		connection.Close()
		return nil, nil, nil, errors.Join(err, session.DiscardUnused(err))
	}
	return runner, stream, func() { stream.Close(); connection.Close() }, nil
}

// resultOf returns the result of a search that took so much of the disk and ended with err, and the error that gitdd
// ends with. There is none, and ok is false, if nothing can be said.
func (a *app) resultOf(ctx context.Context, repo *git.Repo, session *trial.Session, runner *trial.Runner, set *changes.Set, s *settings.Search, found search.Found, disk int64, err error) (result report.Result, ok bool, _ error) {
	facts := results.Facts(session, runner, set, found, s)
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
		return result, false, errors.Join(err, session.DiscardUnused(err))
	}
	if facts.About = found.Verdict.About; len(facts.About) == 0 {
		facts.About = trial.About(err)
	}
	records := session.Records()
	failing := results.FailingEnd(records, found.Ends)
	facts.Remote = s.Machines.Report(records)
	facts.Checks.Dropped = s.Precheck != "" && runner.CheckDropped()
	untrue := results.Weigh(&facts, session, runner, found, s.Confidence) // why the answer is none
	if untrue != nil && !errors.Is(untrue, search.ErrWithheld) {
		return result, false, untrue
	}
	hint := func(text string) {
		if text != "" {
			facts.Hints = append(facts.Hints, text)
		}
	}
	answered := context.WithoutCancel(ctx) // an interrupted search still says what it found
	port := ""
	if err != nil || facts.Others.Trials > 0 || runner.OutputVaries() || slices.ContainsFunc(records, func(r trial.Record) bool { return r.Alone }) { // a taken port shows in one of these
		port = hints.Port(session, failing, s.Jobs, s.Machines.Named())
		hint(port)
	}
	if m := found.Measured; m == nil || m.Exact {
		if flaky := (*trial.FlakyError)(nil); port == "" || !errors.As(err, &flaky) || !flaky.Output { // else the ports have made the output vary
			hint(hints.Flaky(err))
		}
	} else {
		hint(hints.Noisy(err))
	}
	if facts.Paths != nil && hints.PassBoth(err) {
		hint("the changes elsewhere were left out, and may have the cause: without --path they are tried, too")
	} else if found.Measured == nil { // the reason says what to do about numbers
		for _, text := range hints.Alike(answered, s, repo, set, err) {
			hint(text)
		}
	}
	if l, ok := runner.Lasting(); ok {
		hint(l.String())
	}
	hint(s.Machines.Hint(err))
	if ends := (*trial.EndsError)(nil); facts.Paths != nil && errors.As(err, &ends) {
		facts.Reason += fmt.Sprintf(" (bad is %s with the changes of %s below %s)", set.Good.Rev, set.Bad.Rev, strings.Join(facts.Paths, " and "))
	}
	hint(hints.OfferCheck(s, records, func(name string) bool { return hints.Has(answered, repo, set.Good.Tree, name) }))
	if !s.Submodules {
		hint(hints.EmptySubmodules(answered, repo, set, err))
	}
	if set.Bad.Base != "" && !hints.Misses(err) {
		hint(hints.UntrackedMissed(answered, s, repo, found.Ends.Bad))
	}
	if facts.Status == report.Isolated {
		hint(hints.Uncut(found.Answer, s.Level, s.Goal == "cause" && !s.All))
		hint(hints.OtherSteps(found.Measured, s.All))
		hint(hints.Scattered(found.Measured, s.Measure.String()))
		hint(hints.Earlier(s, found, failing, records))
	}
	if facts.Status != report.NotIsolated && found.Plan != nil {
		facts.Hints = append(facts.Hints, hints.InsideSubmodules(repo, found.Set, found.Result.Cause, a.dir)...)
	}
	result, err2 := results.Of(answered, repo, session, found.Answer, facts)
	if good := session.Header().Good; good.IsAuto() && result.Status == report.NotIsolated && found.Ends.Good.Trial == 0 {
		result.Good = report.RevisionOf(changes.Revision{Rev: good.Rev}) // no older commit was tested
	}
	if err2 == nil && len(s.With)+len(s.Inside) > 0 {
		err2 = named(answered, repo, session.Header(), &result)
	}
	err = errors.Join(err, untrue)
	if err2 != nil {
		return result, false, outputProblem(err, err2)
	}
	return result, true, err
}

// manyWorkers is how many workers are worth a thought whether there is work for them.
const manyWorkers = 16

// searchView shows a search until ctx ends.
func (a *app) searchView(ctx context.Context, session *trial.Session, jobs int) tui.Search {
	o := a.viewOptions(ctx, jobs)
	o.Output = session.Output
	if a.manual != nil {
		o.Out = io.Discard // what was judged is known, and the rest is said in a few lines
	}
	return tui.NewSearch(o)
}

// A follower passes the events of a search on to the stream, which the user sees, to the recorder of the
// path, and to the session.
type follower struct {
	settings *settings.Search
	stream   *eventStream
	path     *record.Recorder
	session  *trial.Session
	runner   *trial.Runner
	hand     *byhand.Progress               // nil = the command judges
	missed   func(bad trial.Verdict) string // a hint; nil, and "", = there is none

	ends  trial.Ends
	apart bool // contradicted needs no hint: failures of different kinds are told apart, or it was given
}

func (f *follower) follow(e search.Event) {
	f.path.Event(e)
	f.stream.Event(e)
	if f.hand != nil {
		f.hand.Event(e)
	}
	switch e := e.(type) {
	case search.EndsTested:
		f.ends = e.Ends
		if f.missed != nil {
			if missed := f.missed(e.Ends.Bad); missed != "" {
				f.stream.Note("hint: " + missed)
			}
		}
		if f.settings.Confidence > 0 {
			often := f.runner.Flakiness()
			f.stream.Note(fmt.Sprintf("how steady the test is: good %v; bad %v", often.Good, often.Bad))
		}
	case search.ChangesBegun:
		triallog.KeepChanges(f.session, e.SetNumber, e.Answer)
	case search.Contradicted:
		f.contradicted()
	}
}

// contradicted tells the user once what may be behind an outcome that did not hold when it was tested
// again: two failures that are taken for one contradict each other as a flaky test does, and cost far
// more trials.
func (f *follower) contradicted() {
	if f.apart || !f.runner.OutputVaries() {
		return
	}
	records := f.session.Records()
	if others := results.OtherExitsOf(records, results.FailingEnd(records, f.ends)); others.Any() {
		f.apart = true
		f.stream.Note("hint: " + others.String())
	}
}

// keepOn starts the search again in a new session, with the paths that keepMore has added to
// s.keep. It moves a recorded checkout to the new session and removes old, which has no result.
func (a *app) keepOn(ctx context.Context, repo *git.Repo, old *trial.Session, set *changes.Set, s settings.Search, o forms.Files) error {
	header := old.Header()
	header.Started, header.Args = a.now(), s.Words()
	session, err := trial.CreateSessionWith(filepath.Dir(old.Dir()), header, func(dir string, _ *trial.Header) error {
		recorded := filepath.Join(dir, worktreeDir)
		if err := os.Rename(filepath.Join(old.Dir(), worktreeDir), recorded); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return repo.AddRecorded(ctx, recorded)
	})
	if err = errors.Join(err, old.Discard()); err != nil {
		return err
	}
	defer session.Close()
	return a.isolate(ctx, repo, session, set, s, o)
}

// keepMore adds to s.keep, with --keep auto, what hints.Missing returns, and tells the user. It does not
// add files that may hold passwords, but names them in hints, if the answer will not, nor what a build may make. ok is false if
// it added nothing.
func (a *app) keepMore(ctx context.Context, repo *git.Repo, s *settings.Search, err error) (ok bool) {
	if !slices.Contains(s.Keep, settings.KeepAuto) || !hints.Misses(err) {
		return false
	}
	missing := hints.Missing(ctx, s, repo, err)
	for _, l := range missing {
		if hints.IsSecret(l.Path) || l.Made { // a build of the checkout is neither that of good nor that of bad
			continue
		}
		name := hints.FromHere(repo, l.Path)
		if name == "" {
			continue
		}
		s.Keep = append(slices.Clone(s.Keep), name)
		fmt.Fprintf(a.aside(), "gitdd: --keep auto: keeping %s, which the output misses (%s)\n", prose.Printable(l.Path), prose.Quote(prose.Brief(l.Line)))
		ok = true
	}
	for _, p := range hints.NotTracked(ctx, repo) {
		told := slices.ContainsFunc(missing, func(l hints.MissingPath) bool { return l.Path == p }) // by the hint of the answer
		if hints.IsSecret(p) && !hints.Brings(s, repo, p) && !told {
			a.hint(fmt.Sprintf("%s lies here, and may hold passwords: --keep %s brings it along", p, prose.Words([]string{p})))
		}
	}
	return ok
}
