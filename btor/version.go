package btor

import (
	"strings"

	"github.com/gitdd/gitdd/graph"
)

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
