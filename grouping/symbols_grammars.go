//go:build cgo

package grouping

import (
	"slices"
	"sync"

	ts "github.com/tree-sitter/go-tree-sitter"

	parse "github.com/gitdd/gitdd/internal/syntax"
)

// A trait says how a kind of node is read.
type trait uint16

const (
	function    trait = 1 << iota // variables inside are local
	container                     // what is declared inside are members
	variable                      // declares nothing outside its function
	field                         // declares members wherever it stands
	member                        // declares members in a function
	plain                         // declares no members even in a container
	transparent                   // what is inside counts as being outside
	wrapper                       // belongs to the declaration inside
	comment                       // belongs to the declaration after it
	data                          // declares a symbol, but no name that code uses
)

// A rule reads one kind of node; names returns the nodes that name what it
// declares, and may return none. The zero rule declares nothing.
type rule struct {
	what  trait
	names func(*ts.Node) []*ts.Node
}

func (r rule) is(t trait) bool { return r.what&t != 0 }

// A grammar is the rules for the kinds of nodes of a language.
type grammar struct {
	kinds    map[string]rule
	once     sync.Once
	language *ts.Language
	rules    []rule // by kind id
}

func (g *grammar) rule(kind uint16) rule {
	if int(kind) < len(g.rules) {
		return g.rules[kind]
	}
	return rule{} // ERROR is 65535
}

// grammarOf returns the grammar of l, loaded, or nil.
func grammarOf(l language) *grammar {
	g := grammars[l]
	if g == nil {
		return nil
	}
	g.once.Do(func() {
		g.language = parse.Grammar(l)
		g.rules = make([]rule, g.language.NodeKindCount())
		for id := range g.rules {
			if g.language.NodeKindIsNamed(uint16(id)) { // "class" is a keyword too
				g.rules[id] = g.kinds[g.language.NodeKindForId(uint16(id))]
			}
		}
	})
	return g
}

// by names a declaration after one of its fields.
func by(field string) func(*ts.Node) []*ts.Node {
	return func(n *ts.Node) []*ts.Node {
		if name := n.ChildByFieldName(field); name != nil {
			return []*ts.Node{name}
		}
		return nil
	}
}

// first names a declaration after its first named child, of the given kinds
// if any are given.
func first(kinds ...string) func(*ts.Node) []*ts.Node {
	return func(n *ts.Node) []*ts.Node {
		for i := range n.NamedChildCount() {
			if c := n.NamedChild(i); c != nil && (len(kinds) == 0 || slices.Contains(kinds, c.Kind())) {
				return []*ts.Node{c}
			}
		}
		return nil
	}
}

// every collects the names of all children of one kind.
func every(kind string, names func(*ts.Node) []*ts.Node) func(*ts.Node) []*ts.Node {
	return func(n *ts.Node) (list []*ts.Node) {
		for i := range min(n.NamedChildCount(), maxNames) {
			if c := n.NamedChild(i); c != nil && c.Kind() == kind {
				list = append(list, names(c)...)
			}
		}
		return list
	}
}

// maxNames bounds the names that one declaration may declare; reading child i
// takes i steps.
const maxNames = 64

// withBody names a type where it is declared, not where it is mentioned.
func withBody(n *ts.Node) []*ts.Node {
	if n.ChildByFieldName("body") == nil {
		return nil
	}
	return by("name")(n)
}

// declarators unwraps C declarators: the names of "int *a, f(void), b[2] = {}".
func declarators(n *ts.Node) (list []*ts.Node) {
	for i := range uint(min(n.ChildCount(), maxNames)) {
		if n.FieldNameForChild(uint32(i)) == "declarator" {
			if name := declarator(n.Child(i)); name != nil {
				list = append(list, name)
			}
		}
	}
	return list
}

func declarator(n *ts.Node) *ts.Node {
	for range maxDepth {
		if n == nil {
			return nil
		}
		switch n.Kind() {
		case "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name":
			return n
		}
		inner := n.ChildByFieldName("declarator")
		if inner == nil && n.NamedChildCount() > 0 { // parenthesized, reference
			inner = n.NamedChild(0)
		}
		n = inner
	}
	return nil
}

// assigned names the target of a statement that is an assignment of a kind.
func assigned(kind string, targets []string, values []string) func(*ts.Node) []*ts.Node {
	return func(n *ts.Node) []*ts.Node {
		if n.Kind() != kind {
			if n = n.NamedChild(0); n == nil || n.Kind() != kind {
				return nil
			}
		}
		left, right := n.ChildByFieldName("left"), n.ChildByFieldName("right")
		if left == nil || !slices.Contains(targets, left.Kind()) || values != nil && (right == nil || !slices.Contains(values, right.Kind())) {
			return nil
		}
		return []*ts.Node{left}
	}
}

// plainNames keeps names and drops patterns.
func plainNames(names func(*ts.Node) []*ts.Node) func(*ts.Node) []*ts.Node {
	return func(n *ts.Node) (list []*ts.Node) {
		for _, name := range names(n) {
			if slices.Contains([]string{"identifier", "property_identifier", "private_property_identifier"}, name.Kind()) {
				list = append(list, name)
			}
		}
		return list
	}
}

// tag names an element of HTML or XML: by its id or name if it has one, else
// by its tag if all elements count.
func tag(start, attribute, value string, all bool) func(*ts.Node) []*ts.Node {
	return func(n *ts.Node) []*ts.Node {
		head := n.NamedChild(0)
		if head == nil || !slices.Contains([]string{start, "self_closing_tag", "EmptyElemTag"}, head.Kind()) {
			return nil
		}
		if all {
			return first("Name")(head)
		}
		for i := range min(head.NamedChildCount(), maxNames) {
			a := head.NamedChild(i)
			if a == nil || a.Kind() != attribute || a.NamedChildCount() < 2 {
				continue
			}
			name, v := a.NamedChild(0), a.NamedChild(1)
			if name.EndByte()-name.StartByte() == 2 && v.Kind() == value { // id, the only one of two letters
				return []*ts.Node{v}
			}
		}
		return nil
	}
}

var named = by("name")

// grammars holds a table of node kinds per language. The grammars ship
// queries for tags, but not in their Go bindings, not for all languages, and
// with functions and types only.
var grammars = [languages]*grammar{
	cLanguage:  {kinds: cKinds},
	cpp:        {kinds: cppKinds},
	python:     {kinds: pythonKinds},
	javascript: {kinds: scriptKinds},
	typescript: {kinds: scriptKinds},
	tsx:        {kinds: scriptKinds},
	java:       {kinds: javaKinds},
	rust:       {kinds: rustKinds},
	ruby:       {kinds: rubyKinds},
	php:        {kinds: phpKinds},
	csharp:     {kinds: csharpKinds},
	bash:       {kinds: bashKinds},
	css:        {kinds: cssKinds},
	html:       {kinds: htmlKinds},
	jsonText:   {kinds: jsonKinds},
	yaml:       {kinds: yamlKinds},
	toml:       {kinds: tomlKinds},
	xml:        {kinds: xmlKinds},
}
