package reduce

import (
	"bytes"
	"errors"
	"fmt"
)

// A Node is a piece of a text. Its children lie within it, in order, and do not
// overlap. Between the children there is white space, or text that stays as long as
// the node stays.
type Node struct {
	Kind     string // what the grammar calls it, "" = nothing in particular; see commentKind
	Sort     string // a node may be replaced by another of its sort; "" = by none
	From, To int    // bytes of the source
	Children []*Node

	Least     []byte // the shortest text that may replace the node when it is removed, usually the empty text
	Fixed     bool   // it belongs to the form of its parent, and is not removed alone
	Separator bool   // it stands between two elements: it is removed when no element is left before it, or none between it and the next separator
	Plus      bool   // at least one of its children that are neither fixed nor separators has to stay
	Joint     bool   // it is an element that is not removed alone, but with the others of a set of Tree.Together, or with its parent

	Or     [][]byte                 // other short texts that may replace the node
	Repair func(text []byte) []byte // repairs the text of the node after edits within it, such as the counts of a hunk; nil = nothing to repair
}

// commentKind is the kind of nodes that may stand anywhere and say nothing. They
// are no elements of the lists they stand in.
const commentKind = "comment"

// A Tree is a text and its structure.
type Tree struct {
	Source []byte
	Root   *Node // the whole text

	Together [][]*Node // sets of nodes that go at once or not at all, such as the cells of a column
}

// An Edit puts something else in the place of a node: Text, or if By is not nil
// what becomes of that other node.
type Edit struct {
	Text []byte
	By   *Node
}

// Edits are made together. If a node is replaced, edits inside of the node have no effect,
// except those inside of the replacement By.
type Edits map[*Node]Edit

// Removal is the edit that takes a node out.
func Removal(n *Node) Edit { return Edit{Text: n.Least} }

// Render returns the text with edits, and whether it is well-formed as far as
// Plus tells. Its cost is linear in the source and the nodes.
func (t *Tree) Render(edits Edits) (text []byte, formed bool) {
	r := renderer{source: t.Source, edits: edits, formed: true}
	r.node(t.Root)
	return r.out, r.formed
}

// check says how a tree breaks its rules, of one that a format of the caller's made
// of source.
func (t *Tree) check(source []byte) error {
	if t == nil || t.Root == nil || t.Root.From != 0 || t.Root.To != len(source) || !bytes.Equal(t.Source, source) {
		return errors.New("its tree is not one of the whole text")
	}
	at := map[*Node]bool{}
	list := []*Node{t.Root}
	for i := 0; i < len(list); i++ {
		n := list[i]
		if at[n] {
			return fmt.Errorf("its tree holds the node of bytes %d to %d twice", n.From, n.To)
		}
		at[n] = true
		from := n.From
		for _, c := range n.Children {
			if c == nil {
				return fmt.Errorf("a child of the node of bytes %d to %d is nil", n.From, n.To)
			}
			if c.From < from || c.To < c.From || c.To > n.To {
				return fmt.Errorf("the node of bytes %d to %d does not lie within that of %d to %d, behind its sister", c.From, c.To, n.From, n.To)
			}
			from = c.To
		}
		list = append(list, n.Children...)
	}
	for _, set := range t.Together {
		for _, n := range set {
			if !at[n] {
				return errors.New("a node that goes together with others is not in the tree")
			}
		}
	}
	return nil
}

// textOf returns what becomes of one node with edits.
func (t *Tree) textOf(n *Node, edits Edits) []byte {
	r := renderer{source: t.Source, edits: edits}
	r.node(n)
	return r.out
}

type renderer struct {
	source []byte
	edits  Edits
	out    []byte
	formed bool
}

// gone reports whether nothing is left of a node.
func (r *renderer) gone(n *Node) bool {
	e, ok := r.edits[n]
	return ok && e.By == nil && len(e.Text) == 0
}

func (r *renderer) node(n *Node) {
	if e, ok := r.edits[n]; ok {
		if e.By != nil {
			r.node(e.By)
		} else {
			r.out = append(r.out, e.Text...)
		}
		return
	}
	if len(n.Children) == 0 {
		r.out = append(r.out, r.source[n.From:n.To]...)
		return
	}
	if n.Repair != nil && len(r.edits) > 0 {
		begin := len(r.out)
		defer func() { r.out = append(r.out[:begin], n.Repair(bytes.Clone(r.out[begin:]))...) }()
	}
	gone := r.left(n)
	at := n.From
	var gap []byte    // what stands before the next child that is left
	first := true     // no child is left so far
	var behind []byte // white space behind the last child that is left, if children are gone since
	for i, c := range n.Children {
		between := r.source[at:c.From]
		at = c.To
		switch {
		case len(bytes.TrimSpace(between)) > 0 || i == 0:
			gap = append(gap, between...)
		case len(bytes.TrimSpace(gap)) > 0: // text stays, with the white space behind it
		case bytes.IndexByte(gap, '\n') < 0 || bytes.IndexByte(between, '\n') >= 0:
			gap = append(gap[:0:0], between...)
		}
		if gone[i] {
			if behind == nil {
				behind = append([]byte{}, gap...)
			}
			if first && len(bytes.TrimSpace(gap)) == 0 && i > 0 {
				gap = gap[:0]
			}
			continue
		}
		if c.Separator && !first && behind != nil && len(bytes.TrimSpace(gap)) == 0 {
			gap = behind // a sign stays on the line of the operand before it
		}
		behind = nil
		if first && i > 0 && n.Children[0].From == n.From {
			gap = bytes.TrimLeft(gap, " \t\r\n") // what the node begins with now
		}
		if !first || i == 0 || len(bytes.TrimSpace(gap)) > 0 || len(n.Children[0].Least) > 0 {
			r.out = append(r.out, gap...)
		}
		gap, first = nil, false
		r.node(c)
	}
	rest := r.source[at:n.To]
	switch blank := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]; {
	case len(bytes.TrimSpace(gap)) > 0:
		r.out = append(r.out, gap...)
	case bytes.IndexByte(blank, '\n') >= 0:
	case bytes.IndexByte(gap, '\n') >= 0 && len(rest) > len(blank):
		r.out, rest = append(r.out, gap...), rest[len(blank):] // a comment may end there
	case !first && behind != nil && r.source[at-1] == '\n' && len(r.out) > 0 && r.out[len(r.out)-1] != '\n':
		if last := n.Children[len(n.Children)-1]; len(bytes.TrimSpace(r.source[last.From:at])) > 0 {
			r.out = append(r.out, '\n') // as did the last that is gone
		}
	}
	r.out = append(r.out, rest...)
}

// left returns which children of a node are gone, the separators among them that
// have nothing to separate: between two separators stands an element or, as in
// "[a,,b]", nothing; one that is taken out takes the separator before it along,
// or if none is left there the one behind it. Comments are no elements.
func (r *renderer) left(n *Node) []bool {
	gone := make([]bool, len(n.Children))
	any := false
	had, kept := false, false // elements since the last separator, and what is left of them
	last := -1                // the last separator that is left
	for i, c := range n.Children {
		switch gone[i] = r.gone(c); {
		case c.Separator:
			switch {
			case gone[i]:
			case had && !kept && last < 0:
				gone[i] = true
			default:
				if had && !kept {
					gone[last] = true
				}
				last = i
			}
			had, kept = false, false
		case c.Fixed || c.Kind == commentKind:
		default:
			had, kept, any = true, kept || !gone[i], any || !gone[i]
		}
	}
	if had && !kept && last >= 0 {
		gone[last] = true
	}
	if n.Plus && !any {
		r.formed = false
	}
	return gone
}
