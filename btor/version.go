package btor

import (
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// is notes that the text is of a version, by what the line has. Version 4 is 3 with
// more operators.
func (r *reader) is(version int, by string) bool {
	switch before := r.file.Version; {
	case before == 0:
		r.file.Version, r.decided, r.decisive = version, r.line, by
	case (before == 2) != (version == 2):
		return r.fail("%s is of version %d of the format, but %s on line %d of version %d: a text is of one", by, version, r.decisive, r.decided, before)
	case before < version:
		r.file.Version, r.decided, r.decisive = version, r.line, by
	}
	return true
}

// write reads one of version 2, which does not say the width of its index, or 3. A
// first one tells by the number of its words which it is.
func (r *reader) write(n *graph.Node) bool {
	version := r.file.Version
	at, words := r.at, r.words()
	r.short = version == 2 || version == 0 && words == 3
	if version == 0 && words == 3 {
		if r.shortWrite(n) {
			return r.is(2, "write without an index width")
		}
		two := r.err.Message
		r.at, r.err, r.literals, r.short = at, nil, r.literals[:0], false
		if r.rest(n, true) {
			panic("btor: three words became four")
		}
		if three := r.err; three.Line > r.line {
			three.Message += "; and as of version 2, " + two
		}
		return false
	}
	if version == 2 && words > 3 {
		return r.is(3, "write with an index width") // which fails
	}
	if version == 2 {
		return r.shortWrite(n)
	}
	return r.rest(n, true) && r.judge(n) && r.is(3, "write with an index width")
}

// shortWrite reads one of version 2. The width of its index is that of its array's.
func (r *reader) shortWrite(n *graph.Node) bool {
	if !r.rest(n, false) {
		return false
	}
	n.Sort.Index = r.nodes[n.Args[0].To].Sort.Index
	return r.judge(n)
}

// words counts what stands between here and the end of the line.
func (r *reader) words() int {
	n := 0
	for i, blank := r.at, false; i < len(r.text) && r.text[i] != '\n' && r.text[i] != ';'; i++ {
		is := isSpace(r.text[i])
		if blank && !is {
			n++
		}
		blank = is
	}
	return n
}

// arrays makes the cond of arrays of version 2 an acond.
func (r *reader) arrays(n *graph.Node) bool {
	index := max(r.nodes[n.Args[1].To].Sort.Index, r.nodes[n.Args[2].To].Sort.Index)
	if index == 0 {
		return true
	}
	if !r.is(2, "cond of arrays") {
		return false
	}
	r.rule, n.Op, n.Sort.Index = choiceRule, "acond", index
	return true
}

// mostDigits bounds the constants that stand for 10..0: a line of a text could have
// a gigantic one made.
const mostDigits = 256

// nego takes the node that is being read, the last one, for what it means in
// version 3: that its operand is 10..0. For one bit that is the operand, and no node.
func (r *reader) nego(n *graph.Node) bool {
	a := n.Args[0]
	width := r.nodes[a.To].Sort.Width
	r.nodes = r.nodes[:len(r.nodes)-1]
	if width == 1 {
		r.ids[r.id] = definition{node: int32(a.To), not: a.Not, line: int32(r.line)}
		return true
	}
	least, ok := r.negos[width]
	if !ok {
		least = r.least(width)
		r.negos[width] = least
	}
	args := r.room(2)
	args[0], args[1] = a, graph.Ref{To: least}
	r.nodes = append(r.nodes, graph.Node{Op: "eq", Sort: graph.Sort{Width: 1}, Args: args})
	return r.define()
}

// least makes nodes for 10..0 of two bits or more and returns the last one.
func (r *reader) least(width int) int {
	made := func(n graph.Node) graph.Ref {
		r.nodes, r.file.IDs = append(r.nodes, n), append(r.file.IDs, 0)
		return graph.Ref{To: len(r.nodes) - 1}
	}
	sort := graph.Sort{Width: width}
	if width <= mostDigits {
		return made(graph.Node{Op: "const", Sort: sort, Text: "1" + strings.Repeat("0", width-1)}).To
	}
	args := r.room(2)
	args[0] = made(graph.Node{Op: "one", Sort: graph.Sort{Width: 1}})
	args[1] = made(graph.Node{Op: "zero", Sort: graph.Sort{Width: width - 1}})
	return made(graph.Node{Op: "concat", Sort: sort, Args: args}).To
}
