package btor

import "github.com/gitdd/gitdd/graph"

// clauses joins bits by clauses of three (Vida, section 2.3.2): first as many as
// have each bit once, then more until there are enough for each bit. A clause is
// two nodes, and all are joined by one less than there are.
func (g *generator) clauses(bits []int) graph.Ref {
	var open []graph.Ref
	for _, clause := range g.literals(len(bits)) {
		open = append(open, g.or(g.or(g.literal(bits, clause[0]), g.literal(bits, clause[1])), g.literal(bits, clause[2])))
	}
	// Invariant: open is what still has to be true.
	for len(open) > 1 {
		open = append(open[2:], g.add("and", bit(), open[0], open[1]))
	}
	g.take(open[0].To)
	return open[0]
}

func (g *generator) or(a, b graph.Ref) graph.Ref { return g.add("or", bit(), a, b) }

// literals draws clauses over n variables. x < n is variable x, n <= x < 2n the
// complement of variable x-n. (The thesis has x > n, where variable 0 is never
// complemented.)
func (g *generator) literals(n int) [][3]int {
	// Each once, in random order (Fisher and Yates).
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := g.below(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	var clauses [][3]int
	for i := 0; i < n || float64(len(clauses)) < g.Clauses*float64(n); i += 3 {
		var clause [3]int
		for k := range clause {
			if i+k < n {
				clause[k] = order[i+k] + n*g.below(2)
			} else {
				clause[k] = g.below(2 * n)
			}
		}
		clauses = append(clauses, clause)
	}
	return clauses
}

// literal is the bit that a number of literals means.
func (g *generator) literal(bits []int, x int) graph.Ref {
	n := bits[x%len(bits)]
	g.take(n)
	return graph.Ref{To: n, Not: x >= len(bits)}
}
