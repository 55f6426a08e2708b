package dependency

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// The managers whose updates are known.
const (
	Go  = "go"
	Npm = "npm"
)

// An Update is a dependency that has another version.
type Update struct {
	Manager  string // Go or Npm
	Name     string // as the manager downloads it
	Old, New string
	Required string    // Go: the path by which the project requires it, where a replace line names another one; else Name
	At       []string  // Npm: the directories of installations, relative to that of the manifest
	Sums     [2]string // what the project says the checksums of Old and New are; "" = nothing
	Refused  string    // why it cannot be brought; "" = it may be
}

func (u Update) String() string { return u.Name + " " + u.Old + " → " + u.New }

// Manifest reports whether a file, by its path, is one whose updates Between finds.
func Manifest(file string) bool {
	switch path.Base(file) {
	case "go.mod", "package-lock.json", "npm-shrinkwrap.json":
		return true
	}
	return false
}

// Between returns the updates between two contents of a manifest, sorted by name. What is only in one of them is no
// update. sums are the contents of go.sum beside a go.mod.
func Between(file string, old, new []byte, sums [2][]byte) ([]Update, error) {
	find := npmUpdates
	if path.Base(file) == "go.mod" {
		find = goUpdates
	}
	list, err := find(file, old, new, sums)
	slices.SortFunc(list, func(a, b Update) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New), cmp.Compare(a.Required, b.Required))
	})
	return list, err
}

// A required is what a go.mod makes of a required path.
type required struct{ path, version string }

func goUpdates(file string, old, new []byte, sums [2][]byte) (list []Update, err error) {
	var both [2]map[string]required
	for i, content := range [][]byte{old, new} {
		if both[i], err = modules(file, content); err != nil {
			return nil, err
		}
	}
	for name, to := range both[1] {
		from, ok := both[0][name]
		if !ok || from == to {
			continue
		}
		u := Update{Manager: Go, Name: to.path, Old: from.version, New: to.version, Required: name}
		switch {
		case from.path != to.path:
			u.Refused = fmt.Sprintf("it is %s before and %s after", from.path, to.path)
		case modfile.IsDirectoryPath(to.path):
			continue
		}
		for i, v := range []string{u.Old, u.New} {
			u.Sums[i] = goSum(sums[i], u.Name, v)
			if err := module.Check(u.Name, v); err != nil && u.Refused == "" {
				u.Refused = err.Error()
			}
		}
		list = append(list, u)
	}
	return list, nil
}

// modules returns what a go.mod requires, and its replace lines put in the place of that, by the required path.
func modules(file string, content []byte) (map[string]required, error) {
	f, err := modfile.Parse(file, content, nil)
	if err != nil {
		return nil, err
	}
	found := map[string]required{}
	for _, r := range f.Require {
		found[r.Mod.Path] = required{r.Mod.Path, r.Mod.Version}
	}
	for _, r := range f.Replace {
		if had, ok := found[r.Old.Path]; ok && (r.Old.Version == "" || r.Old.Version == had.version) {
			found[r.Old.Path] = required{r.New.Path, r.New.Version}
		}
	}
	return found, nil
}

// goSum is the checksum that a go.sum has of a module, "" if it has none.
func goSum(content []byte, name, version string) string {
	for line := range strings.Lines(string(content)) {
		if field := strings.Fields(line); len(field) == 3 && field[0] == name && field[1] == version {
			return field[2]
		}
	}
	return ""
}

// npmName matches the names that packages of npm may have. What does not match may be an address, or a path of this machine.
var npmName = lazyregexp.New(`^(@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)

// An installed package is one of a package-lock.json.
type installed struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Resolved  string `json:"resolved"`
	Integrity string `json:"integrity"`
	Link      bool   `json:"link"`
}

func npmUpdates(file string, old, new []byte, _ [2][]byte) ([]Update, error) {
	var both [2]map[string]installed
	for i, content := range [][]byte{old, new} {
		var err error
		if both[i], err = packages(content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	var list []Update
	for _, at := range slices.Sorted(maps.Keys(both[1])) {
		to := both[1][at]
		from, ok := both[0][at]
		if !ok || from.Version == to.Version || to.Link || from.Link || to.Version == "" || !strings.Contains(at, below) {
			continue // what is not below a node_modules is a package of the project
		}
		u := Update{Manager: Npm, Name: cmp.Or(to.Name, nameAt(at)), Old: from.Version, New: to.Version, At: []string{at}, Sums: [2]string{from.Integrity, to.Integrity}}
		switch before := cmp.Or(from.Name, nameAt(at)); {
		case !npmName().MatchString(u.Name):
			u.Refused = fmt.Sprintf("%q is not the name of a package", u.Name)
		case before != u.Name:
			u.Refused = fmt.Sprintf("it is %s before and %s after", before, u.Name)
		}
		for _, p := range []installed{from, to} {
			if !semver.IsValid("v"+p.Version) && u.Refused == "" {
				u.Refused = fmt.Sprintf("%q is not a version", p.Version)
			}
			if strings.HasPrefix(p.Resolved, "git") {
				u.Refused = "it comes from a git repository, " + p.Resolved + ": clone that, and name the clone by --with " + plain(u.Name) + "=DIR"
			}
		}
		same := func(have Update) bool { return have.Name == u.Name && have.Old == u.Old && have.New == u.New }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].At = append(list[i].At, at)
			continue
		}
		list = append(list, u)
	}
	return list, nil
}

// plain is a name of a package without what no name of --with may have.
func plain(name string) string { return strings.NewReplacer("@", "", "/", "-").Replace(name) }

// below begins the part of a path that names a package which is installed in a directory.
const below = "node_modules/"

// nameAt is the name of the package that is installed in a directory.
func nameAt(at string) string {
	if i := strings.LastIndex(at, below); i >= 0 {
		return at[i+len(below):]
	}
	return at
}

// mostNested is how deep packages of a lock file of version 1 may be nested: each level is read once more with what is below it.
const mostNested = 100

// packages returns the packages of a lock file of npm of any version by the directory that they are installed in.
func packages(content []byte) (map[string]installed, error) {
	type node struct {
		installed
		Dependencies map[string]json.RawMessage `json:"dependencies"`
	}
	var lock struct {
		Packages     map[string]installed       `json:"packages"`
		Dependencies map[string]json.RawMessage `json:"dependencies"`
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, err
	}
	if lock.Packages != nil {
		delete(lock.Packages, "")
		return lock.Packages, nil
	}
	found := map[string]installed{}
	var enter func(at string, all map[string]json.RawMessage, depth int) error
	enter = func(at string, all map[string]json.RawMessage, depth int) error {
		if depth > mostNested && len(all) > 0 {
			return fmt.Errorf("packages are nested more than %d times", mostNested)
		}
		for name, text := range all {
			var n node
			if err := json.Unmarshal(text, &n); err != nil {
				return err
			}
			here := at + below + name
			if strings.Contains(n.Version, ":") { // where it comes from
				n.Resolved = n.Version
			}
			found[here] = n.installed
			if err := enter(here+"/", n.Dependencies, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return found, enter("", lock.Dependencies, 0)
}
