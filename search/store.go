package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// The patches that a session keeps beside its result.
const (
	CausePatch  = "cause.patch"  // applies the cause to the configuration without it
	RevertPatch = "revert.patch" // takes the cause out of bad
)

// patchedTrees is the file of a session with the trees that its patches lead from and to, so that the same
// patches are not made twice.
const patchedTrees = "patched-trees"

// Kept are the trees of an answer: their objects are in the session's store.
type Kept struct{ Without, With git.ID }

// Keep stores the trees of both ends of an answer and its patches in the
// session, so that show, checkout and apply need no composing.
func Keep(ctx context.Context, repo *git.Repo, session *trial.Session, found Answer) (Kept, error) {
	scratch, err := AnswerStore(repo, session)
	if err != nil {
		return Kept{}, err
	}
	without, with, err := StoreEnds(ctx, found, scratch)
	if err != nil {
		return Kept{}, err
	}
	reverted, err := stored(ctx, found, revertible(found), scratch)
	if err != nil {
		return Kept{}, fmt.Errorf("compose bad without the cause: %w", err)
	}
	all, err := stored(ctx, found, isolate.Full(found.Set.Len()), scratch)
	if err != nil {
		return Kept{}, fmt.Errorf("compose bad: %w", err)
	}
	kept := Kept{Without: without.ID, With: with.ID}
	trees := fmt.Sprintln(without.ID, with.ID, all.ID, reverted.ID)
	if was, err := session.ReadFile(patchedTrees); err == nil && string(was) == trees {
		return kept, nil
	}
	patch := func(name string, from, to *changes.Tree) error {
		text, err := found.Set.Patch(ctx, from, to, scratch)
		if err != nil {
			return err
		}
		return session.WriteFile(name, text)
	}
	// While the patches are those of another answer in part, the file says nothing.
	if err := session.WriteFile(patchedTrees, nil); err != nil {
		return Kept{}, err
	}
	if err := patch(CausePatch, without, with); err != nil {
		return Kept{}, fmt.Errorf("write the cause as a patch: %w", err)
	}
	if err := patch(RevertPatch, all, reverted); err != nil {
		return Kept{}, fmt.Errorf("write the reverse of the cause as a patch: %w", err)
	}
	return kept, session.WriteFile(patchedTrees, []byte(trees))
}

// PatchOf is the name of CausePatch or RevertPatch of the cause of a number; that of all causes together has the number 0.
func PatchOf(name string, number int) string {
	kind := strings.TrimSuffix(name, ".patch")
	switch number {
	case 0:
		return kind + "-all.patch"
	case 1:
		return name
	}
	return fmt.Sprintf("%s-%d.patch", kind, number)
}

// IsCause reports whether f is a cause beside the first one. Such causes have numbers, as the first one has.
func (f *Further) IsCause() bool { return f.Relation == Independent || f.Relation == Step }

// KeepFurther stores the patches of the causes beside the first one. It also stores the patches of all causes together,
// which lead from bad without any of the causes to bad, and back. If a cause cannot be taken off bad together with those
// before it, because other changes, or another cause, are at its lines, KeepFurther returns the number of that cause as
// apart, and stores no patches of all causes together. Call it after Keep.
func KeepFurther(ctx context.Context, repo *git.Repo, session *trial.Session, found Answer, bad git.ID) (apart int, err error) {
	if !slices.ContainsFunc(found.Further, func(f Further) bool { return f.IsCause() }) {
		return 0, nil
	}
	store, err := AnswerStore(repo, session)
	if err != nil {
		return 0, err
	}
	patch := func(name string, from, to git.ID) error {
		text, err := changes.PatchBetween(ctx, store, from, to)
		if err != nil {
			return err
		}
		return session.WriteFile(name, text)
	}
	left, number := bad, 0 // Invariant: left is bad without all causes up to number, if apart is 0
	take := func() error {
		number++
		to, err := ApplyPatch(ctx, store, left, filepath.Join(session.Dir(), PatchOf(RevertPatch, number)))
		switch {
		case apart > 0, errors.Is(err, ErrUnchanged):
		case errors.Is(err, ErrConflict):
			apart = number
		case err != nil:
			return err
		default:
			left = to
		}
		return nil
	}
	if err := take(); err != nil {
		return 0, err
	}
	for _, f := range found.Further {
		if !f.IsCause() {
			continue
		}
		without, with, err := StoreEnds(ctx, f.Answer, store)
		if err != nil {
			return 0, err
		}
		all, err := stored(ctx, f.Answer, isolate.Full(f.Set.Len()), store)
		if err != nil {
			return 0, err
		}
		reverted, err := stored(ctx, f.Answer, revertible(f.Answer), store)
		if err != nil {
			return 0, err
		}
		if err := errors.Join(patch(PatchOf(CausePatch, number+1), without.ID, with.ID), patch(PatchOf(RevertPatch, number+1), all.ID, reverted.ID)); err != nil {
			return 0, err
		}
		if err := take(); err != nil {
			return 0, err
		}
	}
	if apart > 0 {
		return apart, nil
	}
	return 0, errors.Join(patch(PatchOf(CausePatch, 0), left, bad), patch(PatchOf(RevertPatch, 0), bad, left))
}

// StoreEnds stores the trees of an answer without and with its cause.
func StoreEnds(ctx context.Context, a Answer, scratch *git.Scratch) (without, with *changes.Tree, err error) {
	without, err = stored(ctx, a, a.Result.Passing, scratch)
	if err == nil {
		with, err = stored(ctx, a, a.Result.Failing, scratch)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("compose the answer: %w", err)
	}
	return without, with, nil
}

func stored(ctx context.Context, a Answer, c isolate.Configuration, scratch *git.Scratch) (*changes.Tree, error) {
	tree, err := a.Set.Compose(c.All())
	if err != nil {
		return nil, err
	}
	return tree, a.Set.Store(ctx, tree, scratch)
}

// revertible is bad without the cause, and without what cannot stand there when the cause is gone: what requires
// a part of the cause, or is tied to one by a manifest or a lock file, as the removal of checksums from a go.sum is
// to each update whose checksums it removes. Answer.RestOfHunks and Answer.Dependents go with the cause.
func revertible(found Answer) isolate.Configuration {
	needs := slices.Clone(found.Set.Requires)
	if found.Plan != nil {
		for _, tie := range found.Plan.Ties {
			needs[tie.Change] = append(slices.Clip(needs[tie.Change]), tie.Requires)
		}
	}
	gone := found.Result.Cause
	if !found.RestOfHunks.IsEmpty() {
		gone = gone.Union(found.RestOfHunks)
	}
	if !found.Dependents.IsEmpty() {
		gone = gone.Union(found.Dependents)
	}
	for {
		// Invariant: everything in gone is in the cause or needs a member of gone.
		more := gone
		for i, needed := range needs {
			if !gone.Has(i) && slices.ContainsFunc(needed, gone.Has) {
				more = more.With(i)
			}
		}
		if more == gone {
			return isolate.Full(found.Set.Len()).Minus(gone)
		}
		gone = more
	}
}

// AnswerStore returns where the trees of a session's answer are.
func AnswerStore(repo *git.Repo, session *trial.Session) (*git.Scratch, error) {
	return repo.NewScratch(AnswerDir(session))
}

// AnswerDir is the directory of AnswerStore, which is there as soon as it has a tree.
func AnswerDir(session *trial.Session) string { return filepath.Join(session.Dir(), "answer") }

// ErrConflict says that a patch does not fit a tree.
var ErrConflict = errors.New("the patch does not apply")

// ErrUnchanged says that a tree is as a patch would make it. It wraps ErrConflict.
var ErrUnchanged = fmt.Errorf("%w: it would change nothing", ErrConflict)

// ApplyPatch returns the tree that a patch of the session makes of a tree: where its
// lines stand, or else by merging three ways, for others may have come after the
// commit it is of. It costs no trial. The error wraps ErrConflict when it does
// not fit, or when a merge would add lines that are there already.
func ApplyPatch(ctx context.Context, store *git.Scratch, tree git.ID, patch string) (git.ID, error) {
	if _, err := store.Git(ctx, "read-tree", string(tree)); err != nil {
		return "", err
	}
	_, plain := store.Git(ctx, "apply", "--cached", "--whitespace=nowarn", patch)
	if plain == nil {
		out, err := store.Git(ctx, "write-tree")
		return git.ID(bytes.TrimSpace(out)), err
	}
	_, undone := store.Git(ctx, "apply", "--cached", "--check", "--reverse", patch)
	merged, ok, err := store.Applied(ctx, tree, patch)
	switch {
	case err != nil:
		return "", err
	case !ok && undone == nil:
		return "", ErrUnchanged
	case !ok:
		return "", fmt.Errorf("%w%s", ErrConflict, at(plain))
	case merged == tree:
		return "", ErrUnchanged
	}
	made, err := store.Git(ctx, "diff-tree", "-p", "-U40", "--no-renames", "--no-color", "--no-ext-diff", string(tree), string(merged))
	if err != nil {
		return "", err
	}
	if repeats(string(made)) {
		return "", fmt.Errorf("%w%s", ErrConflict, at(plain))
	}
	return merged, nil
}

// repeats reports whether a difference adds lines directly before or behind the same lines. A merge does so with the lines of a
// patch that are there already, where others have changed around them.
func repeats(diff string) bool {
	lines := strings.Split(diff, "\n")
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "+") && !strings.HasPrefix(lines[end], "+++ ") {
			end++
		}
		if end == i {
			continue
		}
		added := strings.ReplaceAll(strings.Join(lines[i:end], "\n"), "\n+", "\n ")
		size := end - i
		for _, from := range []int{i - size, end} {
			if from >= 0 && from+size <= len(lines) && " "+added[1:] == strings.Join(lines[from:from+size], "\n") && strings.TrimSpace(added[1:]) != "" {
				return true
			}
		}
		i = end - 1
	}
	return false
}

// at names the places at which git could not apply a patch.
func at(err error) string {
	var failed *git.Error
	if !errors.As(err, &failed) {
		return ""
	}
	var places []string
	for line := range strings.Lines(failed.Stderr) {
		if place, ok := strings.CutPrefix(strings.TrimSpace(line), "error: patch failed: "); ok {
			places = append(places, prose.Printable(place))
		}
	}
	if len(places) == 0 {
		return ""
	}
	return " at " + strings.Join(places, ", ")
}
