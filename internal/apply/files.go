package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Options say what to do with the cause of a session.
type Options struct {
	Revert bool   // take it off
	From   string // the directory that led to the one of this process, see [git.Repo.SubmoduleDir]

	// Of a branch alone:
	Branch string // its name
	Onto   string // the revision that its commit stands on; "" is bad with Revert, and else good
}

// PatchFile returns the file of a session with the patch that puts on the causes of a result that [report.Result.Together]
// counts, or with revert with the one that takes them off bad. The error is fs.ErrNotExist if there is no cause.
func PatchFile(session *trial.Session, result report.Result, revert bool) (string, error) {
	name := filepath.Join(session.Dir(), patchName(result, revert))
	_, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && result.Together() > 1:
		return "", fmt.Errorf("session %s is one of an older gitdd, which kept no patch of all %s: --cause 1 takes the first one", session.Name(), prose.Count(len(result.Causes()), "cause"))
	case err != nil:
		return "", fmt.Errorf("the session keeps no patch: %w", err)
	}
	return name, nil
}

func patchName(result report.Result, revert bool) string {
	name := search.CausePatch
	if revert {
		name = search.RevertPatch
	}
	switch {
	case result.Beside:
		return search.PatchOf(name, result.Number)
	case result.Together() > 1:
		return search.PatchOf(name, 0)
	}
	return name
}

// Named names the causes of a result that [Files] and [Branch] take: "the cause", "cause 2", "the 3 causes".
func Named(result report.Result) string {
	switch n := result.Together(); {
	case n > 1:
		return fmt.Sprintf("the %s causes", prose.Number(n))
	case result.Number > 0:
		return fmt.Sprintf("cause %d", result.Number)
	}
	return "the cause"
}

// apart is an error if a result has several causes, and they cannot be taken together.
func apart(result report.Result) error {
	if result.Apart == 0 {
		return nil
	}
	return fmt.Errorf("session %s has %s, which cannot be taken together: other changes, or another cause, are at the lines of cause %d. Nothing was changed; --cause N takes one alone",
		result.Session, prose.Count(len(result.Causes()), "cause"), result.Apart)
}

// Done is what [Files] has done.
type Done struct {
	Shows      string             // which git command shows the files now, as a clause
	Submodules []string           // commands that move the submodules of the cause, which are left to the user
	Needed     []report.Reference // changes that the cause needs and that are not in the files; nil if it was taken off
}

// Files has git put the cause of a session on the user's working tree, or take it off: all of it or
// nothing, see the guarantees of the package. Submodules stay as they are. The result must have a cause.
func Files(ctx context.Context, repo *git.Repo, session *trial.Session, result report.Result, o Options) (Done, error) {
	if err := apart(result); err != nil {
		return Done{}, err
	}
	cause := members(result)
	byHand := moveSubmodules(repo, cause, o)
	if len(byHand) == len(cause) {
		return Done{}, fmt.Errorf("the cause is the pin of a submodule, whose checkout is yours to move; nothing was changed, this does it:\n%s", strings.Join(byHand, "\n"))
	}
	shows, err := files(ctx, repo, session, result, o.Revert)
	if err != nil {
		return Done{}, err
	}
	done := Done{Shows: shows, Submodules: byHand}
	if !o.Revert {
		done.Needed = missing(result, below(repo.Top()))
	}
	return done, nil
}

// members are the changes of the causes that are taken together.
func members(result report.Result) (list []report.Change) {
	for _, c := range result.Causes()[:result.Together()] {
		list = append(list, c.Cause...)
	}
	return list
}

// moveSubmodules returns the commands that check out what the cause pins submodules at:
// with Revert what it did not yet. git apply does not touch them.
func moveSubmodules(repo *git.Repo, cause []report.Change, o Options) []string {
	var commands []string
	for _, c := range cause {
		if c.Kind != changes.Submodule.String() {
			continue
		}
		dir, _ := repo.SubmoduleDir(c.Path, o.From)
		to := c.NewBlob
		if o.Revert {
			to = c.OldBlob
		}
		commands = append(commands, fmt.Sprintf("git -C %s checkout --detach %.12s", prose.Words([]string{dir}), to))
	}
	return commands
}

// files does that with what of the cause is in files. It says what shows them now.
func files(ctx context.Context, repo *git.Repo, session *trial.Session, result report.Result, revert bool) (string, error) {
	if repo.Top() == "" {
		return "", errors.New("a bare repository has no working tree to apply to; `gitdd checkout failing DIR` writes the files to a directory")
	}
	patch, err := PatchFile(session, result, revert)
	if err != nil {
		return "", err
	}
	opposite := filepath.Join(session.Dir(), patchName(result, !revert))
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	store, err := search.AnswerStore(repo, session)
	if err != nil {
		return "", err
	}
	// What was committed, and what the checkout had when it was recorded as an end.
	trees := append([]git.ID{head.Tree}, recordedTrees(session)...)
	for _, tree := range trees {
		if made, err := search.ApplyPatch(ctx, store, tree, opposite); err == nil && edits(ctx, repo, store, tree, made) == nil {
			return replace(ctx, repo, session, store, head.Tree, made, tree)
		}
	}
	for _, tree := range recordedTrees(session) {
		if to, err := search.ApplyPatch(ctx, store, tree, patch); err == nil && edits(ctx, repo, store, to, tree) == nil {
			return replace(ctx, repo, session, store, head.Tree, tree, to)
		}
	}
	paths, err := repo.PatchPaths(ctx, patch)
	if err != nil {
		return "", err
	}
	edited, err := repo.EditedPaths(ctx, paths)
	if err != nil {
		return "", err
	}
	if len(edited) > 0 {
		for _, tree := range trees {
			if to, err := search.ApplyPatch(ctx, store, tree, patch); err == nil && edits(ctx, repo, store, tree, to) == nil {
				return "", elsewhere(search.ErrUnchanged, result, revert)
			}
		}
		now, ours, err := leftByFiles(ctx, repo, session, store, head.Tree, edited)
		if err != nil {
			return "", err
		}
		done := repo.Takes(ctx, opposite) && !repo.Takes(ctx, patch)
		switch {
		case done && ours:
			return "", elsewhere(search.ErrUnchanged, result, revert)
		case done:
			return "", fmt.Errorf("%s, and %s has other edits", already(result, revert), prose.Printable(strings.Join(edited, ", ")))
		case !ours:
			return "", fmt.Errorf("%s has local edits: nothing was changed; commit or stash them first", prose.Printable(strings.Join(edited, ", ")))
		}
		to, err := store.TakenBack(ctx, now, opposite)
		if err != nil {
			to, err = search.ApplyPatch(ctx, store, now, patch)
		}
		if err != nil {
			return "", elsewhere(err, result, revert)
		}
		return replace(ctx, repo, session, store, head.Tree, now, to)
	}
	to, err := search.ApplyPatch(ctx, store, head.Tree, patch)
	if err != nil {
		return "", elsewhere(err, result, revert)
	}
	return replace(ctx, repo, session, store, head.Tree, head.Tree, to)
}

// recordedTrees are the ends of a session that are the user's checkout with what it had
// of uncommitted changes.
func recordedTrees(session *trial.Session) []git.ID {
	var trees []git.ID
	for _, end := range []git.Revision{session.Header().Good, session.Header().Bad} {
		if end.Base != "" {
			trees = append(trees, end.Tree)
		}
	}
	return trees
}

// already says that the working tree is as the user wants it to be.
func already(result report.Result, revert bool) string {
	are := "is"
	if result.Together() > 1 {
		are = "are"
	}
	return fmt.Sprintf("%s of session %s %s %s your working tree already: nothing was changed", Named(result), result.Session, are, map[bool]string{false: "on", true: "off"}[revert])
}

// elsewhere is the error where the working tree is not as the patch needs it, and
// where it would be.
func elsewhere(err error, result report.Result, revert bool) error {
	end, command, back := result.Good, "gitdd apply", "gitdd apply --revert"
	if revert {
		end, command, back = result.Bad, back, command
	}
	if result.Number > 0 {
		command, back = fmt.Sprintf("%s --cause %d", command, result.Number), fmt.Sprintf("%s --cause %d", back, result.Number)
	}
	id := end.Commit // not its name, which may mean another commit by now
	if h := result.History; h != nil {
		id = h.LastGood
		if revert {
			id = h.FirstBad
		}
	}
	where := end.Rev
	if id != "" {
		where = git.ID(id).Short()
	}
	switch {
	case errors.Is(err, search.ErrUnchanged):
		them := "it"
		if result.Together() > 1 {
			them = "them"
		}
		undoes := map[bool]string{false: "takes " + them + " off", true: "puts " + them + " back"}[revert]
		return fmt.Errorf("%s; `%s %s` %s", already(result, revert), back, result.Session, undoes)
	case !errors.Is(err, search.ErrConflict):
		return err
	}
	err = fmt.Errorf("around %s your working tree is not as in %s: nothing was changed\n%w", Named(result), where, err)
	if id == "" {
		return err // a tree
	}
	return fmt.Errorf("%w\nnext: git switch --detach %s && %s\nor, beside your working tree: %s --branch NAME --onto %s", err, where, command+" "+result.Session, command, where+" "+result.Session)
}

// edits returns nil if the user has edited at least one of the files in which two trees differ, and all of
// these files are as in the second tree.
func edits(ctx context.Context, repo *git.Repo, store *git.Scratch, from, to git.ID) error {
	out, err := store.Git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", string(from), string(to))
	if err != nil {
		return err
	}
	paths := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	edited, err := repo.EditedPaths(ctx, paths)
	if err != nil {
		return err
	}
	if len(paths) == 0 || len(edited) == 0 {
		return search.ErrConflict
	}
	return holds(ctx, repo, store, to, paths)
}

// holds is an error unless the user's files are, at some paths, as in a tree.
func holds(ctx context.Context, repo *git.Repo, store *git.Scratch, tree git.ID, paths []string) error {
	now, err := worktree(ctx, repo, store, tree, paths)
	if err == nil && now != tree {
		err = search.ErrConflict
	}
	return err
}

// worktree returns a tree with the user's files at some paths. The store's index and objects are used, and none of the
// user's.
func worktree(ctx context.Context, repo *git.Repo, store *git.Scratch, tree git.ID, paths []string) (git.ID, error) {
	if _, err := store.Git(ctx, "read-tree", string(tree)); err != nil {
		return "", err
	}
	update := slices.Concat([]string{"-C", repo.Top(), "--work-tree=" + repo.Top(), "update-index", "--add", "--remove", "--"}, paths)
	if _, err := store.Git(ctx, update...); err != nil {
		return "", err
	}
	out, err := store.Git(ctx, "write-tree")
	return git.ID(bytes.TrimSpace(out)), err
}

// replace applies the difference between the trees from and to to the user's working tree, where
// the files in which they differ are as in from. It returns what gitShows says of the result.
func replace(ctx context.Context, repo *git.Repo, session *trial.Session, store *git.Scratch, head, from, to git.ID) (shows string, err error) {
	text, err := store.Git(ctx, "diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-color", "--no-ext-diff",
		"--no-textconv", "--ignore-submodules=none", "--src-prefix=a/", "--dst-prefix=b/", string(from), string(to))
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(session.Dir(), "applied-*.patch")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	if _, err = file.Write(text); err != nil {
		return "", errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	if err := keepLeft(ctx, session, store, from, to); err != nil {
		return "", err
	}
	if err := repo.Apply(ctx, file.Name()); err != nil {
		return "", err
	}
	return gitShows(ctx, store, head, from, to)
}

// gitShows tells the user which git command shows the files that changed from those of the tree
// from to those of the tree to, or that they are as in HEAD, whose tree is head.
func gitShows(ctx context.Context, store *git.Scratch, head, from, to git.ID) (string, error) {
	out, err := store.Git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", string(from), string(to))
	if err != nil {
		return "", err
	}
	paths := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	left, err := store.Git(ctx, slices.Concat([]string{"--literal-pathspecs", "diff-tree", "-r", "-z", "--name-status", "--no-renames", string(head), string(to), "--"}, paths)...)
	switch {
	case err != nil:
		return "", err
	case len(left) == 0:
		return "its files are as in HEAD again", nil
	case added(left):
		return "`git status` shows its files, the new ones too", nil
	case from == head:
		return "`git diff` shows it", nil
	}
	return "`git diff HEAD` shows what its files still have of uncommitted changes", nil
}

// added reports whether one of some files is new, which diff-tree -z --name-status has listed.
func added(list []byte) bool {
	for i, field := range bytes.Split(list, []byte{0}) {
		if i%2 == 0 && string(field) == "A" {
			return true
		}
	}
	return false
}
