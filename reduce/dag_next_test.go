package reduce

import (
	"testing"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/graph"
)

// TestShareNext has a failure that needs a next and two variables beside it: no edge is
// led to the next, which is a line and no value.
func TestShareNext(t *testing.T) {
	const text = `1 var 2 x
2 zero 2
3 next 2 1 2
4 var 2 y
5 var 2 z
6 mul 2 4 5
7 redor 1 6
8 root 1 7
`
	interesting := func(g *graph.Graph) bool {
		next, product := false, false
		for i, n := range g.Nodes {
			for _, a := range n.Args {
				if btor.IsRoot(g.Nodes[a.To]) {
					t.Errorf("node %d has a root as an argument:\n%s", i, btor.Text(g))
				}
			}
			switch n.Op {
			case "next":
				next = g.Nodes[n.Args[1].To].Op == "zero"
			case "mul":
				a, b := g.Nodes[n.Args[0].To], g.Nodes[n.Args[1].To]
				product = a.Op == "var" && b.Op == "var" && n.Args[0].To != n.Args[1].To
			}
		}
		return next && product
	}
	result, err := Reduce(t.Context(), oneFile("a.btor", text), graphFails(t, text, interesting), Options{Passes: []string{"nodes"}})
	if err != nil || !result.Minimal {
		t.Fatal(result, err)
	}
}
