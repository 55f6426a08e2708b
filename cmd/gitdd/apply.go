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
	"github.com/gitdd/gitdd/trial"
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
			if err := apply(cmd.Context(), repo, session, patch, result, revert); err != nil {
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
func apply(ctx context.Context, repo *git.Repo, session *trial.Session, patch string, result report.Result, revert bool) error {
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
	err = repo.Apply(ctx, patch)
	if err != nil && result.History != nil {
		// The patch is of a commit that others may have come after.
		if moved, err2 := mergePatch(ctx, repo, session, patch); err2 != nil {
			return err2
		} else if moved != "" {
			defer os.Remove(moved)
			err = repo.Apply(ctx, moved)
		}
	}
	if err != nil {
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

// mergePatch merges a patch into what is checked out, and returns the file with
// the patch that makes just this difference; "" when they conflict.
func mergePatch(ctx context.Context, repo *git.Repo, session *trial.Session, patch string) (string, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	store, err := answerStore(repo, session)
	if err != nil {
		return "", err
	}
	tree, ok, err := store.Applied(ctx, head.Tree, patch)
	if err != nil || !ok {
		return "", err
	}
	text, err := store.Git(ctx, "diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-color", "--no-ext-diff",
		"--no-textconv", "--ignore-submodules=none", "--src-prefix=a/", "--dst-prefix=b/", string(head.Tree), string(tree))
	if err != nil || len(text) == 0 {
		return "", err
	}
	file, err := os.CreateTemp(session.Dir(), "merged-*.patch")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	return file.Name(), errors.Join(err, file.Close())
}
