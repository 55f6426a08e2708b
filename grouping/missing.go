package grouping

import (
	"path"
	"slices"
	"strings"

	parse "github.com/gitdd/gitdd/internal/syntax"
)

// lacksFile learns from a file, a package or a module that is not there.
func (l *inferrer) lacksFile(d *diagnostic) {
	base := path.Base(strings.ReplaceAll(d.target, "\\", "/"))
	word := lastName(strings.TrimSuffix(base, path.Ext(base)))
	if ext := path.Ext(base); ext != "" && parse.OfExtension(ext) == plainText {
		word = lastName(base) // a.b.c is no file c
	}
	at := l.where(d, word)
	if len(d.spots) == 0 {
		at = l.makefiles(strings.TrimSuffix(base, path.Ext(base))) // make names files, of any kind
	}
	if at.file == "" {
		return
	}
	var bring, gone []int
	for _, def := range l.paths {
		if l.has[def.change] == def.retired && l.means(d.target, at.file, def.key) {
			if def.retired {
				gone = insert(gone, def.change)
			} else {
				bring = insert(bring, def.change)
			}
		}
	}
	if len(bring) > maxBlamed && len(at.users) == 1 {
		// Of a package's files, those that define what is used here.
		bring = slices.DeleteFunc(bring, func(i int) bool { return !l.serves(i, at.users[0]) })
	}
	leavers := slices.DeleteFunc(slices.Clone(at.leavers), func(i int) bool { return l.says(i, true, word) })
	_ = l.require(gone, leavers) || l.require(gone, bring) || l.require(at.users, bring)
}

// makefiles are the changes to build descriptions that bring or drop a word.
func (l *inferrer) makefiles(word string) (found site) {
	for n := range l.files {
		f := &l.files[n]
		if name := l.pathIn(f, l.has); name == "" || languageOf(name, nil) != makefile {
			continue
		}
		for _, i := range f.members {
			if l.has[i] && l.gains(i, word) {
				found.users, found.file = append(found.users, i), f.path
			}
			if !l.has[i] && l.loses(i, word) {
				found.leavers, found.file = append(found.leavers, i), f.path
			}
		}
	}
	return found
}

// serves reports whether change i defines a name that change user brings.
func (l *inferrer) serves(i, user int) bool {
	c := &l.set.Changes[i]
	for t := range tokens(l.text(user, true), languageOf(c.Path, nil), 1) {
		if t.member && slices.ContainsFunc(l.names[string(t.text)], func(d definition) bool {
			return !d.retired && (d.key.space == goPackage || d.key.space == nameSpace) && path.Dir(l.set.Changes[d.change].Path) == path.Dir(c.Path) && d.change == i
		}) {
			return true
		}
	}
	return false
}

// means reports whether what a tool did not find, as it names it in a message
// about file, is the file or module of a key.
func (l *inferrer) means(target, file string, k key) bool {
	target = strings.ReplaceAll(target, "\\", "/")
	name := k.name
	if k.space == goRequire {
		return inModule(target, name)
	}
	tail := func(p string) bool {
		p = path.Clean(p)
		return p == name || strings.HasSuffix(name, "/"+strings.TrimLeft(p, "./")) || strings.HasSuffix(p, "/"+name)
	}
	dir := path.Dir(file)
	switch l.family(file) {
	case "go":
		in := path.Dir(name)
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			(goPackageIn(target, in, l.packages[in]) || strings.HasSuffix(target, "/"+in))
	case "python":
		return slices.ContainsFunc(pythonImports("import "+target), tail) || tail(target)
	case "java":
		in := path.Dir(name)
		target = strings.ReplaceAll(target, ".", "/")
		return strings.HasSuffix(name, ".java") && (in == target || strings.HasSuffix(in, "/"+target))
	case "javascript":
		if strings.HasPrefix(target, ".") {
			return slices.ContainsFunc(scriptImports("from '"+target+"'"), func(p string) bool { return path.Join(dir, p) == name })
		}
		return slices.ContainsFunc(scriptImports("from './"+strings.TrimLeft(target, "/")+"'"), func(p string) bool { return strings.HasSuffix("/"+path.Clean(p), "/"+name) })
	case "rust":
		inside := strings.TrimSuffix(file, path.Ext(file))
		for _, d := range []string{dir, inside} {
			if name == path.Join(d, target+".rs") || name == path.Join(d, target, "mod.rs") {
				return true
			}
		}
		return false
	}
	return tail(target)
}

func (l *inferrer) family(file string) string { return syntaxOf(languageOf(file, nil)).family }
