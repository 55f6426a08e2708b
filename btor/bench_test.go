package btor

import (
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// large generates a graph of the size of the largest that the thesis reduced: 2,278 nodes.
func large(b *testing.B) *graph.Graph {
	b.Helper()
	o := Defaults()
	o.Count = 1850
	g, _, err := Generate(o)
	if err != nil {
		b.Fatal(err)
	}
	return g.Canonical()
}

// BenchmarkCandidate makes a candidate of one node and prints it, as each trial does.
func BenchmarkCandidate(b *testing.B) {
	g := large(b)
	set := Language.Replaceable(g)
	for i := 0; b.Loop(); i++ {
		h, ok := Language.Replace(g, set[i%len(set):][:1], graph.Kinds[i%3])
		if ok {
			Text(h)
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	g := large(b)
	set := Language.Replaceable(g)
	for i := 0; b.Loop(); i++ {
		Language.Replace(g, set[i%len(set):][:1], graph.Zero)
	}
}

func BenchmarkSimplify(b *testing.B) {
	g := large(b)
	set := Language.Replaceable(g)
	h, _ := Language.Replace(g, set[len(set)/2:][:1], graph.Zero)
	for b.Loop() {
		Simplify(h)
	}
}

func BenchmarkText(b *testing.B) {
	g := large(b)
	for b.Loop() {
		Text(g)
	}
}

func BenchmarkNarrow(b *testing.B) {
	g := large(b)
	for b.Loop() {
		w := NewWidths(g)
		var all []Narrowing
		for i := range w.Classes() {
			all = append(all, Narrowing{i, 1})
		}
		w.Narrow(all...)
	}
}
