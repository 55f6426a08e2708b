package dependency

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// ReplaceModules returns a go.mod that uses the folders, which are relative to it, in the place of modules, by the path that
// it requires them by.
func ReplaceModules(content []byte, folders map[string]string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		for _, r := range slices.Clone(f.Replace) {
			if r.Old.Path == name {
				if err := f.DropReplace(name, r.Old.Version); err != nil {
					return nil, err
				}
			}
		}
		if err := f.AddReplace(name, "", "./"+folders[name], ""); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// UnitedSums is a go.sum with the lines of both: what either version of a dependency requires is in one of them.
func UnitedSums(a, b []byte) []byte {
	var lines []string
	for line := range strings.Lines(string(a) + "\n" + string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// InstallScript is a script for sh that puts the files of a folder in the place of those of installed packages, whose own
// dependencies stay. All paths are relative to the directory that the variable GITDD_WORKSPACE names.
func InstallScript(folder, project string, at []string) string {
	var b strings.Builder
	b.WriteString("set -e\ncd \"$GITDD_WORKSPACE\"\n")
	from := word(folder)
	for _, dir := range at {
		if project != "." && project != "" {
			dir = project + "/" + dir
		}
		to := word(dir)
		// What a link leads to is not of this workspace, and may be the user's.
		b.WriteString("if test \"$(cd " + to + " 2>/dev/null && pwd -P)\" != \"$(pwd -P)/\"" + to + "; then echo " + word("gitdd: no package is installed in "+dir+", or only a link to one: --setup or --build has to install the dependencies") + " >&2; exit 1; fi\n")
		b.WriteString("for f in " + to + "/* " + to + "/.[!.]*; do case $f in */node_modules) ;; *) rm -rf \"$f\" ;; esac; done\n")
		b.WriteString("cp -R " + from + "/. " + to + "/\n")
		bin := strings.TrimSuffix(dir, nameAt(dir)) + ".bin"
		b.WriteString("for f in " + word(bin) + "/*; do case $(readlink \"$f\") in " + word("../"+nameAt(dir)+"/") + "*) test ! -e \"$f\" || chmod +x \"$f\" ;; esac; done\n")
	}
	return b.String()
}

// RequireScript is a script for sh that lets a project of Go require what a dependency requires that lies in a folder: each commit of a clone may
// require something else. dir is the directory of the project, relative to the one that the variable GITDD_WORKSPACE names, and mod and
// sums are the ids of the blobs with its go.mod and go.sum. Where the go command cannot load the packages, both files are as these blobs.
func RequireScript(dir, mod, sums string) string {
	return "(cd \"$GITDD_WORKSPACE\"/" + word(dir) + ` || exit 0
kept=$(mktemp -d) || exit 0
if git cat-file blob ` + mod + ` >"$kept/go.mod" && git cat-file blob ` + sums + ` >"$kept/go.sum"; then
	cp "$kept/go.mod" "$kept/go.sum" .
	GOWORK=off go list -mod=mod -deps -test ./... || cp "$kept/go.mod" "$kept/go.sum" .
fi
rm -r "$kept") >/dev/null 2>&1
`
}

// word quotes a word for sh.
func word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// A Revision is a name that a repository may have for a version of a dependency.
type Revision struct {
	Name string
	Dir  string // in which the dependency then lies; "" = the top
}

// Revisions are the names that a repository may have for a version of a dependency, the likeliest first. Which of them is of the dependency, Holds
// says.
func Revisions(u Update, version string) (list []Revision) {
	if u.Manager == Npm {
		return []Revision{{"refs/tags/v" + version, ""}, {"refs/tags/" + version, ""}, {"refs/tags/" + u.Name + "@" + version, ""}}
	}
	version = strings.TrimSuffix(version, "+incompatible")
	commit := ""
	if module.IsPseudoVersion(version) {
		commit, _ = module.PseudoVersionRev(version)
	}
	add := func(before, dir string) {
		if commit != "" {
			list = append(list, Revision{commit, dir})
		} else {
			list = append(list, Revision{"refs/tags/" + before + version, dir})
		}
	}
	// A module in a folder has tags that begin with that; a tag without it is of the module at the top.
	name, _, _ := module.SplitPathVersion(u.Name)
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		add(name[i+1:]+"/", name[i+1:])
	}
	add("", "")
	if commit == "" {
		list = append(list, Revision{"refs/tags/" + strings.TrimPrefix(version, "v"), ""})
	}
	return list
}

// File is the manifest of a dependency in its own directory.
func (u Update) File() string {
	if u.Manager == Go {
		return "go.mod"
	}
	return "package.json"
}

// Holds reports whether a directory of a repository has the dependency, by the content of its File, nil = there is none. A module of long
// ago has no go.mod, but is at the top then.
func Holds(u Update, dir string, manifest []byte) bool {
	if u.Manager == Go {
		return manifest == nil && dir == "" || modfile.ModulePath(manifest) == u.Name
	}
	var p struct{ Name string }
	return json.Unmarshal(manifest, &p) == nil && p.Name == u.Name
}

// Names are those by which --with may name a clone of a dependency: without @ and with - for /, and the last part of it, of a module
// also without its major version.
func (u Update) Names() []string {
	list := []string{plain(u.Name), path.Base(u.Name)}
	if prefix, _, ok := module.SplitPathVersion(u.Name); ok && u.Manager == Go {
		list = append(list, path.Base(prefix))
	}
	return list
}
