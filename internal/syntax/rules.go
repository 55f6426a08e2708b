package syntax

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// op says what an expression is.
type op uint8

const (
	absent   op = iota // has no node: nothing, a hidden token
	one                // exactly one node, of one of the kinds in its set
	call               // a hidden rule that is not always one node
	sequence           // subs in order
	choice             // one of subs
	optional           // subs[0] or nothing
	repeat             // subs[0] any number of times, at least once if plus
	list               // subs[0] at least once, with subs[1] between, and subs[1] after the last if trailing
)

// An expression is a piece of a rule.
type expression struct {
	op       op
	name     string            // call: of the rule; "" = it is none
	sort     string            // call: of a node that is all of it
	sorts    map[string]string // one: by the key of a node, its sort
	subs     []*expression
	plus     bool
	trailing bool

	least string // the shortest text it allows
	never bool   // there is none that can be made up
}

// rules are what a language's grammar allows.
type rules struct {
	rules  map[string]*expression   // by name
	bodies map[string][]*expression // by key: what may stand within a node
	hidden map[string]bool
	unit   map[string]bool     // hidden rules that are always one node
	super  map[string]bool     // declared as supertypes
	top    map[string]string   // by unit, its sort
	under  map[string][]string // by unit, its alternatives that are units

	programs map[string]*program
	mu       sync.Mutex
}

var loaded [Languages]struct {
	once  sync.Once
	rules *rules
}

// rulesOf returns the rules of a language, nil if there is no table of it.
func rulesOf(l Language) *rules {
	if l >= Languages || tableNames[l] == "" {
		return nil
	}
	entry := &loaded[l]
	entry.once.Do(func() {
		content, err := tables.ReadFile("tables/" + tableNames[l])
		if err == nil {
			entry.rules, err = readRules(string(content))
		}
		if err != nil {
			panic(fmt.Sprintf("the table %s: %v", tableNames[l], err)) // it is built in, and tested
		}
	})
	return entry.rules
}

// Key names the kind of a node: text that stands for itself is another kind
// than a rule of that name.
func (n *Node) Key() string {
	if n.Named {
		return n.Kind
	}
	return `"` + n.Kind
}

func readRules(text string) (*rules, error) {
	r := &rules{rules: map[string]*expression{}, bodies: map[string][]*expression{}, hidden: map[string]bool{}, unit: map[string]bool{}, super: map[string]bool{}, top: map[string]string{}, under: map[string][]string{}, programs: map[string]*program{}}
	var trees []*parsed
	var names []string
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "%"); ok {
			for _, name := range strings.Fields(rest) {
				r.hidden[name], r.super[name] = true, true
			}
			continue
		}
		name, rest, ok := strings.Cut(line, " = ")
		if !ok {
			return nil, fmt.Errorf("line %d has no rule", i+1)
		}
		p := tableReader{text: rest}
		tree, err := p.choice()
		if err == nil && p.at < len(p.text) {
			err = fmt.Errorf("what is %q", p.text[p.at:])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %v", i+1, err)
		}
		if name[0] == '_' {
			r.hidden[name] = true
		}
		names, trees = append(names, name), append(trees, tree)
	}
	for _, name := range names {
		r.rules[name] = &expression{op: call, name: name}
		r.unit[name] = r.hidden[name]
	}
	byName := map[string]*parsed{}
	for i, name := range names {
		byName[name] = trees[i]
	}
	for _, name := range names {
		byName[name] = lists(byName[name], byName)
	}
	r.findUnits(byName, names)
	sets := r.kindsOfUnits(byName, names)
	r.findTops(byName, names, sets)
	b := builder{rules: r, trees: byName, sets: sets}
	for _, name := range names {
		r.rules[name] = b.build(byName[name])
		if !r.hidden[name] {
			r.bodies[name] = append(r.bodies[name], r.rules[name])
		}
	}
	for _, a := range b.aliases {
		if body := r.rules[a.rule]; !slices.Contains(r.bodies[a.name], body) {
			r.bodies[a.name] = append(r.bodies[a.name], body)
		}
	}
	r.shorten(byName, names)
	return r, nil
}

// lists finds lists that are written out: x (, x)* and (x ,)* x and x x*.
func lists(p *parsed, trees map[string]*parsed) *parsed {
	for i := range p.subs {
		p.subs[i] = lists(p.subs[i], trees)
	}
	if p.what != ' ' {
		return p
	}
	flat := &parsed{what: ' ', alias: p.alias}
	for _, sub := range p.subs {
		if sub.what == ' ' {
			flat.subs = append(flat.subs, sub.subs...)
		} else {
			flat.subs = append(flat.subs, sub)
		}
	}
	for i := 0; i < len(flat.subs); i++ {
		if l, from, to := listAt(flat.subs, i, trees); l != nil {
			flat.subs = slices.Replace(flat.subs, from, to, l)
			i = from
		}
	}
	if len(flat.subs) == 1 {
		return flat.subs[0]
	}
	return flat
}

// listAt returns the list whose repetition is subs[i], and what it stands for.
func listAt(subs []*parsed, i int, trees map[string]*parsed) (l *parsed, from, to int) {
	if subs[i].what != '*' && subs[i].what != '+' {
		return nil, 0, 0
	}
	body := parts(subs[i].subs[0])
	for cut := 0; cut < len(body); cut++ { // separator is body[:cut]
		n := len(body) - cut
		if n > i || !same(body[cut:], subs[i-n:i]) {
			continue
		}
		if cut == 0 {
			return &parsed{what: '+', subs: []*parsed{whole(body)}}, i - n, i + 1
		}
		l = &parsed{what: 'L', subs: []*parsed{whole(body[cut:]), whole(body[:cut])}}
		to = i + 1
		if to < len(subs) && subs[to].what == '?' && subs[to].subs[0].String() == l.subs[1].String() {
			l.trail = true
			to++
		}
		return l, i - n, to
	}
	for cut := 1; cut < len(body) && subs[i].what == '*'; cut++ { // item is body[:cut]
		item := body[:cut]
		if !slices.ContainsFunc(item, func(p *parsed) bool { return visible(p, trees, 0) }) {
			continue
		}
		l = &parsed{what: 'L', subs: []*parsed{whole(item), whole(body[cut:])}}
		if rest := subs[i+1:]; len(rest) > 0 && rest[0].what == '?' && same(parts(rest[0].subs[0]), item) {
			l.trail = true
			return &parsed{what: '?', subs: []*parsed{l}}, i, i + 2
		}
		if rest := subs[i+1:]; len(rest) >= cut && same(rest[:cut], item) {
			return l, i, i + 1 + cut
		}
	}
	return nil, 0, 0
}

// visible reports whether an expression may have a node.
func visible(p *parsed, trees map[string]*parsed, depth int) bool {
	switch {
	case p.alias != "" || p.what == '"':
		return true
	case p.what == 'a' && p.text[0] == '_':
		return depth > 8 || trees[p.text] != nil && visible(trees[p.text], trees, depth+1)
	case p.what == 'a':
		return true
	}
	return slices.ContainsFunc(p.subs, func(sub *parsed) bool { return visible(sub, trees, depth) })
}

func parts(p *parsed) []*parsed {
	if p.what == ' ' {
		return p.subs
	}
	return []*parsed{p}
}

func whole(list []*parsed) *parsed {
	if len(list) == 1 {
		return list[0]
	}
	return &parsed{what: ' ', subs: list}
}

func same(a, b []*parsed) bool {
	return slices.EqualFunc(a, b, func(x, y *parsed) bool { return x.String() == y.String() })
}
