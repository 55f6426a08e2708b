package updates

import (
	"strings"

	"github.com/Masterminds/semver/v3"
)

func crate(name string) string { return "crate " + name }

// readCargo reads a Cargo.toml: an entry for each dependency, and one for its own version.
func readCargo(_ string, text []byte) (list []Entry, err error) {
	tables, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	add := func(section, name string, d value, from, to int) {
		e := Entry{ID: section + " " + name, Name: name, From: from, To: to}
		if real := d.string("package"); real != "" {
			e.Name = real
		}
		e.Provides = []string{"manifest " + e.Name}
		if e.Version = d.text; d.object {
			e.Version = d.string("version")
		}
		within := Need{Keys: []string{crate(e.Name)}, What: strings.TrimSpace(e.Name + " " + e.Version), Accepts: cargoRange(e.Version)}
		e.Needs = []Need{within}
		if section != "workspace.dependencies" {
			e.Needs = append(e.Needs, need("", "member "+e.Name))
		}
		list = append(list, e)
	}
	own := ""
	for _, t := range tables {
		if t.name == "package" || t.name == "project" {
			own = t.pairs.string("name")
		}
		for _, section := range []string{"dependencies", "dev-dependencies", "build-dependencies"} {
			before, name, found := strings.Cut("."+t.name, "."+section)
			switch {
			case !found:
			case name == "":
				for _, d := range t.pairs.children {
					if key, rest, _ := strings.Cut(d.key, "."); rest == "" { // else tokio.workspace = true
						add(t.name, key, d, d.from, d.to)
					} else {
						add(t.name, key, value{}, d.from, d.to)
					}
				}
			case name[0] == '.':
				add(strings.TrimPrefix(before+"."+section, "."), name[1:], t.pairs, t.from, max(t.to, t.from+1))
			}
		}
	}
	for _, t := range tables {
		if v := t.pairs.get("version"); own != "" && t.name == "package" && v != nil && v.text != "" {
			list = append(list, Entry{
				ID: "version", Version: v.text, From: v.from, To: v.to, Provides: []string{"version " + own},
				Needs: []Need{{Keys: []string{"own " + own}, Accepts: only(v.text)}},
			})
		}
	}
	return list, nil
}

// cargoRange returns what a requirement of a Cargo.toml accepts: "1.2" is "^1.2" there. nil = the
// requirement is none of versions.
func cargoRange(text string) func(string) bool {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		if part = strings.TrimSpace(part); part != "" && part[0] >= '0' && part[0] <= '9' && !strings.Contains(part, "*") {
			parts[i] = "^" + part
		}
	}
	c, err := semver.NewConstraint(strings.Join(parts, ","))
	if err != nil || text == "" {
		return nil
	}
	return func(version string) bool {
		v, err := semver.NewVersion(version)
		return err == nil && c.Check(v)
	}
}

// readCargoLock reads a Cargo.lock of version 1 to 4. It names what a package requires, with a version only where the file
// has several of that name. Cargo refuses a package with --locked that nothing requires.
func readCargoLock(_ string, text []byte) (list []Entry, err error) {
	blocks, others, err := packages(text)
	if err != nil {
		return nil, err
	}
	for _, t := range others {
		if v := t.pairs.get("version"); t.name == "" && v != nil && v.text > "4" {
			return nil, atLine(v.from, "version %s is not known: 1 to 4 are", v.text)
		}
		if t.name == "root" {
			return nil, atLine(t.from, "the table root is not known, which old versions of cargo wrote")
		}
	}
	count := make(map[string]int)
	for _, b := range blocks {
		count[b.string("name")]++
	}
	for _, b := range blocks {
		name, version := b.string("name"), b.string("version")
		e := Entry{
			ID: name, Name: name, Version: version, Exact: true, From: b.from, To: b.to, Provides: []string{crate(name)},
			Together: []string{"several " + name}, // which there may be in the other revision alone
		}
		if count[name] > 1 { // nothing names it without its version
			e.Needs = append(e.Needs, Need{Keys: []string{"uses " + name}, Accepts: noVersion})
		}
		own := b.get("source") == nil
		if own {
			e.Partial = true
			e.Provides = append(e.Provides, "own "+name)
			e.Needs = append(e.Needs, Need{Keys: []string{"version " + name}, Accepts: only(version)})
		} else {
			e.Needs = append(e.Needs, need("", "uses "+name+" "+version, "uses "+name))
		}
		for _, d := range b.all("dependencies") {
			words := strings.Fields(d.text)
			if len(words) == 0 {
				return nil, atLine(b.from, "%s depends on what is no name of a package", name)
			}
			n := Need{Keys: []string{crate(words[0])}, What: words[0]}
			if own { // the manifest says in which range
				n.Accepts = anyVersion
			}
			if len(words) > 1 {
				n.Accepts, n.What = only(words[1]), words[0]+" "+words[1]
			}
			if count[words[0]] > 1 {
				e.Together = append(e.Together, "several "+words[0])
			}
			e.Needs = append(e.Needs, n)
			e.Provides = append(e.Provides, "uses "+strings.Join(words[:min(len(words), 2)], " "))
			if own {
				e.Provides = append(e.Provides, "member "+words[0])
				asked := need("", "manifest "+words[0])
				if len(words) > 1 {
					asked.Accepts = func(text string) bool {
						within := cargoRange(text)
						return within == nil || within(words[1])
					}
				}
				e.Needs = append(e.Needs, asked)
			}
		}
		list = append(list, e)
	}
	return list, nil
}
