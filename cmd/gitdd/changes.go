package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/listing"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/search"
)

func (a *app) changesCommand() *cobra.Command {
	var good, bad, group, file string
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
  gitdd changes --good v1 --json changes.json`,
		Args:              cli.Args(enterRevisions),
		ValidArgsFunction: a.completeRevisions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if good == "" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--good is missing: name the revision to compare with, as in `gitdd changes v1`")}
			}
			if err := settings.OneOf("group", group); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			ctx := cmd.Context()
			repo, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer repo.Close()
			from, to, err := a.resolveEnds(ctx, repo, good, bad)
			if err != nil {
				return err
			}
			if from.IsWorktree() || to.IsWorktree() {
				dir, err := os.MkdirTemp("", "gitdd-")
				if err != nil {
					return err
				}
				defer os.RemoveAll(dir)
				if err := repo.RecordEnds(ctx, dir, a.now(), &from, &to); err != nil {
					return err
				}
			}
			set, err := settings.Between(ctx, repo, from, to, paths)
			if err != nil {
				return err
			}
			plan, err := search.Plan(ctx, set, settings.Groupings[group])
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
	flags.StringArrayVar(&paths, "path", nil, "only changes below `PATHSPEC` (repeatable)")
	flags.StringVar(&group, "group", "place", "group changes by `WHAT`: place, syntax, identifier, time or none")
	flags.StringVar(&file, "json", "", "write the list as JSON to `FILE` (- for standard output)")
	return cmd
}
