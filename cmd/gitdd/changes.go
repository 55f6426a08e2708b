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
	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/listing"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) changesCommand() *cobra.Command {
	var good, bad, goodDir, badDir, group, file string
	var paths []string
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
  gitdd changes --good-dir ../v1 --bad-dir ../v2`,
		Args:              cli.Args(enterRevisions),
		ValidArgsFunction: a.completeRevisions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if goodDir != "" || badDir != "" {
				switch {
				case goodDir == "" || badDir == "":
					return &cli.UsageError{Cmd: cmd, Err: errors.New("--good-dir and --bad-dir name two folders, or archives: want both")}
				case good != "" || cmd.Flags().Changed("bad"):
					return &cli.UsageError{Cmd: cmd, Err: errors.New("--good-dir and --bad-dir name both ends: want them without revisions")}
				}
			} else if good == "" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--good is missing: name the revision to compare with, as in `gitdd changes v1`")}
			}
			if err := settings.OneOf("group", group); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			ctx := cmd.Context()
			repo, from, to, done, err := a.ends(ctx, good, bad, goodDir, badDir)
			defer done()
			if err != nil {
				return err
			}
			set, err := settings.Between(ctx, repo, from, to, paths)
			if err != nil {
				return err
			}
			plan, err := search.Plan(ctx, set, grouping.Options{By: settings.Groupings[group], Modules: settings.Modules})
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
	settings.RevisionFlag(flags, &good, "good", "", "the older `REV`")
	settings.RevisionFlag(flags, &bad, "bad", "HEAD", "the newer `REV`; worktree: your checkout with its uncommitted changes")
	flags.StringVar(&goodDir, "good-dir", "", "in place of --good: a folder `DIR` that need not be in a repository, or an archive; see gitdd help folders")
	flags.StringVar(&badDir, "bad-dir", "", "likewise `DIR` in place of --bad")
	flags.StringArrayVar(&paths, "path", nil, "only changes below `PATHSPEC` (repeatable)")
	flags.StringVar(&group, "group", "place", "group changes by `WHAT`: place, syntax, identifier, time or none")
	flags.StringVar(&file, "json", "", "write the list as JSON to `FILE` (- for standard output)")
	return cmd
}

// ends opens the repository with both ends, revisions or folders. done closes it, and removes what was stored for that,
// also if there is an error.
func (a *app) ends(ctx context.Context, good, bad, goodDir, badDir string) (repo *git.Repo, from, to git.Revision, done func(), err error) {
	dir := ""
	done = func() {
		if repo != nil {
			repo.Close()
		}
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	if goodDir == "" {
		if repo, err = a.open(ctx); err == nil {
			from, to, err = a.resolveEnds(ctx, repo, good, bad)
		}
		if err != nil || !from.IsWorktree() && !to.IsWorktree() {
			return repo, from, to, done, err
		}
	}
	if dir, err = os.MkdirTemp("", "gitdd-"); err != nil {
		return repo, from, to, done, err
	}
	if goodDir != "" {
		repo, from, to, err = folders.Store(ctx, filepath.Join(dir, trial.FoldersDir), goodDir, badDir, a.storing())
	} else {
		err = repo.RecordEnds(ctx, dir, a.now(), &from, &to)
	}
	return repo, from, to, done, err
}
