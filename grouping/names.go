package grouping

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// noteSymbols counts declarations, so that one that moved can be told from
// one that has a namesake.
func (r *reader) noteSymbols(which int, l language, name string, list []declaration) {
	for i := range list {
		if k, ok := symbolKey(l, name, &list[i]); ok {
			r.declared[which][k.hash()]++
		}
	}
}

// symbolKey is the key of a declaration as a whole: in Go within its package,
// elsewhere within its file's directory.
func symbolKey(l language, name string, d *declaration) (key, bool) {
	if d.name == "" || syntaxOf(l).family == "" {
		return key{}, false
	}
	scope := d.scope
	if l != golang {
		scope = syntaxOf(l).family + " " + path.Dir(name)
	}
	return key{symbolSpace, scope, d.symbol}, true
}

// mustBeSelected tells the languages in which a member is only ever named
// behind its value or type.
func mustBeSelected(l language) bool {
	switch l {
	case cLanguage, python, javascript, typescript, tsx, rust, php:
		return true
	}
	return false
}

// shortestName is the least number of bytes of a name that is matched:
// shorter ones mean too many things.
const shortestName = 3

// nameDefinitions are the names that a file's declarations define, each in the
// space in which it can be used. Members of objects in braces occur where they are defined.
func (r *reader) nameDefinitions(which int, l language, name string, content []byte, list []declaration) (defines []occurrence) {
	starts := lineStarts(content)
	for i := range list {
		d := &list[i]
		if len(d.name) < shortestName {
			continue
		}
		k := key{nameSpace, syntaxOf(l).family, d.name}
		switch {
		case hasPrivate(l):
			if isPrivate(content[starts[d.start-1]:starts[min(d.at, len(starts)-1)]]) {
				k.space, k.scope = localSpace, k.scope+" "+name
			}
		case hasLocals(l, name) && (l == bash || d.member || strings.Contains(d.symbol, ".") || fileLocal(content[starts[d.start-1]:])):
			k.space, k.scope = localSpace, k.scope+" "+name
		case d.member && mustBeSelected(l):
			k.space = memberSpace
		}
		defines = append(defines, occurrence{k, d.at})
	}
	members := ownedMembers(l, name, content, list)
	for _, o := range members {
		r.occurs[which].add(o.key.occurrence())
	}
	defines = append(defines, members...)
	if assigned := assignedMembers[syntaxOf(l).family]; assigned != nil {
		defines = append(defines, attributes(syntaxOf(l).family, assigned(), content, list)...)
	}
	return defines
}

// assignedMembers match, by family of languages, lines that assign a member to the object of a method.
var assignedMembers = map[string]func() *regexp.Regexp{
	"python":     lazyregexp.New(`^[ \t]+self\.(\w{3,})[ \t]*(?::[^=]*)?=(?:[^=]|$)`),
	"javascript": lazyregexp.New(`^[ \t]+this\.([\w$]{3,})[ \t]*=(?:[^=>]|$)`),
	"php":        lazyregexp.New(`^[ \t]+\$this->(\w{3,})[ \t]*=(?:[^=>]|$)`),
}

// constructor matches the symbol of a method that makes an object.
var constructor = lazyregexp.New(`\b(?:__init__|constructor|__construct)$`)

// attributes are the members that the methods of a file assign to their
// object: where a constructor does, there, else where it is first done.
func attributes(family string, assigned *regexp.Regexp, content []byte, list []declaration) (defines []occurrence) {
	seen := make(map[string]bool)  // defined at all
	built := make(map[string]bool) // in a constructor
	line := 0
	for row := range bytes.Lines(content) {
		line++
		m := assigned.FindSubmatch(bytes.TrimRight(row, "\r\n"))
		if m == nil {
			continue
		}
		name := string(m[1])
		o := occurrence{key{memberSpace, family, name}, line}
		if constructor().MatchString(symbolAt(list, line, line)) {
			if seen[name] && !built[name] {
				defines = slices.DeleteFunc(defines, func(o occurrence) bool { return o.key.name == name })
			}
			seen[name], built[name] = true, true
			defines = append(defines, o)
		} else if !seen[name] {
			seen[name] = true
			defines = append(defines, o)
		}
	}
	return defines
}

// hasLocals reports whether declarations of the file may be invisible to other
// files: in C sources that are no headers, in scripts, and where there are private members.
func hasLocals(l language, name string) bool {
	switch l {
	case bash, java, csharp:
		return true
	case cLanguage, cpp:
		ext := path.Ext(name)
		return ext == ".c" || len(ext) > 1 && ext[1] == 'c' // .cc, .cpp, ...
	}
	return false
}

// fileLocal reports whether the C declaration that text starts with is of no
// use to other files: static, a macro, or a type.
func fileLocal(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	line = bytes.TrimLeft(line, " \t")
	if len(line) > 0 && line[0] == '#' {
		return true
	}
	switch word, _ := firstWord(line); string(word) {
	case "static":
		return true
	case "struct", "union", "enum", "typedef", "class":
		return bytes.IndexByte(line, '(') < 0
	}
	return false
}

// hasPrivate tells the languages whose local names are private members. Names that are local to a script or a source of C may mean
// something elsewhere on the other side of the difference, such as a variable of the environment; those of private members may not.
func hasPrivate(l language) bool { return l == java || l == csharp }

// meantPrivately returns the uses of a file without those of names that elsewhere mean something, if the file has private members of
// these names.
func meantPrivately(uses, defines []occurrence) []occurrence {
	private := map[string]bool{}
	for _, o := range defines {
		if o.key.space == localSpace {
			private[o.key.name] = true
		}
	}
	return slices.DeleteFunc(uses, func(o occurrence) bool { return o.key.space != localSpace && private[o.key.name] })
}

// isPrivate reports whether a declaration of Java or C#, as far as the line of its name, says that it is private.
func isPrivate(text []byte) bool {
	for t := range tokens(text, java, 1) {
		if string(t.text) == "private" {
			return true
		}
	}
	return false
}

// lineStarts returns the offset of every line, and of the end.
func lineStarts(content []byte) []int {
	starts := make([]int, 1, bytes.Count(content, []byte{'\n'})+1)
	for at := 0; ; {
		n := bytes.IndexByte(content[at:], '\n')
		if n < 0 {
			return starts
		}
		at += n + 1
		starts = append(starts, at)
	}
}

// names records every identifier of text as occurring, and returns the uses
// in the spans.
func (r *reader) names(which int, l language, name string, text []byte, first int, spans []span) (uses []occurrence) {
	family := syntaxOf(l).family
	prefix := key{nameSpace, family, ""}.hash()
	locals, local := hasLocals(l, name), family+" "+name
	inFile := key{localSpace, local, ""}.hash()
	chained := hasChains(l)
	var last token
	for t := range tokens(text, l, first) {
		before := last
		last = t
		if len(t.text) < shortestName {
			continue
		}
		r.occurs[which][hashBytes(prefix, t.text)] = struct{}{}
		if hasPrivate(l) {
			r.occurs[which][hashBytes(inFile, t.text)] = struct{}{}
		}
		own := ""
		if chained && t.member && len(before.text) > 0 && bytes.Equal(text[before.end:t.end-len(t.text)], []byte(".")) {
			own = owned(string(before.text), string(t.text), name)
			r.occurs[which][hashBytes(prefix, own)] = struct{}{}
		}
		if t.binds || owner(spans, t.line) < 0 {
			continue
		}
		if assignedMembers[family] != nil && t.member && setsNext(text, t.end) {
			continue // needs nobody else to have set it
		}
		word := string(t.text)
		uses = append(uses, occurrence{key{nameSpace, family, word}, t.line})
		if t.member {
			uses = append(uses, occurrence{key{memberSpace, family, word}, t.line})
			if own != "" {
				uses = append(uses, occurrence{key{memberSpace, family, own}, t.line})
			}
		}
		if locals {
			uses = append(uses, occurrence{key{localSpace, local, word}, t.line})
		}
	}
	return uses
}
