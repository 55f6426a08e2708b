package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
)

func (a *app) applyCommand() *cobra.Command {
	var revert bool
	cmd := &cobra.Command{
		Use:   "apply [--revert] [SESSION]",
		Short: "Put the cause on your working tree, or take it off",
		Long: `Put the cause on your working tree, or take it off with --revert. Only the files
of the cause are written, never the index, and none with local edits.`,
		Example:           "  gitdd apply --revert",
		Args:              args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			session, result, err := a.read(cmd.Context(), names)
			if err != nil {
				return err
			}
			repo, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer repo.Close()
			if len(result.Cause) == 0 {
				return fmt.Errorf("session %s has isolated nothing to apply", session.Name())
			}
			name := causePatch
			if revert {
				name = revertPatch
			}
			patch := filepath.Join(session.Dir(), name)
			if err := apply(cmd.Context(), repo, patch, result, revert); err != nil {
				return err
			}
			verb := map[bool]string{false: "is now on", true: "is now off"}[revert]
			fmt.Fprintf(a.stderr, "gitdd: the cause of session %s %s your working tree; git diff shows it\n", session.Name(), verb)
			return nil
		},
	}
	cmd.Flags().BoolVar(&revert, "revert", false, "take the cause off")
	return cmd
}

// apply has git put a patch on the user's working tree: all of it or nothing,
// and only where the files are as they were committed.
func apply(ctx context.Context, repo *git.Repo, patch string, result report.Result, revert bool) error {
	if repo.Top() == "" {
		return errors.New("a bare repository has no working tree to apply to; gitdd checkout writes the configurations elsewhere")
	}
	if _, err := os.Stat(patch); err != nil {
		return fmt.Errorf("the session keeps no patch: %w", err)
	}
	paths, err := repo.PatchPaths(ctx, patch)
	if err != nil {
		return err
	}
	edited, err := repo.EditedPaths(ctx, paths)
	if err != nil {
		return err
	}
	if len(edited) > 0 {
		return fmt.Errorf("%s has local edits; commit or stash them first, nothing was changed", printable(strings.Join(edited, ", ")))
	}
	if err := repo.Apply(ctx, patch); err != nil {
		where, failing := result.Good.Rev, result.Bad.Rev
		if h := result.History; h != nil {
			where, failing = short(git.ID(h.LastGood)), short(git.ID(h.FirstBad))
		}
		if revert {
			where = failing
		}
		return fmt.Errorf("%w\naround the cause your working tree is not as in %s: nothing was changed", err, where)
	}
	return nil
}
