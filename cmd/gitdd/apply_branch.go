package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// applyToBranch makes a new branch: one commit on top of a revision, that takes
// the cause off it or puts it on. It stands on the end that has use for it, bad or
// good, for the evidence is about these and HEAD may have moved, or on what the
// user names. Nothing else of the repository changes.
func (a *app) applyToBranch(ctx context.Context, repo *git.Repo, session *trial.Session, result report.Result, revert bool, name, onto string) error {
	if result.Status != report.Isolated {
		return fmt.Errorf("session %s has no isolated cause (%s): a branch needs one; `gitdd resume` may find it", session.Name(), result.Status)
	}
	if err := repo.FreeBranch(ctx, name); err != nil {
		return err
	}
	end, patch := result.Good, search.CausePatch
	if revert {
		end, patch = result.Bad, search.RevertPatch
	}
	rev := cmp.Or(onto, end.Commit)
	if onto == "" && end.Base != "" {
		return fmt.Errorf("%s has uncommitted changes, and is no commit to build on: name one with --onto REV", end.Rev)
	}
	if rev == "" {
		return fmt.Errorf("%s is a tree and no commit to build on: name one with --onto REV", end.Rev)
	}
	parent, err := repo.Resolve(ctx, rev)
	if err != nil {
		return err
	}
	if parent.Commit == "" {
		return fmt.Errorf("--onto %s is a tree, not a commit", onto)
	}
	stands := cmp.Or(onto, end.Rev) + " (" + parent.Commit.Short() + ")"
	store, err := search.AnswerStore(repo, session)
	if err != nil {
		return err
	}
	tree, err := search.ApplyPatch(ctx, store, parent.Tree, filepath.Join(session.Dir(), patch))
	if errors.Is(err, search.ErrConflict) {
		return fmt.Errorf("around the cause %s is not as in the session: no branch was made; --onto REV names another revision\n%w", stands, err)
	}
	if err != nil {
		return err
	}
	h := session.Header()
	outcome := tested(session, tree)
	message := report.CommitMessage(result, report.Message{
		Revert: revert, Onto: stands, Version: h.Version, Tested: outcome,
		Command: prose.Words(slices.Concat([]string{"gitdd", h.Name}, h.Args, []string{"--"}, h.Command)),
	})
	commit, err := store.NewBranch(ctx, name, parent.Commit, tree, message)
	if err != nil {
		return err
	}
	verb := "puts the cause on"
	if revert {
		verb = "takes the cause off"
	}
	fmt.Fprintf(a.aside(), "gitdd: branch %s is new: commit %s %s %s\n", prose.Printable(name), commit.Short(), verb, prose.Printable(stands))
	look := "git switch " + prose.Words([]string{name})
	if repo.Top() == "" { // a bare repository has nothing to switch
		look = "git worktree add DIR " + prose.Words([]string{name}) + " && cd DIR"
	}
	fmt.Fprintf(a.aside(), "gitdd: next: %s && %s\n", look, prose.Printable(prose.Words(h.Command)))
	if want := hoped(result, revert); outcome != want {
		what := "was in no trial"
		if outcome != "" {
			what = "was tested: " + outcome
		}
		fmt.Fprintf(a.aside(), "gitdd: hint: the tree of this commit %s; if the outcome there is not %s, there are other causes, which --all or --goal revert finds\n", what, want)
	}
	return nil
}

// hoped is how the command should end on the branch.
func hoped(result report.Result, revert bool) string {
	if revert == (result.Direction == report.Break) {
		return "pass"
	}
	return "fail"
}

// tested says how the trials of a tree in a session ended, "" if there was none or
// they do not agree.
func tested(session *trial.Session, tree git.ID) string {
	outcome := ""
	for _, r := range session.Records() {
		if r.Tree != tree || r.Rejected {
			continue
		}
		o := isolate.Outcome(r.Outcome).String()
		if outcome != "" && outcome != o {
			return ""
		}
		outcome = o
	}
	return outcome
}
