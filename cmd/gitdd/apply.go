package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/apply"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) applyCommand() *cobra.Command {
	var revert bool
	var branch, onto string
	var cause int
	cmd := &cobra.Command{
		Use:   "apply [--revert] [--branch NAME [--onto REV]] [SESSION]",
		Short: "Put the cause on your working tree, or take it off",
		Long: `Put the cause on your working tree, or take it off with --revert: all causes of
an answer with several, or the one of --cause. Only their files are written,
never the index, and none with local edits, but for those that gitdd apply
itself has made: it takes them back, and takes further causes off the same file.
Uncommitted changes that were tested by --bad worktree are no local edits while
they stand.

With --branch your working tree, index and HEAD stay as they are: a new branch
gets one commit, on top of the bad revision with --revert and else of the good
one, or of --onto. Its message has the cause and the evidence.`,
		Example: `  gitdd apply --revert
  gitdd apply --revert --branch without-it --onto main`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			session, result, repo, err := a.read(cmd.Context(), names, cause)
			if err != nil {
				return err
			}
			defer repo.Close()
			if err := noWorkingTree(session, "does not change them"); err != nil {
				return err
			}
			if len(result.Cause) == 0 {
				return fmt.Errorf("session %s has isolated no cause to apply; `gitdd show %s` says why", session.Name(), session.Name())
			}
			how := apply.Options{Revert: revert, Branch: branch, Onto: onto, From: a.dir}
			if cmd.Flags().Changed("branch") {
				made, err := apply.Branch(cmd.Context(), repo, session, result, how)
				if err != nil {
					return err
				}
				a.tellBranch(repo, session, made, how, apply.Named(result))
				a.tellNeeded(result, made.Needed, "on that branch")
				return nil
			}
			if onto != "" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("--onto REV says what the commit of --branch stands on: name a branch, too")}
			}
			done, err := apply.Files(cmd.Context(), repo, session, result, how)
			if err != nil {
				return err
			}
			for _, command := range done.Submodules {
				fmt.Fprintf(a.aside(), "gitdd: hint: a submodule is yours to move: %s\n", command)
			}
			verb := map[bool]string{false: "is now on", true: "is now off"}[revert]
			if result.Together() > 1 {
				verb = "are" + strings.TrimPrefix(verb, "is")
			}
			fmt.Fprintf(a.aside(), "gitdd: %s of session %s %s your working tree; %s\n", apply.Named(result), result.Session, verb, done.Shows)
			a.tellNeeded(result, done.Needed, "in your working tree")
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&revert, "revert", false, "take the cause off")
	cmd.Flags().StringVar(&branch, "branch", "", "make branch `NAME` with a commit of it, and touch nothing else")
	causeFlag(cmd, &cause)
	cmd.Flags().StringVar(&onto, "onto", "", "build on `REV` (default the bad end with --revert, else the good one)")
	return cmd
}

// tellNeeded says which changes that the cause needs are not there.
func (a *app) tellNeeded(result report.Result, needed []report.Reference, there string) {
	n := len(needed)
	if n == 0 {
		return
	}
	needs, are := "needs", "are"
	if result.Together() > 1 {
		needs = "need"
	}
	if n == 1 {
		are = "is"
	}
	cause := ""
	if result.Number > 0 {
		cause = fmt.Sprintf(" --cause %d", result.Number)
	}
	text := fmt.Sprintf("%s that %s %s %s not %s: %s", prose.Count(n, "change"), apply.Named(result), needs, are, there, report.Named(needed))
	if result.Together() == 1 { // a checkout has one cause
		text += fmt.Sprintf("; `gitdd checkout %s DIR %s%s` writes files that have all of it", result.With(), result.Session, cause)
	}
	fmt.Fprintln(a.aside(), "gitdd:", text)
}

// tellBranch says which branch was made, and how to try it.
func (a *app) tellBranch(repo *git.Repo, session *trial.Session, made apply.Commit, how apply.Options, cause string) {
	verb := "puts " + cause + " on"
	if how.Revert {
		verb = "takes " + cause + " off"
	}
	fmt.Fprintf(a.aside(), "gitdd: branch %s is new: commit %s %s %s\n", prose.Printable(how.Branch), made.ID.Short(), verb, prose.Printable(made.Onto))
	look := "git switch " + prose.Words([]string{how.Branch})
	if repo.Top() == "" { // a bare repository has nothing to switch
		look = "git worktree add DIR " + prose.Words([]string{how.Branch}) + " && cd DIR"
	}
	fmt.Fprintf(a.aside(), "gitdd: next: %s && %s\n", look, prose.Printable(prose.Words(session.Header().Command)))
	if made.Tested != made.Hoped {
		what := "was in no trial"
		if made.Tested != "" {
			what = "was tested: " + made.Tested
		}
		fmt.Fprintf(a.aside(), "gitdd: hint: the tree of this commit %s; if the outcome there is not %s, there are other causes, which --all or --goal revert finds\n", what, made.Hoped)
	}
}
