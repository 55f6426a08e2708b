package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/combine"
	"github.com/gitdd/gitdd/internal/dependency"
	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// An updated is a manifest whose change is in a cause, and the updates between its two contents, or the pin of a submodule.
type updated struct {
	dir     string // of the manifest, slash-separated; "." is the top
	file    string // or the path of the submodule
	updates []dependency.Update
	pin     bool
	commits [2]git.ID // of a pin: the older and the newer one
}

// An outsideError says why there is no answer inside a dependency.
type outsideError struct {
	reason  string
	session string // in which it was tried; "" = in none
}

func (e *outsideError) Error() string { return e.reason }

// olderAndNewer are the trees of an answer without and with the changes of its cause.
func olderAndNewer(r report.Result) (older, newer git.ID) {
	older, newer = git.ID(r.Passing.Tree), git.ID(r.Failing.Tree)
	if r.Direction == report.Fix {
		older, newer = newer, older
	}
	return older, newer
}

// content returns that of a file of a tree, nil if there is none.
func content(ctx context.Context, repo *git.Repo, tree git.ID, file string) ([]byte, error) {
	e, ok, err := repo.EntryAt(ctx, tree, file)
	if err != nil || !ok || e.Mode == git.Directory || e.Mode == git.Gitlink {
		return nil, err
	}
	return repo.Blob(ctx, e.ID)
}

// updatesOf returns the updates of dependencies that the cause of an answer makes.
func updatesOf(ctx context.Context, repo *git.Repo, r report.Result) (list []updated, err error) {
	older, newer := olderAndNewer(r)
	if older == "" || newer == "" {
		return nil, nil
	}
	for _, c := range r.Cause {
		same := func(u updated) bool { return u.file == c.Path }
		u := updated{dir: path.Dir(c.Path), file: c.Path, pin: c.Kind == changes.Submodule.String()}
		if u.pin {
			for i, tree := range []git.ID{older, newer} {
				e, ok, err := repo.EntryAt(ctx, tree, c.Path)
				if err != nil {
					return nil, err
				}
				if ok && e.Mode == git.Gitlink {
					u.commits[i] = e.ID
				}
			}
			if u.commits[0] != "" && u.commits[1] != "" {
				list = append(list, u)
			}
			continue
		}
		if !dependency.Manifest(c.Path) || slices.ContainsFunc(list, same) {
			continue
		}
		var texts [4][]byte
		for i, tree := range []git.ID{older, newer} {
			if texts[i], err = content(ctx, repo, tree, c.Path); err == nil {
				texts[i+2], err = content(ctx, repo, tree, path.Join(u.dir, "go.sum"))
			}
			if err != nil {
				return nil, err
			}
		}
		if texts[0] == nil || texts[1] == nil {
			continue
		}
		if u.updates, err = dependency.Between(c.Path, texts[0], texts[1], [2][]byte(texts[2:])); err != nil {
			return nil, fmt.Errorf("the updates in %s cannot be read: %w", c.Path, err)
		}
		if len(u.updates) > 0 {
			list = append(list, u)
		}
	}
	return list, nil
}

// allUpdates are those of all manifests, as a person reads them.
func allUpdates(list []updated) string {
	var names []string
	for _, u := range list {
		if u.pin {
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

// goInto searches in the dependencies whose update is an answer, and prints what it finds. Both ends are the failing configuration of the
// answer, one with the old files of the dependencies and one with the new ones. The error is an *outsideError if that comes
// to no answer, and then nothing was printed.
func (a *app) goInto(ctx context.Context, repo *git.Repo, from *trial.Session, r report.Result, list []updated, s settings.Search, o forms.Files) error {
	fmt.Fprintf(a.aside(), "gitdd: the cause is the update of %s, by session %s: going into it\n", allUpdates(list), from.Name())
	in := &insider{app: a, repo: repo, list: list, s: s, from: from, words: slices.Clone(s.Inside)}
	in.older, in.newer = olderAndNewer(r)
	in.end = r.Bad.Rev
	if r.History != nil && len(r.History.FirstBad) > 9 {
		in.end = git.ID(r.History.FirstBad).Short()
	}
	s.Paths, s.Bisect, s.All = nil, settings.Bisect{}, false
	header, err := a.header("", nil, s.Command)
	if err != nil {
		return err
	}
	header.CommonDir, header.Name = repo.CommonDir(), from.Header().Name
	defer in.close()
	session, err := trial.CreateSessionWith(filepath.Dir(from.Dir()), header, func(dir string, h *trial.Header) (err error) {
		if h.Good, h.Bad, err = in.ends(ctx, dir); err == nil {
			s.Inside = in.words
			h.Args = s.Words()
		}
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return &outsideError{reason: err.Error()}
	}
	defer session.Close()
	set, err := settings.Between(ctx, repo, session.Header().Good, session.Header().Bad, nil)
	if err != nil {
		return errors.Join(&outsideError{reason: err.Error()}, session.Discard())
	}
	defer func(outer string) { a.within = outer }(a.within)
	a.within = from.Name()
	return a.isolate(ctx, repo, session, set, s, o)
}

// inside goes from an answer that is the update of a dependency into that, if it is to, and else tells the user what can be
// done. into is true if nothing of the result is to be printed: err is then what gitdd ends with, and the session has the result.
func (a *app) inside(ctx context.Context, repo *git.Repo, session *trial.Session, r *report.Result, story report.Story, s settings.Search, o forms.Files) (into bool, err error) {
	hint := func(text string) { r.Hints = append(r.Hints, text) }
	in := s.Insides()
	if len(in) > 0 && a.within != "" && r.Status == report.NotIsolated {
		return true, &outsideError{reason: r.Reason, session: session.Name()}
	}
	defer func() {
		if len(in) > 0 && !into {
			hint("`gitdd show " + in[0].Session + "` shows the update itself, which `gitdd apply --revert " + in[0].Session + "` takes off your working tree")
		}
	}()
	if r.Status != report.Isolated || ctx.Err() != nil || s.Into == settings.IntoNever || s.Each != "" || s.ByHand || s.GoodDir != "" || s.Goal != "cause" || !s.Measure.IsZero() {
		return false, nil
	}
	all, err := updatesOf(ctx, repo, *r)
	if err != nil {
		hint(err.Error())
		return false, nil
	}
	var list, left []updated // what is gone into, and what the user may want to
	for _, u := range all {
		switch {
		case u.pin && s.Submodules, !u.pin && len(in) == 0 && s.Into == settings.IntoAlways:
			list = append(list, u)
		case !u.pin && len(in) == 0:
			left = append(left, u)
		}
	}
	switch {
	case len(list) > 0:
	case len(left) > 0:
		hint("the cause updates " + allUpdates(left) + ": `gitdd resume --into " + session.Name() + "` searches on for the lines in there")
		return false, nil
	case len(in) == 0 && s.Into == settings.IntoAlways:
		hint("--into: nothing to go into: the cause changes no version in a go.mod or a lock file of npm that is there before and after it, and no pin of a submodule that --recurse-submodules fills")
		return false, nil
	default:
		return false, nil
	}
	if err := a.keep(session, story, func(w io.Writer) error { return report.JSON(w, *r) }); err != nil {
		return true, err
	}
	err = a.goInto(ctx, repo, session, *r, list, s, o)
	var outside *outsideError
	switch {
	case errors.As(err, &outside):
	case err != nil && !a.answered && ctx.Err() == nil: // such as a setup that wants the submodule to be one
		outside = &outsideError{reason: err.Error()}
	default:
		return true, err
	}
	hint("gitdd could not go into " + allUpdates(list) + ": " + outside.reason)
	if outside.session != "" {
		hint("there the command was run in the failing configuration with the old files of the dependency in place, and with the new ones: `gitdd log " + outside.session + "` shows these trials")
	}
	return false, nil
}

// An insider makes the ends of a search in dependencies.
type insider struct {
	*app
	repo         *git.Repo
	s            settings.Search
	from         *trial.Session // that found the updates
	list         []updated
	older, newer git.ID // trees of the project
	end          string // what newer is called

	store  *git.Scratch
	opened []*git.Repo
	parts  []combine.Part
	words  []string
}

func (in *insider) close() {
	for _, repo := range in.opened {
		repo.Close()
	}
}

// ends makes both ends in the directory of a session.
func (in *insider) ends(ctx context.Context, dir string) (good, bad git.Revision, err error) {
	if in.store, err = in.repo.NewScratch(filepath.Join(dir, worktreeDir)); err == nil {
		err = in.repo.AddObjects(ctx, in.store)
	}
	if err != nil {
		return good, bad, err
	}
	brought, err := os.MkdirTemp("", "gitdd-")
	if err != nil {
		return good, bad, err
	}
	defer os.RemoveAll(brought)
	for _, m := range in.list {
		vendored, err := in.vendored(ctx, m)
		if err != nil {
			return good, bad, err
		}
		if vendored { // of which modules.txt, go.mod and the files have to agree, as they do at the ends of the search
			in.newer, in.end = in.from.Header().Bad.Tree, in.from.Header().Bad.Rev
		}
	}
	own, err := git.OpenDir(ctx, in.repo.CommonDir()) // without what the other session has
	if err != nil {
		return good, bad, err
	}
	defer own.Close()
	if err := in.store.KeepTree(ctx, in.newer, own); err != nil {
		return good, bad, err
	}
	tree := in.newer
	for _, m := range in.list {
		if m.pin {
			if err := in.addPin(ctx, m); err != nil {
				return good, bad, err
			}
			continue
		}
		places := map[string]string{}
		vendored, err := in.vendored(ctx, m)
		if err == nil && vendored {
			m.updates, err = in.vendoredVersions(ctx, m)
		}
		for _, u := range m.updates {
			if err == nil {
				if vendored && u.Manager == dependency.Go {
					err = in.addVendored(ctx, m, u)
				} else if folder, err2 := in.add(ctx, m, u, filepath.Join(dir, trial.FoldersDir), brought); err2 != nil && ctx.Err() == nil {
					err = fmt.Errorf("%w; what is known is the update", err2)
				} else if err = err2; folder != "" {
					places[u.Required] = folder
				}
			}
		}
		if err == nil && !vendored && path.Base(m.file) == "go.mod" {
			tree, err = in.replace(ctx, tree, m, places)
		}
		if err != nil {
			return good, bad, err
		}
	}
	if len(in.parts) == 0 {
		return good, bad, errors.New("both versions have the same files")
	}
	project := git.Revision{Rev: in.end, Tree: tree}
	return combine.Ends(ctx, in.repo, in.store, project, project, in.parts)
}

// addPin adds a submodule, in its place.
func (in *insider) addPin(ctx context.Context, m updated) error {
	name := m.file
	if text, err := content(ctx, in.repo, in.newer, ".gitmodules"); err != nil {
		return err
	} else if text != nil {
		names, err := in.repo.ModuleNames(ctx, text)
		if err != nil {
			return err
		}
		name = cmp.Or(names[m.file], name)
	}
	repo, _, err := in.repo.Submodule(ctx, m.file, name, m.commits[1])
	if err != nil {
		return err
	}
	if repo == nil {
		return fmt.Errorf("commit %s of it is not here", m.commits[1].Short())
	}
	in.opened = append(in.opened, repo)
	p := combine.Part{Name: m.file, Path: m.file, Over: true, Repo: repo}
	for i, to := range []*git.Revision{&p.Good, &p.Bad} {
		if *to, err = repo.Resolve(ctx, string(m.commits[i])); err != nil {
			return fmt.Errorf("commit %s of it is not here", m.commits[i].Short())
		}
		to.Rev = m.commits[i].Short()
	}
	in.enter(p, settings.Inside{Name: m.file, Old: p.Good.Rev, New: p.Bad.Rev, Path: p.Path, Clone: repo.GitDir()})
	return nil
}

// vendored reports whether a Go project has its dependencies in a folder vendor.
func (in *insider) vendored(ctx context.Context, m updated) (bool, error) {
	_, ok, err := in.repo.EntryAt(ctx, in.newer, path.Join(m.dir, "vendor", "modules.txt"))
	return ok && path.Base(m.file) == "go.mod", err
}

// vendoredVersions returns the updates of a vendored project with the versions that both ends of the search have, of which the
// files are mixed.
func (in *insider) vendoredVersions(ctx context.Context, m updated) (list []dependency.Update, err error) {
	var texts [2][]byte
	for i, tree := range []git.ID{in.from.Header().Good.Tree, in.newer} {
		if texts[i], err = content(ctx, in.repo, tree, m.file); err != nil {
			return nil, err
		}
	}
	all, err := dependency.Between(m.file, texts[0], texts[1], [2][]byte{})
	for _, u := range all {
		if slices.ContainsFunc(m.updates, func(of dependency.Update) bool { return of.Required == u.Required }) {
			list = append(list, u)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has the same versions at both ends of the search", m.file)
	}
	return list, err
}

// addVendored adds a dependency whose files the project has in both versions.
func (in *insider) addVendored(ctx context.Context, m updated, u dependency.Update) error {
	p := combine.Part{Name: u.Name, Path: path.Join(m.dir, "vendor", u.Required), Repo: in.repo, Over: true}
	for _, end := range []struct {
		tree git.ID
		to   *git.Revision
		rev  string
	}{{in.from.Header().Good.Tree, &p.Good, u.Old}, {in.newer, &p.Bad, u.New}} {
		e, ok, err := in.repo.EntryAt(ctx, end.tree, p.Path)
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("%s does not have %s %s", p.Path, u.Name, end.rev))
		}
		*end.to = git.Revision{Rev: end.rev, Tree: e.ID}
	}
	in.enter(p, settings.Inside{Name: u.Name, Old: u.Old, New: u.New, Path: p.Path})
	return nil
}

// add adds a dependency in a folder of its own, and returns that, relative to the directory of the manifest; "" = both versions have the
// same files, and nothing was added.
func (in *insider) add(ctx context.Context, m updated, u dependency.Update, dir, brought string) (string, error) {
	p := combine.Part{Name: u.Name}
	kept := settings.Inside{Name: u.Name, Old: u.Old, New: u.New}
	folder := u.Name
	for {
		p.Path = path.Join(m.dir, folder)
		_, there, err := in.repo.EntryAt(ctx, in.newer, p.Path)
		if err != nil {
			return "", err
		}
		if !there && !slices.ContainsFunc(in.parts, func(other combine.Part) bool { return other.Path == p.Path }) {
			break
		}
		folder += "_"
	}
	kept.Path = p.Path
	var err error
	if kept.Clone = in.s.Clone(u.Names()...); kept.Clone != "" {
		err = in.clone(ctx, u, kept.Clone, &p)
	} else {
		err = in.bring(ctx, m, u, filepath.Join(dir, fmt.Sprint(len(in.parts)+1)), brought, &p)
	}
	if err != nil {
		return "", err
	}
	if p.Good.Tree == p.Bad.Tree {
		return "", nil
	}
	if u.Manager == dependency.Npm {
		kept.Script = dependency.InstallScript(p.Path, m.dir, u.At)
	}
	in.enter(p, kept)
	return folder, nil
}

func (in *insider) enter(p combine.Part, kept settings.Inside) {
	kept.Session = in.from.Name()
	in.parts = append(in.parts, p)
	in.words = append(in.words, kept.Word())
}

// clone takes both versions of a dependency from a clone of its repository.
func (in *insider) clone(ctx context.Context, u dependency.Update, dir string, p *combine.Part) (err error) {
	if p.Repo, err = git.OpenDir(ctx, dir); err != nil {
		return err
	}
	in.opened = append(in.opened, p.Repo)
	for _, end := range []struct {
		version string
		to      *git.Revision
	}{{u.Old, &p.Good}, {u.New, &p.Bad}} {
		found := false
		var names []string
		for _, try := range dependency.Revisions(u, end.version) {
			names = append(names, strings.TrimPrefix(try[0], "refs/tags/"))
			rev, err := p.Repo.Resolve(ctx, try[0])
			if unknown := (*git.UnknownRevisionError)(nil); errors.As(err, &unknown) {
				continue
			} else if err != nil {
				return err
			}
			rev.Rev = end.version
			*end.to, p.Dir, found = rev, try[1], true
			break
		}
		if !found {
			return fmt.Errorf("%s has no tag for %s %s, such as %s: `git fetch --tags` may bring it", dir, u.Name, end.version, strings.Join(names, " or "))
		}
	}
	return nil
}

// bring takes both versions of a dependency from its package manager.
func (in *insider) bring(ctx context.Context, m updated, u dependency.Update, dir, brought string, p *combine.Part) error {
	project := in.repo.Top()
	if project != "" {
		if at := filepath.Join(project, filepath.FromSlash(m.dir)); isDir(at) {
			project = at
		}
	} else {
		project = brought
	}
	both, err := dependency.Fetch(ctx, u, project, brought)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	if p.Repo, p.Good, p.Bad, err = folders.Store(ctx, dir, both[0], both[1], folders.Options{Note: func(string) {}, Progress: in.storing().Progress}); err != nil {
		return err
	}
	in.opened = append(in.opened, p.Repo)
	p.Good.Rev, p.Bad.Rev = u.Old, u.New
	if u.Manager != dependency.Go {
		return nil
	}
	for _, end := range []*git.Revision{&p.Good, &p.Bad} { // which a module of long ago need not have
		if _, ok, err := p.Repo.EntryAt(ctx, end.Tree, "go.mod"); err != nil || ok {
			if err != nil {
				return err
			}
			continue
		}
		if err := in.store.BorrowFrom(ctx, p.Repo); err != nil {
			return err
		}
		if err := in.repo.AddObjects(ctx, in.store); err != nil {
			return err
		}
		blob, err := in.store.Put("blob", []byte("module "+u.Name+"\n"))
		if err == nil {
			end.Tree, err = in.store.Edit(ctx, end.Tree, "go.mod", git.Regular, blob)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// replace lets a project of Go use folders in the place of modules.
func (in *insider) replace(ctx context.Context, tree git.ID, m updated, places map[string]string) (git.ID, error) {
	sums := path.Join(m.dir, "go.sum")
	var texts [3][]byte
	for i, of := range []struct {
		tree git.ID
		file string
	}{{in.newer, m.file}, {in.older, sums}, {in.newer, sums}} {
		var err error
		if texts[i], err = content(ctx, in.repo, of.tree, of.file); err != nil {
			return "", err
		}
	}
	mod, err := dependency.ReplaceModules(texts[0], places)
	if err != nil {
		return "", err
	}
	for file, text := range map[string][]byte{m.file: mod, sums: dependency.UnitedSums(texts[1], texts[2])} {
		if text == nil {
			continue
		}
		blob, err := in.store.Put("blob", text)
		if err == nil {
			tree, err = in.store.Edit(ctx, tree, file, git.Regular, blob)
		}
		if err != nil {
			return "", err
		}
	}
	return tree, nil
}
