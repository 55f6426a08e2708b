package graph

import (
	"slices"
	"testing"
)

func TestCanonical(t *testing.T) {
	r := randomly(t)
	for range 2000 {
		g := random(r)
		c := g.Canonical()
		want, got := sorted(texts(g)), sorted(texts(c))
		if !slices.Equal(want, got) {
			t.Fatalf("other roots:\n%v\n%v", want, got)
		}
		if len(c.Nodes) != len(reach(g)) || !slices.IsSorted(c.Roots) {
			t.Fatalf("%d nodes, roots %v, of %v", len(c.Nodes), c.Roots, g)
		}
		for i, n := range c.Nodes {
			for _, a := range n.Args {
				if a.To >= i {
					t.Fatalf("node %d before its argument %d", i, a.To)
				}
			}
		}
		if d := differ(c, c.Canonical()); d != "" {
			t.Fatalf("another time:\n%s", d)
		}
		if d := differ(c, renumbered(r, g).Canonical()); d != "" {
			t.Fatalf("with other numbers:\n%s", d)
		}
	}
}

// TestCanonicalOrder shows the order on one graph: roots by need, arguments from left to
// right, a shared one once.
func TestCanonicalOrder(t *testing.T) {
	g := &Graph{
		Nodes: []Node{
			{Op: "unused"}, {Op: "a"}, {Op: "b"},
			{Op: "f", Args: []Ref{{2, true}, {1, false}}},
			{Op: "root", Args: []Ref{{2, false}}},
			{Op: "root", Args: []Ref{{3, false}, {4, false}}},
		},
		Roots: []int{5, 4},
	}
	want := &Graph{
		Nodes: []Node{
			{Op: "b"},
			{Op: "root", Args: []Ref{{0, false}}},
			{Op: "a"},
			{Op: "f", Args: []Ref{{0, true}, {2, false}}},
			{Op: "root", Args: []Ref{{3, false}, {1, false}}},
		},
		Roots: []int{1, 4},
	}
	if d := differ(want, g.Canonical()); d != "" {
		t.Error(d)
	}
}

func TestDepths(t *testing.T) {
	r := randomly(t)
	for range 1000 {
		g := random(r)
		want := make([]int, len(g.Nodes))
		for i := range want {
			want[i] = -1
		}
		var visit func(i, depth int)
		visit = func(i, depth int) {
			want[i] = max(want[i], depth)
			for _, a := range g.Nodes[i].Args {
				visit(a.To, depth+1)
			}
		}
		for _, root := range g.Roots {
			visit(root, 0)
		}
		if got := g.Depths(); !slices.Equal(got, want) {
			t.Fatalf("%v\n%v\n%v", got, want, g)
		}
	}
}

// TestLong holds all of it to graphs whose paths are as long as they have nodes: time
// that is not linear would be minutes here, and a recursion that deep an error.
func TestLong(t *testing.T) {
	const n = 200_000
	g := &Graph{Nodes: []Node{toy.Fresh(Sort{1, 0})}, Roots: []int{n + 1}}
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Op: "op", Sort: Sort{1, 0}, Args: []Ref{{i, false}, {max(0, i-7), true}}})
	}
	g.Nodes = append(g.Nodes, Node{Op: "root", Sort: Sort{1, 0}, Args: []Ref{{n, false}}})
	c := g.Canonical()
	if d := c.Depths()[0]; d != n+1 {
		t.Errorf("depth %d", d)
	}
	set := toy.Replaceable(c)
	if len(set) != n+1 {
		t.Errorf("%d replaceable", len(set))
	}
	if h, ok := toy.Replace(c, set[:n], Zero); !ok || len(h.Nodes) != 3 {
		t.Error("all but the topmost are not replaced")
	}
	if h := c.Redirect(n, 1, Ref{0, false}); len(h.Nodes) != n+2 {
		t.Errorf("%d nodes after an edge was led elsewhere", len(h.Nodes))
	}
}

func TestMeasure(t *testing.T) {
	g := &Graph{Nodes: []Node{
		toy.Zero(Sort{3, 0}), toy.Fresh(Sort{2, 5}), {Op: "leaf", Text: "x", Sort: Sort{1, 0}},
		{Op: "op", Sort: Sort{1, 0}, Args: []Ref{{0, true}, {1, false}, {2, true}}},
		{Op: "root", Sort: Sort{1, 0}, Args: []Ref{{3, false}}},
	}, Roots: []int{4}}
	want := Measure{Operators: 2, Leaves: 2, Size: 5, Negations: 2, Widths: 3 + 7 + 1 + 1 + 1}
	if got := toy.Measure(g); got != want {
		t.Errorf("%+v", got)
	}
	// Each field counts for more than all that follow it.
	ordered := []Measure{{0, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, {0, 0, 1, 0, 0}, {0, 1, 0, 0, 0}, {1, 0, 0, 0, 0}}
	for i, m := range ordered {
		for j, o := range ordered {
			if m.Less(o) != (i < j) {
				t.Errorf("%v less than %v: %t", m, o, m.Less(o))
			}
		}
	}
}
