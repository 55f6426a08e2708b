package byhand

import (
	"bytes"
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

// savedDir is the name of the directory beside it with files that were edited, see [Put].
const savedDir = "gitdd-saved"

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
		if m, err := readMark(dir); err == nil && filepath.IsAbs(m.Session) {
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
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read %s: %w", filepath.Join(dir, ".git", markFile), err)
	}
	return m, nil
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

// DefaultDir is the directory for the configurations of a session if the user names none. It is called as
// the user's is, or "folders" if the session has a repository of its own.
func DefaultDir(repo *git.Repo, session *trial.Session) string {
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
// would change were edited. Then dir stays as it is. If Put was cut short before, it goes on first; saved are the files that it
// found half written, or edited since: they are kept below .git/gitdd-saved in dir.
func Put(ctx context.Context, repo *git.Repo, session *trial.Session, q trial.Request, dir string) (saved []string, err error) {
	store, err := search.AnswerStore(repo, session)
	if err == nil {
		err = q.Set.Store(ctx, q.Tree, store)
	}
	if err != nil {
		return nil, fmt.Errorf("store the configuration: %w", err)
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
		return nil, fmt.Errorf("%s cannot show configurations: %w; name another directory", dir, err)
	}
	w, err := repo.OpenWorkspace(dir)
	if err != nil {
		return nil, err
	}
	if mark.Session != want.Session {
		if mark.pending() {
			return nil, fmt.Errorf("%s shows what is to be judged in another session, %s: name another directory", dir, filepath.Base(mark.Session))
		}
		if mark, err = mark.takenOver(ctx, w, want, q.Set.Good.Commit); err != nil {
			return nil, fmt.Errorf("use %s again: %w", dir, err)
		}
	}
	if mark.Next != "" {
		if saved, err = w.Repair(ctx, mark.Tree, mark.Next, filepath.Join(dir, ".git", savedDir)); err != nil {
			return saved, err
		}
		mark.Tree, mark.Next = mark.Next, ""
		if err := mark.write(dir); err != nil {
			return saved, err
		}
	}
	return saved, mark.change(ctx, w, want)
}

// pending reports whether the directory may still be needed by the session that it was for.
func (m Mark) pending() bool {
	session, err := trial.ReadSession(m.Session)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, err = session.ReadResult()
	return err != nil
}

// takenOver makes a directory that was for a session that has ended one for another session, with what it shows.
func (m Mark) takenOver(ctx context.Context, w *git.Workspace, want Mark, good git.ID) (Mark, error) {
	if good == "" || m.Next != "" {
		return m, errors.New("it cannot be known what it shows: name another directory")
	}
	saved := filepath.Join(w.Dir, ".git", savedDir)
	if _, err := os.Lstat(saved); err == nil {
		return m, fmt.Errorf("files that were edited are kept in %s: move these away first", saved)
	}
	shown, err := w.Renewed(ctx, good)
	want.Tree = shown
	if err == nil {
		err = want.write(w.Dir)
	}
	return want, err
}

// change makes a directory with the mark m one with the mark want.
func (m Mark) change(ctx context.Context, w *git.Workspace, want Mark) error {
	head, err := w.Git(ctx, "rev-parse", "HEAD^{tree}")
	if err != nil {
		return err
	}
	indexed, err := w.Indexed(ctx)
	if err != nil {
		return err
	}
	if good := git.ID(bytes.TrimSpace(head)); indexed == good { // so it is after git stash, and after git reset --hard
		m.Tree = good
	}
	if m.Tree == want.Tree && indexed == want.Tree {
		return m.write(w.Dir)
	}
	if err := w.CanSwitch(ctx, m.Tree, want.Tree); err != nil {
		return err
	}
	m.Next = want.Tree
	if err := m.write(w.Dir); err != nil {
		return err
	}
	if err := w.Switch(ctx, m.Tree, want.Tree); err != nil {
		return err // Put goes on with it
	}
	return want.write(w.Dir)
}

// create makes dir a workspace that shows the good end.
func create(ctx context.Context, repo *git.Repo, q trial.Request, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return errors.New("it is not empty")
	}
	for _, theirs := range []string{repo.Top(), repo.CommonDir()} {
		if within, err := filepath.Rel(theirs, real(dir)); theirs != "" && err == nil && filepath.IsLocal(within) {
			return fmt.Errorf("it lies in your repository %s", theirs)
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
	return w.Keep()
}

// real is the name of a file, which need not exist, without symbolic links above it.
func real(name string) string {
	if found, err := filepath.EvalSymlinks(name); err == nil {
		return found
	}
	if above := filepath.Dir(name); above != name {
		return filepath.Join(real(above), filepath.Base(name))
	}
	return name
}
