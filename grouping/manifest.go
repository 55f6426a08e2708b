package grouping

import (
	"bytes"
	"go/version"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	parse "github.com/gitdd/gitdd/internal/syntax"
)

var locks = func() map[string]bool {
	set := make(map[string]bool)
	for _, list := range parse.Manifests {
		for _, name := range list {
			set[name] = true
		}
	}
	return set
}()

// buildsFirst reports whether a path is of those that come first in their
// directory.
func buildsFirst(name string) bool {
	base := path.Base(name)
	if _, ok := parse.Manifests[base]; ok || locks[base] {
		return true
	}
	switch path.Ext(base) {
	case ".cabal", ".gemspec", ".csproj", ".sln", ".nimble", ".opam", ".podspec":
		return true
	}
	return false
}

// pairs ties the hunks of a manifest to those of its locks, unless both were read: see findUpdates. What a lock gains or
// loses holds for the lock as a whole then: its hunks require each other. A hunk of the manifest belongs to the lock if it
// changes a line about a package that the lock names.
func pairs(s *changes.Set, read map[string]bool, e *edges) {
	byPath := make(map[string][]int)
	for i := range s.Changes {
		c := &s.Changes[i]
		if base := path.Base(c.Path); c.Kind == changes.Text && (parse.Manifests[base] != nil || locks[base]) {
			byPath[c.Path] = append(byPath[c.Path], i)
		}
	}
	names := make([]string, 0, len(byPath))
	for name := range byPath {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var ring []int
		for _, lock := range parse.Manifests[path.Base(name)] {
			lock = path.Join(path.Dir(name), lock)
			hunks := byPath[lock]
			if read[name] && (read[lock] || len(hunks) == 0) || read[lock] && len(byPath[name]) == 0 {
				continue
			}
			if len(hunks) > 0 {
				ring = append(ring, hunks...)
				ring = append(ring, locked(s, byPath[name], hunks)...)
			}
		}
		slices.Sort(ring)
		e.circle(slices.Compact(ring))
	}
}

// circle makes the members require each other, with as few edges as that takes.
func (e *edges) circle(members []int) {
	if len(members) < 2 {
		return
	}
	for k, i := range members {
		e.add(i, members[(k+1)%len(members)])
	}
}

// locked returns the hunks of a manifest with a line about a package that the
// changed lines of the lock name; all that mention a version, if none does.
func locked(s *changes.Set, manifest, lock []int) (list []int) {
	var text []byte
	for _, i := range lock {
		text = append(append(text, s.Changes[i].Old...), s.Changes[i].New...)
	}
	var versions []int
	for _, i := range manifest {
		c := &s.Changes[i]
		names, version := packages(path.Ext(c.Path) == ".json", c.Old, c.New)
		if version {
			versions = append(versions, i)
		}
		if slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(text, []byte(name)) }) {
			list = append(list, i)
		}
	}
	if list == nil {
		return versions
	}
	return list
}

// aboutItself are the words before a version that is the project's own.
var aboutItself = map[string]bool{"version": true, "name": true, "description": true, "license": true, "edition": true}

// packages returns the names at the beginning of lines that hold a digit, and
// whether there are any such lines. JSON may be on one line, and counts as if each member had its own.
func packages(json bool, texts ...[]byte) (names []string, version bool) {
	ends := func(r rune) bool { return r == '\n' || json && strings.ContainsRune("{},", r) }
	for _, text := range texts {
		for line := range bytes.FieldsFuncSeq(text, ends) {
			line = bytes.TrimLeft(line, " \t\"'-[,")
			line = bytes.TrimPrefix(line, []byte("gem "))
			line = bytes.TrimLeft(line, "\"'")
			end := bytes.IndexAny(line, "\"' \t=:<>~^(;[")
			if end < shortestName || !bytes.ContainsAny(line[end:], "0123456789*") || aboutItself[string(line[:end])] {
				continue
			}
			version = true
			names = append(names, string(line[:end]))
		}
	}
	return names, version
}

// languageVersions lets the changes that need a newer version of Go than good
// asks for require the hunk of the go.mod around them that asks for it.
func (v *survey) languageVersions(s *changes.Set, e *edges) {
	type line struct {
		good, bad string
		change    int
	}
	modules := make(map[string]line) // directory -> its go line
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.Kind != changes.Text || path.Base(c.Path) != "go.mod" {
			continue
		}
		if l := (line{goLine(c.Old), goLine(c.New), i}); l.bad != "" {
			if l.good == "" {
				l.good = "go1.16" // what a go.mod without the line means
			}
			modules[path.Dir(c.Path)] = l
		}
	}
	if len(modules) == 0 {
		return
	}
	for i := range v.facts {
		for _, k := range v.facts[i].uses[bad] {
			if k.space != goLanguage {
				continue
			}
			dir := path.Dir(s.Changes[i].Path)
			for modules[dir].bad == "" && dir != "." && dir != "/" {
				dir = path.Dir(dir)
			}
			if l := modules[dir]; l.bad != "" && version.Compare(l.good, k.name) < 0 && version.Compare(k.name, l.bad) <= 0 {
				e.add(i, l.change)
			}
		}
	}
}

// goLine returns the version in a "go 1.21" line as "go1.21", "" without one.
func goLine(text []byte) string {
	for line := range bytes.Lines(text) {
		if words := strings.Fields(string(line)); len(words) >= 2 && words[0] == "go" && version.IsValid("go"+words[1]) {
			return "go" + words[1]
		}
	}
	return ""
}
