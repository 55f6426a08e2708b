package graph

import "testing"

// TestClasses holds classes to what is written of nodes with all below them.
func TestClasses(t *testing.T) {
	r := randomly(t)
	shared := 0
	for range 1000 {
		graphs := []*Graph{random(r), random(r)}
		graphs = append(graphs, renumbered(r, graphs[0]))
		classes, count := Classes(graphs...)
		of, written := map[int]string{}, map[string]bool{}
		for k, g := range graphs {
			if len(classes[k]) != len(g.Nodes) {
				t.Fatalf("%d classes for %d nodes", len(classes[k]), len(g.Nodes))
			}
			for i, class := range classes[k] {
				s := text(g, i)
				before, known := of[class]
				if known && before != s || !known && written[s] || class < 0 || class >= count {
					t.Fatalf("class %d of %d is that of %s and of %s", class, count, before, s)
				}
				if known && k == 1 {
					shared++
				}
				of[class], written[s] = s, true
			}
		}
		if len(of) != count {
			t.Fatalf("%d classes of %d", len(of), count)
		}
	}
	if shared == 0 {
		t.Error("no two graphs had a node in common")
	}
	// A text is not taken for what stands beside it.
	g := &Graph{Nodes: []Node{{Op: "a", Text: "b"}, {Op: "ab"}, {Op: "a", Text: `b" 1`}, {Op: "a", Text: "b", Numbers: []int{1}}}}
	if _, count := Classes(g); count != 4 {
		t.Errorf("%d classes of four nodes that differ", count)
	}
}
