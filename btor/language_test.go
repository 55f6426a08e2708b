package btor

import (
	"slices"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// signedArrays counts the edges with a sign that lead to an array. They mean nothing, but
// solvers were seen to fail because of them.
func signedArrays(g *graph.Graph) int {
	count := 0
	for _, n := range g.Nodes {
		for _, a := range n.Args {
			if a.Not && g.Nodes[a.To].Sort.Array() {
				count++
			}
		}
	}
	return count
}

// TestOperationsHold holds all that is done to a graph to the rules of the format, to a
// text that is read as what was written, and to making no sign of an array.
func TestOperationsHold(t *testing.T) {
	r := randomly(t)
	signs, done := 0, map[string]int{}
	for range 150 {
		g := graphOf(r, 5+r.IntN(30), 5)
		if r.IntN(3) == 0 {
			g = &graph.Graph{Nodes: slices.Clone(g.Nodes), Roots: g.Roots}
			for i, n := range g.Nodes {
				g.Nodes[i].Args = slices.Clone(n.Args)
				for k, a := range n.Args {
					if g.Nodes[a.To].Sort.Array() && !Language.Holds(n, k) {
						g.Nodes[i].Args[k].Not = r.IntN(4) == 0
					}
				}
			}
		}
		before, limit := Language.Measure(g), signedArrays(g)
		signs += limit
		hold := func(what string, h *graph.Graph) {
			t.Helper()
			done[what]++
			if err := Check(h); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", what, err, Text(g), Text(h))
			}
			f, err := Read(Text(h))
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, Text(h))
			}
			if d := differ(h, f.Graph.Canonical()); d != "" {
				t.Fatalf("%s: read is not what was written:\n%s", what, d)
			}
			if n := signedArrays(h); n > limit {
				t.Fatalf("%s: %d signs of arrays, after %d\n%s\n%s", what, n, limit, Text(g), Text(h))
			}
			if m := Language.Measure(h); m.Size > before.Size || what != "edge" && !m.Less(before) {
				t.Fatalf("%s: %+v of %+v", what, m, before)
			}
		}

		if h := Simplify(g); h != g {
			hold("simplify", h)
		}
		if all := g.Negations(); len(all) > 0 {
			hold("affirm", g.Affirm(all[r.IntN(len(all)):]))
		}
		for h := range NewWidths(g).Singly() {
			hold("narrow", h)
		}
		set := Language.Replaceable(g)
		for _, k := range graph.Kinds {
			var some []int
			for _, i := range set {
				if r.IntN(5) == 0 {
					some = append(some, i)
				}
			}
			if h, ok := Language.Replace(g, some, k); ok {
				hold("replace", h)
				if s := Simplify(h); s != h {
					hold("replace and simplify", s)
				}
			}
		}
		depths := g.Depths()
		for i, n := range g.Nodes {
			for k, a := range n.Args {
				if Language.Holds(n, k) {
					continue
				}
				u := r.IntN(len(g.Nodes))
				if u != a.To && g.Nodes[u].Sort == g.Nodes[a.To].Sort && depths[u] >= depths[a.To] && !slices.Contains(g.Roots, u) {
					hold("edge", g.Redirect(i, k, graph.Ref{To: u, Not: a.Not}))
				}
			}
		}
		for _, root := range g.Roots {
			if Language.Spare(g.Nodes[root]) {
				hold("without", g.Without(root))
			}
		}
	}
	if signs == 0 {
		t.Error("no graph had an array with a sign")
	}
	for _, what := range []string{"simplify", "affirm", "narrow", "replace", "replace and simplify", "edge", "without"} {
		if done[what] < 3 {
			t.Errorf("%s was tried %d times", what, done[what])
		}
	}
}

// TestHeld shows that next keeps its variable, and what goes when it goes.
func TestHeld(t *testing.T) {
	g := parsed(t, "var 2 x; inc 2 1; next 2 1 2; array 2 1 a; var 1; write 2 1 4 5 1; anext 2 1 4 6; redor 1 2; root 1 8")
	word := func(i int) string { return g.Nodes[i].Op }
	var can, spare []string
	for _, i := range Language.Replaceable(g) {
		can = append(can, word(i))
	}
	for _, i := range g.Roots {
		if Language.Spare(g.Nodes[i]) {
			spare = append(spare, word(i))
		}
	}
	if d := differ([]string{"inc", "var", "write", "redor"}, can); d != "" {
		t.Errorf("replaceable: %s", d)
	}
	if d := differ([]string{"next", "anext"}, spare); d != "" {
		t.Errorf("spare: %s", d)
	}
	h, ok := Language.Replace(g, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, graph.NotZero)
	if got, want := printed(h), "var 2 x; zero 2; next 2 1 -2; array 2 1 a; anext 2 1 4 4; zero 1; root 1 -6"; !ok || got != want {
		t.Errorf("all replaced: %s", got)
	}
	free := g.Without(g.Roots[0])
	if can := Language.Replaceable(free); free.Nodes[can[0]].Op != "var" {
		t.Errorf("x is still held: %v", can)
	}
}

// TestLongChains holds what works on whole graphs to chains as long as they have nodes.
func TestLongChains(t *testing.T) {
	const n = 100_000
	g := &graph.Graph{Nodes: []graph.Node{{Op: "zero", Sort: graph.Sort{Width: 9}}, {Op: "var", Sort: graph.Sort{Width: 9}}}}
	for i := 1; i <= n; i++ {
		node := graph.Node{Op: "or", Sort: graph.Sort{Width: 9}, Args: []graph.Ref{{To: 0}, {To: i}}}
		if i%2 == 0 { // another class of widths
			node = graph.Node{Op: "slice", Sort: node.Sort, Args: []graph.Ref{{To: i}}, Numbers: []int{8, 0}}
		}
		g.Nodes = append(g.Nodes, node)
	}
	g.Nodes = append(g.Nodes, graph.Node{Op: "redor", Sort: graph.Sort{Width: 1}, Args: []graph.Ref{{To: n + 1}}})
	g.Nodes = append(g.Nodes, graph.Node{Op: "root", Sort: graph.Sort{Width: 1}, Args: []graph.Ref{{To: n + 2}}})
	g.Roots = []int{n + 3}
	if h := Simplify(g); len(h.Nodes) != 1+n/2+2 {
		t.Errorf("%d nodes of %d are left", len(h.Nodes), len(g.Nodes))
	}
	w := NewWidths(g)
	var all []Narrowing
	for i := range w.Classes() {
		all = append(all, Narrowing{i, 4})
	}
	h, ok := w.Narrow(all...)
	if !ok || len(h.Nodes) != 2+n/2+2 || Language.Measure(h).Widths != 4*(len(h.Nodes)-2)+2 {
		t.Errorf("%t, %d nodes of %d are left, %+v", ok, len(h.Nodes), len(g.Nodes), Language.Measure(h))
	}
}
