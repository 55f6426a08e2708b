package grouping

import (
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
	for i := range v.facts {
		for _, use := range v.facts[i].uses {
			if k, ok := resolve.key(use); ok && defined[k] != nil && slices.Contains(v.facts[i].drop, use) {
				users[k] = append(users[k], i)
			}
		}
	}
	for k, list := range changed {
		if len(users[k]) > maxUsers || k.space == goMember && v.members[k.name] > len(list) {
			continue // too common a name, or the name of another method as well
		}
		for _, t := range list {
			callers := slices.DeleteFunc(slices.Clone(users[k]), func(i int) bool {
				c := &s.Changes[i]
				return c.Kind != changes.Text || !callsChange(c, k.name, &t.from, &t.to)
			})
			if len(callers) > maxCallers {
				continue
			}
			for _, i := range callers {
				e.circle([]int{i, t.old})
				e.circle([]int{i, t.new})
			}
		}
	}
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
	for sc := newScanner(text, l, 1); ; {
		switch t, ok := sc.next(); {
		case !ok:
			return n
		case string(t.text) == name:
			n++
		}
	}
}

// A call is one in a text: how many arguments, -1 if it goes on behind the
// text, and how they are written without blanks.
type call struct {
	arguments int
	text      string
}

// callsOf finds the calls of a function by brackets, reading no further than
// the text; the first limit of them if limit is not 0.
func callsOf(text []byte, l language, name string, limit int) (list []call) {
	for sc := newScanner(text, l, 1); ; {
		t, ok := sc.next()
		if !ok || limit > 0 && len(list) == limit {
			return list
		}
		if string(t.text) != name || sc.at >= len(text) || text[sc.at] != '(' {
			continue
		}
		list = append(list, callAt(text[sc.at:]))
	}
}

// callAt reads "(a, b(c))": text begins with the bracket.
func callAt(text []byte) call {
	depth, commas := 0, 0
	var written []byte
	quote := byte(0)
	for i, c := range text {
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
