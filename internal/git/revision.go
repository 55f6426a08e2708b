package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	return cmp.Or(r.Commit, r.Tree)
}

// Resolve turns any name that git understands (branch, tag, `HEAD~3`, `:/text`,
// `HEAD:dir`, an id) into a commit and its tree, or into a tree alone. It fails
// with [*UnknownRevisionError]. Cost: one git process, and none for the id of a commit
// that was resolved or listed before, or of a tree that go-git can read. What go-git
// cannot read, or a replacement ref may replace, takes two processes more.
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
	if commit, tree, ok := r.peel(ctx, id); ok {
		if commit != "" {
			r.trees.Store(commit, tree)
		}
		return Revision{Rev: rev, Commit: commit, Tree: tree}, nil
	}
	// `^{commit}` is added to the id: added to the name it would become part of
	// `:/text` and of `HEAD:path`.
	commit, err := r.revParse(ctx, string(id)+"^{commit}")
	if err != nil && !refused(err) {
		return Revision{}, err
	}
	tree, err := r.revParse(ctx, string(cmp.Or(commit, id))+"^{tree}")
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

// peel follows the object of an id, an annotated tag perhaps, to its commit and tree, without a process.
// It is not ok for what go-git cannot read, for what has no tree, and where objects may be replaced.
func (r *Repo) peel(ctx context.Context, id ID) (commit, tree ID, ok bool) {
	if r.store.inProcess == nil || r.mayReplace() {
		return "", "", false
	}
	for {
		kind, content, err := r.store.inProcess.read(ctx, id)
		if err != nil || r.HashObject(kind, content) != id {
			return "", "", false
		}
		first, _, _ := strings.Cut(string(content), "\n")
		word, to, _ := strings.Cut(first, " ")
		switch {
		case kind == "tag" && word == "object" && ID(to).valid(r.format):
			id = ID(to)
		case kind == "commit" && word == "tree" && ID(to).valid(r.format):
			return id, ID(to), true
		case kind == "tree":
			return "", id, true
		default:
			return "", "", false
		}
	}
}

// mayReplace reports whether git may read other objects in the place of some (git replace). It looks for the
// refs where git keeps them in files, so that most repositories take no process.
func (r *Repo) mayReplace() bool {
	if os.Getenv("GIT_REPLACE_REF_BASE") != "" {
		return true
	}
	absent := func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.commonDir, filepath.FromSlash(name)))
		return errors.Is(err, fs.ErrNotExist)
	}
	if !absent("reftable") || !absent("refs/replace") {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(r.commonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || bytes.Contains(packed, []byte(" refs/replace/"))
}

// Replaced returns the kinds of the objects that replacement refs name ("commit", "tree", "blob", "tag").
func (r *Repo) Replaced(ctx context.Context) ([]string, error) {
	if !r.mayReplace() {
		return nil, nil
	}
	out, err := r.Git(ctx, "for-each-ref", "--format=%(objecttype)", "refs/replace/")
	return strings.Fields(string(out)), err
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

// refused reports whether git was run and did not do what it was asked for.
func refused(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

// exited reports whether git has failed with that exit code.
func exited(err error, code int) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Exit == code
}

// unknownDetail says why rev is unknown and what may help.
func (r *Repo) unknownDetail(ctx context.Context, rev string, err error) string {
	if failed, ok := errors.AsType[*Error](err); ok && strings.Contains(failed.Stderr, "is ambiguous") {
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
