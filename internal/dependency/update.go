package dependency

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/updates"
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
	Required string    // Go: the module that the project requires, which may be replaced by this one
	At       []string  // Npm: the directories of installations, relative to that of the manifest
	Sums     [2]string // what the project says the checksums of Old and New are; "" = nothing
	From     [2]string // Npm: the addresses of the archives of Old and New, by the lock file; "" = the registry knows them
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

// Between returns the updates between two contents of a manifest, sorted by name; none if either cannot be read. What is only in
// one of them is no update. sums are the contents of go.sum beside a go.mod.
func Between(file string, old, new []byte, sums [2][]byte) (list []Update) {
	moved, _ := updates.Sources(file, old, new)
	both := [2]map[module.Version]string{checksums(sums[0]), checksums(sums[1])}
	for _, m := range moved {
		u := Update{Name: m.New.Name, Old: m.Old.Version, New: m.New.Version, Sums: [2]string{m.Old.Sum, m.New.Sum}}
		if m.Old.Name != m.New.Name {
			u.Refused = fmt.Sprintf("it is %s before and %s after", m.Old.Name, m.New.Name)
		}
		if path.Base(file) == "go.mod" {
			u.Manager, u.Required = Go, m.Name
			u.checkGo(both)
		} else if m.Old.Version == m.New.Version {
			continue // which npm has from elsewhere
		} else {
			u.Manager, u.At = Npm, []string{m.New.Folder}
			u.checkNpm(m)
		}
		same := func(have Update) bool {
			return u.Manager == Npm && have.Name == u.Name && have.Old == u.Old && have.New == u.New
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].At = append(list[i].At, u.At...)
			continue
		}
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b Update) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New), cmp.Compare(a.Required, b.Required))
	})
	for i := range list {
		slices.Sort(list[i].At)
	}
	return list
}

// refuse says why the update cannot be brought, unless that was said.
func (u *Update) refuse(format string, args ...any) {
	if u.Refused == "" {
		u.Refused = fmt.Sprintf(format, args...)
	}
}

func (u *Update) checkGo(sums [2]map[module.Version]string) {
	for i, v := range []string{u.Old, u.New} {
		u.Sums[i] = sums[i][module.Version{Path: u.Name, Version: v}]
		if err := module.Check(u.Name, v); err != nil {
			u.refuse("%v", err)
		}
	}
}

// npmName matches the names that packages of npm may have. What does not match may be an address, or a path of this machine.
var npmName = lazyregexp.New(`^(@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)

func (u *Update) checkNpm(m updates.Moved) {
	if !npmName().MatchString(u.Name) {
		u.Refused = fmt.Sprintf("%q is not the name of a package", u.Name)
	}
	for i, s := range []updates.Source{m.Old, m.New} {
		switch {
		case strings.HasPrefix(s.From, "git"):
			u.refuse("it comes from a git repository, %s: clone that, and name the clone by --with %s=DIR", s.From, plain(u.Name))
		case isAddress(s.From):
			if u.From[i] = s.From; integrity(nil, s.Sum) == "" {
				u.refuse("the lock file has no checksum of %s that is known, so that another file may be there now: clone its repository, and name the clone by --with %s=DIR", s.From, plain(u.Name))
			}
		case strings.HasPrefix(s.From, "file:"):
			u.refuse("it comes from %s, a file that only the project has: name a clone of its repository by --with %s=DIR", s.From, plain(u.Name))
		case !semver.IsValid("v" + s.Version):
			u.refuse("%q is not a version", s.Version)
		}
	}
}

// isAddress reports whether npm downloads an archive from there.
func isAddress(from string) bool {
	u, err := url.Parse(from)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// checksums are those of the modules in a go.sum.
func checksums(content []byte) map[module.Version]string {
	sums := make(map[module.Version]string)
	for line := range strings.Lines(string(content)) {
		if field := strings.Fields(line); len(field) == 3 {
			sums[module.Version{Path: field[0], Version: field[1]}] = field[2]
		}
	}
	return sums
}

// plain is a name of a package without what no name of --with may have.
func plain(name string) string { return strings.NewReplacer("@", "", "/", "-").Replace(name) }

const nodeModules = "node_modules/"

// nameAt is the name of the package that is installed in a directory.
func nameAt(at string) string {
	if i := strings.LastIndex(at, nodeModules); i >= 0 {
		return at[i+len(nodeModules):]
	}
	return path.Base(at)
}
