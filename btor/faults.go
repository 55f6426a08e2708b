package btor

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/gitdd/gitdd/graph"
)

// A rater says of nodes which rules they break, in the words of solvers.
type rater struct {
	nodes    []graph.Node
	literals []int // the operands as the line has them; nil = by the numbers that Write gives
}

func (r *rater) sort(n *graph.Node, i int) graph.Sort { return r.nodes[n.Args[i].To].Sort }

// literal is operand i of n as a line has it.
func (r *rater) literal(n *graph.Node, i int) int {
	switch a := n.Args[i]; {
	case r.literals != nil:
		return r.literals[i]
	case a.Not:
		return -a.To - 1
	default:
		return a.To + 1
	}
}

// operand says what is wrong with operand i of n where a bit-vector of that width
// is wanted; width 0 is any.
func (r *rater) operand(n *graph.Node, i, width int) string {
	s := r.sort(n, i)
	if s.Array() {
		return fmt.Sprintf("literal '%d' refers to an unexpected array expression: %s takes a bit-vector there", r.literal(n, i), n.Op)
	}
	return r.length(n, i, width)
}

func (r *rater) length(n *graph.Node, i, width int) string {
	if s := r.sort(n, i); width != 0 && s.Width != width {
		return fmt.Sprintf("literal '%d' has length '%d' but expected '%d'", r.literal(n, i), s.Width, width)
	}
	return ""
}

// arrayOperand is operand for an array whose elements have that width.
func (r *rater) arrayOperand(n *graph.Node, i, width int) string {
	if !r.sort(n, i).Array() {
		return fmt.Sprintf("expected array expression: literal '%d' is a bit-vector", r.literal(n, i))
	}
	return r.length(n, i, width)
}

func noFault(*rater, *graph.Node) string { return "" }

func sameFault(r *rater, n *graph.Node) string {
	for i := range n.Args {
		if f := r.operand(n, i, n.Sort.Width); f != "" {
			return f
		}
	}
	return ""
}

func reductionFault(r *rater, n *graph.Node) string {
	if n.Sort.Width != 1 {
		return fmt.Sprintf("reduction operator returns %d bits: the width of %s is 1", n.Sort.Width, n.Op)
	}
	if f := r.operand(n, 0, 0); f != "" {
		return f
	}
	if r.sort(n, 0).Width == 1 {
		return "argument of reduction operation of width 1: use the operand itself"
	}
	return ""
}

func negoFault(r *rater, n *graph.Node) string {
	return cmp.Or(returnsBit(n), r.operand(n, 0, 0))
}

func logicFault(r *rater, n *graph.Node) string {
	if n.Sort.Width != 1 {
		return fmt.Sprintf("logical operator bit width '%d': the width of %s is 1", n.Sort.Width, n.Op)
	}
	for i := range n.Args {
		if f := r.operand(n, i, 0); f != "" {
			return f
		}
		if s := r.sort(n, i); s.Width != 1 {
			return fmt.Sprintf("expected argument of bit width '1': literal '%d' has %d", r.literal(n, i), s.Width)
		}
	}
	return ""
}

// comparisonFault is the rule of overflow operators, too.
func comparisonFault(r *rater, n *graph.Node) string {
	return cmp.Or(returnsBit(n), r.operand(n, 0, 0), r.operand(n, 1, 0), equalityFault(r, n))
}

func returnsBit(n *graph.Node) string {
	if n.Sort.Width != 1 {
		return fmt.Sprintf("comparison or overflow operator returns %d bits: the width of %s is 1", n.Sort.Width, n.Op)
	}
	return ""
}

// equalityFault is for eq and ne, which take arrays.
func equalityFault(r *rater, n *graph.Node) string {
	if f := returnsBit(n); f != "" {
		return f
	}
	a, b := r.sort(n, 0), r.sort(n, 1)
	switch {
	case a.Width != b.Width:
		return fmt.Sprintf("operands have different bit width %d and %d", a.Width, b.Width)
	case a.Array() && !b.Array():
		return "first operand is array and second not"
	case b.Array() && !a.Array():
		return "second operand is array and first not"
	case a.Index != b.Index:
		return fmt.Sprintf("array operands have different index width %d and %d", a.Index, b.Index)
	}
	return ""
}

func shiftFault(r *rater, n *graph.Node) string {
	w := n.Sort.Width
	if w < 2 || w&(w-1) != 0 {
		return fmt.Sprintf("length %d is not a power of two: %s takes widths 2, 4, 8, ...", w, n.Op)
	}
	f := cmp.Or(r.operand(n, 0, w), r.operand(n, 1, bits.TrailingZeros(uint(w))))
	if r.sort(n, 0) == n.Sort && !r.sort(n, 1).Array() && f != "" {
		f += fmt.Sprintf(": %s takes log2 of its width there", n.Op)
	}
	return f
}

func concatFault(r *rater, n *graph.Node) string {
	if f := cmp.Or(r.operand(n, 0, 0), r.operand(n, 1, 0)); f != "" {
		return f
	}
	a, b := r.sort(n, 0).Width, r.sort(n, 1).Width
	if int64(a)+int64(b) != int64(n.Sort.Width) {
		return fmt.Sprintf("operands widths %d and %d do not add up to %d", a, b, n.Sort.Width)
	}
	return ""
}

func sliceFault(r *rater, n *graph.Node) string {
	if f := r.operand(n, 0, 0); f != "" {
		return f
	}
	high, low, width := n.Numbers[0], n.Numbers[1], r.sort(n, 0).Width
	switch {
	case high >= width:
		return fmt.Sprintf("upper index '%d' >= argument width '%d'", high, width)
	case high < low:
		return fmt.Sprintf("upper index '%d' smaller than lower index '%d'", high, low)
	case high-low+1 != n.Sort.Width:
		return fmt.Sprintf("slice width '%d' not equal to expected width '%d'", high-low+1, n.Sort.Width)
	}
	return ""
}

func extensionFault(r *rater, n *graph.Node) string {
	if f := r.operand(n, 0, 0); f != "" {
		return f
	}
	width, more := r.sort(n, 0).Width, n.Numbers[0]
	if int64(width)+int64(more) != int64(n.Sort.Width) {
		return fmt.Sprintf("argument length of %d plus %d does not match %d: the last number is how many bits are added", width, more, n.Sort.Width)
	}
	return ""
}

func conditionalFault(r *rater, n *graph.Node) string {
	return cmp.Or(r.operand(n, 0, 1), r.operand(n, 1, n.Sort.Width), r.operand(n, 2, n.Sort.Width))
}

func arrayConditionalFault(r *rater, n *graph.Node) string {
	if f := cmp.Or(r.operand(n, 0, 1), r.arrayOperand(n, 1, n.Sort.Width), r.arrayOperand(n, 2, n.Sort.Width)); f != "" {
		return f
	}
	for i, branch := range []string{1: "then", 2: "else"} {
		if s := r.sort(n, i); i > 0 && s.Index != n.Sort.Index {
			return fmt.Sprintf("mismatch of index bit width of '%s' array: literal '%d' has %d but expected %d", branch, r.literal(n, i), s.Index, n.Sort.Index)
		}
	}
	return ""
}

func readFault(r *rater, n *graph.Node) string {
	return cmp.Or(r.arrayOperand(n, 0, n.Sort.Width), r.operand(n, 1, r.sort(n, 0).Index))
}

func writeFault(r *rater, n *graph.Node) string {
	if f := r.arrayOperand(n, 0, n.Sort.Width); f != "" {
		return f
	}
	if s := r.sort(n, 0); s.Index != n.Sort.Index {
		return fmt.Sprintf("arrays with different index width %d and %d: literal '%d' has %d", s.Index, n.Sort.Index, r.literal(n, 0), s.Index)
	}
	return cmp.Or(r.operand(n, 1, n.Sort.Index), r.operand(n, 2, n.Sort.Width))
}

func nextFault(r *rater, n *graph.Node) string {
	of, a := r.literal(n, 0), n.Args[0]
	leaf := r.nodes[a.To].Op
	switch s := r.sort(n, 0); {
	case n.Op == "next" && (leaf != "var" || a.Not):
		return fmt.Sprintf("next index %d is not a variable", of)
	case n.Op == "anext" && (leaf != "array" || a.Not):
		return fmt.Sprintf("next index %d is not an array", of)
	case s.Index != n.Sort.Index:
		return fmt.Sprintf("arrays with different index width %d and %d", s.Index, n.Sort.Index)
	}
	if n.Op == "next" {
		return sameFault(r, n)
	}
	if f := cmp.Or(r.length(n, 0, n.Sort.Width), r.arrayOperand(n, 1, n.Sort.Width)); f != "" {
		return f
	}
	if s := r.sort(n, 1); s.Index != n.Sort.Index {
		return fmt.Sprintf("arrays with different index width %d and %d", n.Sort.Index, s.Index)
	}
	return ""
}
