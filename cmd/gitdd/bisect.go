package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/search"
)

func (a *app) bisectCommand() *cobra.Command {
	var s settings
	var o outputs
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
			s.command = command
			first := s.firstParent
			if err := a.takeOver(cmd.Context(), &s); err != nil {
				return err
			}
			if first && s.bisect.finish && !s.bisect.firstParent {
				err := errors.New("--first-parent and --finish: the git bisect in progress goes into the sides of merges, and could not take that verdict; begin it with `git bisect start --first-parent`")
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := errors.Join(s.check(), o.check()); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return a.run(cmd.Context(), s, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	s.bisect.finishFlag(flags)
	s.trialFlags(flags)
	s.searchFlags(flags)
	s.machines.flags(flags)
	for _, name := range []string{"history", "no-history", "goal"} { // it is about commits
		flags.Lookup(name).Hidden = true
	}
	o.flags(flags)
	return cmd
}

// takeOver takes all that a search needs from the bisect in progress.
func (a *app) takeOver(ctx context.Context, s *settings) error {
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
	if err := errors.Join(missing(b, b.New, b.Bad.ID == ""), missing(b, b.Old, len(b.Goods) == 0)); err != nil {
		return err
	}
	s.commits = true
	return a.take(ctx, repo, s, b, true, true)
}

// missing says that a bisect lacks an end, and what to do.
func missing(b *git.Bisect, term string, lacks bool) error {
	if !lacks {
		return nil
	}
	return fmt.Errorf("the git bisect in progress has no %s commit yet: mark one with `git bisect %s REV`", term, term)
}

// defaults takes the ends of gitdd run that were not named from the bisect in
// progress, if there is one.
func (a *app) defaults(cmd *cobra.Command, s *settings) error {
	good, bad := !cmd.Flags().Changed("good"), !cmd.Flags().Changed("bad")
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
	defer repo.Close()
	b, err := repo.Bisect(ctx)
	if errors.Is(err, git.ErrNoBisect) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; naming both --good and --bad leaves it out", err)
	}
	if err := missing(b, b.Old, good && len(b.Goods) == 0); err != nil {
		return fmt.Errorf("%w, or name one: --good REV", err)
	}
	if bad = bad && b.Bad.ID != ""; !good && !bad {
		return nil
	}
	return a.take(ctx, repo, s, b, good, bad)
}

// take takes one end or both, and all else that the bisect knows, and says so.
func (a *app) take(ctx context.Context, repo *git.Repo, s *settings, b *git.Bisect, good, bad bool) error {
	t := &s.bisect
	var said []string
	if good {
		first, err := nearest(ctx, repo, b)
		if err != nil {
			return err
		}
		s.good, t.names[0] = string(first.ID), b.Old
		for _, c := range b.Goods {
			if c.ID != first.ID {
				t.goods = append(t.goods, string(c.ID))
			}
		}
		text := b.Old + " " + subjectOf(first)
		if n := len(t.goods); n > 0 {
			text += fmt.Sprintf(" and %s more", prose.Number(n))
		}
		said = append(said, text)
	}
	if bad {
		s.bad, t.names[1] = string(b.Bad.ID), b.New
		said = append(said, b.New+" "+subjectOf(b.Bad))
	}
	for _, id := range b.Skipped {
		t.skipped = append(t.skipped, string(id))
	}
	if n := len(b.Skipped); n > 0 {
		said = append(said, fmt.Sprintf("%s skipped", prose.Number(n)))
	}
	if t.paths = b.Paths; len(t.paths) > 0 {
		said = append(said, "commits that touch "+strings.Join(t.paths, " "))
	}
	if t.firstParent = b.FirstParent; b.FirstParent {
		s.firstParent = true
		said = append(said, "first parents only")
	}
	t.terms = b.Old + ":" + b.New
	if good && bad {
		t.log = fingerprint(b.Log)
	}
	fmt.Fprintf(a.aside(), "gitdd: from the git bisect in progress: %s\n", prose.Printable(strings.Join(said, ", ")))
	return nil
}

func subjectOf(c git.Commit) string { return search.Named(c.ID, []git.Commit{{}, c}) }

// nearest returns the good commit that leaves least to search: with the fewest
// commits from it to bad, one in bad's history if there is any.
func nearest(ctx context.Context, repo *git.Repo, b *git.Bisect) (git.Commit, error) {
	if len(b.Goods) == 1 || b.Bad.ID == "" {
		return b.Goods[0], nil
	}
	best, least, apart := git.Commit{}, 0, true
	for _, c := range b.Goods {
		bases, err := repo.MergeBases(ctx, b.Bad.ID, c.ID)
		if err != nil {
			return best, err
		}
		isApart := len(bases) != 1 || bases[0] != c.ID
		n, err := repo.CountCommits(ctx, b.Bad.ID, c.ID)
		if err != nil {
			return best, err
		}
		if best.ID == "" || apart && !isApart || apart == isApart && n < least {
			best, least, apart = c, n, isApart
		}
	}
	return best, nil
}
