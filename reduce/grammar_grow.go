package reduce

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/syntax"
)

// A grower makes nodes of a parse tree and the rules of its grammar. What the
// rules let go, or come several times, is an element; what they want is fixed,
// and replaced by the shortest text they allow if that saves anything.
type grower struct {
	tree    *syntax.Tree
	source  []byte
	matcher *syntax.Matcher

	pending []pending
	extras  []int32 // of the node being filled: not placed yet
	plain   []int32 // its other children
}

// pending is a node that has no children yet.
type pending struct {
	node  *Node
	at    int32
	takes map[string]string // see syntax.Part; nil = not known
}

// grow returns the node of the whole text. It keeps a list of what to do rather
// than descend, so that no nesting is too deep.
func (g *grower) grow() *Node {
	root := &Node{Kind: g.tree.Nodes[0].Kind, To: len(g.source), Fixed: true}
	g.pending = append(g.pending, pending{root, 0, nil})
	for len(g.pending) > 0 {
		p := g.pending[len(g.pending)-1]
		g.pending = g.pending[:len(g.pending)-1]
		g.fill(p)
	}
	return root
}

// fill makes the children of a node.
func (g *grower) fill(p pending) {
	n, i := p.node, p.at
	g.sort(i)
	if len(g.plain) > 0 {
		parts, ok := g.matcher.Match(i, g.plain)
		switch {
		case !ok:
			n.Children = g.unmatched()
		case g.isChain(n.Sort, p.takes, inside(parts)):
			g.chain(p, inside(parts))
		default:
			n.Children = g.nodes(parts)
			if i > 0 {
				g.lift(n)
			}
		}
	}
	n.Children = append(n.Children, g.extrasBefore(n.To)...)
}

// lift takes a group that is all of a node into it: what may stand for the group
// may stand for the node.
func (g *grower) lift(n *Node) {
	if len(n.Children) != 1 {
		return
	}
	c := n.Children[0]
	if c.Kind != "" || c.Fixed || c.Plus || c.From != n.From || c.To != n.To || len(bytes.TrimSpace(c.Least)) == 0 {
		return
	}
	if n.Fixed {
		n.Fixed, n.Least = false, c.Least
	} else if !bytes.Equal(n.Least, c.Least) {
		n.Or = append(n.Or, c.Least)
	}
	n.Children = c.Children
}

// sort tells the children of a node that follow its rule from those that may
// stand anywhere: comments, and what could not be read.
func (g *grower) sort(i int32) {
	g.extras, g.plain = g.extras[:0], g.plain[:0]
	nodes := g.tree.Nodes
	for c := i + 1; c < nodes[i].End; c = nodes[c].End {
		if nodes[c].Extra || nodes[c].Error {
			g.extras = append(g.extras, c)
		} else {
			g.plain = append(g.plain, c)
		}
	}
}

// extrasBefore returns the nodes of the extras that begin before an offset.
func (g *grower) extrasBefore(offset int) (list []*Node) {
	for len(g.extras) > 0 && int(g.tree.Nodes[g.extras[0]].From) < offset {
		n := g.node(g.extras[0], nil)
		g.extras = g.extras[1:]
		if n == nil {
			continue
		}
		if n.Kind == "heredoc_body" || n.Kind == "line_continuation" { // belongs to what stands before it
			n.Fixed = true
		} else {
			n.Least = g.apart(n, "")
		}
		list = append(list, n)
	}
	return list
}

// unmatched keeps all children but the extras.
func (g *grower) unmatched() (list []*Node) {
	for _, c := range g.plain {
		list = append(list, g.extrasBefore(int(g.tree.Nodes[c].From))...)
		if n := g.node(c, nil); n != nil && g.tree.Nodes[c].Named {
			n.Fixed = true
			list = append(list, n)
		}
	}
	return list
}

// node makes the node of a child, to be filled later. Nothing but white space
// is none.
func (g *grower) node(c int32, takes map[string]string) *Node {
	t := &g.tree.Nodes[c]
	if len(bytes.TrimSpace(g.source[t.From:t.To])) == 0 {
		return nil
	}
	n := &Node{Kind: t.Kind, From: int(t.From), To: int(t.To)}
	if t.Extra && bytes.Contains([]byte(t.Kind), []byte("omment")) {
		n.Kind = commentKind
	}
	if g.tree.Language == syntax.XML && t.Kind == "element" {
		n.Or = selfClosing(g.source[t.From:t.To])
	}
	if t.End > c+1 {
		g.pending = append(g.pending, pending{n, c, takes})
	}
	return n
}

// nodes makes the nodes of parts, with the extras between them.
func (g *grower) nodes(parts []syntax.Part) (list []*Node) {
	for i := range parts {
		list = append(list, g.extrasBefore(g.from(&parts[i]))...)
		list = append(list, g.part(&parts[i])...)
	}
	return list
}

// from returns where a part begins.
func (g *grower) from(p *syntax.Part) int {
	for p.Child < 0 {
		p = &p.Parts[0]
	}
	return int(g.tree.Nodes[p.Child].From)
}

func (g *grower) to(p *syntax.Part) int {
	for p.Child < 0 {
		p = &p.Parts[len(p.Parts)-1]
	}
	return int(g.tree.Nodes[p.Child].To)
}

func (g *grower) part(p *syntax.Part) []*Node {
	switch {
	case p.Child >= 0:
		return g.child(p)
	case p.List:
		return g.list(p)
	}
	inner := g.nodes(p.Parts)
	n := &Node{From: g.from(p), To: g.to(p), Children: inner}
	if p.Never || !g.replaceable(n, p.Least) {
		return inner
	}
	if len(p.Parts) == 1 && len(inner) == 1 && !inner[0].Plus {
		g.wrap(inner[0], p.Least)
		return inner
	}
	n.Least = g.apart(n, p.Least)
	return []*Node{n}
}

// wrap gives a node the replacement of what has it as its only part; its own is
// another that may be tried.
func (g *grower) wrap(n *Node, least string) {
	if !n.Fixed && len(n.Least) > 0 && len(bytes.TrimSpace(n.Least)) > 0 {
		n.Or = append(n.Or, n.Least)
	}
	n.Fixed, n.Least = false, g.apart(n, least)
}

// child makes the node of a child: none for what is only text of its parent.
func (g *grower) child(p *syntax.Part) []*Node {
	t := &g.tree.Nodes[p.Child]
	if !t.Named && (p.Never || p.Least != "") {
		return nil
	}
	n := g.node(p.Child, p.Takes)
	if n == nil {
		return nil
	}
	if g.tree.Language == syntax.YAML && (t.Kind == "flow_node" || t.Kind == "block_node") {
		p.Sort = "node" // the grammar has a rule for each place a line may break at
	}
	wide := p.Sort != t.Kind // a place for one of several kinds
	if wide || t.End > p.Child+1 {
		n.Sort = p.Sort
	}
	plain := !wide && (t.End == p.Child+1 || !g.textual(p.Child)) // a name, or what is reduced from within
	if p.Never || plain && p.Least != "" || !g.replaceable(n, p.Least) {
		n.Fixed = true
		return []*Node{n}
	}
	n.Least = g.apart(n, p.Least)
	return []*Node{n}
}

// textual reports whether a node has no part with a rule, and does not begin
// as a word does, like the value of an attribute.
func (g *grower) textual(i int32) bool {
	nodes := g.tree.Nodes
	for c := i + 1; c < nodes[i].End; c++ {
		if nodes[c].Named {
			return false
		}
	}
	return !wordlike(g.source[nodes[i].From])
}

// replaceable reports whether a text in the place of a node makes it shorter.
func (g *grower) replaceable(n *Node, least string) bool {
	return len(g.apart(n, least)) < n.To-n.From
}

// apart returns the text to stand in the place of a node, with a blank where it
// would be read together with what stands beside it.
func (g *grower) apart(n *Node, text string) []byte {
	before, after := byte(' '), byte(' ')
	if n.From > 0 {
		before = g.source[n.From-1]
	}
	if n.To < len(g.source) {
		after = g.source[n.To]
	}
	if text == "" {
		switch {
		case !wordlike(before) || !wordlike(after):
			return nil
		case bytes.IndexByte(g.source[n.From:n.To], '\n') >= 0:
			return []byte("\n")
		}
		return []byte(" ")
	}
	if text == "0" && bytes.HasPrefix(bytes.TrimLeft(g.source[n.To:min(n.To+64, len(g.source))], " \t\r\n"), []byte(".")) {
		text = "a" // 0.b is a number, and then a word
	}
	var out []byte
	if syntax.Runs(before, text[0]) {
		out = append(out, ' ')
	}
	out = append(out, text...)
	if syntax.Runs(text[len(text)-1], after) {
		out = append(out, ' ')
	}
	return out
}

func wordlike(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
