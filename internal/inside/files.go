package inside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/combine"
	"github.com/gitdd/gitdd/internal/dependency"
	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/settings"
)

// pin adds a submodule, in its place.
func (m *maker) pin(ctx context.Context, u Update) error {
	name := u.file
	if text, err := content(ctx, m.Repo, m.Newer.Tree, ".gitmodules"); err != nil {
		return err
	} else if text != nil {
		names, err := m.Repo.ModuleNames(ctx, text)
		if err != nil {
			return err
		}
		name = cmp.Or(names[u.file], name)
	}
	repo, _, err := m.Repo.Submodule(ctx, u.file, name, u.commits[1])
	if err != nil {
		return err
	}
	if repo == nil {
		return fmt.Errorf("commit %s of %s is not here", u.commits[1].Short(), u.file)
	}
	m.opened = append(m.opened, repo)
	p := combine.Part{Name: u.file, Path: u.file, Over: true, Repo: repo}
	for i, to := range []*git.Revision{&p.Good, &p.Bad} {
		if *to, err = repo.Resolve(ctx, string(u.commits[i])); err != nil {
			return fmt.Errorf("commit %s of %s is not here", u.commits[i].Short(), u.file)
		}
		to.Rev = u.commits[i].Short()
	}
	m.enter(p, settings.Inside{Name: u.file, Old: p.Good.Rev, New: p.Bad.Rev, Path: p.Path, Clone: repo.GitDir()})
	return nil
}

// vendored reports whether a project of Go has its dependencies in a folder vendor.
func (m *maker) vendored(ctx context.Context, u Update) (bool, error) {
	_, ok, err := m.Repo.EntryAt(ctx, m.Newer.Tree, path.Join(u.dir(), "vendor", "modules.txt"))
	return ok && path.Base(u.file) == "go.mod", err
}

// mixVendored adds the dependencies whose files the project has in both versions, in their places. The versions are those that both
// ends of the search have, of which the files are mixed.
func (m *maker) mixVendored(ctx context.Context, u Update) error {
	trees := [2]git.ID{m.Good.Tree, m.Newer.Tree}
	var texts [2][]byte
	for i, tree := range trees {
		var err error
		if texts[i], err = content(ctx, m.Repo, tree, u.file); err != nil {
			return err
		}
	}
	wanted := make(map[string]bool)
	for _, d := range u.updates {
		wanted[d.Required] = true
	}
	for _, d := range dependency.Between(u.file, texts[0], texts[1], [2][]byte{}) {
		if !wanted[d.Required] {
			continue
		}
		p := combine.Part{Name: d.Name, Path: path.Join(u.dir(), "vendor", d.Required), Repo: m.Repo, Over: true}
		p.Good.Rev, p.Bad.Rev = d.Old, d.New
		for i, to := range []*git.Revision{&p.Good, &p.Bad} {
			e, ok, err := m.Repo.EntryAt(ctx, trees[i], p.Path)
			if err != nil || !ok {
				return errors.Join(err, fmt.Errorf("%s does not have %s %s", p.Path, d.Name, to.Rev))
			}
			to.Tree = e.ID
		}
		if p.Good.Tree != p.Bad.Tree {
			m.enter(p, settings.Inside{Name: d.Name, Old: d.Old, New: d.New, Path: p.Path})
		}
	}
	return nil
}

// clone takes both versions of a dependency from a clone of its repository.
func (m *maker) clone(ctx context.Context, d dependency.Update, dir string, p *combine.Part) (err error) {
	if p.Repo, err = git.OpenDir(ctx, dir); err != nil {
		return err
	}
	m.opened = append(m.opened, p.Repo)
	var in [2]string
	for i, version := range []string{d.Old, d.New} {
		rev, found, err := tagged(ctx, p.Repo, d, version)
		if err != nil {
			return fmt.Errorf("%s %w", dir, err)
		}
		rev.Rev = version
		*[]*git.Revision{&p.Good, &p.Bad}[i], in[i] = rev, found
	}
	if in[0] != in[1] {
		return fmt.Errorf("%s has %s in %q before and in %q after: its files cannot be mixed", dir, d.Name, in[0], in[1])
	}
	p.Dir = in[0]
	return nil
}

// tagged returns the revision that a repository has for a version of a dependency, and the directory in it.
func tagged(ctx context.Context, repo *git.Repo, d dependency.Update, version string) (git.Revision, string, error) {
	var names []string
	for _, try := range dependency.Revisions(d, version) {
		names = append(names, strings.TrimPrefix(try.Name, "refs/tags/"))
		rev, err := repo.Resolve(ctx, try.Name)
		if errors.As(err, new(*git.UnknownRevisionError)) {
			continue
		} else if err != nil {
			return rev, "", err
		}
		manifest, err := content(ctx, repo, rev.Tree, path.Join(try.Dir, d.File()))
		if err != nil {
			return rev, "", err
		}
		if dependency.Holds(d, try.Dir, manifest) {
			return rev, try.Dir, nil
		}
	}
	return git.Revision{}, "", fmt.Errorf("has no tag for %s %s with that in its %s, such as %s: `git fetch --tags` may bring it", d.Name, version, d.File(), strings.Join(names, " or "))
}

// bring takes both versions of a dependency from its package manager.
func (m *maker) bring(ctx context.Context, u Update, d dependency.Update, p *combine.Part) error {
	project := m.temporary // for a repository without a checkout
	if top := m.Repo.Top(); top != "" {
		project = top
		at := filepath.Join(top, filepath.FromSlash(u.dir()))
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			project = at
		}
	}
	both, err := dependency.Fetch(ctx, d, project, m.temporary)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.dir, 0o777); err != nil {
		return err
	}
	m.brought++
	stored := filepath.Join(m.dir, fmt.Sprint(m.brought))
	p.Repo, p.Good, p.Bad, err = folders.Store(ctx, stored, both[0], both[1], folders.Options{Note: func(string) {}, Progress: m.Progress})
	if err != nil {
		return err
	}
	m.opened = append(m.opened, p.Repo)
	p.Good.Rev, p.Bad.Rev = d.Old, d.New
	if d.Manager != dependency.Go {
		return nil
	}
	for _, end := range []*git.Revision{&p.Good, &p.Bad} { // a module of long ago need not have a go.mod
		_, ok, err := p.Repo.EntryAt(ctx, end.Tree, d.File())
		if err == nil && !ok {
			if err = m.store.BorrowFrom(ctx, p.Repo); err == nil {
				err = m.Repo.AddObjects(ctx, m.store)
			}
			if err == nil {
				end.Tree, _, err = m.put(ctx, end.Tree, d.File(), []byte("module "+d.Name+"\n"))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
