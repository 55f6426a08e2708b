package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/bisect"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
)

func (a *app) bisectCommand() *cobra.Command {
	var s settings.Search
	var o forms.Files
	cmd := &cobra.Command{
		Use:   "bisect [flags] -- COMMAND [ARG...]",
		Short: "Take over a git bisect: the commits first, then the lines",
		Long: `Take over the git bisect in progress: go on over the commits between those that
it knows, then isolate within the first bad one. Both ends are tested first;
commits that were skipped are not tested. Terms, paths and --first-parent mean
what they mean to git; if paths do not explain the failure, gitdd says so and
searches the commits in between. COMMAND is judged as by gitdd run.

The bisect stays as it is, and so does what is checked out, unless --finish
writes the verdict back: git bisect log then shows it.`,
		Example: `  git bisect start HEAD v1
  gitdd bisect -- make test
  gitdd bisect --finish -j 4 -- go test ./...`,
		Args: cli.Args(a.commandAfterDash),
		RunE: func(cmd *cobra.Command, command []string) error {
			s.Command = command
			first := s.FirstParent
			if err := a.takeOver(cmd.Context(), &s); err != nil {
				return err
			}
			if first && s.Bisect.WriteBack && !s.Bisect.FirstParent {
				err := errors.New("--first-parent and --finish: the git bisect in progress goes into the sides of merges, and could not take that verdict; begin it with `git bisect start --first-parent`")
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := errors.Join(s.Check(), o.CheckOne()); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.run(cmd.Context(), s, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	settings.FinishFlag(flags, &s.Bisect.WriteBack)
	s.MeasureFlags(flags)
	s.TrialFlags(flags)
	s.SearchFlags(flags)
	s.Machines.Flags(flags)
	for _, name := range []string{"history", "no-history", "goal"} { // it is about commits
		flags.Lookup(name).Hidden = true
	}
	o.OneFlags(flags)
	o.EventsFlag(flags)
	return cmd
}

// takeOver takes all that a search needs from the bisect in progress.
func (a *app) takeOver(ctx context.Context, s *settings.Search) error {
	repo, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	b, err := repo.Bisect(ctx)
	if errors.Is(err, git.ErrNoBisect) {
		return fmt.Errorf("%w: begin one with `git bisect start BAD GOOD`, or name both revisions: `gitdd run --good REV --bad REV -- COMMAND`", err)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(bisect.Missing(b, b.New, b.Bad.ID == ""), bisect.Missing(b, b.Old, len(b.Goods) == 0)); err != nil {
		return err
	}
	s.Commits = true
	return a.take(ctx, repo, s, b, true, true)
}

// defaults takes the ends of gitdd run that were not named from the bisect in
// progress, if there is one.
func (a *app) defaults(cmd *cobra.Command, s *settings.Search) error {
	good, bad := !cmd.Flags().Changed("good") && s.Green == "", !cmd.Flags().Changed("bad")
	if !good && !bad {
		return nil
	}
	ctx := cmd.Context()
	repo, err := a.open(ctx)
	if err != nil {
		if good {
			return nil // that it is missing is said first
		}
		return err
	}
	a.opened = repo
	b, err := repo.Bisect(ctx)
	if errors.Is(err, git.ErrNoBisect) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; naming both --good and --bad leaves it out", err)
	}
	if err := bisect.Missing(b, b.Old, good && len(b.Goods) == 0); err != nil {
		return fmt.Errorf("%w, or name one: --good REV", err)
	}
	if bad = bad && b.Bad.ID != ""; !good && !bad {
		return nil
	}
	return a.take(ctx, repo, s, b, good, bad)
}

// take takes one end or both, and all else that the bisect knows, and says so.
func (a *app) take(ctx context.Context, repo *git.Repo, s *settings.Search, b *git.Bisect, good, bad bool) error {
	t, ends, said, err := bisect.Take(ctx, repo, b, good, bad)
	if err != nil {
		return err
	}
	s.Bisect.State = t
	s.Good, s.Bad = cmp.Or(ends[0], s.Good), cmp.Or(ends[1], s.Bad)
	s.FirstParent = s.FirstParent || t.FirstParent
	fmt.Fprintf(a.aside(), "gitdd: from the git bisect in progress: %s\n", prose.Printable(strings.Join(said, ", ")))
	return nil
}

// finish writes the verdict of a search that has one into the bisect, and says
// what it has become.
func (a *app) finish(ctx context.Context, repo *git.Repo, s settings.Search, b *search.Bisection, status report.Status) error {
	says, left, err := s.Bisect.Finish(ctx, repo, s.Good, s.Bad, b, status == report.Isolated)
	switch {
	case err != nil:
		return err
	case left != "":
		fmt.Fprintf(a.stderr, "gitdd: the git bisect was left as it is: %s\n", left)
	default:
		fmt.Fprintf(a.aside(), "gitdd: `git bisect log` now says: %s\n", says)
	}
	return nil
}
