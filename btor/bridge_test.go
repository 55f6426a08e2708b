package btor

import (
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
)

// TestBridge makes a value of each of two sorts of the other: what comes of it is
// well-formed, has the sort, and depends on the value.
func TestBridge(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	sort := func() graph.Sort {
		s := graph.Sort{Width: 1 + r.IntN(9)}
		if r.IntN(3) == 0 {
			s.Index = 1 + r.IntN(5)
		}
		return s
	}
	for range 300 {
		from, to := sort(), sort()
		nodes := Language.Bridge(from, to)
		if len(nodes) == 0 != (from == to) {
			t.Fatalf("%v to %v: %d nodes", from, to, len(nodes))
		}
		g := &graph.Graph{Nodes: []graph.Node{Language.Fresh(from)}}
		for _, n := range nodes {
			for k := range n.Args {
				n.Args[k].To++ // the value is node 0
			}
			g.Nodes = append(g.Nodes, n)
		}
		last := g.Nodes[len(g.Nodes)-1]
		if last.Sort != to {
			t.Errorf("%v to %v: %v", from, to, last.Sort)
		}
		top := graph.Ref{To: len(g.Nodes) - 1}
		if to.Array() {
			g.Nodes = append(g.Nodes,
				graph.Node{Op: "zero", Sort: graph.Sort{Width: to.Index}},
				graph.Node{Op: "read", Sort: graph.Sort{Width: to.Width}, Args: []graph.Ref{top, {To: len(g.Nodes)}}})
			top.To += 2
		}
		g.Nodes = append(g.Nodes, graph.Node{Op: "root", Sort: graph.Sort{Width: to.Width}, Args: []graph.Ref{top}})
		g.Roots = []int{len(g.Nodes) - 1}
		if err := Check(g); err != nil {
			t.Errorf("%v to %v: %v\n%s", from, to, err, Text(g))
		}
		if g.Depths()[0] < 0 {
			t.Errorf("%v to %v: the value is not in it\n%s", from, to, Text(g))
		}
	}
}
