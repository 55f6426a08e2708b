package grouping

import (
	"bytes"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// overriding matches what says that a method overrides one of a supertype: an annotation on the lines above its name, or the word
// on the line of it.
var overriding = lazyregexp.New(`(?m)^[ \t]*@Override\b|\boverride\b[^(\n]*$|\boverride[ \t]+\w[^\n]*\(`)

// overrides ties a hunk that brings a method which overrides another one to the hunks that name a new supertype of its class:
// without these there is nothing to override, and without the method the class lacks what the supertype asks for. Methods that a
// hunk takes away, and supertypes, are tied in the same way. Cost: one look at the declarations of both sides.
func (f *file) overrides(all []facts, sides [2]side, spans [2][]span, old, new []byte) {
	if len(f.text) < 2 || !overriding().Match(old) && !overriding().Match(new) {
		return
	}
	var at [2]map[string]*declaration
	for which := range sides {
		at[which] = map[string]*declaration{}
		for i := range sides[which].declarations {
			d := &sides[which].declarations[i]
			at[which][d.symbol] = d
		}
	}
	contents := [2][]byte{old, new}
	separate := syntaxOf(languageOf(f.path, new)).separate
	for which, content := range contents {
		starts, others := lineStarts(content), lineStarts(contents[1-which])
		for i := range sides[which].declarations {
			method := &sides[which].declarations[i]
			end := strings.LastIndex(method.symbol, separate)
			if !method.member || end < 0 || at[1-which][method.symbol] != nil {
				continue
			}
			class, was := at[which][method.symbol[:end]], at[1-which][method.symbol[:end]]
			if class == nil || was == nil || !overriding().Match(linesOf(content, starts, method.doc, method.at)) {
				continue
			}
			head, last := headOf(content, starts, class)
			before, _ := headOf(contents[1-which], others, was)
			if !namesMore(head, before) {
				continue
			}
			for _, m := range owners(spans[which], method.at, method.at) {
				for _, h := range owners(spans[which], class.start, last) {
					if m != h {
						tie(all, m, h)
					}
				}
			}
		}
	}
}

// linesOf returns the lines of a content from first to last.
func linesOf(content []byte, starts []int, first, last int) []byte {
	if last >= len(starts) {
		return content[starts[first-1]:]
	}
	return content[starts[first-1]:starts[last]]
}

// headOf returns what a class says before its body, and the last line of that.
func headOf(content []byte, starts []int, class *declaration) (head []byte, last int) {
	head = linesOf(content, starts, class.start, class.end)
	if open := bytes.IndexByte(head, '{'); open >= 0 {
		head = head[:open]
	}
	return head, class.start + bytes.Count(head, []byte{'\n'})
}

// namesMore reports whether a text has an identifier that another one has not.
func namesMore(text, other []byte) (more bool) {
	known := map[string]bool{}
	eachIdentifier(other, func(name string) { known[name] = true })
	eachIdentifier(text, func(name string) { more = more || !known[name] })
	return more
}
