package reduce

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
)

// TestOrigins changes two graphs alike, of which one has a name at each node that
// says which one it is.
func TestOrigins(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 2))
	old, found := 0, 0 // of graphs that were simplified: nodes that were there before, and those of them that are found
	for range 400 {
		g := drawn(t, r.Uint64(), 4+r.IntN(40)).Canonical()
		for i := range g.Nodes { // digits would not be names
			if n := &g.Nodes[i]; strings.HasPrefix(n.Op, "const") {
				n.Op, n.Text = "var", ""
			}
		}
		named := &graph.Graph{Nodes: slices.Clone(g.Nodes), Roots: g.Roots}
		for i := range named.Nodes {
			g.Nodes[i].Text, named.Nodes[i].Text = "", fmt.Sprint("n", i)
		}
		d := &dag{digraph: digraph{language: btor.Language}, simplify: r.IntN(2) == 0}
		all := btor.Language.Replaceable(g)
		if len(all) == 0 {
			continue
		}
		var set []int
		for range 1 + r.IntN(4) {
			set = append(set, all[r.IntN(len(all))])
		}
		made := replacement{nodes: set, kind: graph.Kinds[r.IntN(3)]}
		h, ok := btor.Language.Replace(g, made.nodes, made.kind)
		if !ok {
			continue
		}
		truth, _ := btor.Language.Replace(named, made.nodes, made.kind)
		if d.simplify {
			h, truth = btor.Simplify(h), btor.Simplify(truth)
		}
		d.g = h
		from := d.origins(g, made)

		if len(truth.Nodes) != len(h.Nodes) || len(from) != len(h.Nodes) {
			t.Fatalf("%d nodes, with names %d, %d origins", len(h.Nodes), len(truth.Nodes), len(from))
		}
		seen := map[int]bool{}
		wanted := btor.Language.Replaceable(h) // a leaf that all share may have been one that was no longer needed
		for i, was := range from {
			if !slices.Contains(wanted, i) {
				continue
			}
			if was >= 0 && seen[was] {
				t.Errorf("two nodes were node %d", was+1)
			}
			seen[was] = true
			want := -1
			if name := truth.Nodes[i].Text; name != "" {
				fmt.Sscanf(name, "n%d", &want)
			}
			switch {
			case !d.simplify && was != want:
				t.Errorf("node %d of\n%s was %d of\n%s, not %d; %v, %d", i+1, btor.Text(h), want+1, btor.Text(g), was+1, set, made.kind)
			case d.simplify && want >= 0:
				old++
				if was == want {
					found++
				}
			}
		}
	}
	if t.Logf("simplified: %d of %d", found, old); found*100 < old*99 {
		t.Errorf("of graphs that were simplified %d of %d nodes are found", found, old)
	}
}
