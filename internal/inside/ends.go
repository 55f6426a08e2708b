package inside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/gitdd/gitdd/internal/combine"
	"github.com/gitdd/gitdd/internal/dependency"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/settings"
)

// A Project is where updates were found.
type Project struct {
	Repo      *git.Repo
	Good, Bad git.Revision // the ends of the search that found the updates
	Older     git.ID       // the tree of its answer without the cause
	Newer     git.Revision // that with the cause: a tree, and what it is called

	Within   []settings.Inside            // the dependencies that the search was inside of, see Of
	Clone    func(names ...string) string // the directory of a clone that has one of the names; "" = none
	Progress func(text string)            // how far files were read, every few seconds
	Note     func(text string)            // what is left as it is, and why
}

// Ends stores both ends of a search inside the updates in store, which is made for p.Repo and which p.Repo finds the objects of
// afterwards. dir is a directory for files that are brought, which is made and which the session keeps. kept says of each dependency how the
// session goes on with it. The error says what to do if there is nothing to search in. Cost: the download of what is not here.
func (p Project) Ends(ctx context.Context, store *git.Scratch, list []Update, dir string) (good, bad git.Revision, kept []settings.Inside, err error) {
	if err := p.Repo.AddObjects(ctx, store); err != nil {
		return good, bad, nil, err
	}
	temporary, err := os.MkdirTemp("", "gitdd-")
	if err != nil {
		return good, bad, nil, err
	}
	defer os.RemoveAll(temporary)
	m := maker{Project: p, store: store, dir: dir, temporary: temporary}
	defer m.close()
	vendored := make([]bool, len(list))
	for i, u := range list {
		if vendored[i], err = m.vendored(ctx, u); err != nil {
			return good, bad, nil, err
		}
		if vendored[i] { // modules.txt, go.mod and the files have to agree, as they do at the ends of the search
			m.Newer = git.Revision{Rev: p.Bad.Rev, Tree: p.Bad.Tree}
		}
	}
	if err := m.keep(ctx); err != nil {
		return good, bad, nil, err
	}
	m.tree = m.Newer.Tree
	for i, u := range list {
		switch {
		case u.Pin:
			err = m.pin(ctx, u)
		case vendored[i]:
			err = m.mixVendored(ctx, u)
		default:
			err = m.place(ctx, u)
		}
		if err != nil {
			return good, bad, nil, err
		}
	}
	switch {
	case len(m.parts) > 0:
	case len(m.left) > 0:
		return good, bad, nil, m.left[0]
	default:
		return good, bad, nil, errors.New("both versions have the same files")
	}
	for _, err := range m.left {
		p.Note(err.Error() + "; it stays as it is in the failing configuration")
	}
	project := git.Revision{Rev: m.Newer.Rev, Tree: m.tree}
	good, bad, err = combine.Ends(ctx, p.Repo, store, project, project, m.parts)
	return good, bad, m.kept, err
}

// A maker collects what the ends are made of.
type maker struct {
	Project
	store          *git.Scratch
	dir, temporary string
	tree           git.ID // of the project, with what lets it use the folders

	opened  []*git.Repo
	brought int // how many dependencies were asked for, see bring
	parts   []combine.Part
	kept    []settings.Inside
	left    []error // why updates are not among the parts
}

func (m *maker) close() {
	for _, repo := range m.opened {
		repo.Close()
	}
}

// keep stores what the tree of the project has and the user's repository has not, as it is composed or was never committed: the session
// that has it may be removed.
func (m *maker) keep(ctx context.Context) error {
	own, err := git.OpenDir(ctx, m.Repo.CommonDir())
	if err != nil {
		return err
	}
	defer own.Close()
	return m.store.KeepTree(ctx, m.Newer.Tree, own)
}

// enter makes a part one of the ends.
func (m *maker) enter(p combine.Part, kept settings.Inside) {
	m.parts, m.kept = append(m.parts, p), append(m.kept, kept)
}

// place puts dependencies in folders of their own, and lets the project use these.
func (m *maker) place(ctx context.Context, u Update) error {
	folders := make(map[string]string)
	for _, d := range u.updates {
		folder, err := m.add(ctx, u, d)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			m.left = append(m.left, err)
		case folder != "":
			folders[d.Required] = folder
		}
	}
	if path.Base(u.project) != "go.mod" || len(folders) == 0 {
		return nil
	}
	return m.replace(ctx, u, folders)
}

// add adds a dependency in a folder of its own, and returns that, relative to the directory of the manifest; "" = both versions have
// the same files, and nothing was added.
func (m *maker) add(ctx context.Context, u Update, d dependency.Update) (folder string, err error) {
	p := combine.Part{Name: d.Name}
	if folder, err = m.free(ctx, u.dir(), d.Name); err != nil {
		return "", err
	}
	p.Path = path.Join(u.dir(), folder)
	kept := settings.Inside{Name: d.Name, Old: d.Old, New: d.New, Path: p.Path, Clone: m.Clone(d.Names()...)}
	if kept.Clone != "" {
		err = m.clone(ctx, d, kept.Clone, &p)
	} else {
		err = m.bring(ctx, u, d, &p)
	}
	if err != nil || p.Good.Tree == p.Bad.Tree {
		return "", err
	}
	if d.Manager == dependency.Npm {
		kept.Script = dependency.InstallScript(p.Path, u.dir(), d.At)
	} else {
		kept.Manifest = u.project
	}
	m.enter(p, kept)
	return folder, nil
}

// free returns a folder of a directory of the project that nothing is in the place of: that of the name, or one with _ behind it.
func (m *maker) free(ctx context.Context, dir, name string) (string, error) {
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		e, there, err := m.Repo.EntryAt(ctx, m.Newer.Tree, path.Join(dir, above))
		if err != nil {
			return "", err
		}
		if there && e.Mode != git.Directory {
			return "", fmt.Errorf("%s is a file of the project, and the folder of %s would lie below it", path.Join(dir, above), name)
		}
	}
	for ; ; name += "_" {
		_, there, err := m.Repo.EntryAt(ctx, m.Newer.Tree, path.Join(dir, name))
		if err != nil {
			return "", err
		}
		for _, p := range m.parts {
			there = there || p.Path == path.Join(dir, name)
		}
		if !there {
			return name, nil
		}
	}
}

// replace lets a project of Go use folders in the place of modules.
func (m *maker) replace(ctx context.Context, u Update, folders map[string]string) error {
	sums := path.Join(u.dir(), "go.sum")
	mod, err := content(ctx, m.Repo, m.Newer.Tree, u.project)
	if err != nil {
		return err
	}
	if mod, err = dependency.ReplaceModules(mod, folders); err != nil {
		return err
	}
	var both [2][]byte
	for i, tree := range []git.ID{m.Older, m.Newer.Tree} {
		if both[i], err = content(ctx, m.Repo, tree, sums); err != nil {
			return err
		}
	}
	var blobs [2]git.ID
	for i, f := range []struct {
		path string
		text []byte
	}{{u.project, mod}, {sums, dependency.UnitedSums(both[0], both[1])}} {
		if f.text == nil {
			return nil // there is no go.sum
		}
		if m.tree, blobs[i], err = m.put(ctx, m.tree, f.path, f.text); err != nil {
			return err
		}
	}
	cloned := func(in settings.Inside) bool { return in.Manifest == u.project && in.Clone != "" }
	if slices.ContainsFunc(m.kept, cloned) || slices.ContainsFunc(m.Within, cloned) {
		for i := range m.kept {
			if in := &m.kept[i]; in.Manifest == u.project {
				in.Before = dependency.RequireScript(u.dir(), string(blobs[0]), string(blobs[1]))
			}
		}
	}
	return nil
}

// put stores a tree that has a file with that text, and is otherwise like tree. It returns the id of the text, too.
func (m *maker) put(ctx context.Context, tree git.ID, file string, text []byte) (edited, blob git.ID, err error) {
	if blob, err = m.store.Put("blob", text); err != nil {
		return "", "", err
	}
	edited, err = m.store.Edit(ctx, tree, file, git.Regular, blob)
	return edited, blob, err
}
