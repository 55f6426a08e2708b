//go:build cgo

package syntax

import (
	"errors"
	"math"

	ts "github.com/tree-sitter/go-tree-sitter"
)

// A Parser parses with tree-sitter. The zero value is ready; one goroutine may
// use it at a time, and Close frees what C holds.
type Parser struct {
	parser *ts.Parser
}

// Close frees the parser. It may be used again.
func (p *Parser) Close() {
	if p.parser != nil {
		p.parser.Close()
		p.parser = nil
	}
}

// Tree returns the tree of content as C holds it, to be closed, or nil without
// a grammar of l.
func (p *Parser) Tree(l Language, content []byte) *ts.Tree {
	g := Grammar(l)
	if g == nil {
		return nil
	}
	if p.parser == nil {
		p.parser = ts.NewParser()
	}
	if p.parser.SetLanguage(g) != nil {
		return nil
	}
	p.parser.Reset()
	return p.parser.Parse(content, nil)
}

// Parse copies the tree of content. Its cost is linear: about a quarter of a
// second for a megabyte of C, as much again for the copy.
func Parse(l Language, content []byte) (*Tree, error) {
	if !Parses(l) {
		return nil, errors.New("no grammar of this language is built in")
	}
	if len(content) > math.MaxInt32 {
		return nil, errors.New("more than 2 GB are not parsed")
	}
	var p Parser
	defer p.Close()
	tree := p.Tree(l, content)
	if tree == nil {
		return nil, errors.New("tree-sitter does not parse it")
	}
	defer tree.Close()
	return flatten(l, tree), nil
}

func flatten(l Language, tree *ts.Tree) *Tree {
	t := &Tree{Language: l}
	g := Grammar(l)
	named := make([]bool, g.NodeKindCount())
	kinds := make([]string, len(named))
	for id := range named {
		named[id], kinds[id] = g.NodeKindIsNamed(uint16(id)), g.NodeKindForId(uint16(id))
	}
	cursor := tree.Walk()
	defer cursor.Close()
	parent := int32(-1)
	for {
		// Invariant: all nodes before the cursor's are in t, parent is its parent.
		n := cursor.Node()
		node := Node{Parent: parent, From: int32(n.StartByte()), To: int32(n.EndByte())}
		if id := int(n.KindId()); id < len(kinds) {
			node.Kind, node.Named = kinds[id], named[id]
		} else {
			node.Kind, node.Named, node.Error = "ERROR", true, true
		}
		node.Extra = n.IsExtra()
		node.Missing = node.From == node.To && n.IsMissing()
		at := int32(len(t.Nodes))
		t.Nodes = append(t.Nodes, node)
		if cursor.GotoFirstChild() {
			parent = at
			continue
		}
		t.Nodes[at].End = at + 1
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return t
			}
			t.Nodes[parent].End = int32(len(t.Nodes))
			parent = t.Nodes[parent].Parent
		}
	}
}
