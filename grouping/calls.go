package grouping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// callers ties changed signatures to the changes that alter calls with them.
func (v *survey) callers(s *changes.Set, e *edges) {
	changed := make(map[key][]retyped)
	for _, t := range v.retyped {
		if t.from.signature {
			changed[t.from.key] = append(changed[t.from.key], t)
		}
	}
	defined := make(map[key][]int)
	for k, list := range changed {
		for _, t := range list {
			defined[k] = append(defined[k], t.old)
		}
	}
	resolve := newResolver(defined, v.packages)
	users := make(map[key][]int)
	movers := make(map[key][2][]int) // changes that bring, or drop, every call they have
	for i := range v.facts {
		for which, list := range v.facts[i].uses {
			other := v.facts[i].uses[1-which]
			for _, use := range list {
				if (use.space == nameSpace || use.space == localSpace) && defined[use] != nil && !slices.Contains(other, use) {
					m := movers[use]
					m[which] = append(m[which], i)
					movers[use] = m
				}
			}
		}
		for _, use := range v.facts[i].uses[bad] {
			if k, ok := resolve.key(use); ok && defined[k] != nil && slices.Contains(v.facts[i].uses[good], use) {
				users[k] = append(users[k], i)
			}
		}
	}
	for k, list := range changed {
		if len(users[k]) > maxUsers || k.space == goMember && v.members[k.name] > len(list) {
			continue // too common a name, or the name of another method as well
		}
		if k.space == nameSpace || k.space == localSpace {
			prototypes(list, e)
		}
		for _, t := range list {
			if (k.space == nameSpace || k.space == localSpace) && t.from.last == 0 && t.from.sameArguments(&t.to) {
				continue // the same calls may do
			}
			callers := slices.DeleteFunc(slices.Clone(users[k]), func(i int) bool {
				c := &s.Changes[i]
				return c.Kind != changes.Text || !callsChange(c, k.name, &t.from, &t.to)
			})
			if len(callers) <= maxCallers {
				for _, i := range callers {
					e.circle([]int{i, t.old})
					e.circle([]int{i, t.new})
				}
			}
			if !t.from.overloaded && !t.from.sameArguments(&t.to) && max(len(movers[k][good]), len(movers[k][bad])) <= maxCallers {
				v.movers(s, e, k.name, &t, movers[k])
			}
		}
	}
}

// prototypes lets the definition of a C function and its prototypes require each other, if all of them change.
func prototypes(list []retyped, e *edges) {
	var circle []int
	definitions := 0
	for _, t := range list {
		if t.from.last > 0 {
			return // a macro
		}
		if t.from.overloaded && !(t.from.sameArguments(&list[0].from) && t.to.sameArguments(&list[0].to)) {
			return // they are not all of one function
		}
		circle = append(circle, t.old, t.new)
		if !strings.HasSuffix(t.from.id, ";") {
			definitions++
		}
	}
	slices.Sort(circle)
	if circle = slices.Compact(circle); definitions == 1 && len(circle) <= maxTogether {
		e.circle(circle)
	}
}

// movers lets a function or macro of C whose number of parameters changes require
// the changes that drop calls with the old number, and those that bring calls with
// the new number require it.
func (v *survey) movers(s *changes.Set, e *edges, name string, t *retyped, list [2][]int) {
	for which, side := range [2]*typed{&t.from, &t.to} {
		if which == bad && t.from.params == objectLike {
			continue // it may have stood for something that takes brackets
		}
		for _, i := range list[which] {
			c := &s.Changes[i]
			text := c.New
			if which == good {
				text = c.Old
			}
			if c.Kind != changes.Text || syntaxOf(languageOf(c.Path, nil)).family != "c" || !callsWith(text, languageOf(c.Path, nil), name, side) {
				continue
			}
			if bytes.Contains(text, []byte("\\\n")) || bytes.Contains(text, []byte("define")) {
				continue // in the body of another macro it may never be expanded
			}
			for _, definer := range []int{t.old, t.new} {
				if which == good {
					e.add(definer, i)
				} else {
					e.add(i, definer)
				}
			}
		}
	}
}

// callsWith reports whether a text calls a function with as many arguments as it has parameters, or
// names a macro without brackets that has none.
func callsWith(text []byte, l language, name string, f *typed) bool {
	calls := callsOf(text, l, name, 0)
	if f.params == objectLike {
		return len(calls) < timesNamed(text, l, name)
	}
	return slices.ContainsFunc(calls, func(c call) bool {
		return c.arguments == f.params || f.params == -1 && c.arguments >= f.fixed
	})
}

// callsChange reports whether the calls of name in a change alter as its
// signature does.
func callsChange(c *changes.Change, name string, from, to *typed) bool {
	l := languageOf(c.Path, nil)
	old, new := callsOf(c.Old, l, name, 0), callsOf(c.New, l, name, 0)
	switch {
	case from.params == objectLike:
		return len(old) < timesNamed(c.Old, l, name) && len(new) > 0
	case to.params == objectLike:
		return len(old) > 0 && len(new) < timesNamed(c.New, l, name)
	}
	if len(old) == 0 || len(new) == 0 {
		return false
	}
	has := func(list []call, n int) bool {
		return n < 0 || slices.ContainsFunc(list, func(c call) bool { return c.arguments == n || c.arguments < 0 })
	}
	switch {
	case from.params != to.params:
		return has(old, from.params) && has(new, to.params) && !slices.Equal(old, new)
	case from.results != to.results:
		return true
	}
	return !slices.Equal(old, new)
}

// timesNamed counts how often the code of a text has a name.
func timesNamed(text []byte, l language, name string) (n int) {
	for t := range tokens(text, l, 1) {
		if string(t.text) == name {
			n++
		}
	}
	return n
}

// A call is one in a text: how many arguments, -1 if it goes on behind the
// text, and how they are written without blanks.
type call struct {
	arguments int
	text      string
}

// takesBrackets reports whether a macro that text defines takes arguments: then a bracket follows its name at once.
func takesBrackets(text []byte, name string) bool {
	for t := range tokens(text, cLanguage, 1) {
		if string(t.text) == name && t.end < len(text) && text[t.end] == '(' {
			return true
		}
	}
	return false
}

// callsOf finds the calls of a function by brackets, reading no further than
// the text; the first limit of them if limit is not 0.
func callsOf(text []byte, l language, name string, limit int) (list []call) {
	for t := range tokens(text, l, 1) {
		if string(t.text) != name {
			continue
		}
		rest := bytes.TrimLeft(text[t.end:], " \t")
		if len(rest) > 0 {
			rest = rest[typeArguments(rest):]
		}
		if !bytes.HasPrefix(rest, []byte("(")) {
			continue
		}
		if list = append(list, callAt(rest)); len(list) == limit {
			break
		}
	}
	return list
}

// typeArguments returns how long the arguments of a generic type are with which a text begins, such as "<String, List<T>>", or 0.
func typeArguments(text []byte) int {
	if text = text[:min(len(text), 200)]; text[0] != '<' {
		return 0
	}
	depth := 0
	for i, c := range text {
		switch {
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth == 0 {
				return i + 1
			}
		case !wordByte(c) && !bytes.ContainsRune([]byte(" \t\n,.?&*:[]"), rune(c)):
			return 0
		}
	}
	return 0
}

// callAt reads "(a, b(c))": text begins with the bracket.
func callAt(text []byte) call {
	depth, commas := 0, 0
	var written []byte
	quote, types := byte(0), 0
	for i, c := range text {
		if types = max(types, i+typeArguments(text[i:])); i < types && c == ',' {
			continue // between the arguments of a type
		}
		if quote != 0 {
			if c == quote && (quote == '`' || text[i-1] != '\\') {
				quote = 0
			}
			written = append(written, c)
			continue
		}
		switch c {
		case '"', '`', '\'':
			quote = c
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				inner := strings.TrimSuffix(strings.ReplaceAll(string(written[1:]), "interface{}", "any"), ",")
				if inner == "" {
					return call{0, ""}
				}
				if strings.HasSuffix(string(written), ",") {
					commas--
				}
				return call{commas + 1, inner}
			}
		case ',':
			if depth == 1 {
				commas++
			}
		case ' ', '\t', '\n', '\r':
			continue
		}
		written = append(written, c)
	}
	return call{-1, string(written)}
}
