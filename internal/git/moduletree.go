package git

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A ModuleTree is a work tree of a submodule with a git directory of its own that
// borrows the objects of the user's: that one is never written, and a killed gitdd
// leaves nothing in it.
type ModuleTree struct {
	Dir string // absolute

	from   *Repo
	gitDir string
	place  place
	shown  ID // the commit whose files Dir has; "" = not known
	index  fs.FileInfo
	config string
}

// NewModuleTree makes gitDir a repository whose work tree is dir; what was there
// goes. It has the objects, refs, attributes and the config of from: tests may ask
// `git describe` there, filters work, hooks do not. Nothing is written into dir.
func NewModuleTree(ctx context.Context, from *Repo, gitDir, dir string) (*ModuleTree, error) {
	m := &ModuleTree{Dir: dir, from: from, gitDir: gitDir}
	m.place = from.place(dir, dir, asStored)
	m.place.gitDir = gitDir
	return m, m.make(ctx)
}

func (m *ModuleTree) make(ctx context.Context) error {
	files, err := m.from.borrower(ctx)
	if err != nil {
		return err
	}
	more := "\tworktree = " + cQuoted(m.Dir) + "\n"
	m.config = string(files["config"]) + more
	return m.from.borrow(ctx, m.gitDir, "ref: refs/heads/gitdd", more)
}

// Link is the content of the file .git that makes Dir belong to it.
func (m *ModuleTree) Link() []byte { return []byte("gitdir: " + m.gitDir + "\n") }

// From returns the repository whose objects it borrows.
func (m *ModuleTree) From() *Repo { return m.from }

// Show makes the files of Dir those of a commit, as a checkout would write them:
// only what differs is written, whatever a test has done to the files, the index
// or HEAD. Untracked files stay. Dir must be a directory, and no symlink. Cost: a
// git process when nothing is to do.
func (m *ModuleTree) Show(ctx context.Context, commit ID) error {
	err := m.show(ctx, commit)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// A test may have made anything of the git directory.
	if err := m.make(ctx); err != nil {
		return err
	}
	m.shown, m.index = "", nil
	return m.show(ctx, commit)
}

func (m *ModuleTree) show(ctx context.Context, commit ID) error {
	tree, err := m.from.commitTree(ctx, commit)
	if err != nil {
		return err
	}
	if err := m.mend(commit); err != nil {
		return err
	}
	index := filepath.Join(m.gitDir, "index")
	now, err := os.Lstat(index)
	same := err == nil && m.index != nil && m.shown == commit && os.SameFile(now, m.index) && now.ModTime().Equal(m.index.ModTime())
	before := m.shown
	m.shown = ""
	// A file that was only touched is not to be written again.
	_, err = m.place.run(ctx, nil, "update-index", "--really-refresh")
	if err != nil && !refused(err) {
		return err
	}
	if err != nil || !same {
		if err := m.readTree(ctx, tree); err != nil {
			return err
		}
	}
	other, err := m.otherAttributes(ctx, before, tree)
	if err != nil {
		return err
	}
	if other { // they may convert files that are the same otherwise: all are written
		if err := os.Remove(index); err != nil {
			return err
		}
		if err := m.readTree(ctx, tree); err != nil {
			return err
		}
	}
	m.shown = commit
	m.index, err = os.Lstat(index)
	return err
}

func (m *ModuleTree) readTree(ctx context.Context, tree ID) error {
	_, err := m.place.run(ctx, nil, "read-tree", "--reset", "-u", "--no-recurse-submodules", string(tree))
	return err
}

// mend makes the git directory say what it should, but for the index.
func (m *ModuleTree) mend(commit ID) error {
	// No process of a test is left that could hold these.
	for _, lock := range []string{"index.lock", "HEAD.lock", "config.lock"} {
		if err := os.RemoveAll(filepath.Join(m.gitDir, lock)); err != nil {
			return err
		}
	}
	for name, want := range map[string]string{"HEAD": string(commit) + "\n", "config": m.config} {
		path := filepath.Join(m.gitDir, name)
		if now, err := os.ReadFile(path); err == nil && string(now) == want {
			continue
		}
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// otherAttributes reports whether a tree has another attribute file than a commit,
// "" being none.
func (m *ModuleTree) otherAttributes(ctx context.Context, commit, tree ID) (bool, error) {
	if commit == "" {
		return false, nil
	}
	old, err := m.from.commitTree(ctx, commit)
	if err != nil || old == tree {
		return false, err
	}
	deltas, err := m.from.DiffPaths(ctx, old, tree)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(deltas, func(d Delta) bool {
		return filepath.Base(d.OldPath) == ".gitattributes" || filepath.Base(d.NewPath) == ".gitattributes"
	}), nil
}

// Vacate removes the files of the commit that is shown; what is not tracked stays.
func (m *ModuleTree) Vacate(ctx context.Context) error {
	shown := m.shown
	m.shown = ""
	if err := os.RemoveAll(filepath.Join(m.gitDir, "index.lock")); err != nil {
		return err
	}
	// git knows the empty tree without an object.
	empty := m.from.HashObject("tree", nil)
	err := m.readTree(ctx, empty)
	if refused(err) && shown != "" { // a test has damaged the git directory
		if err = m.Show(ctx, shown); err == nil {
			err = m.readTree(ctx, empty)
		}
	}
	return err
}

// Clean removes what is not tracked.
func (m *ModuleTree) Clean(ctx context.Context) error {
	_, err := m.place.run(ctx, nil, "clean", "-ffdxq")
	return err
}
