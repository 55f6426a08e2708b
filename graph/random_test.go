package graph

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

// toy is a language of a few operators: zero, leaf, named leaf, op, root, next (which
// holds its first argument).
var toy = Language{
	Zero:    func(s Sort) Node { return Node{Op: "zero", Sort: s} },
	Fresh:   func(s Sort) Node { return Node{Op: "leaf", Sort: s} },
	IsZero:  func(n Node) bool { return n.Op == "zero" },
	IsFresh: func(n Node) bool { return n.Op == "leaf" },
	Holds:   func(n Node, arg int) bool { return n.Op == "next" && arg == 0 },
	Spare:   func(n Node) bool { return n.Op == "next" },
}

// randomly draws a number from a seed of its own for each test.
func randomly(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(seed.New(t), 6)) }

// random returns a graph of few nodes whose numbers are in no order but that of edges.
// Not all of it is in reach.
func random(r *rand.Rand) *Graph {
	g := &Graph{}
	sorts := []Sort{{1, 0}, {2, 0}, {2, 1}}
	n := 1 + r.IntN(14)
	for i := range n {
		s := sorts[r.IntN(len(sorts))]
		node := Node{Op: fmt.Sprintf("op%d", r.IntN(3)), Sort: s}
		switch k := r.IntN(8); {
		case k == 0 && !s.Array():
			node.Op = "zero"
		case k == 1 || i == 0:
			node.Op, node.Text = "leaf", []string{"", "a"}[r.IntN(2)]
		case k == 2:
			node.Op, node.Numbers = "const", []int{r.IntN(3)}
		default:
			for range 1 + r.IntN(3) {
				to := r.IntN(i)
				if r.IntN(3) > 0 {
					to = max(0, i-1-r.IntN(3))
				}
				node.Args = append(node.Args, Ref{to, r.IntN(3) == 0 && !g.Nodes[to].Sort.Array()})
			}
		}
		g.Nodes = append(g.Nodes, node)
	}
	held := map[int]bool{}
	for range r.IntN(3) {
		leaf, value := r.IntN(n), r.IntN(n)
		if l := g.Nodes[leaf]; l.Op == "leaf" && !held[leaf] {
			held[leaf] = true
			g.Roots = append(g.Roots, len(g.Nodes))
			g.Nodes = append(g.Nodes, Node{Op: "next", Sort: l.Sort, Args: []Ref{{leaf, false}, {value, false}}})
		}
	}
	for range 1 + r.IntN(2) {
		to := r.IntN(len(g.Nodes))
		if r.IntN(3) > 0 {
			to = len(g.Nodes) - 1
		}
		g.Roots = append(g.Roots, len(g.Nodes))
		g.Nodes = append(g.Nodes, Node{Op: "root", Sort: g.Nodes[to].Sort, Args: []Ref{{to, r.IntN(4) == 0 && !g.Nodes[to].Sort.Array()}}})
	}
	return g
}

// text writes a node of a graph with all that is below it.
func text(g *Graph, i int) string {
	n := g.Nodes[i]
	s := fmt.Sprintf("%s%v%v%q(", n.Op, n.Sort, n.Numbers, n.Text)
	for _, a := range n.Args {
		if a.Not {
			s += "-"
		}
		s += text(g, a.To) + ","
	}
	return s + ")"
}

// texts writes all roots.
func texts(g *Graph) []string {
	var all []string
	for _, root := range g.Roots {
		all = append(all, text(g, root))
	}
	return all
}

// reach lists, in no particular order, what the roots of g need.
func reach(g *Graph) map[int]bool {
	seen := map[int]bool{}
	var visit func(int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, a := range g.Nodes[i].Args {
			visit(a.To)
		}
	}
	for _, root := range g.Roots {
		visit(root)
	}
	return seen
}

// renumbered returns g with other numbers and more nodes out of reach.
func renumbered(r *rand.Rand, g *Graph) *Graph {
	made, number := &Graph{}, make([]int, len(g.Nodes))
	waiting := make([]int, len(g.Nodes))
	for i := range waiting {
		waiting[i], number[i] = i, -1
	}
	for len(waiting) > 0 {
		if r.IntN(4) == 0 {
			made.Nodes = append(made.Nodes, Node{Op: "leaf", Sort: Sort{3, 0}})
		}
		at := r.IntN(len(waiting))
		n := g.Nodes[waiting[at]]
		if slices.ContainsFunc(n.Args, func(a Ref) bool { return number[a.To] < 0 }) {
			continue
		}
		args := []Ref{}
		for _, a := range n.Args {
			args = append(args, Ref{number[a.To], a.Not})
		}
		n.Args = args
		number[waiting[at]] = len(made.Nodes)
		made.Nodes = append(made.Nodes, n)
		waiting = slices.Delete(waiting, at, at+1)
	}
	for _, root := range g.Roots {
		made.Roots = append(made.Roots, number[root])
	}
	return made
}

// sorted sorts texts of roots, whose order is none of a graph.
func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}

// differ is cmp.Diff, for what is almost always equal: it takes a hundredth of the time.
func differ(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}
