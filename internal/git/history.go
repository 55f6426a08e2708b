package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
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
	return r.revList(ctx, nil, walk([]string{"--first-parent", "--reverse"}, tip, not)...)
}

// Back returns tip and the commits before it along first parents, the newest first, up to and without the first
// whose date of committing is before since, unless that is zero. Cost: one git process, linear in the commits.
func (r *Repo) Back(ctx context.Context, tip ID, since time.Time) ([]Commit, error) {
	args := []string{"--first-parent"}
	if !since.IsZero() {
		args = append(args, fmt.Sprintf("--max-age=%d", since.Unix()))
	}
	return r.revList(ctx, nil, append(args, string(tip))...)
}

// Date returns the time that git reads in a date as its option --since has it. Git takes what it cannot read for the
// present.
func (r *Repo) Date(ctx context.Context, date string) (time.Time, error) {
	out, err := r.Git(ctx, "rev-parse", "--since="+date)
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(string(out)), "--max-age="), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("git rev-parse --since=%s prints %q", date, out)
	}
	return time.Unix(seconds, 0), nil
}

// Touching returns the commits of [Repo.FirstParents] in which something differs
// below a path from their first parent. Paths are pathspecs, relative to the top
// of the work tree.
func (r *Repo) Touching(ctx context.Context, paths []string, tip ID, not ...ID) ([]Commit, error) {
	return r.revList(ctx, paths, walk([]string{"--first-parent", "--reverse"}, tip, not)...)
}

// Candidates returns the commits that git bisect would choose from between tip,
// which is bad, and others that are good: those in the history of tip alone, tip
// included, the newest first. With paths they are only those that git's
// simplification of history leaves, tip too.
func (r *Repo) Candidates(ctx context.Context, tip ID, paths []string, firstParent bool, not ...ID) ([]Commit, error) {
	return r.revList(ctx, paths, walk(alongFirst(firstParent), tip, not)...)
}

// CountCommits returns how many commits are in the history of tip and not in that
// of another.
func (r *Repo) CountCommits(ctx context.Context, tip, not ID) (int, error) {
	out, err := r.Git(ctx, "rev-list", "--count", string(tip), "^"+string(not), "--")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// Middles returns the commits of [Repo.Candidates], those that halve them best first.
func (r *Repo) Middles(ctx context.Context, tip ID, paths []string, not ...ID) ([]ID, error) {
	args := append([]string{"rev-list"}, walk([]string{"--bisect-all"}, tip, not)...)
	out, err := r.Git(ctx, append(append(args, "--"), paths...)...)
	return ids(out), err
}

// walk is the part of the history that is not in that of others.
func walk(args []string, tip ID, not []ID) []string {
	args = append(args, string(tip))
	for _, id := range not {
		args = append(args, "^"+string(id))
	}
	return args
}

func alongFirst(yes bool) []string {
	if yes {
		return []string{"--first-parent"}
	}
	return nil
}

// CommitOf returns one commit.
func (r *Repo) CommitOf(ctx context.Context, id ID) (Commit, error) {
	list, err := r.commitsOf(ctx, []ID{id})
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("read commit %s: git shows %d commits", id, len(list))
	}
	if err != nil {
		return Commit{}, err
	}
	return list[0], nil
}

// commitsOf returns commits in the order of their ids, each once.
func (r *Repo) commitsOf(ctx context.Context, ids []ID) ([]Commit, error) {
	var names strings.Builder // there may be more than fit a command line
	for _, id := range ids {
		fmt.Fprintln(&names, id)
	}
	out, err := r.GitInput(ctx, strings.NewReader(names.String()), "rev-list", "--encoding=UTF-8", commitFormat, "--no-walk=unsorted", "--stdin")
	if err != nil {
		return nil, err
	}
	return r.listed(parseCommits(out))
}

func (r *Repo) revList(ctx context.Context, paths []string, args ...string) ([]Commit, error) {
	args = append([]string{"rev-list", "--encoding=UTF-8", commitFormat}, args...)
	out, err := r.Git(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	return r.listed(parseCommits(out))
}

// listed remembers the trees of commits for [Repo.Resolve], which then needs no git
// process for their ids.
func (r *Repo) listed(list []Commit, err error) ([]Commit, error) {
	for _, c := range list {
		r.trees.Store(c.ID, c.Tree)
	}
	return list, err
}

// parseCommits reads rev-list with commitFormat: before each line of six fields
// stands one of "commit ID", whose mark is of no interest.
func parseCommits(out []byte) ([]Commit, error) {
	var list []Commit
	for line := range bytes.Lines(out) {
		text := strings.TrimSuffix(string(line), "\n")
		field := strings.Split(text, "\x00")
		if len(field) == 1 && strings.HasPrefix(text, "commit ") {
			continue
		}
		if len(field) != 6 {
			return nil, fmt.Errorf("git rev-list prints %q", text)
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
	if exited(err, 1) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return ID(first), nil
}

// MergeBases returns all best common ancestors of two commits, none when they
// have none in this repository.
func (r *Repo) MergeBases(ctx context.Context, one, other ID) ([]ID, error) {
	out, err := r.Git(ctx, "merge-base", "--all", string(one), string(other))
	if exited(err, 1) {
		return nil, nil
	}
	return ids(out), err
}

// IsShallow reports whether the repository lacks older history.
func (r *Repo) IsShallow() bool { return r.shallow }
