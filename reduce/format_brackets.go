package reduce

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/lexical"
)

// nodes hands out nodes, a block at a time.
type nodes struct{ block []Node }

func (a *nodes) node(kind string, from, to int) *Node {
	if len(a.block) == 0 {
		a.block = make([]Node, 512)
	}
	n := &a.block[0]
	a.block = a.block[1:]
	n.Kind, n.From, n.To = kind, from, to
	return n
}

// around is a node over elements that follow each other; one alone stands for
// itself.
func (a *nodes) around(kind, sort string, items []*Node) *Node {
	if len(items) == 1 {
		return items[0]
	}
	n := a.node(kind, items[0].From, items[len(items)-1].To)
	n.Sort, n.Children = sort, items
	return n
}

// token makes a leaf. A comment between two words leaves a space.
func (a *nodes) token(text []byte, kind lexical.Kind, from, to int) *Node {
	n := a.node(kindNames[kind], from, to)
	if kind == lexical.Comment && meet(text, from, to) {
		n.Least = oneSpace
	}
	return n
}

// parseTokens makes each token an element.
func parseTokens(content []byte, l *lexical.Rules) *Tree {
	s := newScanner(content, l)
	var a nodes
	var list []*Node
	for {
		kind, from, to, ok := s.next()
		if !ok {
			return wholeTree(content, list)
		}
		list = append(list, a.token(content, kind, from, to))
	}
}

// parseBrackets makes a tree of what stands in brackets. A bracket that has no
// other is a token.
func parseBrackets(content []byte, l *lexical.Rules) *Tree {
	b := brackets{text: content, Rules: l}
	return wholeTree(content, b.read(0, len(content)))
}

// brackets reads a text into groups: a group's first and last child are its
// brackets, fixed, and what is between them is arranged by statements, commas or
// lines. It keeps its own stack, so that no nesting is too deep.
type brackets struct {
	nodes
	*lexical.Rules
	smt   bool // SMT-LIB: the terms are known
	text  []byte
	stack []bracket
	open  [3]int // how many of the stack are ( [ {
	lost  *Node  // the last bracket that was found to have no other
}

type bracket struct {
	open  *Node
	kind  int // ( [ {
	items []*Node
}

// read returns the elements of a part of the text.
func (b *brackets) read(from, to int) []*Node {
	b.smt = b.Rules == lexical.RulesOf(".smt2")
	s := newScanner(b.text[:to], b.Rules)
	s.At = from
	b.stack = append(b.stack[:0], bracket{kind: -1})
	b.open = [3]int{}
	for {
		kind, from, to, ok := s.next()
		if !ok {
			break
		}
		n := b.token(b.text, kind, from, to)
		switch kind {
		case lexical.Opener:
			k := bytes.IndexByte([]byte("([{"), b.text[from])
			b.open[k]++
			b.stack = append(b.stack, bracket{open: n, kind: k})
		case lexical.Closer:
			b.close(n, bytes.IndexByte([]byte(")]}"), b.text[from]))
		default:
			b.put(n)
		}
	}
	b.unwind(0)
	return b.arrange(b.stack[0].items, -1)
}

func (b *brackets) put(n *Node) {
	top := &b.stack[len(b.stack)-1]
	top.items = append(top.items, n)
}

// unwind makes tokens of the open brackets above a level, and lets what stands
// in them stand in that level.
func (b *brackets) unwind(level int) {
	down := &b.stack[level]
	for _, lost := range b.stack[level+1:] {
		b.open[lost.kind]--
		b.lost = lost.open
		down.items = append(append(down.items, lost.open), lost.items...)
	}
	b.stack = b.stack[:level+1]
}

func (b *brackets) close(end *Node, kind int) {
	if b.open[kind] == 0 {
		b.lost = end
		b.put(end)
		return
	}
	level := len(b.stack) - 1
	for b.stack[level].kind != kind {
		level--
	}
	// Each item moves at most once: it is in a group afterwards.
	b.unwind(level)
	g := b.stack[level]
	b.stack = b.stack[:level]
	b.open[kind]--
	n := b.node("group", g.open.From, end.To)
	g.open.Fixed, end.Fixed = true, true
	for _, mark := range []*Node{g.open, end} {
		if meet(b.text, mark.From, mark.To) {
			mark.Least = oneSpace
		}
	}
	items := b.arrange(g.items, kind)
	n.Children = make([]*Node, 0, len(items)+2)
	n.Children = append(append(append(n.Children, g.open), items...), end)
	switch {
	case b.smt && len(b.stack) == 1: // a command
	case b.Lisp:
		n.Sort = "sexp"
	default:
		n.Sort = "([{"[kind : kind+1]
	}
	if b.smt {
		b.term(n)
	}
	b.put(n)
}

// is reports whether a node is this token.
func (b *brackets) is(n *Node, token byte) bool {
	return n.To == n.From+1 && b.text[n.From] == token
}

// arrange makes elements of the items between two brackets; kind is -1 for those
// outside of all.
func (b *brackets) arrange(items []*Node, kind int) []*Node {
	if b.Lisp {
		return b.sexps(items, kind)
	}
	if len(items) < 2 {
		b.items(items, kind)
		return items
	}
	commas, ends, lines := false, false, false
	for i, n := range items {
		commas = commas || b.is(n, ',')
		ends = ends || b.is(n, ';')
		if i > 0 && b.newline(items[i-1], n) {
			lines = true
			if before := items[i-1]; kind == 2 && before.Kind != "comment" && !b.is(before, ',') {
				kind = -2 // a block: commas are within its lines
			}
		}
	}
	switch {
	case ends:
		return b.statements(items)
	case commas && kind >= 0:
		return b.commas(items)
	case lines:
		return b.lines(items)
	}
	b.items(items, kind)
	return items
}

// items says of tokens that are elements between brackets that they may stand for
// a longer one.
func (b *brackets) items(items []*Node, kind int) {
	if kind < 0 || len(items) != 1 {
		return
	}
	if n := items[0]; n.Sort == "" && len(n.Children) == 0 && n.Kind != "operator" && n.Kind != "comment" {
		n.Sort = "item"
	}
}

// newline reports whether a line ends between two nodes.
func (b *brackets) newline(before, after *Node) bool {
	return bytes.IndexByte(b.text[before.To:after.From], '\n') >= 0
}

// commas makes elements that commas separate.
func (b *brackets) commas(items []*Node) []*Node {
	var list []*Node
	start := 0
	element := func(end int) {
		if start < end {
			n := b.around("item", "item", items[start:end:end])
			b.items([]*Node{n}, 0)
			list = append(list, n)
		}
		start = end + 1
	}
	for i, n := range items {
		if b.is(n, ',') {
			element(i)
			// A comma that nothing stands before separates nothing.
			n.Separator = len(list) > 0 && !list[len(list)-1].Separator && !b.is(list[len(list)-1], ',')
			list = append(list, n)
		}
	}
	element(len(items))
	return list
}

// statements cuts after each semicolon, and after a {group} that ends its line
// unless an else or the like goes on. A directive of the C preprocessor and a
// comment of its own line stand alone.
func (b *brackets) statements(items []*Node) []*Node {
	var list []*Node
	start, alone := 0, b.alone(items[0])
	for i, n := range items {
		last := i == len(items)-1
		cut := last || b.is(n, ';')
		if !cut && b.newline(n, items[i+1]) {
			next := items[i+1]
			cut = alone || b.alone(next) || n.Kind == "comment" || b.group(n, '{') && !b.goesOn(next)
		}
		if !cut {
			continue
		}
		part := items[start : i+1 : i+1]
		if rows := b.lines(part); len(rows) > 2 {
			part = rows
		}
		list = append(list, b.around("statement", "statement", part))
		start = i + 1
		if !last {
			alone = b.alone(items[i+1])
		}
	}
	return list
}

func (b *brackets) alone(n *Node) bool { return n.Kind == "comment" || b.is(n, '#') }

func (b *brackets) group(n *Node, open byte) bool {
	return n.Kind == "group" && b.text[n.From] == open
}

// goesOn: what begins with this node belongs to the block before.
func (b *brackets) goesOn(n *Node) bool {
	switch string(b.text[n.From:n.To]) {
	case "else", "elif", "catch", "finally", ";", ",", ".":
		return true
	}
	return false
}

// lines makes an element of each line. A { of its own line belongs to the one
// before.
func (b *brackets) lines(items []*Node) []*Node {
	var list []*Node
	start := 0
	for i, n := range items {
		last := i == len(items)-1
		if !last && (!b.newline(n, items[i+1]) || b.group(items[i+1], '{') && !b.group(n, '{')) {
			continue
		}
		list = append(list, b.around("line", "statement", items[start:i+1:i+1]))
		start = i + 1
	}
	return list
}
