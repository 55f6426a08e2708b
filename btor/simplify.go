package btor

import (
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// Simplify applies the rules of figure 4.2 of the thesis bottom-up until none applies,
// and returns g itself where none does, else a canonical graph. Values do not change; a
// node that a rule takes away becomes, complemented or not, one of its arguments or the
// zero of width 1, so what comes of it is less by the measure of [Language]. Linear in
// nodes and edges.
//
//	0 & x = 0     1 & x = x     0 | x = x     1 | x = 1
//	nand(0, x) = 1     nand(1, x) = -x     nor(0, x) = -x     nor(1, x) = 0
//	0 ^ x = x     1 ^ x = -x     0 + x = x     not x = -x
//	0 => x = 1    1 => x = x     x => 0 = -x   x => 1 = 1
//	cond 1 y z = y    cond 0 y z = z    eq of two constants
//
// Here 1 is all ones. All but the implication take their arguments in either order, and
// constants are `zero`, `ones`, `one` of width 1, `const` with equal digits, and their
// complements. More is not used, as the thesis keeps the table small.
//
// See A. Vida, "Random Test Case Generation and Delta Debugging for Bit-Vector Logic
// with Arrays", JKU Linz, 2008, figure 4.2.
func Simplify(g *graph.Graph) *graph.Graph {
	s := simplifier{g: g, via: g.Same(), known: make([]knowledge, len(g.Nodes)), zero: -1}
	for i, n := range g.Nodes {
		s.known[i] = constantOf(n)
		if s.zero < 0 && n.Op == "zero" && n.Sort.Width == 1 {
			s.zero = i
		}
	}
	changed := false
	// What arguments lead to is simple by now, and a node becomes one of them.
	for i, n := range g.Nodes {
		if to, ok := s.rule(n); ok {
			s.via[i] = to
			changed = true
		}
	}
	if !changed {
		return g
	}
	return g.Rewrite(s.via, s.leaves)
}

// A knowledge is what rules know of the value of a node.
type knowledge int

const (
	unknown knowledge = iota
	zeros
	ones
)

// constantOf says whether n by itself is all zeros or all ones.
func constantOf(n graph.Node) knowledge {
	switch n.Op {
	case "zero":
		return zeros
	case "ones":
		return ones
	case "one":
		if n.Sort.Width == 1 {
			return ones
		}
	case "const":
		switch {
		case strings.Count(n.Text, "0") == len(n.Text):
			return zeros
		case strings.Count(n.Text, "1") == len(n.Text):
			return ones
		}
	}
	return unknown
}

type simplifier struct {
	g      *graph.Graph
	via    []graph.Ref // by node: what it has become
	known  []knowledge // by node, new ones as well
	leaves []graph.Node
	zero   int // a zero of width 1; -1 = none is there
}

// arg returns what an argument of n has become, and what is known of it.
func (s *simplifier) arg(n graph.Node, i int) (graph.Ref, knowledge) {
	r := n.Args[i]
	to := s.via[r.To]
	to.Not = to.Not != r.Not
	return to, s.known[to.To].not(to.Not)
}

func (c knowledge) not(is bool) knowledge {
	switch {
	case is && c == zeros:
		return ones
	case is && c == ones:
		return zeros
	}
	return c
}

func not(r graph.Ref) graph.Ref { return graph.Ref{To: r.To, Not: !r.Not} }

// rule applies the rule for a node, if there is one.
func (s *simplifier) rule(n graph.Node) (graph.Ref, bool) {
	none := graph.Ref{}
	switch n.Op {
	case "not":
		x, _ := s.arg(n, 0)
		return not(x), true
	case "cond", "acond":
		_, c := s.arg(n, 0)
		y, _ := s.arg(n, 1)
		if c == zeros {
			y, _ = s.arg(n, 2)
		}
		// The sign of an array means nothing, so it is left at the edge that has it.
		if c == unknown || y.Not && n.Sort.Array() {
			return none, false
		}
		return y, true
	case "and", "or", "nand", "nor", "xor", "add", "implies", "eq":
	default:
		return none, false
	}
	x, a := s.arg(n, 0)
	y, b := s.arg(n, 1)
	switch n.Op {
	case "implies":
		switch {
		case a == zeros:
			return not(x), true
		case a == ones, b == ones:
			return y, true
		case b == zeros:
			return not(x), true
		}
		return none, false
	case "eq":
		if a == unknown || b == unknown {
			return none, false
		}
		return graph.Ref{To: s.bit(), Not: a == b}, true
	}
	if a == unknown {
		x, a, y, b = y, b, x, a
	}
	// From here on a is the constant, if one is.
	switch {
	case a == unknown:
		return none, false
	case n.Op == "and" && a == zeros, n.Op == "or" && a == ones:
		return x, true
	case n.Op == "nand" && a == zeros, n.Op == "nor" && a == ones:
		return not(x), true
	case n.Op == "and", n.Op == "or", (n.Op == "xor" || n.Op == "add") && a == zeros:
		return y, true
	case n.Op == "nand", n.Op == "nor", n.Op == "xor":
		return not(y), true
	case n.Op == "add" && b == zeros:
		return x, true
	}
	return none, false
}

// bit returns a zero of width 1, the one that is there or a new one.
func (s *simplifier) bit() int {
	if s.zero < 0 {
		s.zero = len(s.g.Nodes)
		s.leaves = append(s.leaves, graph.Node{Op: "zero", Sort: graph.Sort{Width: 1}})
		s.known = append(s.known, zeros)
	}
	return s.zero
}
