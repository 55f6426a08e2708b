package grouping

import (
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	parse "github.com/gitdd/gitdd/internal/syntax"
)

// worst is the rank of a definition that cannot be meant.
const worst = 9

// definers returns the changes nearest to file that bring a name and are not
// applied, or, gone, that took it away and are; and how near they are. A change
// that only alters a definition does neither.
func (l *inferrer) definers(d *diagnostic, name, file string, gone bool) (list []int, best int) {
	best = worst
	for _, def := range l.names[name] {
		if def.retired != gone || l.has[def.change] != gone || d.problem == mentions && !def.fresh && !gone {
			continue
		}
		rank := l.rank(d, &def, file)
		if rank >= worst || rank > best || l.redefines(&def) {
			continue
		}
		if rank < best {
			best, list = rank, nil
		}
		list = insert(list, def.change)
	}
	if len(list) > 0 || d.problem == mentions || len(name) < shortestName {
		return list, best
	}
	return l.mentioners(d, name, file, gone), best
}

// mentioners stands in where no definition is known: imports are none, nor are
// names that macros or assignments make. A name that the difference brings and
// that is missing must be in some change that is not applied. If only one of
// those brings it to the file where it is missing as an import, or to the module
// that lacks it, or to any file, that is the one.
func (l *inferrer) mentioners(d *diagnostic, name, file string, gone bool) []int {
	moves := func(i int) bool {
		if gone {
			return l.has[i] && l.loses(i, name)
		}
		return !l.has[i] && l.gains(i, name)
	}
	family := syntaxOf(languageOf(file, nil)).family
	if family == "" || family == "go" || family == "c" && d.link {
		return nil
	}
	var imports, home, all []int
	if l.scans--; l.scans < 0 {
		return nil
	}
	for n := range l.files {
		f := &l.files[n]
		if syntaxOf(languageOf(f.path, nil)).family != family {
			continue
		}
		for _, i := range f.members {
			if !moves(i) {
				continue
			}
			all = append(all, i)
			switch here := f.path == file || f.oldPath == file; {
			case here && !d.member && importsWord(l.text(i, !gone), name):
				imports = append(imports, i)
			case d.of != "" && (isModule(f.path, d.of) || within(l.symbols[i], d.of)):
				home = append(home, i)
			}
		}
	}
	for _, list := range [][]int{imports, home, all} {
		if len(list) > 0 {
			if len(list) > 1 {
				return nil
			}
			return list
		}
	}
	return nil
}

// locals returns the changes nearest to a site, in its file and symbol, that
// declare a name as a variable: those that would put it there and are not
// applied, and those that took it away and are. Go's are definitions already.
func (l *inferrer) locals(d *diagnostic, name string, at site) (put, taken []int) {
	family := l.family(at.file)
	if !at.exact || d.member || d.of != "" || d.link || family == "go" || family == "" {
		return nil, nil
	}
	put, taken = l.declaring(l.besides(at, name), name, family)
	if put == nil && taken == nil || len(put) > maxBlamed || len(taken) > maxBlamed {
		put, taken = l.declaring(l.above(at), name, family)
		put, taken = put[max(0, len(put)-1):], taken[max(0, len(taken)-1):]
	}
	return put, taken
}

// declaring returns those changes of a list that would put a declaration of a variable there and are not applied, and those
// that took it away and are.
func (l *inferrer) declaring(list []int, name, family string) (put, taken []int) {
	for _, i := range list {
		old, new := l.declares(i, false, name, family), l.declares(i, true, name, family)
		if new && !old && !l.has[i] {
			put = append(put, i)
		}
		if old && !new && l.has[i] {
			taken = append(taken, i)
		}
	}
	return put, taken
}

// localReach is how many lines above its use a variable is looked for, where it
// is not known which function the lines belong to.
const localReach = 40

// above returns the changes that stand up to localReach lines above a site, and
// its own, in order.
func (l *inferrer) above(at site) (list []int) {
	for _, i := range l.files[at.n].text[:at.after] {
		if at.good-l.set.Changes[i].OldStart <= localReach {
			list = append(list, i)
		}
	}
	return list
}

// How a parameter of a function in C is written, up to its name and behind it: not
// as the product of two names.
var (
	parameterType = lazyregexp.New(`(?:^|[(,])\s*(?:const\s+)?(?:(?:struct|union|enum|unsigned|signed)\s+)?[A-Za-z_]\w*(?:\s+\**|\*+\s+|\*+)(?:const\s+)?$`)
	parameterTail = lazyregexp.New(`^(?:\[\w*\])?(?:,|\)\s*(?:$|[{,;]))`)
)

// declares reports whether a line of a change reads like the declaration of a
// variable, in C also of a parameter.
func (l *inferrer) declares(i int, new bool, name, family string) bool {
	for row := range strings.Lines(string(l.text(i, new))) {
		at := wordIndex([]byte(row), name)
		if at < 0 {
			continue
		}
		before, after := strings.TrimSpace(row[:at]), strings.TrimSpace(row[at+len(name):])
		if family == "c" && parameterTail().MatchString(after) && parameterType().MatchString(row[:at]) {
			return true
		}
		first, _ := firstWord([]byte(before))
		if len(first) == 0 && family != "python" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, ">") {
			continue
		}
		ends := after == "" || strings.ContainsRune(";,=[:", rune(after[0])) && !strings.HasPrefix(after, "==")
		switch word := string(first); {
		case !ends:
		case family == "javascript":
			if word == "let" || word == "const" || word == "var" {
				return true
			}
		case family == "rust":
			if word == "let" || word == "const" || word == "static" {
				return true
			}
		case family == "python":
			if before == "" && strings.HasPrefix(after, "=") {
				return true
			}
		case word != "return" && word != "else" && word != "case" && word != "goto" && !strings.ContainsAny(before, "(=\"'.?+-/|^%!~{}"):
			return true // "T name", "T *name", "T a, name"
		}
	}
	return false
}

// includers returns the changes of a C file that are not applied and include a
// header that declares a name.
func (l *inferrer) includers(d *diagnostic, name, file string) (list []int) {
	for _, n := range l.byBase[path.Base(file)] {
		if l.pathIn(&l.files[n], l.has) != file {
			continue
		}
		for _, i := range l.files[n].text {
			for row := range strings.Lines(string(l.text(i, true))) {
				for _, target := range includes(strings.TrimSpace(row)) {
					if !l.has[i] && (target == d.header || slices.ContainsFunc(l.names[name], func(o definition) bool {
						return !o.retired && path.Base(l.set.Changes[o.change].Path) == path.Base(target)
					})) {
						list = insert(list, i)
					}
				}
			}
		}
	}
	return list
}

// importsWord reports whether some line of text imports a name.
func importsWord(text []byte, word string) bool {
	for row := range strings.Lines(string(text)) {
		first, _ := firstWord([]byte(strings.TrimSpace(row)))
		switch string(first) {
		case "import", "from", "use", "using", "require", "const", "var", "let":
			if hasWord([]byte(row), word) && (string(first) != "const" && string(first) != "var" && string(first) != "let" || strings.Contains(row, "require(")) {
				return true
			}
		}
	}
	return false
}

// isModule reports whether a module's name, "a.b", "./b" or a path, may mean a
// file.
func isModule(file, module string) bool {
	stem := strings.TrimSuffix(file, path.Ext(file))
	for _, index := range []string{"/__init__", "/index", "/mod"} {
		stem = strings.TrimSuffix(stem, index)
	}
	if !strings.Contains(module, "/") {
		module = strings.ReplaceAll(module, ".", "/")
	}
	module = strings.TrimLeft(module, "./")
	if l := parse.OfExtension(path.Ext(module)); l != plainText {
		module = strings.TrimSuffix(module, path.Ext(module))
	}
	return module != "" && (stem == module || strings.HasSuffix(stem, "/"+module) || strings.HasSuffix(module, "/"+stem))
}

// within reports whether a symbol is a type or lies in it: "T", "(*T).f".
func within(symbol, typeName string) bool {
	return typeName != "" && slices.Contains(strings.FieldsFunc(symbol, func(c rune) bool { return c < 0x80 && !wordByte(byte(c)) }), typeName)
}

// container ranks a member by the type that a message names: 0 in that type, 1
// not known, 2 in another one.
func (l *inferrer) container(d *diagnostic, def *definition) int {
	if d.of == "" {
		return 1
	}
	for _, o := range l.names[def.key.name] {
		if o.change == def.change && o.retired == def.retired && o.key.space == symbolSpace && o.key.name != def.key.name {
			if within(o.key.name, d.of) {
				return 0
			}
			return 2
		}
	}
	switch symbol := l.symbols[def.change]; {
	case within(symbol, d.of):
		return 0
	case symbol == "":
		return 1
	}
	return 2
}

// rankMember is container, but a member of another type counts only if its name
// is new: then it may be inherited or promoted.
func (l *inferrer) rankMember(d *diagnostic, def *definition) int {
	rank := l.container(d, def)
	if rank == 2 && !def.fresh && !def.retired && !l.redefines(def) {
		return worst
	}
	return rank
}

// rank says how near a definition is to a message about it in file: 0 is best,
// worst is out of reach.
func (l *inferrer) rank(d *diagnostic, def *definition, file string) int {
	c := &l.set.Changes[def.change]
	own := c.Path
	if def.retired {
		own = c.OldPath
	}
	either := d.problem == differs || d.problem == twice
	switch k := def.key; k.space {
	case goPackage:
		return l.rankGo(d, k.scope, file, either)
	case goMember:
		if d.member || either {
			return l.rankMember(d, def)
		}
	case goLocal, goBound:
		if !d.member && d.of == "" && strings.HasPrefix(k.scope, file+" ") {
			return 0
		}
	case goImport:
		if !d.member && d.of == "" && k.scope == file {
			return 0
		}
	case nameSpace, localSpace, memberSpace:
		if syntaxOf(languageOf(own, nil)).family != syntaxOf(languageOf(file, nil)).family || k.space == localSpace && own != file {
			return worst
		}
		if d.member && !(l.family(file) == "c" && own != file && !isHeader(own)) {
			return l.rankMember(d, def)
		}
		return rankName(d, own, file)
	}
	return worst
}

// rankGo ranks a package-level name: of the package that is named, else of the
// place's own.
func (l *inferrer) rankGo(d *diagnostic, scope, file string, either bool) int {
	dir, _, _ := strings.Cut(scope, " ")
	same := dir == path.Dir(file)
	switch {
	case d.member && !either:
		return worst
	case d.of == "":
		if same {
			return 0
		}
		return worst
	case l.packages[scope] == d.of || path.Base(dir) == d.of:
		return 0
	case same:
		return worst
	}
	return 2 // imported under another name
}

// rankName ranks a name of the other languages.
func rankName(d *diagnostic, own, file string) int {
	header := isHeader(own)
	switch family := syntaxOf(languageOf(file, nil)).family; {
	case d.of != "" && isModule(own, d.of):
		return 0
	case family == "c" && d.link && header:
		return 2
	case family == "c" && d.link, own == file:
		return 0
	case family == "c" && header:
		return 1
	case family == "c" && (d.problem == lacks || d.problem == differs):
		return worst // other sources are not seen
	case (family == "python" || family == "javascript") && (d.problem == lacks || d.problem == mentions):
		return worst // not without an import
	case path.Dir(own) == path.Dir(file):
		return 1
	}
	return 2
}

func isHeader(name string) bool { return strings.HasPrefix(path.Ext(name), ".h") }
