package updates

import (
	"path"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// sections are where a package.json has its dependencies, in the order in which npm lets them count.
var sections = []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"}

// readPackage reads a package.json: an entry for each dependency. name is its path below the project.
func readPackage(name string, text []byte) (list []Entry, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	folder := strings.TrimSuffix(strings.TrimSuffix(name, "package.json"), "/")
	for _, section := range append(sections, "resolutions") {
		for _, d := range root.all(section) {
			list = append(list, d.entry(Entry{
				ID: section + " " + d.key, Name: d.key, Version: d.text,
				Together: []string{dependencyOf(folder, section, d.key)},
				Needs:    []Need{need("", patternKey(d.key, d.text))}, // of yarn.lock; others have the dependency itself
			}))
		}
	}
	for _, d := range root.all("overrides") {
		list = append(list, d.entry(Entry{ID: "overrides " + d.key, Name: d.key, Version: d.text}))
	}
	return list, nil
}

// dependencyOf labels a dependency of a package of the project, in its package.json and in lock files.
func dependencyOf(folder, section, name string) string {
	return "dependency of " + folder + ": " + section + " " + name
}

// patternKey is a dependency with the range that is wanted, as yarn.lock has it.
func patternKey(name, version string) string { return "pattern " + name + "@" + version }

// readPackageLock reads a package-lock.json or npm-shrinkwrap.json of version 1, 2 or 3. A package is one entry in
// "packages", by the folder that it is in, and in versions 1 and 2 also one in the tree of "dependencies".
func readPackageLock(_ string, text []byte) (list []Entry, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if err := root.known("lockfileVersion", 1, 3); err != nil {
		return nil, err
	}
	for _, p := range root.all("packages") {
		if !strings.Contains(p.key, "node_modules/") { // a package of the project
			list = append(list, members(&p, p.key)...)
			continue
		}
		name := p.string("name")
		if name == "" {
			name = p.key[strings.LastIndex(p.key, "node_modules/")+len("node_modules/"):]
		}
		e := Entry{
			ID: "packages " + p.key, Name: name, Version: p.string("version"), Exact: true, Source: p.installed(name, p.key),
			Provides: []string{locationKey(p.key)}, Together: []string{locationKey(p.key)},
			Needs: requirements(&p, p.key),
		}
		list = append(list, p.entry(e))
	}
	list = append(list, nested(root, "", root.get("packages") == nil)...)
	return list, nil
}

// installed is what npm installs in a folder by a value of a lock file; nothing, if that is only a link.
func (v *value) installed(name, folder string) Source {
	s := Source{Name: name, Version: v.string("version"), Folder: folder, From: v.string("resolved"), Sum: v.string("integrity")}
	if s.Version == "" {
		return Source{}
	}
	if strings.Contains(s.Version, ":") { // in version 1 an address
		s.From = s.Version
	}
	return s
}

// members are the dependencies of a package of the project in a lock file.
func members(p *value, folder string) (list []Entry) {
	for _, section := range sections {
		for _, d := range p.all(section) {
			e := Entry{
				ID: "packages " + folder + " " + section + " " + d.key, Name: d.key, Version: d.text,
				Together: []string{dependencyOf(folder, section, d.key)},
			}
			if section != "peerDependencies" || folder == "" {
				e.Needs = []Need{atRange(d.key, d.text, locations(folder, d.key))}
			}
			list = append(list, d.entry(e))
		}
	}
	return list
}

// requirements are what an entry of "packages" requires.
func requirements(p *value, location string) (list []Need) {
	for _, section := range []string{"dependencies", "optionalDependencies", "peerDependencies"} {
		from := location
		if section == "peerDependencies" { // is looked for beside the package
			from = strings.TrimSuffix(location[:strings.LastIndex(location, "node_modules/")], "/")
		}
		for _, d := range p.all(section) {
			if o := p.get("peerDependenciesMeta", d.key, "optional"); section == "peerDependencies" && o != nil {
				continue
			}
			list = append(list, atRange(d.key, d.text, locations(from, d.key)))
		}
	}
	return list
}

// nested are the entries of the tree of "dependencies", which names its packages by the same folders. Where
// there is no "packages", only what a package requires is told by "requires".
func nested(p *value, location string, alone bool) (list []Entry) {
	for _, d := range p.all("dependencies") {
		here := path.Join(location, "node_modules", d.key)
		e := Entry{
			ID: "dependencies " + here, Name: d.key, Version: d.string("version"), Exact: true,
			Together: []string{locationKey(here)},
		}
		if alone {
			e.Source = d.installed(d.key, here)
			e.Provides = []string{locationKey(here)}
			for _, r := range d.all("requires") {
				e.Needs = append(e.Needs, atRange(r.key, r.text, locations(here, r.key)))
			}
		}
		inner := d.get("dependencies")
		if inner == nil {
			list = append(list, d.entry(e))
			continue
		}
		// The packages below it are entries of their own, and so are the lines before and behind them.
		if !d.alone || !inner.alone {
			return append(list, Entry{From: d.from, To: d.from}) // which is refused
		}
		e.From, e.To = d.from, inner.from
		list = append(list, e)
		list = append(list, nested(&d, here, alone)...)
	}
	return list
}

func locationKey(location string) string { return "location " + location }

// locations are the keys of where node looks for a package from a folder, the nearest first: in the
// node_modules of the folder and of each one above it, but for those of such a name and of scopes.
func locations(from, name string) (keys []string) {
	for ; ; from = parent(from) {
		if last := path.Base(from); last != "node_modules" && !strings.HasPrefix(last, "@") {
			keys = append(keys, locationKey(path.Join(from, "node_modules", name)))
		}
		if from == "" {
			return keys
		}
	}
}

// parent is the folder above one; "" is the uppermost.
func parent(folder string) string { return folder[:max(strings.LastIndexByte(folder, '/'), 0)] }

// atRange requires a package in a range of versions, as npm writes it. Of what is no range of versions,
// such as a tag or an address, only what the lock file has is known to do.
func atRange(name, text string, keys []string) Need {
	n := Need{Keys: keys, What: name + " " + text}
	if c, err := semver.NewConstraint(text); err == nil {
		n.Accepts = func(version string) bool {
			v, err := semver.NewVersion(version)
			return err == nil && c.Check(v)
		}
	}
	return n
}
