package byhand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// markFile is the name of the file in the git directory of a directory of Put that says whose it is.
const markFile = "gitdd-by-hand"

// A Mark says what a directory of [Put] is for.
type Mark struct {
	Session string `json:"session"` // the directory of the session
	Dir     string `json:"dir"`     // where the session was begun, in the user's repository
	Tree    git.ID `json:"tree"`    // that the directory shows
	Next    git.ID `json:"next"`    // "" = Put is done; else it was about to show this tree
}

// Marked returns the mark of the directory, or of the nearest one above it, that Put has filled; ok is false if there is none.
func Marked(dir string) (m Mark, top string, ok bool) {
	dir, err := filepath.Abs(dir)
	for ; err == nil; dir = filepath.Dir(dir) {
		if m, err := readMark(dir); err == nil {
			return m, dir, true
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return m, "", false
		}
	}
	return m, "", false
}

func readMark(dir string) (m Mark, err error) {
	text, err := os.ReadFile(filepath.Join(dir, ".git", markFile))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

func (m Mark) write(dir string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// A rename, so that a kill leaves one or the other.
	name := filepath.Join(dir, ".git", markFile)
	if err := os.WriteFile(name+".new", text, 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Own is the directory for the configurations of a session if the user names none. It is called as the user's is.
func Own(repo *git.Repo, session *trial.Session) string {
	name := repo.Top()
	if name == "" {
		name = strings.TrimSuffix(repo.CommonDir(), ".git")
	}
	return filepath.Join(session.Dir(), "by-hand", filepath.Base(name))
}

// Put makes dir show the configuration of a request: all its files the first time, and later the files that differ from
// what dir shows. What else lies there, such as build products, stays, and so do the modification times of all other files. dir
// becomes a git repository of its own, whose index has the configuration.
//
// The error says so if dir is not empty and was not filled by Put for this session, and it is a *git.EditedError if files that
// would change were edited. Then dir stays as it is.
func Put(ctx context.Context, repo *git.Repo, session *trial.Session, q trial.Request, dir string) error {
	store, err := search.AnswerStore(repo, session)
	if err == nil {
		err = q.Set.Store(ctx, q.Tree, store)
	}
	if err != nil {
		return fmt.Errorf("store the configuration: %w", err)
	}
	want := Mark{Session: session.Dir(), Dir: session.Header().Dir, Tree: q.Tree.ID}
	mark, err := readMark(dir)
	if errors.Is(err, fs.ErrNotExist) {
		mark, err = want, create(ctx, repo, q, dir)
		if mark.Tree = q.Set.Good.Tree; err == nil {
			err = mark.write(dir)
		}
	}
	if err != nil {
		return err
	}
	if mark.Session != want.Session {
		return fmt.Errorf("%s has configurations of another session, %s: name another directory", dir, filepath.Base(mark.Session))
	}
	w, err := repo.OpenWorkspace(dir)
	if err != nil {
		return err
	}
	if mark.Next != "" {
		if mark, err = finish(ctx, w, mark); err != nil {
			return err
		}
	}
	if mark.Tree == want.Tree {
		return nil
	}
	mark.Next = want.Tree
	if err := mark.write(dir); err != nil {
		return err
	}
	if err := w.Switch(ctx, mark.Tree, want.Tree); err != nil {
		mark.Next = ""
		return errors.Join(err, mark.write(dir))
	}
	return want.write(dir)
}

// create makes dir a workspace that shows the good end.
func create(ctx context.Context, repo *git.Repo, q trial.Request, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a directory that is, or that does not exist yet", dir)
	}
	if top := repo.Top(); top != "" {
		if within, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(within) {
			return fmt.Errorf("%s lies in your checkout: name a directory outside of it", dir)
		}
	}
	revision := q.Set.Good.Commit
	if revision == "" {
		revision = q.Set.Good.Tree
	}
	w, err := repo.NewWorkspace(ctx, dir, revision)
	if err != nil {
		return err
	}
	return w.Leave()
}

// finish is called if Put was cut short: it goes on unless that came before the first change, or after the last one.
func finish(ctx context.Context, w *git.Workspace, mark Mark) (Mark, error) {
	shown, err := w.Git(ctx, "write-tree")
	if err != nil {
		return mark, err
	}
	if git.ID(strings.TrimSpace(string(shown))) != mark.Next {
		if err := w.Repair(ctx, mark.Tree, mark.Next); err != nil {
			return mark, err
		}
	}
	mark.Tree, mark.Next = mark.Next, ""
	return mark, mark.write(w.Dir)
}
