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

// TestWidths shows what becomes of widths, and what it takes: what a failure does not
// need is gone with the first question.
func TestWidths(t *testing.T) {
	f, err := btor.Read([]byte(`1 var 16
2 var 16
3 mul 16 1 2
4 array 8 6
5 slice 6 3 9 4
6 read 8 4 5
7 redor 1 6
8 var 9
9 redxor 1 8
10 redand 1 3
11 and 1 7 10
12 and 1 9 11
13 root 1 12
`))
	if err != nil {
		t.Fatal(err)
	}
	text := string(btor.Text(f.Graph.Canonical()))
	for _, c := range []struct {
		needs  string // of the widest node with that operator
		width  int
		trials int
		sum    int
	}{
		{"mul", 1, 1, 10},
		{"mul", 2, 6, 15},
		{"mul", 9, 9, 36},
		{"read", 5, 9, 19},
		{"slice", 4, 21, 30}, // it would be no slice if mul had 4 bits
		{"array", 8, 9, 25},
	} {
		t.Run(fmt.Sprint(c.needs, c.width), func(t *testing.T) {
			interesting := func(g *graph.Graph) bool {
				return has(g, c.needs) && widest(g, c.needs) >= c.width
			}
			for _, jobs := range []int{1, 3} {
				result, err := Reduce(t.Context(), oneFile("a.btor", text), graphFails(t, text, interesting), Options{Passes: []string{"widths"}, Fast: true, Jobs: jobs})
				if err != nil {
					t.Fatal(err)
				}
				f, err := btor.Read(result.Output.Files[0].Content)
				if err != nil {
					t.Fatal(err)
				}
				if got := widest(f.Graph, c.needs); got != c.width {
					t.Errorf("jobs %d: %s has %d bits, not %d\n%s", jobs, c.needs, got, c.width, result.Output.Files[0].Content)
				}
				if got := btor.Language.Measure(f.Graph).Widths; got != c.sum || result.Trials != c.trials {
					t.Errorf("jobs %d: %d bits after %d trials, not %d after %d\n%s", jobs, got, result.Trials, c.sum, c.trials, result.Output.Files[0].Content)
				}
			}
		})
	}
}

// widest returns the width of the widest node with an operator, 0 if there is none.
func widest(g *graph.Graph, op string) int {
	width := 0
	for _, n := range g.Nodes {
		if n.Op == op {
			width = max(width, n.Sort.Width)
		}
	}
	return width
}

// TestWidthsHold reduces the widths of drawn graphs: no narrowing by one class of what is
// left fails, and it takes no more than it says.
func TestWidthsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 4))
	for range 15 {
		g := drawn(t, r.Uint64(), 40).Canonical()
		text := string(btor.Text(g))
		wanted := map[string]int{}
		for range 2 {
			n := g.Nodes[r.IntN(len(g.Nodes))]
			wanted[n.Op] = 1 + r.IntN(n.Sort.Width)
		}
		interesting := func(g *graph.Graph) bool {
			for op, width := range wanted {
				if widest(g, op) < width {
					return false
				}
			}
			return true
		}
		result, err := Reduce(t.Context(), oneFile("a.btor", text), graphFails(t, text, interesting), Options{Passes: []string{"widths"}, Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		f, err := btor.Read(result.Output.Files[0].Content)
		if err != nil {
			t.Fatal(err)
		}
		for h := range btor.NewWidths(f.Graph).Singly() {
			if interesting(h) {
				t.Fatalf("%v: what is left can be narrower:\n%s\n%s", wanted, btor.Text(f.Graph), btor.Text(h))
			}
		}
		classes := btor.NewWidths(g).Classes()
		if most := 12 * len(classes); result.Trials > most {
			t.Errorf("%d trials for %d classes, %v", result.Trials, len(classes), wanted)
		}
		if !slices.Equal(strings.Fields(string(result.Output.Files[0].Content)), strings.Fields(string(btor.Text(f.Graph)))) {
			t.Error("the output is not canonical")
		}
	}
}
