package hunt

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// ordinary are operators that say little of a failure, by what most graphs need them
// for; the higher, the less. All others say much: arithmetic and shifts.
var ordinary = map[string]int{
	// They are of arrays, come from some width to one bit, or choose.
	"read": 1, "write": 1, "acond": 1, "cond": 1, "concat": 1, "eq": 1, "ne": 1,
	"ult": 1, "ulte": 1, "ugt": 1, "ugte": 1, "slt": 1, "slte": 1, "sgt": 1, "sgte": 1,
	// They join bits.
	"and": 2, "or": 2, "xor": 2, "nand": 2, "nor": 2, "xnor": 2, "implies": 2, "iff": 2,
	// They fit widths, and are leaves.
	"root": 3, "proxy": 3, "not": 3, "slice": 3, "uext": 3, "sext": 3, "redor": 3, "redand": 3, "redxor": 3,
	"var": 3, "array": 3, "const": 3, "constd": 3, "consth": 3, "zero": 3, "one": 3, "ones": 3,
}

const leastOrdinary, mostOrdinary = 0, 3

// Shape is what graphs that show the same flaw have in common after they were reduced,
// as far as can be said without the solver: the operators that say most of it, each
// once, with those whose array operand is complemented (-write) told apart. It does not
// depend on widths, names, constants, on how often an operator is there, nor on those
// that only bring the others to a root of one bit.
func Shape(g *graph.Graph) string {
	var byRank [mostOrdinary + 1][]string
	for _, n := range g.Nodes {
		op, rank := n.Op, ordinary[n.Op]
		for _, a := range n.Args {
			if a.Not && g.Nodes[a.To].Sort.Array() {
				op, rank = "-"+n.Op, leastOrdinary
			}
		}
		if !slices.Contains(byRank[rank], op) {
			byRank[rank] = append(byRank[rank], op)
		}
	}
	for _, ops := range byRank {
		if len(ops) > 0 {
			slices.Sort(ops)
			return strings.Join(ops, " ")
		}
	}
	return ""
}
