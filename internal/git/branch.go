package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// An IdentityError says that git does not know who the author of a commit is.
type IdentityError struct{ detail string }

func (e *IdentityError) Error() string {
	return "git does not know who you are, and a commit needs an author: set user.name and user.email with git config (git said: " + e.detail + ")"
}

// FreeBranch is an error unless name could be that of a new branch: well-formed,
// not there yet, and not the one that an unborn HEAD waits for.
func (r *Repo) FreeBranch(ctx context.Context, name string) error {
	out, err := r.Git(ctx, "check-ref-format", "--branch", name)
	if refused(err) || err == nil && strings.TrimSuffix(string(out), "\n") != name { // it expands @{-1}
		return fmt.Errorf("%q is no name for a branch", name)
	}
	if err != nil {
		return err
	}
	head, err := r.Git(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil && !refused(err) {
		return err
	}
	if strings.TrimSuffix(string(head), "\n") == "refs/heads/"+name {
		return fmt.Errorf("%s is the branch that you are on; name one that does not exist", name)
	}
	_, err = r.Git(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+name)
	if err == nil {
		return fmt.Errorf("there is a branch %s already; name one that does not exist", name)
	}
	if !refused(err) {
		return err
	}
	return nil
}

// NewBranch makes a branch of the repository: one commit on top of parent with a
// tree of the store, its author and committer the user by git's configuration. It
// brings the objects along that the repository lacks, checks them, and writes the
// branch last: all of it is there, or nothing that anything names. No checkout,
// index or HEAD is touched.
func (s *Scratch) NewBranch(ctx context.Context, name string, parent, tree ID, message string) (ID, error) {
	if err := s.repo.FreeBranch(ctx, name); err != nil {
		return "", err
	}
	out, err := s.place.run(ctx, strings.NewReader(message),
		"-c", "user.useConfigOnly=true", "-c", "i18n.commitEncoding=UTF-8", "commit-tree", string(tree), "-p", string(parent))
	if failed, ok := errors.AsType[*Error](err); ok && failed.says("auto-detection is disabled", "tell me who you are", "empty ident name", "unable to auto-detect") {
		return "", &IdentityError{failed.message()}
	}
	if err != nil {
		return "", err
	}
	commit := ID(bytes.TrimSpace(out))
	pack, err := s.place.run(ctx, strings.NewReader(string(commit)+"\n^"+string(parent)+"\n"), "pack-objects", "--revs", "--stdout", "-q")
	if err != nil {
		return "", fmt.Errorf("bring the commit into the repository: %w", err)
	}
	if _, err := s.repo.GitInput(ctx, bytes.NewReader(pack), "unpack-objects", "-q", "--strict"); err != nil {
		return "", fmt.Errorf("bring the commit into the repository: %w", err)
	}
	// The empty old value: nobody has made the branch meanwhile.
	if _, err := s.repo.Git(ctx, "update-ref", "-m", "gitdd apply: created", "refs/heads/"+name, string(commit), ""); err != nil {
		return "", fmt.Errorf("make branch %s: %w", name, err)
	}
	return commit, nil
}
