//go:build cgo

package grouping

import (
	"bytes"
	"strings"

	ts "github.com/tree-sitter/go-tree-sitter"

	"github.com/gitdd/gitdd/internal/lexical"
	parse "github.com/gitdd/gitdd/internal/syntax"
)

// Parser says how this build reads source code.
const Parser = "go/parser and tree-sitter"

// Grammars says whether this build has the parsers of all languages.
const Grammars = true

// parsers reads declarations with tree-sitter. One goroutine may use it at a
// time; close frees what C holds.
type parsers struct {
	parser parse.Parser
}

func newParsers() *parsers { return &parsers{} }

func (p *parsers) close() { p.parser.Close() }

// maxDepth bounds how deep declarations are looked for: deeper nesting is
// data, or an attack.
const maxDepth = 200

// declarations lists what the grammar of l finds in content, in document
// order. ok is false when there is no grammar, or content does not read as one
// at all (its root is an ERROR). A damaged part costs only the declarations
// in it. Nothing of the C tree outlives the call.
func (p *parsers) declarations(l language, content []byte) (list []declaration, ok bool) {
	if len(content) == 0 {
		return nil, false
	}
	tree := p.parse(l, content)
	if tree == nil {
		return nil, false
	}
	defer tree.Close()
	return declarationsOf(tree, l, content)
}

func declarationsOf(tree *ts.Tree, l language, content []byte) (list []declaration, ok bool) {
	root := tree.RootNode()
	if root.IsError() {
		return nil, false
	}
	cursor := root.Walk()
	defer cursor.Close()
	r := treeReader{grammar: grammarOf(l), content: content, cursor: cursor, separate: syntaxOf(l).separate}
	if syntaxOf(l).family == "c" {
		r.rules = syntaxOf(l).Rules
	}
	r.children(nodeContext{unit: true})
	return r.list, true
}

// reads reports whether there is a grammar of l.
func (p *parsers) reads(l language) bool { return grammars[l] != nil }

// clean reports whether the grammar of l finds no error in content and nothing
// missing from it.
func (p *parsers) clean(l language, content []byte) bool {
	tree := p.parse(l, content)
	if tree == nil {
		return false
	}
	defer tree.Close()
	return !tree.RootNode().HasError()
}

// faults returns the lines of the errors in content, and of what is missing from it, the first maxFaults of them.
func (p *parsers) faults(l language, content []byte) (lines []int) {
	tree := p.parse(l, content)
	if tree == nil {
		return nil
	}
	defer tree.Close()
	cursor := tree.RootNode().Walk()
	defer cursor.Close()
	for depth := 0; ; {
		// Invariant: lines has the errors before the node of the cursor.
		node := cursor.Node()
		if node.IsError() || node.IsMissing() {
			lines = append(lines, int(node.StartPosition().Row)+1)
		}
		if len(lines) < maxFaults && depth < maxDepth && node.HasError() && cursor.GotoFirstChild() {
			depth++
			continue
		}
		for !cursor.GotoNextSibling() {
			if depth--; depth < 0 || !cursor.GotoParent() {
				return lines
			}
		}
	}
}

// parse returns the tree of content, to be closed, or nil without a grammar.
func (p *parsers) parse(l language, content []byte) *ts.Tree {
	if !p.reads(l) {
		return nil
	}
	if l == cLanguage || l == cpp {
		content = withoutMacros(content)
	}
	return p.parser.Tree(l, content)
}

// A treeReader copies the declarations out of a C tree: it visits a node for
// about every line, not every token, since nothing that starts and ends on one
// line holds declarations other than as a direct child of one.
type treeReader struct {
	grammar  *grammar
	content  []byte
	cursor   *ts.TreeCursor
	separate string
	rules    *lexical.Rules // of the language, if its keywords declare nothing
	list     []declaration
}

// A nodeContext is what is known of the nodes around a node.
type nodeContext struct {
	prefix string // symbol of the enclosing declaration, "" at the top
	member bool   // inside a class, struct or the like
	inner  bool   // inside a function: variables are local
	unit   bool   // nothing but namespaces around
	body   bool   // right below a declaration that has members: this may be what holds them
	depth  int
}

// children reads the children of the cursor's node and puts the cursor back.
func (r *treeReader) children(in nodeContext) {
	if in.depth > maxDepth || !r.cursor.GotoFirstChild() {
		return
	}
	// Invariant: comments is the first line of the comments and attributes
	// that end on line commentsEnd, the last line read before this child.
	comments, commentsEnd, lastEnd := 0, 0, 0
	for {
		node := r.cursor.Node()
		rule := r.grammar.rule(node.KindId())
		start, end := rows(node)
		switch {
		case rule.is(comment):
			if comments == 0 || start > commentsEnd+1 {
				comments = start
			}
			if start == lastEnd { // beside the code before it
				comments = 0
			}
			commentsEnd = end
		default:
			if comments == 0 || start > commentsEnd+1 {
				comments = start
			}
			r.node(node, rule, in, comments, start, end)
			if node.IsNamed() {
				comments, lastEnd = 0, end
			}
		}
		if !r.cursor.GotoNextSibling() {
			break
		}
	}
	r.cursor.GotoParent()
}

// rows returns the first and last line of a node; a line feed at its end
// belongs to its last line.
func rows(n *ts.Node) (start, end int) {
	s, e := n.StartPosition(), n.EndPosition()
	start, end = int(s.Row)+1, int(e.Row)+1
	if e.Column == 0 && end > start {
		end--
	}
	return start, end
}

// node reads one node: its own declarations, then what is in it.
func (r *treeReader) node(n *ts.Node, rule rule, in nodeContext, doc, start, end int) {
	into := in
	into.depth++
	if rule.is(wrapper) { // decorated, exported, templated: its child has the name
		before := len(r.list)
		r.children(into)
		if before < len(r.list) {
			r.list[before].doc = min(r.list[before].doc, doc)
			r.list[before].end = max(r.list[before].end, end)
		}
		return
	}
	if rule.what == 0 || rule.is(variable) && in.inner {
		if start != end || rule.is(transparent) || in.body {
			into.body = false
			into.unit = in.unit && (rule.is(transparent) || n.IsError())
			r.children(into)
		}
		return
	}
	var names []*ts.Node
	if rule.names != nil {
		names = rule.names(n)
	}
	for i, name := range names {
		text := compact(r.content[name.StartByte():name.EndByte()])
		if text == "" || r.rules != nil && (r.rules.IsKeyword(text) || text[0] < 0x80 && !isLetter(text[0]) && text[0] != '~' && text[0] != ':') {
			continue // this is what the grammar makes of a macro
		}
		symbol := text
		if in.prefix != "" {
			symbol = in.prefix + r.separate + text
		}
		d := declaration{
			symbol: symbol, member: (in.member || rule.is(field) || rule.is(member) && in.inner) && !rule.is(plain), unit: in.unit && i == 0,
			doc: doc, start: start, end: end, at: int(name.StartPosition().Row) + 1,
		}
		if !rule.is(data) && (!in.inner || rule.is(member)) {
			d.name = lastName(text)
		}
		r.list = append(r.list, d)
		if i == 0 {
			into.prefix = symbol
		}
	}
	into.unit = in.unit && rule.is(transparent)
	into.member = rule.is(container) || in.member && rule.is(transparent)
	into.inner = in.inner || rule.is(function)
	into.body = rule.is(container)
	if start != end || rule.is(container) || rule.is(transparent) {
		r.children(into)
	}
}

// mostOfName is how long a name may be with all arguments of the types in it.
const mostOfName = 48

// compact puts a name on one line, without its parameters' spacing, and in a long one without the arguments of the arguments of
// a template.
func compact(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = bytes.Join(bytes.Fields(text), []byte(" "))
	}
	if len(text) > mostOfName && text[len(text)-1] == '>' {
		var short []byte
		open := 0
		for _, c := range text {
			if c == '>' {
				open--
			}
			if open < 2 {
				short = append(short, c)
			}
			if c == '<' {
				if open++; open == 2 {
					short = append(short, "..."...)
				}
			}
		}
		text = short
	}
	return strings.ToValidUTF8(strings.Trim(string(text), " \t\r\"'`$"), "?")
}
