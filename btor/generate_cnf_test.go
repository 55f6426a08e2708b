package btor

import (
	"slices"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

func TestGenerateClauses(t *testing.T) {
	for _, c := range []struct {
		vars, want int
		ratio      float64
	}{{1, 4, 4}, {2, 8, 4}, {3, 13, 4.26}, {100, 426, 4.26}, {100, 34, 0}, {7, 3, 0.1}} {
		g := generated(t, with(func(o *Options) { o.CNFOnly, o.Vars, o.Clauses = true, c.vars, c.ratio }))
		used := make([]int, c.vars) // 1 = as it is, 2 = complemented
		clauses := 0
		literal := func(r graph.Ref) {
			if g.Nodes[r.To].Op != "var" {
				t.Fatalf("%v: a literal is %v", c, g.Nodes[r.To])
			}
			used[r.To] |= 1
			if r.Not {
				used[r.To] |= 2
			}
		}
		var conjunct func(r graph.Ref)
		conjunct = func(r graph.Ref) {
			n := g.Nodes[r.To]
			if r.Not {
				t.Fatalf("%v: a complemented %s", c, n.Op)
			}
			if n.Op == "and" {
				conjunct(n.Args[0])
				conjunct(n.Args[1])
				return
			}
			clauses++
			two := g.Nodes[n.Args[0].To]
			if n.Op != "or" || two.Op != "or" || n.Args[0].Not {
				t.Fatalf("%v: a clause is %v of %v", c, n, two)
			}
			literal(two.Args[0])
			literal(two.Args[1])
			literal(n.Args[1])
		}
		conjunct(g.Nodes[g.Roots[0]].Args[0])
		if clauses != c.want {
			t.Errorf("%v: %d clauses", c, clauses)
		}
		if slices.Contains(used, 0) {
			t.Errorf("%v: not every variable is in a clause", c)
		}
		if want := c.vars + 3*clauses; len(g.Nodes) != want { // 2 each, one less to join them, the root
			t.Errorf("%v: %d nodes, want %d", c, len(g.Nodes), want)
		}
	}
}

// Of n variables each has as many literals as it is and complemented, the first
// and the last, too.
func TestGenerateLiterals(t *testing.T) {
	g := newGenerator(with(func(o *Options) { o.Clauses = 1000 }))
	const n = 3
	var count [2 * n]int
	first := map[int]bool{}
	clauses := g.literals(n)
	for _, x := range clauses[0] {
		first[x%n] = true
	}
	if len(first) != n {
		t.Errorf("the first clause is %v", clauses[0])
	}
	for _, clause := range clauses {
		for _, x := range clause {
			count[x]++
		}
	}
	for x, c := range count {
		if c < 1350 || c > 1650 {
			t.Errorf("literal %d: %d of 9000", x, c)
		}
		bits := []int{g.add("var", bit()).To, g.add("var", bit()).To, g.add("var", bit()).To}
		if r := g.literal(bits, x); r != (graph.Ref{To: bits[x%n], Not: x >= n}) {
			t.Errorf("literal %d is %v of %v", x, r, bits)
		}
	}
}
