package updates

import (
	"path"
	"strings"
)

// wholeManifest labels what a checksum of the manifest is made of, and the checksum.
const wholeManifest = "the whole manifest"

// pythonName is the normal form of the name of a project (PEP 503).
func pythonName(name string) string {
	name = strings.ToLower(name)
	name = strings.NewReplacer("_", "-", ".", "-").Replace(name)
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return name
}

func pythonKey(name string) string { return "project " + pythonName(name) }

// requirement cuts a requirement such as "requests[socks]>=2.0; python_version>'3'" into its name and the rest
// (PEP 508).
func requirement(text string) (name, version string) {
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		return text, ""
	}
	name, version = text[:end], strings.TrimSpace(text[end:])
	if strings.HasPrefix(version, "[") {
		_, version, _ = strings.Cut(version, "]")
	}
	version, _, _ = strings.Cut(version, ";")
	return name, strings.TrimSpace(version)
}

// requires is the need of a package that a lock file has, of which only the version that it has is known to do.
func requires(name, version string) Need {
	return Need{Keys: []string{pythonKey(name)}, What: strings.TrimSpace(name + " " + version)}
}

// dependency is the entry of a line of a manifest.
func dependency(section, name, version string, from, to int) Entry {
	return Entry{
		ID: section + " " + pythonName(name), Name: name, Version: version, From: from, To: to,
		Together: []string{wholeManifest}, Needs: []Need{requires(name, version)},
	}
}

// readPyproject reads a pyproject.toml: the dependencies of Poetry, which are pairs, and those of the standard (PEP 621, PEP
// 735), which are strings of arrays, each on a line of its own with a comma behind it.
func readPyproject(_ string, text []byte) (list []Entry, err error) {
	tables, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	lines := rows(text)
	array := func(section string, v value) {
		last := -1
		for _, d := range v.children {
			if d.text == "" || d.from == last || !strings.HasSuffix(strings.TrimSpace(string(lines[d.from])), ",") {
				list = append(list, Entry{ID: section, From: v.from, To: v.to, Together: []string{wholeManifest}})
				return
			}
			last = d.from
		}
		for _, d := range v.children {
			name, version := requirement(d.text)
			list = append(list, dependency(section, name, version, d.from, d.to))
		}
	}
	for _, t := range tables {
		switch {
		case t.name == "project":
			if v := t.pairs.get("dependencies"); v != nil {
				array("dependencies", *v)
			}
		case t.name == "project.optional-dependencies" || t.name == "dependency-groups":
			for _, v := range t.pairs.children {
				array(t.name+" "+v.key, v)
			}
		case strings.HasPrefix(t.name, "tool.poetry.") && strings.HasSuffix(t.name, "dependencies"):
			list = append(list, dependencies(t)...)
		}
	}
	return list, nil
}

// readPythonLock reads a lock file of Poetry, uv or PDM. Poetry and PDM have a checksum of the manifest; uv
// has what the manifest requires in the block of the project itself.
func readPythonLock(_ string, text []byte) (list []Entry, err error) {
	blocks, others, err := packages(text)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		name, version := b.string("name"), b.string("version")
		e := Entry{ID: pythonName(name), Name: name, Version: version, Exact: true, From: b.from, To: b.to, Provides: []string{pythonKey(name)}}
		for _, kind := range []string{"editable", "virtual", "directory"} {
			if b.get("source", kind) != nil {
				e.Partial, e.Together = true, []string{wholeManifest}
			}
		}
		for _, d := range b.all("dependencies") { // of uv: tables; of PDM: strings
			n := requires(requirement(d.text))
			if d.object {
				n = requires(d.string("name"), d.string("version"))
			}
			if e.Partial && n.What == d.string("name") { // the manifest says in which range
				n.Accepts = anyVersion
			}
			e.Needs = append(e.Needs, n)
		}
		for _, d := range b.below["dependencies"].children { // of Poetry
			e.Needs = append(e.Needs, requires(d.key, versionIn(d)))
		}
		list = append(list, e)
	}
	for _, t := range others {
		for _, v := range t.pairs.children {
			if t.name == "metadata" && (v.key == "content-hash" || v.key == "content_hash") {
				list = append(list, Entry{ID: v.key, From: v.from, To: v.to, Together: []string{wholeManifest}})
			}
		}
	}
	return list, nil
}

func readPipfile(_ string, text []byte) (list []Entry, err error) {
	tables, err := parseTOML(text)
	for _, t := range tables {
		if t.name == "packages" || t.name == "dev-packages" {
			list = append(list, dependencies(t)...)
		}
	}
	return list, err
}

// dependencies are the pairs of a table, each a package and the version of it that is wanted.
func dependencies(t table) (list []Entry) {
	for _, d := range t.pairs.children {
		list = append(list, dependency(t.name, d.key, versionIn(d), d.from, d.to))
	}
	return list
}

// versionIn is a version that stands alone, or in a table.
func versionIn(v value) string {
	if v.object {
		return v.string("version")
	}
	return v.text
}

// readPipfileLock reads a Pipfile.lock, which does not say what its packages require.
func readPipfileLock(_ string, text []byte) (list []Entry, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if hash := root.get("_meta", "hash"); hash != nil {
		list = append(list, hash.entry(Entry{ID: "hash", Together: []string{wholeManifest}}))
	}
	for _, section := range []string{"default", "develop"} {
		for _, p := range root.all(section) {
			list = append(list, p.entry(Entry{
				ID: section + " " + p.key, Name: p.key, Version: strings.TrimLeft(p.string("version"), "="), Exact: true,
				Provides: []string{pythonKey(p.key)},
			}))
		}
	}
	return list, nil
}

func isRequirements(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") ||
		path.Base(path.Dir(name)) == "requirements" && strings.HasSuffix(base, ".txt")
}

// readRequirements reads a requirements file of pip: a requirement may go on behind a backslash, with its
// checksums, and have comments below it that say what it is required by.
func readRequirements(_ string, text []byte) (list []Entry, err error) {
	lines := rows(text)
	for n := 0; n < len(lines); n++ {
		line := strings.TrimSpace(string(lines[n]))
		name, version := requirement(line)
		if name == "" {
			continue
		}
		e := Entry{ID: pythonName(name), Name: name, From: n, Provides: []string{pythonKey(name)}}
		version, _, _ = strings.Cut(version, " #")
		version, _, _ = strings.Cut(version, "--hash")
		version = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(version), "\\"))
		if e.Version, e.Exact = strings.CutPrefix(version, "=="); !e.Exact {
			e.Version = version
		}
		for n+1 < len(lines) && (strings.HasSuffix(line, "\\") || strings.HasPrefix(strings.TrimLeft(string(lines[n+1]), " \t"), "#") && lines[n+1][0] != '#') {
			n++
			line = strings.TrimSpace(string(lines[n]))
		}
		e.To = n + 1
		list = append(list, e)
	}
	return list, nil
}
