package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Gitlinks returns the submodules that a tree pins: the commit by path. Cost:
// one git process, linear in the tree.
func (r *Repo) Gitlinks(ctx context.Context, tree ID) (map[string]ID, error) {
	at := r.atTop()
	at.env = append(at.env, asStored)
	out, err := at.run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", string(tree))
	if err != nil {
		return nil, err
	}
	links, err := parseGitlinks(out)
	if err != nil {
		return nil, fmt.Errorf("submodules of tree %s: %w", tree, err)
	}
	return links, nil
}

// parseGitlinks reads `git ls-tree -z`: "mode SP kind SP id TAB path NUL".
func parseGitlinks(out []byte) (map[string]ID, error) {
	links := map[string]ID{}
	for len(out) > 0 {
		line, rest, ended := bytes.Cut(out, []byte{0})
		out = rest
		head, path, named := bytes.Cut(line, []byte{'\t'})
		fields := strings.Split(string(head), " ")
		if !ended || !named || len(path) == 0 || len(fields) != 3 {
			return nil, fmt.Errorf("git ls-tree answers %q", line)
		}
		if fields[0] == Gitlink.String() {
			links[string(path)] = ID(fields[2])
		}
	}
	return links, nil
}

// ModuleNames returns what the content of a .gitmodules calls the submodules: the
// name by path. git reads it; what else it says (URLs, update commands) is of no
// interest. A file that git cannot read names nothing.
func (r *Repo) ModuleNames(ctx context.Context, content []byte) (map[string]string, error) {
	out, err := r.place(r.gitDir, "").run(ctx, bytes.NewReader(content), "config", "--no-includes", "--file", "-", "--null", "--get-regexp", `^submodule\..*\.path$`)
	if refused(err) { // 1: there are none; else it is damaged
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return parseModuleNames(out), nil
}

// parseModuleNames reads `git config --null --get-regexp`: "key LF value NUL". A
// later line of one key overrides the former, as in git.
func parseModuleNames(out []byte) map[string]string {
	paths := map[string]string{}
	var order []string
	for record := range bytes.SplitSeq(out, []byte{0}) {
		// The key ends at the first line feed behind the dot of ".path": a name
		// may hold line feeds, but git refuses them in section headers.
		key, value, ok := strings.Cut(string(record), "\n")
		name, isPath := strings.CutPrefix(strings.TrimSuffix(key, ".path"), "submodule.")
		if !ok || !isPath || !strings.HasSuffix(key, ".path") || !soundModuleName(name) || value == "" {
			continue
		}
		if _, again := paths[name]; !again {
			order = append(order, name)
		}
		paths[name] = value
	}
	names := map[string]string{}
	for _, name := range order {
		if _, taken := names[paths[name]]; !taken {
			names[paths[name]] = name
		}
	}
	return names
}

// soundModuleName is git's check_submodule_name: the name becomes a path below
// .git/modules, which it must not leave.
func soundModuleName(name string) bool {
	if strings.ContainsRune(name, 0) || filepath.Clean("/"+name) == "/" {
		return false // "." is the directory of all of them
	}
	return !slices.Contains(strings.FieldsFunc(name, func(c rune) bool { return c == '/' || c == '\\' }), "..")
}

// Submodule opens the repository that the user has of the submodule at path, and
// called name, and that has the commit: the checkout below Top, or what git keeps
// below .git/modules. nil when there is none: nothing is fetched, not even what a
// partial clone lacks. seen are the git directories that exist but lack it.
//
// Only a directory with a .git entry of its own counts as a checkout: that no tree
// can bring along, as it can everything else that a repository consists of.
func (r *Repo) Submodule(ctx context.Context, path, name string, commit ID) (sub *Repo, seen []string, err error) {
	if !commit.valid(r.format) {
		return nil, nil, fmt.Errorf("submodule %q: %q is not an object id of this repository (%s)", path, commit, r.format)
	}
	for _, c := range r.moduleDirs(ctx, path, name) {
		sub, err := r.openModule(ctx, c)
		if err != nil {
			if ctx.Err() != nil {
				return nil, seen, err
			}
			continue // damaged, or of another form: as if it were not there
		}
		if _, err = sub.object(ctx, "commit", commit); err == nil {
			return sub, seen, nil
		}
		seen = append(seen, sub.gitDir)
		if err := sub.Close(); ctx.Err() != nil {
			return nil, seen, err
		}
	}
	return nil, seen, nil
}

// A moduleDir is where a submodule's repository may be.
type moduleDir struct{ gitDir, top string }

// moduleDirs lists them, the likeliest first.
func (r *Repo) moduleDirs(ctx context.Context, path, name string) []moduleDir {
	var dirs []moduleDir
	add := func(d moduleDir) {
		real, err := filepath.EvalSymlinks(d.gitDir)
		if err != nil {
			return
		}
		d.gitDir = real
		if !slices.ContainsFunc(dirs, func(have moduleDir) bool { return have.gitDir == real }) {
			dirs = append(dirs, d)
		}
	}
	if r.top != "" {
		if d, ok := r.checkedOutModule(ctx, path); ok {
			add(d)
		}
	}
	for _, name := range []string{name, path} {
		for _, base := range []string{r.gitDir, r.commonDir} {
			if soundModuleName(name) {
				add(moduleDir{gitDir: filepath.Join(base, "modules", filepath.FromSlash(name))})
			}
		}
	}
	return dirs
}

// checkedOutModule returns the repository that the user's checkout has at path.
func (r *Repo) checkedOutModule(ctx context.Context, path string) (moduleDir, bool) {
	dir := r.top
	for name := range strings.SplitSeq(path, "/") {
		dir = filepath.Join(dir, name)
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return moduleDir{}, false // not through a symlink, which may lead anywhere
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return moduleDir{}, false
	}
	// git looks itself, so that it refuses what belongs to another user.
	at := place{program: r.program, dir: dir}
	answers, err := at.ask(ctx, "--show-toplevel", "--git-dir")
	if err != nil {
		return moduleDir{}, false
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || real != answers[0] {
		return moduleDir{}, false // a .git without a repository in it: git went on upwards
	}
	return moduleDir{gitDir: answers[1], top: dir}, true
}

// SubmoduleDir returns the user's checkout of the submodule at path, and whether there is one. It is
// named as the user would name it from the directory that the process was started in; the process has
// gone from there to the directory from.
func (r *Repo) SubmoduleDir(path, from string) (dir string, here bool) {
	dir = filepath.Join(r.Top(), filepath.FromSlash(path))
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	here = r.Top() != "" && err == nil
	if filepath.IsAbs(from) {
		return dir, here
	}
	if now, err := os.Getwd(); err == nil {
		if real, err := filepath.EvalSymlinks(now); err == nil {
			now = real
		}
		if rel, err := filepath.Rel(now, dir); err == nil {
			dir = filepath.Join(from, rel)
		}
	}
	return dir, here
}

// openModule opens the repository of a submodule.
func (r *Repo) openModule(ctx context.Context, c moduleDir) (*Repo, error) {
	if info, err := os.Stat(filepath.Join(c.gitDir, "HEAD")); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open submodule: %s is no git directory", c.gitDir)
	}
	sub := &Repo{program: r.program, gitDir: c.gitDir, top: c.top, module: true}
	answers, err := sub.place(c.gitDir, "").ask(ctx, "--git-common-dir", "--show-object-format", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	sub.commonDir, sub.format, sub.shallow = answers[0], answers[1], answers[2] == "true"
	return sub, sub.openStore(ctx)
}

// ModulesOf returns the submodules that a commit of the repository pins, and the
// content of its .gitmodules, nil if it has none.
func (r *Repo) ModulesOf(ctx context.Context, commit ID) (links map[string]ID, gitmodules []byte, err error) {
	tree, err := r.commitTree(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	if links, err = r.Gitlinks(ctx, tree); err != nil || len(links) == 0 {
		return links, nil, err
	}
	e, ok, err := r.EntryAt(ctx, tree, ".gitmodules")
	if err != nil {
		return nil, nil, err
	}
	if ok && e.Mode.IsFile() {
		gitmodules, err = r.Blob(ctx, e.ID)
	}
	return links, gitmodules, err
}

// commitTree returns the tree of a commit as it is stored.
func (r *Repo) commitTree(ctx context.Context, commit ID) (ID, error) {
	content, err := r.object(ctx, "commit", commit)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(content), "\n")
	tree := ID(strings.TrimPrefix(line, "tree "))
	if !tree.valid(r.format) {
		return "", fmt.Errorf("commit %s is damaged: it begins with %q", commit, line)
	}
	return tree, nil
}
