package btor

import "github.com/gitdd/gitdd/graph"

// Language says what may be done to graphs of bit-vectors and arrays: their zero, their
// variables, and that `next` and `anext` hold the variable that they are of.
var Language = graph.Language{
	Zero:  zero,
	Fresh: fresh,

	IsZero:  func(n graph.Node) bool { return n.Op == "zero" },
	IsFresh: isFresh,

	Bridge: bridge,

	Holds: func(n graph.Node, arg int) bool { return arg == 0 && isNext(n) },
	Spare: isNext,

	Simplify: Simplify,
}

func zero(s graph.Sort) graph.Node { return graph.Node{Op: "zero", Sort: s} }

// fresh makes a variable without a name.
func fresh(s graph.Sort) graph.Node {
	if s.Array() {
		return graph.Node{Op: "array", Sort: s}
	}
	return graph.Node{Op: "var", Sort: s}
}

// isFresh reports whether n is a variable, of arrays or not, with or without a name.
func isFresh(n graph.Node) bool { return n.Op == "var" || n.Op == "array" }

// isNext reports whether n says what a variable is in the next step.
func isNext(n graph.Node) bool { return n.Op == "next" || n.Op == "anext" }
