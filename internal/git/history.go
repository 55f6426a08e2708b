package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Commit is a commit as the user's view of history has it: with replacement
// refs and grafts, and without parents where a shallow clone ends.
type Commit struct {
	ID, Tree ID
	Parents  []ID
	Author   string
	Date     time.Time // of the author; zero in a damaged commit
	Subject  string    // may be any bytes but a line feed
}

// commitFormat prints one line per commit.
const commitFormat = "--format=%H%x00%T%x00%P%x00%an%x00%aI%x00%s"

// FirstParents returns the commits on the way from tip along first parents, the
// oldest first, up to and without the first that is reached from one of not: one
// of these itself, or an ancestor by any parent. It is empty when tip is. The
// first parent of the oldest is where the way leaves them; if it has no parents,
// the way never meets them. Cost: one git process, linear in the commits.
func (r *Repo) FirstParents(ctx context.Context, tip ID, not ...ID) ([]Commit, error) {
	args := []string{"--first-parent", "--reverse", string(tip)}
	for _, id := range not {
		args = append(args, "^"+string(id))
	}
	return r.revList(ctx, args...)
}

// CommitOf returns one commit.
func (r *Repo) CommitOf(ctx context.Context, id ID) (Commit, error) {
	list, err := r.revList(ctx, "--no-walk", string(id))
	if err != nil {
		return Commit{}, err
	}
	if len(list) != 1 {
		return Commit{}, fmt.Errorf("read commit %s: git shows %d commits", id, len(list))
	}
	return list[0], nil
}

func (r *Repo) revList(ctx context.Context, args ...string) ([]Commit, error) {
	out, err := r.Git(ctx, append(append([]string{"rev-list", "--encoding=UTF-8", commitFormat}, args...), "--")...)
	if err != nil {
		return nil, err
	}
	var list []Commit
	for line := range bytes.Lines(out) {
		field := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x00")
		if len(field) != 6 {
			continue // the header "commit ID" before each
		}
		c := Commit{ID: ID(field[0]), Tree: ID(field[1]), Author: field[3], Subject: field[5]}
		c.Date, _ = time.Parse(time.RFC3339, field[4])
		for parent := range strings.FieldsSeq(field[2]) {
			c.Parents = append(c.Parents, ID(parent))
		}
		list = append(list, c)
	}
	return list, nil
}

// MergeBase returns a best common ancestor of all the commits, "" when they have
// none, or only beyond the end of a shallow clone.
func (r *Repo) MergeBase(ctx context.Context, commits ...ID) (ID, error) {
	args := []string{"merge-base", "--octopus"}
	for _, id := range commits {
		args = append(args, string(id))
	}
	out, err := r.Git(ctx, args...)
	if failed := (*Error)(nil); errors.As(err, &failed) && failed.Exit == 1 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return ID(first), nil
}

// IsShallow reports whether the repository lacks older history.
func (r *Repo) IsShallow() bool { return r.shallow }
