package hunt

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// plain are operators that say nothing of a failure: leaves, and what any graph needs
// to come from some width to a root of one bit.
var plain = map[string]bool{
	"var": true, "array": true, "const": true, "constd": true, "consth": true, "zero": true, "one": true, "ones": true,
	"root": true, "proxy": true, "not": true, "slice": true, "uext": true, "sext": true, "redor": true, "redand": true, "redxor": true,
}

// Shape is what graphs that show the same flaw have in common after they were reduced,
// as far as can be said without the solver: the operators that a failure can depend
// on, each once, with those whose array operand is complemented (-write) told apart.
// It does not depend on widths, names, constants or how often an operator is there.
// Of a graph of others only, it is these.
func Shape(g *graph.Graph) string {
	var telling, rest []string
	add := func(list *[]string, op string) {
		if !slices.Contains(*list, op) {
			*list = append(*list, op)
		}
	}
	for _, n := range g.Nodes {
		op := n.Op
		for _, a := range n.Args {
			if a.Not && g.Nodes[a.To].Sort.Array() {
				op = "-" + n.Op
			}
		}
		if plain[op] {
			add(&rest, op)
		} else {
			add(&telling, op)
		}
	}
	if len(telling) == 0 {
		telling = rest
	}
	slices.Sort(telling)
	return strings.Join(telling, " ")
}
