package inside

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/dependency"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
)

// An Update is a manifest whose change is in a cause, with the updates between its two contents, or the pin of a submodule.
type Update struct {
	Pin     bool
	file    string // the manifest, slash-separated, or the path of the submodule
	project string // the manifest in which a dependency is replaced: that one, or, if it is of a module that is replaced by a folder, that of the project
	updates []dependency.Update
	commits [2]git.ID // of a pin: the older and the newer one
}

// dir is the directory of the manifest in which a dependency is replaced; "." is the top.
func (u Update) dir() string { return path.Dir(u.project) }

// Older and Newer are the trees of an answer without and with the changes of its cause; "" if the answer has none.
func Older(r report.Result) git.ID {
	if r.Direction == report.Fix {
		return git.ID(r.Failing.Tree)
	}
	return git.ID(r.Passing.Tree)
}

// Newer is the other one: see Older.
func Newer(r report.Result) git.ID {
	if r.Direction == report.Fix {
		return git.ID(r.Passing.Tree)
	}
	return git.ID(r.Failing.Tree)
}

// Of returns the updates of dependencies that the cause of an answer makes. within are the dependencies that its search was inside of: such
// a search can go on only into a module of Go that one of them requires and that is not among them.
func Of(ctx context.Context, repo *git.Repo, r report.Result, within []settings.Inside) (list []Update, err error) {
	trees := [2]git.ID{Older(r), Newer(r)}
	if trees[0] == "" || trees[1] == "" {
		return nil, nil
	}
	for _, c := range r.Cause {
		u := Update{file: c.Path, project: c.Path, Pin: c.Kind == changes.Submodule.String()}
		if slices.ContainsFunc(list, func(had Update) bool { return had.file == u.file }) {
			continue
		}
		ok := false
		if u.Pin {
			ok, err = u.pinned(ctx, repo, trees)
		} else if dependency.Manifest(u.file) && u.inProject(within) {
			err = u.read(ctx, repo, trees, within)
			ok = len(u.updates) > 0
		}
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, u)
		}
	}
	return list, nil
}

// inProject finds the manifest in which the dependency is replaced, and reports whether there is one.
func (u *Update) inProject(within []settings.Inside) bool {
	for _, in := range within {
		if u.file == path.Join(in.Path, "go.mod") && in.Manifest != "" {
			u.project = in.Manifest
			return true
		}
	}
	return len(within) == 0
}

// pinned finds both commits of a pin, and reports whether both trees have one.
func (u *Update) pinned(ctx context.Context, repo *git.Repo, trees [2]git.ID) (bool, error) {
	for i, tree := range trees {
		e, ok, err := repo.EntryAt(ctx, tree, u.file)
		if err != nil || !ok || e.Mode != git.Gitlink {
			return false, err
		}
		u.commits[i] = e.ID
	}
	return true, nil
}

// read finds the updates between both contents of a manifest, without those of dependencies that the search was inside of.
func (u *Update) read(ctx context.Context, repo *git.Repo, trees [2]git.ID, within []settings.Inside) error {
	var texts, sums [2][]byte
	for i, tree := range trees {
		var err error
		if texts[i], err = content(ctx, repo, tree, u.file); err == nil {
			sums[i], err = content(ctx, repo, tree, path.Join(u.dir(), "go.sum"))
		}
		if err != nil {
			return err
		}
	}
	u.updates = slices.DeleteFunc(dependency.Between(u.file, texts[0], texts[1], sums), func(d dependency.Update) bool {
		return slices.ContainsFunc(within, func(in settings.Inside) bool { return in.Name == d.Name })
	})
	return nil
}

// content returns that of a file of a tree, nil if there is none.
func content(ctx context.Context, repo *git.Repo, tree git.ID, file string) ([]byte, error) {
	e, ok, err := repo.EntryAt(ctx, tree, file)
	if err != nil || !ok || e.Mode == git.Directory || e.Mode == git.Gitlink {
		return nil, err
	}
	return repo.Blob(ctx, e.ID)
}

// Titles are all updates, as a person reads them.
func Titles(list []Update) string {
	var names []string
	for _, u := range list {
		if u.Pin {
			names = append(names, u.file+" "+u.commits[0].Short()+" → "+u.commits[1].Short())
		}
		for _, d := range u.updates {
			if text := d.String(); !slices.Contains(names, text) {
				names = append(names, text)
			}
		}
	}
	return prose.Printable(strings.Join(names, ", "))
}
