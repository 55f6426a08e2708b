package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Revision is what a name stands for.
type Revision struct {
	Rev    string // as asked
	Commit ID     // "" for a plain tree
	Tree   ID
	Base   ID `json:",omitempty"` // of a checkout with uncommitted changes: the commit they are on; Commit is then in one store only
}

// ID returns the id of the commit, or of the plain tree.
func (r Revision) ID() ID {
	if r.Commit != "" {
		return r.Commit
	}
	return r.Tree
}

// Resolve turns any name that git understands (branch, tag, `HEAD~3`, `:/text`,
// `HEAD:dir`, an id) into a commit and its tree, or into a tree alone. It fails
// with [*UnknownRevisionError]. Cost: three git processes, and none for the id of a
// commit that was resolved or listed before, or of a tree that go-git can read.
func (r *Repo) Resolve(ctx context.Context, rev string) (Revision, error) {
	unknown := func(detail string) (Revision, error) {
		return Revision{}, &UnknownRevisionError{Rev: rev, Detail: detail}
	}
	if rev == "" {
		return unknown("the name is empty")
	}
	if strings.ContainsRune(rev, 0) {
		return unknown("a name cannot contain a NUL byte")
	}
	if tree, ok := r.trees.Load(ID(rev)); ok {
		return Revision{Rev: rev, Commit: ID(rev), Tree: tree.(ID)}, nil
	}
	if id := ID(rev); id.valid(r.format) && r.store.inProcess != nil {
		// The id of a tree stands for that tree, even where refs/replace has another one for it.
		if kind, content, err := r.store.inProcess.read(ctx, id); err == nil && kind == "tree" && r.HashObject(kind, content) == id {
			return Revision{Rev: rev, Tree: id}, nil
		}
	}
	id, err := r.revParse(ctx, rev)
	if refused(err) {
		return unknown(r.unknownDetail(ctx, rev, err))
	} else if err != nil {
		return Revision{}, err
	}
	// `^{commit}` is added to the id: added to the name it would become part of
	// `:/text` and of `HEAD:path`.
	commit, err := r.revParse(ctx, string(id)+"^{commit}")
	if err != nil && !refused(err) {
		return Revision{}, err
	}
	whole := id
	if commit != "" {
		whole = commit
	}
	tree, err := r.revParse(ctx, string(whole)+"^{tree}")
	if refused(err) {
		kind, kindErr := r.Git(ctx, "cat-file", "-t", string(id))
		if kindErr == nil {
			return unknown("it is a " + strings.TrimSpace(string(kind)) + ", not a commit or a tree")
		}
		return unknown(r.unknownDetail(ctx, rev, err))
	} else if err != nil {
		return Revision{}, err
	}
	if commit != "" {
		r.trees.Store(commit, tree)
	}
	return Revision{Rev: rev, Commit: commit, Tree: tree}, nil
}

// revParse returns the one id that a name stands for.
func (r *Repo) revParse(ctx context.Context, name string) (ID, error) {
	args := []string{"rev-parse", "--verify", "--end-of-options", name}
	out, err := r.atPrefix().run(ctx, nil, args...)
	if err != nil {
		return "", err
	}
	id := ID(strings.TrimSuffix(string(out), "\n"))
	if !id.valid(r.format) {
		// --verify lets `^name` through.
		return "", &Error{Args: args, Exit: 0, Stderr: "Needed a single revision"}
	}
	return id, nil
}

func refused(err error) bool {
	failed := (*Error)(nil)
	return errors.As(err, &failed)
}

// unknownDetail says why rev is unknown and what may help.
func (r *Repo) unknownDetail(ctx context.Context, rev string, err error) string {
	failed := (*Error)(nil)
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "is ambiguous") {
		return "more than one object begins with these digits; write more digits"
	}
	if rev == "HEAD" || strings.HasPrefix(rev, "HEAD~") || strings.HasPrefix(rev, "HEAD^") {
		if _, err := r.revParse(ctx, "HEAD"); err != nil {
			return "the repository has no commit yet"
		}
	}
	if i := strings.IndexAny(rev, "~^"); i > 0 {
		if _, err := r.revParse(ctx, rev[:i]); err == nil && !r.shallow {
			return fmt.Sprintf("%s has no such ancestor; `git log %s` lists those it has", rev[:i], rev[:i])
		}
	}
	if r.shallow {
		return "the repository is a shallow clone, which lacks older history; `git fetch --unshallow --tags` brings it"
	}
	return "no branch, tag or commit of this repository has that name; check the spelling, or run `git fetch --tags`"
}
