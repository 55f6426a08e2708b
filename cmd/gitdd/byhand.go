package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
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
ever older commits there, in growing steps, until you call one good. Two folders
can be searched between in the place of revisions. More in gitdd help by-hand.`,
		Example: `  gitdd start v1 HEAD
  gitdd start v1 HEAD --into ../judge
  gitdd start auto HEAD
  gitdd start --good-dir ../v1 --bad-dir ../v2`,
		Args:              cli.Args(enterRevisions),
		ValidArgsFunction: a.completeRevisions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch folders := s.GoodDir != "" || s.BadDir != ""; {
			case folders && cmd.Flags().Changed("bad"):
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--bad-dir names the bad end, and so does --bad: want one of them")}
			case !folders && s.Good == "":
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
	begin := a.sessionByHand
	if s.GoodDir != "" {
		begin = func(ctx context.Context, s *settings.Search) (*git.Repo, *trial.Session, error) {
			return a.storeFolders(ctx, byhand.Command, *s)
		}
	}
	repo, session, err := begin(ctx, &s)
	if err != nil {
		return err
	}
	defer repo.Close()
	defer session.Close()
	h, err := byhand.New(ctx, repo, session, s)
	if err != nil {
		return errors.Join(err, session.Discard())
	}
	if h.State.Into, err = absolute(into); err != nil {
		return errors.Join(err, session.Discard())
	}
	err = a.judgeOn(ctx, h, nil, open)
	if err != nil && len(byhand.Judged(session)) == 0 {
		err = errors.Join(err, session.Discard())
	}
	return err
}

// sessionByHand begins a session by hand between two revisions, and returns it with the repository that has them.
func (a *app) sessionByHand(ctx context.Context, s *settings.Search) (*git.Repo, *trial.Session, error) {
	repo, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	session, err := a.beginByHand(ctx, repo, s)
	if err != nil {
		repo.Close()
		return nil, nil, err
	}
	return repo, session, nil
}

// beginByHand begins a session by hand between two revisions of a repository.
func (a *app) beginByHand(ctx context.Context, repo *git.Repo, s *settings.Search) (*trial.Session, error) {
	good, bad, err := a.resolveSearch(ctx, repo, s)
	if err != nil {
		return nil, err
	}
	root, err := trial.Root(repo)
	if err != nil {
		return nil, err
	}
	header, err := a.header(byhand.Command, s.Words(), nil)
	if err != nil {
		return nil, err
	}
	header.CommonDir, header.Good, header.Bad = repo.CommonDir(), good, bad
	return trial.CreateSessionWith(root, header, func(dir string, h *trial.Header) error {
		return repo.RecordEnds(ctx, filepath.Join(dir, worktreeDir), a.now(), &h.Good, &h.Bad)
	})
}

// absolute is filepath.Abs for a name that may be "", which stays so.
func absolute(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return filepath.Abs(name)
}

// anyMoment is the value of --after if it is not given.
const anyMoment = -1

func afterFlag(cmd *cobra.Command, after *int) {
	cmd.Flags().IntVar(after, "after", anyMoment, "do nothing unless trial `N` is the last that was judged, 0 = none was")
	cmd.Flags().Lookup("after").DefValue = "0" // not shown
}

// findByHand returns the session by hand that a name means.
func (a *app) findByHand(ctx context.Context, names []string) (trial.Summary, error) {
	all, err := a.all(ctx)
	if err != nil {
		return trial.Summary{}, err
	}
	return byhand.Choose(all, names, a.marked)
}

// openByHand opens the session by hand that a name means, to go on with it, unless another trial was judged last than after says.
func (a *app) openByHand(ctx context.Context, names []string, after int) (*byhand.Session, error) {
	found, err := a.findByHand(ctx, names)
	if err != nil {
		return nil, err
	}
	h, err := byhand.Open(ctx, found.Dir, a.openFor)
	if err != nil || after == anyMoment {
		return h, err
	}
	if err := h.At(after); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// judgeOn continues a search with what the user says of the configuration that was shown, which may be nothing, and shows the next
// configuration, or the answer. With a command it opens the configuration by that, asks what it is, and goes on.
func (a *app) judgeOn(ctx context.Context, h *byhand.Session, given *byhand.Given, open string) error {
	for {
		pending, err := a.advance(ctx, h, given)
		if pending && open == "" && h.State.Step == 1 && given == nil && err == nil {
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
// and then the answer was printed. A judgement of another configuration is a *byhand.StaleError, and counts for nothing.
func (a *app) advance(ctx context.Context, h *byhand.Session, given *byhand.Given) (pending bool, err error) {
	a.manual = &manualJudge{judge: byhand.Judge(given)}
	err = a.isolate(ctx, h.Repo, h.Session, h.Set, h.Settings, forms.Files{})
	if stale, ok := errors.AsType[*byhand.StaleError](err); ok {
		pending, err = a.advance(ctx, h, nil)
		return pending, errors.Join(stale, err)
	}
	var wanted *byhand.PendingError
	if !errors.As(err, &wanted) {
		if a.answered {
			err = errors.Join(err, h.End())
		}
		return false, err
	}
	saved, err := h.Show(ctx, wanted.Request, &a.manual.progress)
	if len(saved) > 0 {
		a.hint(fmt.Sprintf("gitdd was stopped while it wrote files there; %s that it found half written, or edited since, is in %s", prose.Count(len(saved), "file"), filepath.Join(h.Into(), ".git", "gitdd-saved")))
	}
	if err == nil {
		a.printPending(h.State)
	}
	return true, err
}

// printPending says what is to be judged.
func (a *app) printPending(s byhand.State) {
	fmt.Fprintf(a.stdout, "step %d: %s\n", s.Step, prose.Printable(s.What))
	where := "in " + a.fromStart(s.Shown)
	if s.Good != "" { // its index has the configuration
		where += fmt.Sprintf(", where `git diff --cached %s` shows what it has beyond good", s.Good.Short())
	}
	for _, line := range []string{s.Best, s.Left, where} {
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
