package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/combine"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) runCommand() *cobra.Command {
	var s settings.Search
	var o forms.Files
	cmd := &cobra.Command{
		Use:        "run [--good REV] [--bad REV] [flags] -- COMMAND [ARG...]",
		Short:      "Isolate the changes that make COMMAND fail",
		SuggestFor: []string{"isolate", "search"},
		Long: `Isolate the changes between a passing and a failing revision that make COMMAND
fail. The two may also stand before -- as git diff takes them. The word worktree
is your checkout as it is when the search begins, with uncommitted changes but
without untracked files, unless a branch or tag has that name. With --good auto
gitdd goes back from the failing one along first parents, in doubling steps,
until a commit passes; it steps over those that cannot be judged. COMMAND runs
without a shell in a workspace of its own, in the directory that matches yours.
Exit status 0 of COMMAND means pass, 125 unresolved (this configuration cannot
be judged), any other fail. Failures that are not that of the failing end are
unresolved: exit status 126 or 127 (something cannot be run), a signal, or no
end in time, where the failing end ended otherwise, and what --match and
--same-output tell apart.

More in gitdd help outcomes (what COMMAND may say), groups, algorithms,
environment (what COMMAND finds there) and exit-codes (how gitdd itself ends).`,
		Example: `  gitdd run --good v1 --bad HEAD -- make test
  gitdd run v1..HEAD -- make test
  gitdd run --good auto -- make test
  gitdd run --good v1 --build 'make -s' -- ./check.sh
  gitdd run --good v1 --match 'assertion failed' -j 4 -- go test ./...
  gitdd run --good v1 --overlay new_test.sh -- sh new_test.sh
  gitdd run --good-dir ../v1 --bad-dir ../v2 -- make test
  gitdd run --good v1 --into -- go test ./...
  gitdd run --good v1 --with lib=../lib:v3..v4 -- make test
  gitdd run --good v1 --json result.json --patch cause.patch -- make test`,
		Args:              cli.Args(a.revisionsThenCommand),
		ValidArgsFunction: a.completeRevisions,
		RunE: func(cmd *cobra.Command, list []string) error {
			s.Command = list[cmd.ArgsLenAtDash():]
			switch folders := s.GoodDir != "" || s.BadDir != ""; {
			case folders && cmd.Flags().Changed("bad"):
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--bad-dir names the bad end, and so does --bad: want one of them")}
			case !folders:
				if err := a.defaults(cmd, &s); err != nil {
					return err
				}
				if s.Good == "" && s.Green == "" && len(s.With) > 0 { // the other repositories differ
					s.Good = s.Bad
				}
			}
			if err := errors.Join(s.Check(), o.CheckSearch(s.Each != "")); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.run(cmd.Context(), s, o)
		},
	}
	s.Flags(cmd.Flags())
	o.Flags(cmd.Flags())
	o.EventsFlag(cmd.Flags())
	return cmd
}

// commandAfterDash takes the command from behind "--", where its own flags
// are safe.
func (a *app) commandAfterDash(cmd *cobra.Command, list []string) error {
	switch dash := cmd.ArgsLenAtDash(); {
	case dash < 0 && len(list) > 0:
		return fmt.Errorf("put -- before the command: `%s`", a.dashed(cmd, list[0]))
	case dash > 0:
		if err := a.noPartition(list[:dash]); err != nil {
			return err
		}
		return fmt.Errorf("unexpected argument %q before --, where only flags stand", list[0])
	case len(list) == 0:
		return fmt.Errorf("no command: %s [flags] -- COMMAND [ARG...]", cmd.CommandPath())
	}
	return nil
}

// noPartition finds among words before "--" one that is meant for --slurm.
func (a *app) noPartition(words []string) error {
	i := slices.Index(a.line, "--slurm") + 1
	if i == 0 || i == len(a.line) || !slices.Contains(words, a.line[i]) {
		return nil
	}
	return fmt.Errorf("unexpected argument %q before --; a partition is joined to its flag: --slurm=%s", a.line[i], a.line[i])
}

// dashed is the command line with -- before word, an argument of cmd's.
func (a *app) dashed(cmd *cobra.Command, word string) string {
	isValue := func(flag string) bool {
		name, long := strings.CutPrefix(flag, "--")
		f := cmd.Flags().Lookup(name)
		if letter, short := strings.CutPrefix(flag, "-"); !long && short && len(letter) == 1 {
			f = cmd.Flags().ShorthandLookup(letter)
		}
		return f != nil && f.NoOptDefVal == ""
	}
	for i, w := range a.line {
		if w == word && i > 0 && !isValue(a.line[i-1]) {
			return cmd.Root().CommandPath() + " " + prose.Words(slices.Insert(slices.Clone(a.line), i, "--"))
		}
	}
	return cmd.CommandPath() + " [flags] -- COMMAND [ARG...]"
}

// run cuts the difference into changes and isolates in a new session. The
// revisions are resolved here, once: a branch may move while the search is
// interrupted.
func (a *app) run(ctx context.Context, s settings.Search, o forms.Files) error {
	if err := a.openEvents(o.Events); err != nil {
		return err
	}
	if s.GoodDir != "" {
		return a.runFolders(ctx, s, o)
	}
	repo, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	if s.Green != "" {
		if err := a.sinceGreen(ctx, repo, &s); err != nil {
			return err
		}
	}
	good, bad, err := a.resolveSearch(ctx, repo, &s)
	if err != nil {
		return err
	}
	s.Bisect.Name(&good, &bad)
	parts, done, err := a.parts(ctx, &s)
	defer done()
	if err != nil {
		return err
	}
	var session *trial.Session
	if good.IsWorktree() || bad.IsWorktree() || len(parts) > 0 { // new objects go into the session
		if session, err = a.begin(ctx, repo, good, bad, s, parts...); err != nil {
			return err
		}
		defer session.Close()
		good, bad = session.Header().Good, session.Header().Bad
	}
	if good.IsAuto() {
		if session == nil {
			if session, err = a.begin(ctx, repo, good, bad, s); err != nil {
				return err
			}
			defer session.Close()
		}
		return a.isolate(ctx, repo, session, nil, s, o)
	}
	set, err := settings.Between(ctx, repo, good, bad, s.Paths)
	if err != nil && session != nil {
		err = errors.Join(err, session.Discard())
	}
	if err != nil {
		if nothing := (*settings.NothingError)(nil); errors.As(err, &nothing) {
			if what, hint := hints.Uncommitted(ctx, &s, repo, good, bad); what != "" {
				nothing.What, nothing.Hint = nothing.What+"; "+what, hint
			}
		}
		return err
	}
	if session == nil {
		if session, err = a.begin(ctx, repo, good, bad, s); err != nil {
			return err
		}
		defer session.Close()
	}
	if bad.Base != "" {
		a.hint(hints.Untracked(ctx, repo))
	}
	return a.isolate(ctx, repo, session, set, s, o)
}

// begin makes the session of a new search; an end that is the user's checkout is recorded in it, and both ends are combined
// with those of other repositories in it.
func (a *app) begin(ctx context.Context, repo *git.Repo, good, bad git.Revision, s settings.Search, parts ...combine.Part) (*trial.Session, error) {
	root, err := trial.Root(repo)
	if err != nil {
		return nil, err
	}
	header, err := a.header(s.Bisect.Command(), s.Words(), s.Command)
	if err != nil {
		return nil, err
	}
	header.CommonDir, header.Good, header.Bad = repo.CommonDir(), good, bad
	a.hint(interrupted(root, header))
	return trial.CreateSessionWith(root, header, func(dir string, h *trial.Header) error {
		return a.recordEnds(ctx, repo, filepath.Join(dir, worktreeDir), &h.Good, &h.Bad, parts)
	})
}

// interrupted says that the last search was the same one, and was interrupted; "" if it was not.
func interrupted(root string, h trial.Header) string {
	last, ok := trial.Interrupted(root)
	if ok && last.Header.Name == h.Name && last.Header.Good.ID() == h.Good.ID() && last.Header.Bad.ID() == h.Bad.ID() &&
		slices.Equal(last.Header.Args, h.Args) && slices.Equal(last.Header.Command, h.Command) {
		return fmt.Sprintf("this search was begun before, and interrupted after %s: `gitdd resume %s` would go on with it", prose.Count(last.Trials, "trial"), last.Name)
	}
	return ""
}

// recordEnds stores in a directory what the repository does not have: an end that is the user's checkout, and both ends combined
// with those of other repositories. The ends become what is stored, and the repository finds it.
func (a *app) recordEnds(ctx context.Context, repo *git.Repo, dir string, good, bad *git.Revision, parts []combine.Part) error {
	if err := repo.RecordEnds(ctx, dir, a.now(), good, bad); err != nil || len(parts) == 0 {
		return err
	}
	store, err := repo.NewScratch(dir)
	if err == nil {
		*good, *bad, err = combine.Ends(ctx, repo, store, *good, *bad, parts)
	}
	return err
}

// header is what a new session says of itself: which gitdd began it, when, where and as what.
func (a *app) header(name string, args, command []string) (trial.Header, error) {
	dir, err := filepath.Abs(".")
	return trial.Header{Version: released(), Started: a.now(), Name: name, Args: args, Dir: dir, Command: command}, err
}
