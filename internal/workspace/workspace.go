package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// A Workspace shows one configuration after the other. It is not for concurrent use.
type Workspace struct {
	source *Source
	Dir    string // its absolute name
	tree   *git.Workspace
	writer writer
	handle *os.File // of Dir, to look at files in it
	base   git.ID   // the tree that was checked out
	away   bool     // commands find what it shows in other directories
	conv   *converter

	// tracked holds every path that some configuration shown here may have
	// otherwise than base, or that the overlay decides. All others are as they
	// were checked out, or as the tests have left them.
	tracked  map[string]*tracked
	gitlinks map[string]git.ID                 // submodules that the index names otherwise than base; "" = not at all
	sets     map[*changes.Set]map[string]entry // where the good tree of a set differs from base
	modules  modules
	patched  map[string]entry // what the patches make of the tree that is shown; the zero entry is nothing
	shown    []changes.File   // of the tree that was shown last
	shownAt  git.ID           // the good tree that shown belongs to; "" = nothing is shown yet
}

// New makes a workspace in dir, which must be absent, that shows the good tree of set with all that Options ask for.
// Patches that do not apply to that tree are left out.
func (s *Source) New(ctx context.Context, set *changes.Set, dir string) (*Workspace, error) {
	return s.open(ctx, set, dir, false)
}

// open is New; with away, commands find what the workspace shows in other directories.
func (s *Source) open(ctx context.Context, set *changes.Set, dir string, away bool) (w *Workspace, err error) {
	revision := set.Good.Commit
	if revision == "" {
		revision = set.Good.Tree
	}
	tree, err := s.repo.NewWorkspace(ctx, dir, revision)
	if err != nil {
		return nil, disk.Wrap("make a workspace", err)
	}
	w = &Workspace{
		source: s, Dir: dir, tree: tree, base: set.Good.Tree, away: away, conv: s.conv.at(dir),
		tracked: map[string]*tracked{}, gitlinks: map[string]git.ID{}, sets: map[*changes.Set]map[string]entry{},
	}
	defer func() {
		if err != nil {
			w, err = nil, errors.Join(err, w.Remove())
		}
	}()
	if w.writer.root, err = os.OpenRoot(dir); err != nil {
		return w, fmt.Errorf("make a workspace: %w", err)
	}
	if w.handle, err = os.Open(dir); err != nil {
		return w, fmt.Errorf("make a workspace: %w", err)
	}
	if err := w.track(ctx, set, true); err != nil {
		return w, err
	}
	if err := w.openModules(ctx); err != nil {
		return w, err
	}
	if err := w.bringKept(ctx, false); err != nil {
		return w, err
	}
	good := &changes.Tree{ID: set.Good.Tree}
	patched, err := w.source.patches.on(ctx, set, good)
	var conflict *patchError
	if err != nil && !errors.As(err, &conflict) { // the caller may run commands on the good tree before it shows anything
		return w, err
	}
	return w, w.lay(ctx, set, good, patched)
}

// Root returns the open directory of the workspace. Remove closes it.
func (w *Workspace) Root() *os.Root { return w.writer.root }

// Paths returns how many tracked paths it had when it was new, without those of submodules.
func (w *Workspace) Paths() int { return w.tree.Paths() }

// Usage returns how many bytes of disk the workspace takes.
func (w *Workspace) Usage() int64 { return disk.Usage(w.Dir, w.modules.dir) }

// Remove deletes the workspace.
func (w *Workspace) Remove() error {
	if w.handle != nil {
		w.handle.Close()
	}
	if w.writer.root != nil {
		w.writer.root.Close()
	}
	err := w.tree.Remove()
	if w.modules.dir != "" {
		err = errors.Join(err, disk.RemoveAll(w.modules.dir))
	}
	return err
}

// bringKept copies the untracked files that the user wants in each workspace;
// again: those that are not there any more at all, for a test may have removed
// them, or a configuration that has something else in their place. Of what is
// tracked, here or in some configuration, the configuration decides.
func (w *Workspace) bringKept(ctx context.Context, again bool) error {
	c := Copier{from: w.source.repo.Top(), to: w.writer.root, tops: w.source.tops, skip: func(rel string) bool {
		t := w.tracked[rel]
		return w.source.inIndex[rel] || t != nil && (t.holds.mode != 0 || !isDirectory(filepath.Join(w.source.repo.Top(), rel))) || ctx.Err() != nil
	}}
	if !w.away {
		c.relocate = &relocation{w.source.tops, w.Dir}
	}
	for _, rel := range w.source.keep {
		if _, err := w.writer.root.Lstat(rel); err == nil && again {
			continue
		}
		if err := c.Copy(rel); err != nil {
			return disk.Wrap("keep "+rel, err)
		}
	}
	return ctx.Err()
}

func isDirectory(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}

// Present returns an error unless Dir is still the directory that New made.
func (w *Workspace) Present() error {
	there, err := os.Stat(w.Dir)
	if err == nil {
		var mine fs.FileInfo
		if mine, err = w.handle.Stat(); err == nil && !os.SameFile(there, mine) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		return fmt.Errorf("the workspace %s was removed or replaced while gitdd worked in it, by the test or by somebody else; `gitdd resume` goes on in a new one (%w)", w.Dir, err)
	}
	return nil
}

// mend brings .git back, for tests that remove it or call `git init`.
func (w *Workspace) mend(ctx context.Context) error {
	renewed, err := w.tree.Mend(ctx)
	if err != nil {
		return disk.Wrap("mend "+filepath.Join(w.Dir, ".git"), err)
	}
	if renewed {
		clear(w.gitlinks)
	}
	return nil
}

// renewGit makes the workspace's repository as it was when it was new.
func (w *Workspace) renewGit(ctx context.Context) error {
	clear(w.gitlinks)
	if err := w.tree.Renew(ctx); err != nil {
		return disk.Wrap("renew "+filepath.Join(w.Dir, ".git"), err)
	}
	return nil
}

// reset makes the workspace hold base again, whatever tests have done to
// tracked files, the index and HEAD.
func (w *Workspace) reset(ctx context.Context) error {
	for _, t := range w.tracked {
		t.sure = false
		if t.base.mode == git.Gitlink {
			t.holds = t.base // git makes its directory, which nobody else's may be taken for
		}
	}
	w.conv.stale = true
	clear(w.gitlinks)
	err := w.tree.Reset(ctx)
	if failed := (*git.Error)(nil); errors.As(err, &failed) && !disk.Full(err) {
		disk.MakeWritable(w.Dir) // a test may have taken that away, or have damaged .git
		if err = w.renewGit(ctx); err == nil {
			err = w.tree.Reset(ctx)
		}
	}
	if err != nil {
		return disk.Wrap("reset "+w.Dir, err)
	}
	return nil
}

// Clean makes the workspace as it was when it was new, but for the kept files.
func (w *Workspace) Clean(ctx context.Context) error {
	if err := w.Present(); err != nil {
		return err
	}
	if err := w.renewGit(ctx); err != nil {
		return err
	}
	if err := w.cleanModules(ctx); err != nil {
		return err
	}
	args := []string{"clean", "-ffdxq"}
	for _, rel := range w.source.keep {
		args = append(args, "-e", "/"+ignoreQuote.Replace(rel))
	}
	_, err := w.tree.Git(ctx, args...)
	if failed := (*git.Error)(nil); errors.As(err, &failed) {
		disk.MakeWritable(w.Dir)
		_, err = w.tree.Git(ctx, args...)
	}
	if err != nil {
		return fmt.Errorf("clean %s: %w", w.Dir, err)
	}
	return w.reset(ctx)
}

// ignoreQuote makes a path a pattern of gitignore that matches only itself.
var ignoreQuote = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `)
