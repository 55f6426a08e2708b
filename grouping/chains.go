package grouping

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// chains returns which members a file of JavaScript or Python reads, and which it gives a value, each with the line where it
// first does so. A member is named by a chain, as "this.rules.inline" or "block.item". It gets a value by an assignment, as a key
// of an object in braces that is assigned, or, of "this" and "self", as a method. An assignment that reads
// the same member in its first line gives it no value: "block.item = edit(block.item);". Cost: one scan.
func chains(l language, content []byte, declarations []declaration) (read, given map[string]int) {
	read, given = map[string]int{}, map[string]int{}
	first := func(of map[string]int, chain string, line int) {
		if of[chain] == 0 {
			of[chain] = line
		}
	}
	if !hasChains(l) {
		return read, given
	}
	for i := range declarations {
		if at := strings.LastIndexByte(declarations[i].symbol, '.'); at >= 0 {
			for _, object := range objectNames {
				first(given, object+declarations[i].symbol[at:], declarations[i].at)
			}
		}
	}
	var (
		line    = 1
		chain   string   // that the code so far ends with
		target  string   // what an object that comes next is
		objects []string // for each bracket that is open, which object it begins; "" = none
		last    byte     // of the code so far
	)
	s := lexical.NewScanner(content, syntaxOf(l).Rules, lexical.Names)
	for kind, from, to := s.Next(); kind != lexical.None; kind, from, to = s.Next() {
		text := content[from:to]
		start := line
		line += bytes.Count(text, []byte{'\n'})
		object := ""
		if len(objects) > 0 {
			object = objects[len(objects)-1]
		}
		switch kind {
		case lexical.Space, lexical.Comment:
			continue
		case lexical.Word:
			rest := bytes.TrimLeft(content[to:], " \t\r\n")
			switch {
			case last == '.' && chain != "":
				chain += "." + string(text)
			case object != "" && (last == '{' || last == ',') && len(rest) > 0 && strings.IndexByte(":,}(", rest[0]) >= 0:
				chain, target = "", object+"."+string(text)
				first(given, target, start)
			default:
				chain = string(text)
			}
			last = 'a'
			sets := setsNext(content, to) || l == python && annotated(content, to, chain)
			if sets {
				target = chain
			}
			switch {
			case !strings.Contains(chain, "."):
			case sets:
				value, _, _ := bytes.Cut(content[to:], []byte{'\n'})
				if !bytes.Contains(value, []byte(chain)) {
					first(given, chain, start)
				}
			default:
				first(read, chain, start)
			}
			continue
		case lexical.Opener:
			if text[0] != '{' || last != '=' && last != ':' {
				target = ""
			}
			objects = append(objects, target)
			target = ""
		case lexical.Closer:
			objects = objects[:max(0, len(objects)-1)]
		}
		last = text[0]
		if last != '.' {
			chain = ""
		}
	}
	return read, given
}

// annotated reports whether a statement of Python that begins with a chain, which ends at an offset, declares its type: "self.a: int = 1".
func annotated(content []byte, to int, chain string) bool {
	line := content[bytes.LastIndexByte(content[:to], '\n')+1 : to]
	return string(bytes.TrimLeft(line, " \t")) == chain && bytes.HasPrefix(content[to:], []byte(":"))
}

// objectNames are what methods call their object.
var objectNames = []string{"this", "self"}

// hasChains reports whether chains reads a language.
func hasChains(l language) bool {
	family := syntaxOf(l).family
	return family == "javascript" || family == "python"
}

// owned returns the name by which members are known across files: "tokenizer.strong" for what belongs to a class Tokenizer,
// to an object or a variable tokenizer, or to what a method in a file tokenizer.js calls "this".
func owned(owner, member, path string) string {
	if slices.Contains(objectNames, owner) {
		owner = stem(path)
	}
	return strings.ToLower(owner) + "." + member
}

// stem returns the name of a file without its folder and extension.
func stem(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// ownedMembers returns the members that a file gives a value, by the names that owned returns.
func ownedMembers(l language, name string, content []byte, declarations []declaration) (defines []occurrence) {
	if !hasChains(l) {
		return nil
	}
	add := func(owner, member string, line int) {
		if len(member) >= shortestName {
			defines = append(defines, occurrence{key{memberSpace, syntaxOf(l).family, owned(owner, member, name)}, line})
		}
	}
	for i := range declarations {
		if names := strings.Split(declarations[i].symbol, "."); len(names) > 1 {
			add(names[len(names)-2], names[len(names)-1], declarations[i].at)
		}
	}
	_, given := chains(l, content, declarations)
	for chain, line := range given {
		names := strings.Split(chain, ".")
		add(names[len(names)-2], names[len(names)-1], line)
	}
	slices.SortFunc(defines, func(a, b occurrence) int { return cmp.Or(a.line-b.line, a.key.compare(b.key)) })
	return slices.Compact(defines)
}
