package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/apply"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
)

func (a *app) checkoutCommand() *cobra.Command {
	var cause int
	cmd := &cobra.Command{
		Use:        "checkout (passing|failing) DIR [SESSION]",
		Short:      "Write one end of the answer to a new directory",
		SuggestFor: []string{"switch", "restore"},
		Long: `Write one end of the answer to DIR, which must not exist yet or be empty:
"passing" is the nearest configuration on which the command passes, "failing"
the same with the cause.`,
		Example: `  gitdd checkout failing ../failing
  gitdd checkout passing ../passing`,
		Args: cli.Args(cobra.RangeArgs(2, 3)),
		ValidArgsFunction: func(cmd *cobra.Command, list []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			switch len(list) {
			case 0:
				return []cobra.Completion{"passing", "failing"}, cobra.ShellCompDirectiveNoFileComp
			case 1:
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return a.completeSession(cmd, list[2:], word)
		},
		RunE: func(cmd *cobra.Command, list []string) error {
			end, dir := list[0], list[1]
			if end != "passing" && end != "failing" {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("checkout %q: want passing or failing", end)}
			}
			session, result, repo, err := a.read(cmd.Context(), list[2:], cause)
			if err != nil {
				return err
			}
			defer repo.Close()
			tree := result.Passing.Tree
			if end == "failing" {
				tree = result.Failing.Tree
			}
			if tree == "" {
				return fmt.Errorf("session %s has no %s configuration", session.Name(), end)
			}
			if err := apply.Directory(cmd.Context(), repo, session, git.ID(tree), dir); err != nil {
				return err
			}
			fmt.Fprintf(a.aside(), "gitdd: the %s configuration of session %s is in %s\n", end, result.Session, dir)
			return nil
		},
	}
	causeFlag(cmd, &cause)
	return cmd
}
