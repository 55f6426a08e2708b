package reduce

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A project is the units of an input, and what they require.
type project struct {
	units    []unit
	trees    []*Tree // by file; nil = the file is one unit
	keeps    func(path string, content []byte) bool
	requires [][]int

	paths    []string          // by file
	stems    []string          // by file: its name without directories and ending
	known    []map[string]bool // by file: the names in it
	declared map[string][]int  // by name: units
	members  map[string][]int  // by name that is referred to through a value or a type
	files    map[string][]int  // by path, and by how files are called otherwise
	inFile   [][]int           // by file: the units in it
	users    [][]int           // by unit: for an import or an entry of a manifest, the units that use it
	bound    []bool            // by unit: it goes only together with the unit that it is a part of
}

// project reads the best input, and connects its units. It takes time linear in the text, in the names times the
// units that declare them, and in the imports times the names of the files that they mention.
func (r *reduction) project() *project {
	p := &project{keeps: r.keeps, declared: map[string][]int{}, members: map[string][]int{}, files: map[string][]int{}}
	p.units, p.trees = r.cutUnits()
	for i, f := range r.best.Files {
		p.paths = append(p.paths, f.Path)
		p.stems = append(p.stems, strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path)))
		p.known = append(p.known, map[string]bool{})
		p.nameFile(i)
	}
	p.inFile = make([][]int, len(p.paths))
	p.requires = make([][]int, len(p.units))
	p.users = make([][]int, len(p.units))
	p.bound = make([]bool, len(p.units))
	for i, u := range p.units {
		for _, name := range u.declares {
			p.declared[name] = append(p.declared[name], i)
		}
		for _, name := range u.members {
			p.members[name] = append(p.members[name], i)
		}
		p.inFile[u.file] = append(p.inFile[u.file], i)
		maps.Copy(p.known[u.file], u.names)
	}
	for i, u := range p.units {
		if u.parent >= 0 {
			p.require(i, u.parent)
		}
		for name := range u.mentions {
			p.require(i, p.meant(name, u.file)...)
		}
	}
	p.connectOthers()
	p.compact()
	return p
}

// compact makes each bound unit one with the unit that it is a part of, and numbers the others anew.
func (p *project) compact() {
	number := make([]int, len(p.units)) // the new number of each unit; -1 = it is bound
	old := *p
	p.units, p.requires, p.users = nil, nil, nil
	for i, u := range old.units {
		if old.bound[i] {
			number[i] = -1
			continue
		}
		number[i] = len(p.units)
		p.units = append(p.units, u)
	}
	stays := func(i int) int {
		for number[i] < 0 {
			i = old.units[i].parent
		}
		return number[i]
	}
	p.requires, p.users = make([][]int, len(p.units)), make([][]int, len(p.units))
	p.inFile = make([][]int, len(p.paths))
	for i, u := range old.units {
		to := stays(i)
		for _, j := range old.requires[i] {
			if j = stays(j); j != to {
				p.requires[to] = append(p.requires[to], j)
			}
		}
		if number[i] < 0 {
			p.units[to].size += u.size
			continue
		}
		if u.parent >= 0 {
			p.units[to].parent = stays(u.parent)
		}
		p.inFile[u.file] = append(p.inFile[u.file], to)
		for _, j := range old.users[i] {
			p.users[to] = append(p.users[to], stays(j))
		}
	}
	for i := range p.requires {
		slices.Sort(p.requires[i])
		p.requires[i] = slices.Compact(p.requires[i])
	}
}

func (p *project) require(i int, required ...int) { p.requires[i] = append(p.requires[i], required...) }

// nameFile notes the names by which other files may refer to file i: its path, with and without its extension; its
// last element; for source code also that without the extension; and for a file that stands for its directory, such
// as index.js, the name of the directory. What begins with "./" is a path from the top of the input.
func (p *project) nameFile(i int) {
	name := p.paths[i]
	stem, bare := p.stems[i], strings.TrimSuffix(name, path.Ext(name))
	names := map[string]bool{name: true, path.Base(name): true, bare: true, "./" + name: true, "./" + bare: true}
	if p.units[i].code {
		names[stem] = true
		switch stem {
		case "__init__", "index", "mod":
			names[path.Base(path.Dir(name))], names["./"+path.Dir(name)] = true, true
		}
	}
	delete(names, "")
	delete(names, ".")
	for name := range names {
		p.files[name] = append(p.files[name], i)
	}
}

// nearest returns those units of a name that are nearest to a file. If inside is set, units of the file itself are
// nearest. Next are those of the same directory, or of a file that the file mentions. If there are none, it
// returns a unit anywhere else, if that is the only one and its name begins with a capital letter: some
// languages use such names without an import.
func (p *project) nearest(name string, units map[string][]int, file int, inside bool) (nearest []int) {
	rank := 3
	for _, i := range units[name] {
		at := 2
		switch there := p.units[i].file; {
		case there == file && inside:
			at = 0
		case there == file || path.Dir(p.paths[there]) == path.Dir(p.paths[file]) || p.knows(file, there):
			at = 1
		}
		if at < rank {
			nearest, rank = nil, at
		}
		if at == rank {
			nearest = append(nearest, i)
		}
	}
	if rank == 2 && (len(nearest) > 1 || name[0] < 'A' || name[0] > 'Z') {
		return nil
	}
	return nearest
}

// knows reports whether a file of source code mentions another one, or its directory.
func (p *project) knows(file, other int) bool {
	known, name := p.known[file], p.paths[other]
	return known[p.stems[other]] || known[path.Base(path.Dir(name))] || known["./"+strings.TrimSuffix(name, path.Ext(name))]
}

// mostMeanings is how many units a name may stand for: a name of more, such as String, says nothing.
const mostMeanings = 8

// meant returns the units that a name in a file may mean: the nearest declarations, the nearest members, and other
// files. In a manifest only paths mean something, and they mean files.
func (p *project) meant(name string, file int) (list []int) {
	if !p.units[file].code {
		if !strings.HasPrefix(name, "./") {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(p.files[name]), func(i int) bool { return i == file })
	}
	for _, those := range [][]int{p.nearest(name, p.declared, file, true), p.nearest(name, p.members, file, false), p.files[name]} {
		if len(those) > mostMeanings {
			continue
		}
		for _, i := range those {
			if i != file {
				list = append(list, i)
			}
		}
	}
	return list
}

// connectOthers lets declarations require the imports that their names come from, and source code the entries of
// manifests that it names. It binds these units to those that they are a part of: a unit that no other one uses,
// and that mentions nothing of another file; an export statement; and the first unit of source code that is neither a
// declaration nor an import, such as the package clause of Go.
func (p *project) connectOthers() {
	packages := map[string][]int{} // by what may name a package: the units of source code that mention it
	for i, u := range p.units {
		if !p.units[u.file].code {
			continue
		}
		for name := range u.quoted {
			packages[name] = append(packages[name], i)
		}
		if u.imports {
			for name := range u.names {
				packages[name] = append(packages[name], i)
			}
		}
	}
	for file, numbers := range p.inFile {
		users := map[string][]int{} // by name
		for _, i := range numbers {
			for name := range p.units[i].names {
				users[name] = append(users[name], i)
			}
		}
		by := packages
		code := p.units[file].code
		if code {
			by = users
		}
		first := true
		for _, i := range numbers {
			u := p.units[i]
			if !u.rest {
				continue
			}
			used := !code || u.imports
			if used {
				used = p.connect(i, by)
			}
			p.bound[i] = code && (first && !u.imports || u.exports) || !used && !p.leadsElsewhere(i)
			first = false
		}
	}
}

// connect lets each user of unit i require unit i, and reports whether there are users. A user is a unit in which one of
// these names occurs: a name in unit i, or, in source code, a name that a file declares that unit i mentions. by has the units by the
// names in them. Not users are the unit that unit i is a part of, the units directly within unit i, and files of source code.
func (p *project) connect(i int, by map[string][]int) (used bool) {
	u := p.units[i]
	brings := maps.Clone(u.names)
	delete(brings, "_") // as in the imports of Go for a side effect
	for name := range u.mentions {
		if path.Ext(name) == "" || !p.units[u.file].code {
			continue
		}
		for _, file := range p.files[name] {
			for _, other := range p.inFile[file] {
				for _, declared := range p.units[other].declares {
					if file != u.file {
						brings[declared] = true
					}
				}
			}
		}
	}
	for name := range brings {
		for _, user := range by[name] {
			if user == i || p.units[user].parent == i || u.parent == user || user < len(p.paths) && p.units[user].code {
				continue
			}
			p.require(user, i)
			p.users[i] = append(p.users[i], user)
			used = true
		}
	}
	return used
}

// leadsElsewhere reports whether a unit mentions something of another file.
func (p *project) leadsElsewhere(i int) bool {
	u := p.units[i]
	for name := range u.mentions {
		for _, other := range p.meant(name, u.file) {
			if p.units[other].file != u.file {
				return true
			}
		}
	}
	return false
}
