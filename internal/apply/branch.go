package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Commit is the one of a branch that [Branch] has made.
type Commit struct {
	ID     git.ID
	Onto   string // the revision that it stands on, with the id of its commit
	Tested string // how the trials of its tree ended; "" if there was none, or they do not agree
	Hoped  string // how the command should end on it, "pass" or "fail"

	Needed []report.Reference // changes that the cause needs and that are not in Onto; nil if it was taken off
}

// Branch makes a new branch of one commit, which removes the cause from bad (Options.Revert) or adds it to
// good, or does so on Options.Onto. HEAD is not the default, because it may be another revision than both
// ends. Nothing else of the repository changes.
func Branch(ctx context.Context, repo *git.Repo, session *trial.Session, result report.Result, o Options) (Commit, error) {
	if result.Status != report.Isolated {
		return Commit{}, fmt.Errorf("session %s has no isolated cause (%s): a branch needs one; `gitdd resume` may find it", session.Name(), result.Status)
	}
	if err := apart(result); err != nil {
		return Commit{}, err
	}
	if err := repo.FreeBranch(ctx, o.Branch); err != nil {
		return Commit{}, err
	}
	patch, err := PatchFile(session, result, o.Revert)
	if err != nil {
		return Commit{}, err
	}
	end := result.Good
	if o.Revert {
		end = result.Bad
	}
	rev := cmp.Or(o.Onto, end.Commit)
	if o.Onto == "" && end.Base != "" {
		return Commit{}, fmt.Errorf("%s has uncommitted changes, and is no commit to build on: name one with --onto REV", end.Rev)
	}
	if rev == "" {
		return Commit{}, fmt.Errorf("%s is a tree and no commit to build on: name one with --onto REV", end.Rev)
	}
	parent, err := repo.Resolve(ctx, rev)
	if err != nil {
		return Commit{}, err
	}
	if parent.Commit == "" {
		return Commit{}, fmt.Errorf("--onto %s is a tree, not a commit", o.Onto)
	}
	stands := cmp.Or(o.Onto, end.Rev) + " (" + parent.Commit.Short() + ")"
	store, err := search.AnswerStore(repo, session)
	if err != nil {
		return Commit{}, err
	}
	tree, err := search.ApplyPatch(ctx, store, parent.Tree, patch)
	if errors.Is(err, search.ErrUnchanged) {
		has := "has " + Named(result) + " already"
		if o.Revert {
			has = "does not have " + Named(result)
		}
		return Commit{}, fmt.Errorf("%s %s: no branch was made; --onto REV names another revision", stands, has)
	}
	if errors.Is(err, search.ErrConflict) {
		return Commit{}, fmt.Errorf("around %s %s is not as in the session: no branch was made; --onto REV names another revision\n%w", Named(result), stands, err)
	}
	if err != nil {
		return Commit{}, err
	}
	h := session.Header()
	outcome := tested(session, tree)
	message := report.CommitMessage(result, report.Message{
		Revert: o.Revert, Onto: stands, Version: h.Version, Tested: outcome,
		Command: prose.Words(slices.Concat([]string{"gitdd", h.Name}, h.Args, []string{"--"}, h.Command)),
	})
	commit, err := store.NewBranch(ctx, o.Branch, parent.Commit, tree, message)
	if err != nil {
		return Commit{}, err
	}
	made := Commit{ID: commit, Onto: stands, Tested: outcome, Hoped: hoped(result, o.Revert)}
	if !o.Revert {
		made.Needed = missing(result, within(ctx, repo, parent.Tree))
	}
	return made, nil
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
