package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) startCommand() *cobra.Command {
	var s settings.Search
	var into, open string
	cmd := &cobra.Command{
		Use:   "start GOOD BAD",
		Short: "Begin a search in which you judge, without a command",
		Long: `Begin a search in which you judge, without a command: gitdd puts a configuration
into a directory, and you look at what it does there, and say gitdd good,
gitdd bad or gitdd skip. That puts the next one there, until the cause stands
alone. GOOD and BAD are not judged again; the word worktree is your checkout
with its uncommitted changes. If no good revision is known, auto as GOOD puts
ever older commits there, in growing steps, until you call one good. More in
gitdd help by-hand.`,
		Example: `  gitdd start v1 HEAD
  gitdd start v1 HEAD --into ../judge
  gitdd start auto HEAD`,
		Args:              cli.Args(enterRevisions),
		ValidArgsFunction: a.completeRevisions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.Good == "" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("GOOD is missing: name a revision that is good, as in `gitdd start v1 HEAD`")}
			}
			if err := s.Check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.startByHand(cmd.Context(), s, into, open)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	settings.RevisionFlag(flags, &s.Good, "good", "", "the good `REV`; auto: the first that you call good, of ever older commits")
	settings.RevisionFlag(flags, &s.Bad, "bad", "HEAD", "the bad `REV`; worktree: your checkout with its uncommitted changes")
	intoFlag(cmd, &into)
	openFlag(cmd, &open)
	s.HandFlags(flags)
	return cmd
}

func intoFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "into", "", "put configurations into `DIR`, which is empty or was used for this search before (default a directory of the session)")
}

func openFlag(cmd *cobra.Command, open *string) {
	cmd.Flags().StringVar(open, "open", "", "run `CMD` (by sh) in each configuration, then ask for the judgement, and go on with the next one")
}

// startByHand begins a session by hand, and puts its first configuration into a directory.
func (a *app) startByHand(ctx context.Context, s settings.Search, into, open string) error {
	repo, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	good, bad, err := a.resolveSearch(ctx, repo, &s)
	if err != nil {
		return err
	}
	root, err := trial.Root(repo)
	if err != nil {
		return err
	}
	header, err := a.header(byhand.Command, s.Words(), nil)
	if err != nil {
		return err
	}
	header.CommonDir, header.Good, header.Bad = repo.CommonDir(), good, bad
	session, err := trial.CreateSessionWith(root, header, func(dir string, h *trial.Header) error {
		return repo.RecordEnds(ctx, filepath.Join(dir, worktreeDir), a.now(), &h.Good, &h.Bad)
	})
	if err != nil {
		return err
	}
	defer session.Close()
	h := &manualSession{repo: repo, Session: session, settings: s}
	if err := h.cut(ctx); err != nil {
		return errors.Join(err, session.Discard())
	}
	if h.state.Into, err = absolute(into); err != nil {
		return errors.Join(err, session.Discard())
	}
	err = a.judgeOn(ctx, h, nil, open)
	if err != nil && len(byhand.Judged(session)) == 0 {
		err = errors.Join(err, session.Discard())
	}
	return err
}

// A manualSession is an open session by hand with all that its search needs.
type manualSession struct {
	*trial.Session
	repo     *git.Repo
	set      *changes.Set // nil = the good end is to be found first
	settings settings.Search
	state    byhand.State
	seen     git.ID // the tree that was to be judged when gitdd was called
}

// cut cuts the difference of the ends into changes, if both are known.
func (h *manualSession) cut(ctx context.Context) (err error) {
	if header := h.Header(); !header.Good.IsAuto() {
		h.set, err = settings.Between(ctx, h.repo, header.Good, header.Bad, h.settings.Paths)
	}
	return err
}

// absolute is filepath.Abs for a name that may be "", which stays so.
func absolute(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return filepath.Abs(name)
}

// dir is the directory that configurations are put into.
func (h *manualSession) dir() string {
	if h.state.Into != "" {
		return h.state.Into
	}
	return byhand.DefaultDir(h.repo, h.Session)
}

func (h *manualSession) close() { h.Session.Close(); h.repo.Close() }

// dropAnswer removes the answer of the session, if it has one.
func (h *manualSession) dropAnswer() error {
	return errors.Join(h.RemoveFile("result.json"), h.RemoveFile(record.File))
}

// anyMoment is the value of --after if it is not given.
const anyMoment = -1

func afterFlag(cmd *cobra.Command, after *int) {
	cmd.Flags().IntVar(after, "after", anyMoment, "do nothing unless trial `N` is the last that was judged, 0 = none was")
	cmd.Flags().Lookup("after").DefValue = "0" // not shown
}

// at is an error if another trial was judged last than after says.
func (h *manualSession) at(after int) error {
	if last := byhand.Last(h.Session); after != anyMoment && after != last {
		return &byhand.BehindError{After: after, Last: last}
	}
	return nil
}

// findByHand returns the session by hand that a name means: without one that of the directory of configurations that the current
// directory lies in, or the newest.
func (a *app) findByHand(ctx context.Context, names []string) (trial.Summary, error) {
	all, err := a.all(ctx)
	if err != nil {
		return trial.Summary{}, err
	}
	if mine := filepath.Base(a.marked.Session); len(names) == 0 && a.marked.Session != "" {
		if !slices.ContainsFunc(all, func(s trial.Summary) bool { return s.Name == mine }) {
			return trial.Summary{}, fmt.Errorf("this directory has configurations of session %s, which was removed: begin another search where your repository is", mine)
		}
		names = []string{mine}
	}
	if len(names) == 0 {
		if all = slices.DeleteFunc(all, func(s trial.Summary) bool { return !byhand.Is(s.Header) }); len(all) == 0 {
			return trial.Summary{}, errors.New("no search by hand was begun here: `gitdd start GOOD BAD` begins one")
		}
	}
	found, err := trial.Choose(all, names)
	if err == nil && found.State == trial.StateDamaged {
		err = found.Err
	}
	if err == nil && !byhand.Is(found.Header) {
		err = fmt.Errorf("in session %s a command judges: `gitdd resume %s` goes on with it", found.Name, found.Name)
	}
	return found, err
}

// openByHand opens the session by hand that a name means, to go on with it.
func (a *app) openByHand(ctx context.Context, names []string) (h *manualSession, err error) {
	found, err := a.findByHand(ctx, names)
	if err != nil {
		return nil, err
	}
	// What the user has seen is what the session showed before it was waited for.
	before, err := trial.ReadSession(found.Dir)
	if err != nil {
		return nil, err
	}
	seen, err := byhand.ReadState(before)
	if err != nil {
		return nil, err
	}
	session, err := trial.OpenSession(found.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			session.Close()
		}
	}()
	// The paths of the session's flags are relative to where it was begun.
	if err := os.Chdir(session.Header().Dir); err != nil {
		return nil, fmt.Errorf("go to where the session was begun: %w", err)
	}
	h = &manualSession{Session: session, seen: seen.Tree}
	if h.state, err = byhand.ReadState(session); err != nil {
		return nil, err
	}
	if h.settings, err = settings.OfSearch(session.Header()); err != nil {
		return nil, err
	}
	if h.repo, err = a.openFor(ctx, session); err != nil {
		return nil, err
	}
	if err = h.cut(ctx); err != nil {
		h.repo.Close()
	}
	return h, err
}

// judgeOn continues a search with what the user says of the configuration that was shown, which may be nothing, and shows the next
// configuration, or the answer. With a command it opens the configuration by that, asks what it is, and goes on.
func (a *app) judgeOn(ctx context.Context, h *manualSession, given *byhand.Given, open string) error {
	for {
		pending, err := a.advance(ctx, h, given)
		if pending && open == "" && h.state.Step == 1 && given == nil && err == nil {
			fmt.Fprintln(a.aside(), a.named("gitdd: look at it there, and say `gitdd good`, `gitdd bad` or `gitdd skip`; `gitdd undo` takes that back"))
		}
		if err != nil || !pending || open == "" {
			return err
		}
		if given, err = a.openAndAsk(ctx, h, open); err != nil || given == nil {
			return err
		}
	}
}

// advance performs the search up to the first configuration that is not judged, and shows that; pending is false if there is none,
// and then the answer was printed.
func (a *app) advance(ctx context.Context, h *manualSession, given *byhand.Given) (pending bool, err error) {
	a.manual = &manualJudge{judge: byhand.Judge(given)}
	err = a.isolate(ctx, h.repo, h.Session, h.set, h.settings, forms.Files{})
	var stale *byhand.StaleError
	if errors.As(err, &stale) {
		fmt.Fprintf(a.stderr, "gitdd: %v, so this judgement counts for nothing; what is to be judged now:\n", stale)
		return a.advance(ctx, h, nil)
	}
	var wanted *byhand.PendingError
	if !errors.As(err, &wanted) {
		if a.answered {
			h.state.Tree = ""
			err = errors.Join(err, h.state.Write(h.Session))
		}
		return false, err
	}
	if err := h.dropAnswer(); err != nil { // of a command that came to none
		return true, err
	}
	q, dir := wanted.Request, h.dir()
	saved, err := byhand.Put(ctx, h.repo, h.Session, q, dir)
	if len(saved) > 0 {
		a.hint(fmt.Sprintf("gitdd was stopped while it wrote files there; %s that it found half written, or edited since, is in %s", prose.Count(len(saved), "file"), filepath.Join(dir, ".git", "gitdd-saved")))
	}
	if err != nil {
		var edited *git.EditedError
		if errors.As(err, &edited) {
			err = fmt.Errorf("%w\nput them aside by `git -C %s stash -u`; then `gitdd next` goes on, and no judgement is lost", err, prose.Words([]string{dir}))
		}
		return true, err
	}
	progress := &a.manual.progress
	h.state.Step, h.state.Tree = len(byhand.Judged(h.Session))+1, q.Tree.ID
	h.state.After, h.state.Shown = byhand.Last(h.Session), dir
	h.state.What, h.state.Left, h.state.Best = progress.What(q), progress.Left(q), progress.Best()
	if err := h.state.Write(h.Session); err != nil {
		return true, err
	}
	a.printPending(h.state, dir)
	return true, nil
}

// printPending says what is to be judged.
func (a *app) printPending(s byhand.State, dir string) {
	fmt.Fprintf(a.stdout, "step %d: %s\n", s.Step, prose.Printable(s.What))
	for _, line := range []string{s.Best, s.Left, "in " + a.fromStart(dir)} {
		if line != "" {
			fmt.Fprintf(a.stdout, "  %s\n", prose.Printable(line))
		}
	}
}

// fromStart names a directory as the user would who stands where gitdd was called.
func (a *app) fromStart(dir string) string {
	rel, err := filepath.Rel(a.start, dir)
	switch {
	case err != nil || strings.HasPrefix(rel, filepath.Join("..", "..")):
		return prose.Words([]string{dir})
	case rel == ".":
		return "this directory"
	}
	return prose.Words([]string{rel})
}

// A manualJudge has the judge of a search by hand, and the progress of the search, by which what is to be judged is said in words.
type manualJudge struct {
	judge    func(context.Context, trial.Request) (trial.Judgement, error)
	progress byhand.Progress
}

// lookingBack gets the commits among which the good end of a search is looked for.
func (a *app) lookingBack(line []git.Commit) {
	if a.manual != nil {
		a.manual.progress.Older(line)
	}
}
