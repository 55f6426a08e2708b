package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// replaced writes node i of g as it should be once set is replaced by kind k, and what
// is shared by no more than its name.
func replaced(g *Graph, i int, set map[int]bool, k Kind) string {
	n := g.Nodes[i]
	if set[i] {
		switch {
		case n.Sort.Array() && k != Fresh:
			return fmt.Sprintf("shared%v", n.Sort)
		case k == Zero:
			return text(&Graph{Nodes: []Node{toy.Zero(n.Sort)}}, 0)
		case k == NotZero:
			return "-" + text(&Graph{Nodes: []Node{toy.Zero(n.Sort)}}, 0)
		}
		return text(&Graph{Nodes: []Node{toy.Fresh(n.Sort)}}, 0)
	}
	s := fmt.Sprintf("%s%v%v%q(", n.Op, n.Sort, n.Numbers, n.Text)
	for _, a := range n.Args {
		arg := replaced(g, a.To, set, k)
		if a.Not {
			if bare, ok := strings.CutPrefix(arg, "-"); ok {
				arg = bare
			} else {
				arg = "-" + arg
			}
		}
		s += arg + ","
	}
	return s + ")"
}

func TestReplace(t *testing.T) {
	r := randomly(t)
	for range 2500 {
		g := random(r).Canonical()
		var may []int // by what is said of it, in words of its own
		for i, n := range g.Nodes {
			held := false
			for _, o := range g.Nodes {
				held = held || o.Op == "next" && o.Args[0].To == i
			}
			if !slices.Contains(g.Roots, i) && !held && n.Op != "zero" && !(n.Op == "leaf" && n.Sort.Array()) {
				may = append(may, i)
			}
		}
		if got := toy.Replaceable(g); !slices.Equal(got, may) {
			t.Fatalf("replaceable %v, not %v of %v", got, may, g)
		}
		var set []int
		for i := range g.Nodes {
			if r.IntN(4) == 0 {
				set = append(set, i)
			}
		}
		for _, k := range Kinds {
			changes := map[int]bool{}
			for _, i := range set {
				if slices.Contains(may, i) && !(k == Fresh && g.Nodes[i].Op == "leaf") {
					changes[i] = true
				}
			}
			h, ok := toy.Replace(g, set, k)
			if ok != (len(changes) > 0) {
				t.Fatalf("%v by %d: %t of %v", set, k, ok, g)
			}
			if !ok {
				continue
			}
			if m, o := toy.Measure(h), toy.Measure(g); !m.Less(o) || m.Size > o.Size {
				t.Fatalf("%v by %d: %v of %v", set, k, m, o)
			}
			if d := differ(h, h.Canonical()); d != "" {
				t.Fatalf("not canonical: %s", d)
			}
			var want []string
			for _, root := range g.Roots {
				want = append(want, replaced(g, root, changes, k))
			}
			got := texts(h)
			// What is shared is some leaf of arrays.
			for i := range want {
				for _, a := range []Sort{{2, 1}} {
					bare := fmt.Sprintf("leaf%v[]%q()", a, "")
					for _, s := range []string{bare, strings.Replace(bare, `""`, `"a"`, 1)} {
						want[i] = strings.ReplaceAll(want[i], s, "shared"+fmt.Sprint(a))
						got[i] = strings.ReplaceAll(got[i], s, "shared"+fmt.Sprint(a))
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v by %d of %v\n%v\n%v", set, k, g, got, want)
			}
			// Zeros that come of it are one of a sort, and so are arrays but by Fresh.
			leaves := func(g *Graph) map[string]int {
				counts := map[string]int{}
				for _, n := range g.Nodes {
					if n.Op == "zero" || n.Op == "leaf" {
						counts[fmt.Sprint(n.Op, n.Sort)]++
					}
				}
				return counts
			}
			before, after := leaves(g), leaves(h)
			for s, n := range after {
				if n > max(before[s], 1) && k != Fresh {
					t.Fatalf("%d of %s, after %d in %v", n, s, before[s], h)
				}
			}
			again, ok := toy.Replace(renumbered(r, h).Canonical(), toy.Replaceable(h), k)
			same, _ := toy.Replace(h, toy.Replaceable(h), k)
			if ok {
				if d := differ(again, same); d != "" {
					t.Fatalf("with other numbers: %s", d)
				}
			}
		}
	}
}

// TestReplaceArrays shows what becomes of arrays: the leaf that is there is taken, one
// that is not is made once, and an edge keeps its sign.
func TestReplaceArrays(t *testing.T) {
	s, v, i := Sort{4, 3}, Sort{4, 0}, Sort{3, 0}
	build := func(leaf bool) *Graph {
		g := &Graph{Nodes: []Node{
			{Op: "leaf", Sort: v}, {Op: "leaf", Sort: i},
			{Op: "made", Sort: s}, {Op: "made", Sort: s, Text: "other"},
			{Op: "write", Sort: s, Args: []Ref{{2, false}, {1, false}, {0, false}}},
			{Op: "write", Sort: s, Args: []Ref{{3, false}, {1, false}, {0, false}}},
			{Op: "eq", Sort: Sort{1, 0}, Args: []Ref{{4, false}, {5, true}}},
			{Op: "root", Sort: Sort{1, 0}, Args: []Ref{{6, false}}},
		}, Roots: []int{7}}
		if leaf {
			g.Nodes[3] = Node{Op: "leaf", Sort: s, Text: "old"}
		}
		return g
	}
	leaf, eq := Node{Op: "leaf", Sort: s}, func(a, b Ref) Node { return Node{Op: "eq", Sort: Sort{1, 0}, Args: []Ref{a, b}} }
	root := func(to int) Node { return Node{Op: "root", Sort: Sort{1, 0}, Args: []Ref{{to, false}}} }
	old := leaf
	old.Text = "old"
	for _, c := range []struct {
		leaf bool
		kind Kind
		want []Node
	}{
		{false, Zero, []Node{leaf, eq(Ref{0, false}, Ref{0, true}), root(1)}},
		{false, NotZero, []Node{leaf, eq(Ref{0, false}, Ref{0, true}), root(1)}},
		{false, Fresh, []Node{leaf, leaf, eq(Ref{0, false}, Ref{1, true}), root(2)}},
		{true, Zero, []Node{old, eq(Ref{0, false}, Ref{0, true}), root(1)}},
		{true, Fresh, []Node{leaf, leaf, eq(Ref{0, false}, Ref{1, true}), root(2)}},
	} {
		got, ok := toy.Replace(build(c.leaf), []int{4, 5}, c.kind)
		if d := differ(&Graph{Nodes: c.want, Roots: []int{len(c.want) - 1}}, got); !ok || d != "" {
			t.Errorf("%+v: %s", c, d)
		}
	}
}

// TestEdges tries every edge to every node of the same sort and of no smaller depth, and
// what is below a node in the place of each.
func TestEdges(t *testing.T) {
	r := randomly(t)
	for range 200 {
		g := random(r).Canonical()
		depths := g.Depths()
		for i, n := range g.Nodes {
			for arg, a := range n.Args {
				for u, o := range g.Nodes {
					if o.Sort != g.Nodes[a.To].Sort || depths[u] < depths[a.To] {
						continue
					}
					to := Ref{u, a.Not != (u%2 == 0)}
					h := g.Redirect(i, arg, to)
					m := &Graph{Nodes: slices.Clone(g.Nodes), Roots: g.Roots}
					m.Nodes[i].Args = slices.Clone(n.Args)
					m.Nodes[i].Args[arg] = to
					if got, want := sorted(texts(h)), sorted(texts(m)); !slices.Equal(got, want) {
						t.Fatalf("%d.%d to %v of %v\n%v\n%v", i, arg, to, g, got, want)
					}
					if len(h.Nodes) > len(g.Nodes) {
						t.Fatal("more nodes")
					}
				}
			}
			if slices.Contains(g.Roots, i) {
				continue
			}
			for u := range i {
				via := g.Same()
				via[i] = Ref{u, true}
				h := g.Rewrite(via, nil)
				m := &Graph{Nodes: slices.Clone(g.Nodes), Roots: g.Roots}
				for j := range m.Nodes {
					m.Nodes[j].Args = slices.Clone(m.Nodes[j].Args)
					for k, a := range m.Nodes[j].Args {
						if a.To == i {
							m.Nodes[j].Args[k] = Ref{u, !a.Not}
						}
					}
				}
				if got, want := sorted(texts(h)), sorted(texts(m)); !slices.Equal(got, want) || len(h.Nodes) >= len(g.Nodes) {
					t.Fatalf("%d becomes %d of %v\n%v\n%v", i, u, g, got, want)
				}
			}
		}
		if len(g.Roots) > 1 {
			at := r.IntN(len(g.Roots))
			want := sorted(slices.Delete(texts(g), at, at+1))
			if got := sorted(texts(g.Without(g.Roots[at]))); !slices.Equal(got, want) {
				t.Fatalf("without root %d: %v, not %v", at, got, want)
			}
		}
	}
}

func TestCircle(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an edge upwards was laid")
		}
	}()
	g := &Graph{Nodes: []Node{{Op: "leaf"}, {Op: "a", Args: []Ref{{0, false}}}, {Op: "root", Args: []Ref{{1, false}}}}, Roots: []int{2}}
	g.Redirect(1, 0, Ref{2, false})
}

// TestAffirm drops all signs, and some.
func TestAffirm(t *testing.T) {
	r := randomly(t)
	for range 500 {
		g := random(r).Canonical()
		before := texts(g)
		all := g.Negations()
		for _, some := range [][]Edge{all, all[:len(all)/2], all[len(all)/2:]} {
			h := g.Affirm(some)
			if got := len(h.Negations()); got != len(all)-len(some) {
				t.Fatalf("%d signs are left of %d", got, len(all))
			}
			m, o := toy.Measure(h), toy.Measure(g)
			if o.Negations -= len(some); m != o {
				t.Fatalf("%v, not %v", m, o)
			}
		}
		if got := texts(g.Affirm(nil)); !slices.Equal(got, before) || !slices.Equal(texts(g), before) {
			t.Fatal("the graph has changed")
		}
		var want []string
		for _, s := range before {
			want = append(want, strings.ReplaceAll(s, "-", ""))
		}
		if got := sorted(texts(g.Affirm(all))); !slices.Equal(got, sorted(want)) {
			t.Fatalf("%v of %v", got, g)
		}
	}
}
