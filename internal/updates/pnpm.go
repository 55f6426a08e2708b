package updates

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// A node is a mapping of a YAML text in block style, with its lines.
type node struct {
	*yaml.Node
	key      string
	from, to int
}

// children are the values of a mapping by their keys; none of another node.
func (n node) children() (list []node) {
	if n.Node == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		child := node{n.Content[i+1], n.Content[i].Value, n.Content[i].Line - 1, n.to}
		if len(list) > 0 {
			list[len(list)-1].to = child.from
		}
		list = append(list, child)
	}
	return list
}

func (n node) get(key string) node {
	for _, c := range n.children() {
		if c.key == key {
			return c
		}
	}
	return node{}
}

func (n node) text() string {
	if n.Node == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// place puts an entry on the lines of a node, without the blank lines behind it and with the one before it.
func (n node) place(lines [][]byte, e Entry) Entry {
	e.From, e.To = spaced(lines, n.from), trimmed(lines, n.to)
	return e
}

// readPnpm reads a pnpm-lock.yaml of version 5, 6 or 9. It names all packages with their versions. What the
// packages of the workspace require stands below importers, or in older versions at the top if there is one.
func readPnpm(_ string, text []byte) (list []Entry, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, nil
	}
	lines := rows(text)
	root := node{document.Content[0], "", 0, len(lines)}
	if v := root.get("lockfileVersion"); !strings.HasPrefix(v.text(), "5.") && !strings.HasPrefix(v.text(), "6.") && !strings.HasPrefix(v.text(), "9.") {
		return nil, atLine(v.from, "lockfileVersion %q is not known: 5, 6 and 9 are", v.text())
	}
	importer := func(folder string, n node) {
		for _, section := range sections {
			for _, d := range n.get(section).children() {
				version, wanted := d.text(), ""
				if version == "" {
					version, wanted = d.get("version").text(), d.get("specifier").text()
				}
				list = append(list, d.place(lines, Entry{
					ID: "importers " + folder + " " + section + " " + d.key, Name: d.key, Version: wanted,
					Together: []string{dependencyOf(folder, section, d.key)},
					Needs:    []Need{need(d.key+" "+version, pnpmKeys(d.key, version)...)},
				}))
			}
		}
		for _, d := range n.get("specifiers").children() {
			e := Entry{ID: "specifiers " + folder + " " + d.key, Name: d.key, Version: d.text()}
			for _, section := range sections {
				e.Together = append(e.Together, dependencyOf(folder, section, d.key))
			}
			list = append(list, d.place(lines, e))
		}
	}
	importer("", root)
	for _, n := range root.get("importers").children() {
		importer(strings.TrimPrefix(n.key, "."), n)
	}
	split := root.get("snapshots").Node != nil
	for _, section := range []string{"packages", "snapshots"} {
		for _, p := range root.get(section).children() {
			name, version := pnpmPackage(p.key)
			e := Entry{ID: section + " " + name, Name: name, Version: version, Exact: true, Provides: []string{section + " " + name + "@" + version}}
			if !split || section == "snapshots" {
				for _, kind := range []string{"dependencies", "optionalDependencies"} {
					for _, d := range p.get(kind).children() {
						e.Needs = append(e.Needs, need(d.key+" "+d.text(), pnpmKeys(d.key, d.text())...))
					}
				}
			}
			if e.Partial = section == "snapshots"; e.Partial {
				plain, _, _ := strings.Cut(version, "(")
				e.Needs = append(e.Needs, need("", "packages "+name+"@"+plain))
			}
			list = append(list, p.place(lines, e))
		}
	}
	return list, nil
}

// pnpmKeys are the keys under which a dependency of that version is found: it may be another package, or one
// whose key says that it is from elsewhere.
func pnpmKeys(name, version string) (keys []string) {
	real, exact := pnpmPackage(version)
	if real == "" {
		real, exact = name, version
	}
	for _, section := range []string{"snapshots", "packages"} {
		keys = append(keys, section+" "+real+"@"+exact)
	}
	return keys
}

// pnpmPackage cuts a key such as /@s/a@1.0.0(b@2.0.0), or /@s/a/1.0.0_b@2.0.0 of version 5.
func pnpmPackage(key string) (name, version string) {
	slash := strings.HasPrefix(key, "/")
	key = strings.TrimPrefix(key, "/")
	peers := len(key)
	if i := strings.IndexByte(key, '('); i >= 0 {
		peers = i
	}
	if i := strings.LastIndexByte(key[:peers], '@'); i > 0 && !strings.Contains(key[:i], "_") {
		return key[:i], key[i+1:]
	}
	if i := strings.LastIndexByte(strings.SplitN(key[:peers], "_", 2)[0], '/'); i > 0 && slash {
		return key[:i], key[i+1:]
	}
	return "", key
}
