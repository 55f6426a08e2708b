package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/combine"
	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/listing"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) changesCommand() *cobra.Command {
	var s settings.Search // of which a list has the ends and the paths
	var group, file string
	cmd := &cobra.Command{
		Use:        "changes [--good] REV [[--bad] REV]",
		Short:      "List the changes, their groups and requirements; run nothing",
		SuggestFor: []string{"diff"},
		Long: `List the changes between two revisions below their groups, in the order
in which a search cuts them: number, kind, place, and the numbers of those that
a change requires. The revisions may also stand as git diff takes them: v1 HEAD,
or v1..HEAD; worktree is your checkout, as for gitdd run. Nothing is run.
More in gitdd help groups.`,
		Example: `  gitdd changes v1 HEAD --path src
  gitdd changes --good v1 --group time
  gitdd changes --good v1 --json changes.json
  gitdd changes --good-dir ../v1 --bad-dir ../v2
  gitdd changes --with lib=../lib:v3..v4`,
		Args:              cli.Args(enterRevisions),
		ValidArgsFunction: a.completeRevisions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.GoodDir != "" || s.BadDir != "" {
				switch {
				case s.GoodDir == "" || s.BadDir == "":
					return &cli.UsageError{Cmd: cmd, Err: errors.New("--good-dir and --bad-dir name two folders, or archives: want both")}
				case s.Good != "" || cmd.Flags().Changed("bad"):
					return &cli.UsageError{Cmd: cmd, Err: errors.New("--good-dir and --bad-dir name both ends: want them without revisions")}
				}
			} else if s.Good == "" && len(s.With) > 0 { // the other repositories differ
				s.Good = s.Bad
			} else if s.Good == "" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--good is missing: name the revision to compare with, as in `gitdd changes v1`")}
			}
			if err := settings.OneOf("group", group); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := s.CheckWith(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			ctx := cmd.Context()
			repo, from, to, done, err := a.ends(ctx, &s)
			defer done()
			if err != nil {
				return err
			}
			set, err := settings.Between(ctx, repo, from, to, s.Paths)
			if err != nil {
				return err
			}
			plan, err := search.Plan(ctx, set, grouping.Options{By: settings.Groupings[group], Modules: settings.Modules()})
			if err != nil {
				return err
			}
			if file != "" {
				write := func(w io.Writer) error { return listing.JSON(w, set, plan) }
				if err := a.out(nil).File(file, write); err != nil || file == "-" {
					return err
				}
			}
			return listing.Text(a.stdout, set, plan)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	settings.RevisionFlag(flags, &s.Good, "good", "", "the older `REV`")
	settings.RevisionFlag(flags, &s.Bad, "bad", "HEAD", "the newer `REV`; worktree: your checkout with its uncommitted changes")
	flags.StringVar(&s.GoodDir, "good-dir", "", "in place of --good: a folder `DIR` that need not be in a repository, or an archive; see gitdd help folders")
	flags.StringVar(&s.BadDir, "bad-dir", "", "likewise `DIR` in place of --bad")
	s.WithFlag(flags)
	flags.StringArrayVar(&s.Paths, "path", nil, "only changes below `PATHSPEC` (repeatable)")
	flags.StringVar(&group, "group", "place", "group changes by `WHAT`: place, syntax, identifier, time or none")
	flags.StringVar(&file, "json", "", "write the list as JSON to `FILE` (- for standard output)")
	return cmd
}

// ends opens the repository with both ends: revisions, also combined with those of other repositories, or folders. done closes it, and
// removes what was stored for that, also if there is an error.
func (a *app) ends(ctx context.Context, s *settings.Search) (repo *git.Repo, from, to git.Revision, done func(), err error) {
	dir, closeParts := "", func() {}
	done = func() {
		closeParts()
		if repo != nil {
			repo.Close()
		}
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	var parts []combine.Part
	if s.GoodDir == "" {
		if repo, err = a.open(ctx); err == nil {
			from, to, err = a.resolveEnds(ctx, repo, s.Good, s.Bad)
		}
		if err == nil {
			parts, closeParts, err = a.parts(ctx, s)
		}
		if err != nil || !from.IsWorktree() && !to.IsWorktree() && len(parts) == 0 {
			return repo, from, to, done, err
		}
	}
	if dir, err = os.MkdirTemp("", "gitdd-"); err != nil {
		return repo, from, to, done, err
	}
	if s.GoodDir != "" {
		repo, from, to, err = folders.Store(ctx, filepath.Join(dir, trial.FoldersDir), s.GoodDir, s.BadDir, a.storing())
	} else {
		err = a.recordEnds(ctx, repo, dir, &from, &to, parts)
	}
	return repo, from, to, done, err
}
