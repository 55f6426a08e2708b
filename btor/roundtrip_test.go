package btor

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/graph"
)

// What is printed is read again as the same graph, and that is printed the same.
func TestRoundTrip(t *testing.T) {
	r := randomly(t)
	for range 300 {
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

// normal is g without the difference of no arguments and nil ones.
func normal(g *graph.Graph) *graph.Graph {
	h := &graph.Graph{Roots: slices.Clone(g.Roots)}
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
