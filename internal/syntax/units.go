package syntax

import (
	"maps"
	"slices"
)

// Most hidden rules only say which nodes may stand in a place ("_expression").
// Such a unit is one node, always, and is looked up in a set.

// unit reports whether an expression is exactly one node, as far as is known,
// and token whether it is none.
func (r *rules) shapeOf(p *parsed, trees map[string]*parsed) (unit, none bool) {
	if p.alias != "" && len(p.subs) == 0 {
		return true, false
	}
	switch p.what {
	case '"':
		return true, false
	case '~', '!':
		return false, true
	case 'a':
		if !r.hidden[p.text] {
			return true, false
		}
		if tree := trees[p.text]; tree != nil && tree.alias == "" && (tree.what == '~' || tree.what == '!') {
			return false, true
		}
		return r.unit[p.text], trees[p.text] == nil
	case ' ':
		units := 0
		for _, sub := range p.subs {
			unit, none := r.shapeOf(sub, trees)
			if unit {
				units++
			} else if !none {
				return false, false
			}
		}
		return units == 1, units == 0
	case '|':
		units, nones := 0, 0
		for _, sub := range p.subs {
			unit, none := r.shapeOf(sub, trees)
			if unit {
				units++
			}
			if none {
				nones++
			}
		}
		return units == len(p.subs), nones == len(p.subs)
	case '?', '*', '+':
		_, none = r.shapeOf(p.subs[0], trees)
		return false, none
	}
	return false, false
}

// findUnits takes all hidden rules for units and drops those that cannot be,
// to a fixpoint.
func (r *rules) findUnits(trees map[string]*parsed, names []string) {
	for changed := true; changed; {
		changed = false
		for _, name := range names {
			if r.unit[name] {
				if unit, _ := r.shapeOf(trees[name], trees); !unit {
					r.unit[name], changed = false, true
				}
			}
		}
	}
}

// kindsOfUnits returns by unit which nodes it may be.
func (r *rules) kindsOfUnits(trees map[string]*parsed, names []string) map[string]map[string]bool {
	sets := map[string]map[string]bool{}
	for _, name := range names {
		if r.unit[name] {
			sets[name] = map[string]bool{}
		}
	}
	for changed := true; changed; {
		changed = false
		for name, set := range sets {
			before := len(set)
			r.kinds(trees[name], sets, func(key, _ string) { set[key] = true })
			changed = changed || len(set) > before
		}
	}
	return sets
}

// kinds calls found for each kind of node an expression may be, with the name
// of the rule that it is an alternative of, or its own.
func (r *rules) kinds(p *parsed, sets map[string]map[string]bool, found func(key, of string)) {
	switch {
	case p.alias != "" && len(p.subs) == 0:
		found(p.alias, p.alias)
	case p.what == '"':
		found(`"`+p.text, `"`+p.text)
	case p.what == 'a' && !r.hidden[p.text]:
		found(p.text, p.text)
	case p.what == 'a':
		for _, key := range slices.Sorted(maps.Keys(sets[p.text])) {
			found(key, p.text)
		}
	default:
		for _, sub := range p.subs {
			r.kinds(sub, sets, found)
		}
	}
}

// findTops finds for each unit the sort of what stands where it is wanted: the
// widest unit that has it as an alternative, the narrowest of several such. One
// that the grammar declares as a supertype is only compared with others of them:
// Python's right hand side of an assignment is an expression, above all.
func (r *rules) findTops(trees map[string]*parsed, names []string, sets map[string]map[string]bool) {
	within := map[string][]string{}
	for _, name := range names {
		if r.unit[name] {
			for _, sub := range alternatives(trees[name]) {
				if sub.what == 'a' && sub.alias == "" && r.unit[sub.text] && sub.text != name {
					within[sub.text] = append(within[sub.text], name)
					r.under[name] = append(r.under[name], sub.text)
				}
			}
		}
	}
	for _, name := range names {
		if !r.unit[name] {
			continue
		}
		seen, top := map[string]bool{}, name
		var climb func(string) bool
		climb = func(s string) (climbed bool) {
			if seen[s] {
				return true
			}
			seen[s] = true
			for _, wider := range within[s] {
				if r.super[wider] || !r.super[name] {
					climbed = true
					if !climb(wider) && (top == name || len(sets[wider]) < len(sets[top])) {
						top = wider
					}
				}
			}
			return climbed
		}
		climb(name)
		r.top[name] = top
	}
}

// sortOf returns the sort of a node of a kind where a rule is wanted.
func (r *rules) sortOf(name, key string, sets map[string]map[string]bool) string {
	if !r.unit[name] {
		return name
	}
	best := ""
	seen := map[string]bool{}
	var descend func(string)
	descend = func(s string) {
		if seen[s] || !sets[s][key] {
			return
		}
		seen[s] = true
		if r.super[s] && (best == "" || len(sets[s]) > len(sets[best])) {
			best = s
		}
		for _, under := range r.under[s] {
			descend(under)
		}
	}
	descend(name)
	if best == "" {
		best = name
	}
	return r.top[best]
}

// sortOfCall returns the sort of what is all of a rule that is not always one
// node: that of the only supertype among its alternatives, as "statement" among
// what may stand in a block.
func (r *rules) sortOfCall(name string, trees map[string]*parsed) string {
	sort, found := name, 0
	for _, sub := range alternatives(trees[name]) {
		if sub.what == 'a' && sub.alias == "" && r.super[sub.text] {
			sort, found = sub.text, found+1
		}
	}
	switch {
	case found != 1:
		return name
	case r.unit[sort]:
		return r.top[sort]
	}
	return sort
}

func alternatives(p *parsed) []*parsed {
	if p.what == '|' {
		return p.subs
	}
	return []*parsed{p}
}

// A builder makes expressions of what the table says.
type builder struct {
	rules   *rules
	trees   map[string]*parsed
	sets    map[string]map[string]bool
	aliases []struct{ name, rule string }
}

func (b *builder) build(p *parsed) *expression {
	if p.found != nil {
		return p.found
	}
	e := &expression{}
	p.found = e
	if p.alias != "" && p.what == 'a' {
		b.aliases = append(b.aliases, struct{ name, rule string }{p.alias, p.text})
	}
	unit, none := b.rules.shapeOf(p, b.trees)
	if !unit && p.what != 'a' || p.what == '|' {
		for _, sub := range p.subs {
			e.subs = append(e.subs, b.build(sub))
		}
	}
	switch {
	case none:
		e.op = absent
	case unit && p.what != ' ':
		e.op, e.sorts = one, map[string]string{}
		b.rules.kinds(p, b.sets, func(key, of string) {
			if _, ok := e.sorts[key]; !ok {
				e.sorts[key] = b.rules.sortOf(of, key, b.sets)
			}
		})
	case p.what == 'a':
		e.op, e.name, e.sort = call, p.text, b.rules.sortOfCall(p.text, b.trees)
	case p.what == '|':
		e.op = choice
	case p.what == '?':
		e.op = optional
	case p.what == '*', p.what == '+':
		e.op, e.plus = repeat, p.what == '+'
	case p.what == 'L':
		e.op, e.trailing = list, p.trail
	default:
		e.op = sequence
		if len(e.subs) == 0 {
			for _, sub := range p.subs {
				e.subs = append(e.subs, b.build(sub))
			}
		}
	}
	return e
}

// shorten finds the shortest text of every expression, by Knuth's generalisation
// of Dijkstra's algorithm (1977) done as a fixpoint: a text is only ever
// replaced by a better one.
func (r *rules) shorten(trees map[string]*parsed, names []string) {
	best := map[string]string{} // of rules; not there = none so far
	var of func(p *parsed) (string, bool)
	of = func(p *parsed) (string, bool) {
		switch p.what {
		case '"', '~':
			return p.text, true
		case '!':
			return "", false
		case 'a':
			text, ok := best[p.text]
			return text, ok
		case ' ':
			text := ""
			for _, sub := range p.subs {
				next, ok := of(sub)
				if !ok {
					return "", false
				}
				text = Join(text, next)
			}
			return text, true
		case '|':
			text, any := "", false
			for _, sub := range p.subs {
				if next, ok := of(sub); ok && (!any || shorter(next, text)) {
					text, any = next, true
				}
			}
			return text, any
		case '?', '*':
			return "", true
		}
		return of(p.subs[0])
	}
	for changed := true; changed; {
		changed = false
		for _, name := range names {
			if text, ok := of(trees[name]); ok {
				if old, had := best[name]; !had || shorter(text, old) {
					best[name], changed = text, true
				}
			}
		}
	}
	var fill func(p *parsed)
	fill = func(p *parsed) {
		if e := p.found; e != nil {
			text, ok := of(p)
			e.least, e.never = text, !ok
		}
		for _, sub := range p.subs {
			fill(sub)
		}
	}
	for _, name := range names {
		fill(trees[name])
	}
}

// Join puts two texts beside each other, with a blank where they would be read
// as one token else.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	if Runs(a[len(a)-1], b[0]) {
		return a + " " + b
	}
	return a + b
}

// Runs reports whether two bytes beside each other may belong to one token.
func Runs(a, b byte) bool {
	if wordByte(a) && wordByte(b) {
		return true
	}
	return a == b && (a == '+' || a == '-' || a == '&' || a == '|' || a == '<' || a == '>' || a == '=' || a == '*' || a == '/' || a == ':')
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
