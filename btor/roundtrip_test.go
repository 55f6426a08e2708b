package btor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/graph"
)

// What is printed is read again as the same graph, and that is printed the same.
func TestRoundTrip(t *testing.T) {
	r := randomly(t)
	for range 100 {
		g := graphOf(r, 1+r.IntN(60), 1+r.IntN(9))
		if err := Check(g); err != nil {
			t.Fatalf("%v\n%s", err, Text(g))
		}
		text := Text(g)
		f, err := Read(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(normal(g), normal(f.Graph)); diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
		if again := Text(f.Graph); !bytes.Equal(again, text) {
			t.Fatalf("printed\n%s\nand then\n%s", text, again)
		}
		two, err := Write(g, 2)
		if slices.ContainsFunc(g.Nodes, isNext) {
			if err == nil {
				t.Fatalf("next in version 2:\n%s", two)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err = Read(two)
		if err != nil {
			t.Fatalf("%v\n%s", err, two)
		}
		arrays := slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Op == "acond" || n.Op == "write" })
		if want := map[bool]int{true: 2, false: 3}[arrays]; f.Version != want {
			t.Fatalf("version %d is read as %d:\n%s", want, f.Version, two)
		}
		if again := Text(f.Graph); !bytes.Equal(again, text) {
			t.Fatalf("by way of version 2\n%s\nbecame\n%s", text, again)
		}
	}
}

// Equal graphs print equally: the order of lines, their numbers and what no root
// needs make no difference to the canonical form.
func TestEqualGraphsPrintEqually(t *testing.T) {
	r := randomly(t)
	for range 100 {
		g := graphOf(r, 1+r.IntN(60), 1+r.IntN(9))
		text := Text(g)
		file, err := Read(reordered(r, g))
		if err != nil {
			t.Fatalf("%v\n%s", err, reordered(r, g))
		}
		h := file.Graph.Canonical()
		if diff := cmp.Diff(g, h); diff != "" {
			t.Fatal(diff)
		}
		if again := Text(h); !bytes.Equal(again, text) {
			t.Fatalf("%s\n%s", text, again)
		}
	}
}

// reordered is a text of g with lines in another order that operands allow, roots in
// theirs, with numbers drawn and nodes between that nothing needs.
func reordered(r *rand.Rand, g *graph.Graph) []byte {
	number, wanted := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	users := make([][]int, len(g.Nodes))
	last := -1
	var ready []int
	for i, n := range g.Nodes {
		need := n.Args
		if IsRoot(n) {
			if last >= 0 {
				need = append(slices.Clone(need), graph.Ref{To: last})
			}
			last = i
		}
		for _, a := range need {
			users[a.To] = append(users[a.To], i)
		}
		if wanted[i] = len(need); len(need) == 0 {
			ready = append(ready, i)
		}
	}
	numbers := r.Perm(4 * len(g.Nodes))
	var text []byte
	for len(ready) > 0 {
		k := r.IntN(len(ready))
		i := ready[k]
		ready = slices.Delete(ready, k, k+1)
		if r.IntN(5) == 0 {
			text = fmt.Appendf(text, "%d var 3 spare ; of nobody\n", numbers[0]+1)
			numbers = numbers[1:]
		}
		n := g.Nodes[i]
		number[i] = numbers[0] + 1
		numbers = numbers[1:]
		text = fmt.Appendf(text, "%d %s %d", number[i], n.Op, n.Sort.Width)
		if operators[n.Op].index {
			text = fmt.Appendf(text, " %d", n.Sort.Index)
		}
		for _, a := range n.Args {
			sign := ""
			if a.Not {
				sign = "-"
			}
			text = fmt.Appendf(text, "\t%s%d", sign, number[a.To])
		}
		for _, x := range n.Numbers {
			text = fmt.Appendf(text, " %d", x)
		}
		if n.Text != "" {
			text = fmt.Appendf(text, " %s", n.Text)
		}
		text = append(text, '\n')
		for _, u := range users[i] {
			if wanted[u]--; wanted[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	return text
}

// normal is g without the difference of no arguments and nil ones.
func normal(g *graph.Graph) *graph.Graph {
	h := &graph.Graph{Roots: append([]int(nil), g.Roots...)}
	for _, n := range g.Nodes {
		if len(n.Args) == 0 {
			n.Args = nil
		}
		if len(n.Numbers) == 0 {
			n.Numbers = nil
		}
		h.Nodes = append(h.Nodes, n)
	}
	return h
}
