package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
)

// With Options.Submodules a workspace has the files of its submodules too, at the
// commits that the shown configuration pins, and so on in their submodules. They
// come from the repositories of these submodules that the user has already;
// nothing is fetched, and nothing is written there: each checkout has a git
// directory of its own beside the workspace.

// An absentError is a pin whose commit the user does not have: see Impossible.
type absentError struct {
	path   string // of the submodule, from the top
	commit git.ID
	seen   []string // the git directories that lack it
	within string   // the path of the submodule that pins it, "" = the top
}

func (e *absentError) Error() string {
	super, sub := "", e.path
	if e.within != "" {
		super, sub = " -C "+prose.ShellWord(e.within), strings.TrimPrefix(e.path, e.within+"/")
	}
	text := fmt.Sprintf("submodule %q is pinned at %.10s, which ", e.path, e.commit)
	if len(e.seen) == 0 {
		return text + fmt.Sprintf("is not here: `git%s submodule update --init %s` brings it", super, prose.ShellWord(sub))
	}
	return text + fmt.Sprintf("%s lacks: `git --git-dir=%s fetch origin %s` brings it, if the origin still has it", e.seen[0], prose.ShellWord(e.seen[0]), e.commit)
}

// A library finds the repositories of submodules and keeps them open. Safe for
// concurrent use.
type library struct {
	mu       sync.Mutex
	found    map[borrowed]*git.Repo
	gitlinks map[moduleKey]gitlinks
	open     map[string]*git.Repo // by git directory
}

// A borrowed is a submodule commit as its superproject names it.
type borrowed struct {
	in         *git.Repo
	path, name string
	commit     git.ID
}

type moduleKey struct {
	in     *git.Repo
	commit git.ID
}

// gitlinks are the submodules of one commit or tree.
type gitlinks struct {
	links map[string]git.ID // commit by path
	names map[string]string // what .gitmodules calls them, by path
}

func newLibrary() *library {
	return &library{found: map[borrowed]*git.Repo{}, gitlinks: map[moduleKey]gitlinks{}, open: map[string]*git.Repo{}}
}

// find returns the repository that has the commit.
func (l *library) find(ctx context.Context, b borrowed, full, within string) (*git.Repo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if repo := l.found[b]; repo != nil {
		return repo, nil
	}
	repo, seen, err := b.in.Submodule(ctx, b.path, b.name, b.commit)
	if err != nil {
		return nil, fmt.Errorf("submodule %q: %w", full, err)
	}
	if repo == nil {
		return nil, &absentError{path: full, commit: b.commit, seen: seen, within: within}
	}
	if had := l.open[repo.GitDir()]; had != nil {
		_ = repo.Close()
		repo = had
	}
	l.open[repo.GitDir()], l.found[b] = repo, repo
	return repo, nil
}

// of returns the submodules of a commit of a submodule.
func (l *library) of(ctx context.Context, repo *git.Repo, commit git.ID) (gitlinks, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := moduleKey{repo, commit}
	if p, ok := l.gitlinks[key]; ok {
		return p, nil
	}
	links, gitmodules, err := repo.ModulesOf(ctx, commit)
	if err != nil {
		return gitlinks{}, err
	}
	p := gitlinks{links: links}
	if len(links) > 0 {
		if p.names, err = repo.ModuleNames(ctx, gitmodules); err != nil {
			return gitlinks{}, err
		}
	}
	l.gitlinks[key] = p
	return p, nil
}

func (l *library) close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var problems []error
	for _, repo := range l.open {
		problems = append(problems, repo.Close())
	}
	clear(l.open)
	clear(l.found)
	return errors.Join(problems...)
}

// modules are the submodules that a workspace has files of.
type modules struct {
	dir   string                     // where their git directories are
	base  map[string]git.ID          // the pins of the workspace's base
	trees map[string]*git.ModuleTree // by path from the top; a nested one behind its superproject in sorted order
}

// openModules looks up which submodules the base has.
func (w *Workspace) openModules(ctx context.Context) error {
	if w.source.library == nil {
		return nil
	}
	links, err := w.source.repo.Gitlinks(ctx, w.base)
	if err != nil {
		return fmt.Errorf("make a workspace: %w", err)
	}
	w.modules = modules{dir: w.Dir + ".modules", base: links, trees: map[string]*git.ModuleTree{}}
	return nil
}

// wantedModules returns what a tree pins at the top.
func (w *Workspace) wantedModules(ctx context.Context, set *changes.Set, tree *changes.Tree) (gitlinks, error) {
	p := gitlinks{links: maps.Clone(w.modules.base)}
	want := w.wanted(set, tree)
	for name, t := range w.tracked {
		e := want(name, t)
		if e.mode == git.Gitlink {
			p.links[name] = e.id
		} else {
			delete(p.links, name)
		}
	}
	if len(p.links) == 0 {
		return p, nil
	}
	content, err := w.gitmodules(ctx, set, tree)
	if err != nil {
		return p, err
	}
	p.names, err = w.source.repo.ModuleNames(ctx, content)
	return p, err
}

// gitmodules returns the content of .gitmodules in a tree, nil if it has none.
func (w *Workspace) gitmodules(ctx context.Context, set *changes.Set, tree *changes.Tree) ([]byte, error) {
	const name = ".gitmodules"
	e, err := w.source.trees.entry(ctx, w.base, name)
	var made changes.File
	if t := w.tracked[name]; t != nil && err == nil {
		e = w.wanted(set, tree)(name, t)
		if !t.fixed {
			made, _ = tree.File(name)
		} else if e.mode != 0 && e.mode != git.Symlink {
			return w.source.overlay.read(name, e.mode)
		}
	}
	switch {
	case err != nil || !e.mode.IsFile():
		return nil, err
	case made.Mode != 0:
		return set.Content(made)
	}
	return w.source.repo.Blob(ctx, e.id)
}

// vacateModules takes away the files of submodules that the tree does not have.
func (w *Workspace) vacateModules(ctx context.Context, want gitlinks) error {
	for name, m := range w.modules.trees {
		top := name
		for above := path.Dir(top); above != "."; above = path.Dir(above) {
			if _, ok := w.modules.trees[above]; ok {
				top = above
			}
		}
		if _, ok := want.links[top]; ok {
			continue
		}
		if err := w.vacate(ctx, name, m); err != nil {
			return err
		}
	}
	return nil
}

// vacate removes the tracked files of one submodule, and its directory when that
// is empty then.
func (w *Workspace) vacate(ctx context.Context, name string, m *git.ModuleTree) error {
	// Those in it first.
	for inner, other := range w.modules.trees {
		if strings.HasPrefix(inner, name+"/") {
			if err := w.vacate(ctx, inner, other); err != nil {
				return err
			}
		}
	}
	delete(w.modules.trees, name)
	defer os.RemoveAll(w.moduleDir(name))
	parents, _, err := w.writer.descend(name+"/x", false)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDisturbed) {
		return nil // a test was faster
	}
	if err != nil {
		return w.writer.failed(name, err)
	}
	err = m.Vacate(ctx)
	if err == nil {
		err = parents[len(parents)-1].RemoveAll(".git")
	}
	parents.close()
	if err != nil {
		return disk.Wrap(fmt.Sprintf("take submodule %q away", name), err)
	}
	return nil
}

// moduleDir is the git directory of the submodule at path.
func (w *Workspace) moduleDir(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(w.modules.dir, hex.EncodeToString(sum[:10]))
}

// showModules makes the submodules in repo, which lies at the path within ("" =
// the top), hold what they are pinned at.
func (w *Workspace) showModules(ctx context.Context, repo *git.Repo, within string, want gitlinks) error {
	for _, sub := range slices.Sorted(maps.Keys(want.links)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		full := path.Join(within, sub)
		if w.source.overlay.hides(full) {
			continue
		}
		b := borrowed{in: repo, path: sub, name: want.names[sub], commit: want.links[sub]}
		from, err := w.source.library.find(ctx, b, full, within)
		if err != nil {
			return err
		}
		m := w.modules.trees[full]
		if m != nil && m.From() != from { // another repository has this commit
			if err := w.vacate(ctx, full, m); err != nil {
				return err
			}
			m = nil
		}
		if m == nil {
			if m, err = git.NewModuleTree(ctx, from, w.moduleDir(full), filepath.Join(w.Dir, filepath.FromSlash(full))); err != nil {
				return disk.Wrap(fmt.Sprintf("check out submodule %q", full), err)
			}
			w.modules.trees[full] = m
		}
		inner, err := w.source.library.of(ctx, from, b.commit)
		if err != nil {
			return fmt.Errorf("submodule %q: %w", full, err)
		}
		for name, other := range w.modules.trees { // nested ones that this commit does not have
			rest, below := strings.CutPrefix(name, full+"/")
			if _, stays := inner.links[rest]; below && !stays && !w.withinModule(name, full) {
				if err := w.vacate(ctx, name, other); err != nil {
					return err
				}
			}
		}
		if err := w.showModule(ctx, full, m, b.commit); err != nil {
			return err
		}
		if err := w.showModules(ctx, from, full, inner); err != nil {
			return err
		}
	}
	return nil
}

// withinModule reports whether a submodule lies in another one below top.
func (w *Workspace) withinModule(name, top string) bool {
	for above := path.Dir(name); above != top && above != "."; above = path.Dir(above) {
		if w.modules.trees[above] != nil {
			return true
		}
	}
	return false
}

// showModule checks one submodule out. git works by the name of its directory, so
// that is first made sure to be one, all the way down.
func (w *Workspace) showModule(ctx context.Context, full string, m *git.ModuleTree, commit git.ID) error {
	forced := w.writer
	forced.force = true
	parents, _, err := forced.descend(full+"/x", true)
	if err != nil {
		return forced.failed(full, err)
	}
	defer parents.close()
	dir := parents[len(parents)-1]
	link, err := dir.Lstat(".git")
	if err == nil && link.Mode().IsRegular() {
		if content, err := dir.ReadFile(".git"); err == nil && string(content) == string(m.Link()) {
			link = nil
		}
	}
	if link != nil || err != nil {
		if err := errors.Join(dir.RemoveAll(".git"), dir.WriteFile(".git", m.Link(), 0o666)); err != nil {
			return disk.Wrap(fmt.Sprintf("check out submodule %q", full), err)
		}
	}
	err = m.Show(ctx, commit)
	if failed := (*git.Error)(nil); errors.As(err, &failed) && !disk.Full(err) {
		return &unfitError{full, fmt.Errorf("git cannot check the submodule out at %.10s: %w", commit, err)} // a filter, or files that a partial clone lacks
	}
	if err != nil {
		return disk.Wrap(fmt.Sprintf("check out submodule %q at %.10s", full, commit), err)
	}
	return nil
}

// cleanModules removes what is not tracked in the submodules.
func (w *Workspace) cleanModules(ctx context.Context) error {
	for name, m := range w.modules.trees {
		parents, _, err := w.writer.descend(name+"/x", false)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDisturbed) {
			continue // nothing is there to be cleaned
		}
		if err != nil {
			return w.writer.failed(name, err)
		}
		parents.close()
		err = m.Clean(ctx)
		if failed := (*git.Error)(nil); errors.As(err, &failed) {
			disk.MakeWritable(m.Dir)
			err = m.Clean(ctx)
		}
		if err != nil {
			return fmt.Errorf("clean submodule %q: %w", name, err)
		}
	}
	return nil
}
