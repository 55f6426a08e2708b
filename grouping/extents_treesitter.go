//go:build cgo

package grouping

import (
	"strings"

	ts "github.com/tree-sitter/go-tree-sitter"
)

// extents finds by the grammar of l the comments of content and the nodes in
// which white space counts. ok is false without a grammar, or when content does
// not read as one at all.
func (p *parsers) extents(l language, content []byte) (list []extent, ok bool) {
	ok = p.leaves(l, content, func(from, to int, kind extentKind) {
		if kind != code {
			list = append(list, extent{from, to, kind == aside})
		}
	})
	return disjoint(list), ok
}

// leaves tells of each node of content that is not empty and is a comment, or white space in
// it counts, or it has no children; but of none within another one. It reports whether there is
// a grammar, and content reads as one.
func (p *parsers) leaves(l language, content []byte, of func(from, to int, kind extentKind)) bool {
	tree := p.parse(l, content)
	if tree == nil {
		return false
	}
	defer tree.Close()
	root := tree.RootNode()
	if root.IsError() {
		return false
	}
	kinds := make([]extentKind, grammarOf(l).language.NodeKindCount())
	cursor := root.Walk()
	defer cursor.Close()
	for {
		// Invariant: of was told of all that the cursor has left behind.
		node := cursor.Node()
		kind := code
		if id := int(node.KindId()); id < len(kinds) {
			if kinds[id] == unknown {
				kinds[id] = extentKindOf(node)
			}
			kind = kinds[id]
		}
		from, to := int(node.StartByte()), int(node.EndByte())
		if (kind == code || to == from) && cursor.GotoFirstChild() {
			continue
		}
		if to > from {
			of(from, to, kind)
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return true
			}
		}
	}
}

type extentKind uint8

const (
	unknown extentKind = iota
	code
	aside  // a comment
	strict // white space in it counts, and what looks like a comment
)

// extentKindOf goes by the names that grammars give to their nodes.
func extentKindOf(n *ts.Node) extentKind {
	name := strings.ToLower(n.Kind())
	if n.IsNamed() && strings.Contains(name, "comment") {
		return aside
	}
	for _, part := range []string{"string", "char", "heredoc", "regex", "scalar", "raw", "text", "interpolat", "cdata", "preproc_arg", "attribute_value", "attvalue"} {
		if strings.Contains(name, part) {
			return strict
		}
	}
	return code
}

// disjoint leaves out what lies in the extent before it: some grammars let a
// comment begin in the token before it. A comment does not end with its line.
func disjoint(list []extent) []extent {
	kept := list[:0]
	end := 0
	for _, e := range list {
		if e.from < end {
			continue
		}
		kept = append(kept, e)
		end = e.to
	}
	return kept
}
