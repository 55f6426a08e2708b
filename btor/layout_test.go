package btor

import (
	"math"
	"testing"
	"time"

	"github.com/gitdd/gitdd/graph"
)

// layoutNodes makes nodes of the same width of what each has below it.
func layoutNodes(args ...[]int) []layoutNode {
	nodes := make([]layoutNode, len(args))
	for i := range args {
		nodes[i] = layoutNode{half: 30, args: args[i]}
	}
	return nodes
}

// checkLayout holds a layout to what is true of all: each node is below all that use
// it, each edge is a way from layer to layer or a stub, nothing overlaps, and nothing
// is outside.
func checkLayout(t *testing.T, l *layout) {
	t.Helper()
	seen := make([]bool, len(l.items))
	for at, layer := range l.layers {
		if len(layer) == 0 {
			t.Errorf("layer %d is empty", at)
		}
		for j, i := range layer {
			it := l.items[i]
			if seen[i] || it.layer != at || it.place != j {
				t.Fatalf("item %d at %d of layer %d: %+v", i, j, at, it)
			}
			seen[i] = true
			if it.x-it.half < margin-0.01 || it.x+it.half > l.width-margin+0.01 || it.y < margin || it.y+boxHeight > l.height-margin+0.01 {
				t.Errorf("item %d is outside of %v × %v: %+v", i, l.width, l.height, it)
			}
			if j > 0 {
				if left := l.items[layer[j-1]]; left.x+left.half+pointGap > it.x-it.half+0.01 {
					t.Errorf("items %d and %d of layer %d overlap: %+v, %+v", j-1, j, at, left, it)
				}
			}
		}
		if at > 0 {
			above, below := l.items[l.layers[at-1][0]].y, l.items[layer[0]].y
			if below-above < boxHeight+layerGap-0.01 {
				t.Errorf("layers %d and %d begin at %v and %v", at-1, at, above, below)
			}
		}
	}
	for i := range seen {
		if !seen[i] {
			t.Errorf("item %d is in no layer", i)
		}
	}
	reached := map[[2]int]bool{} // an edge of a node
	for _, k := range l.links {
		if l.items[k.from].layer+1 != l.items[k.to].layer {
			t.Errorf("%+v goes from layer %d to %d", k, l.items[k.from].layer, l.items[k.to].layer)
		}
		if (k.edge < 0) != l.items[k.from].point || math.Abs(k.port) > l.items[k.from].half {
			t.Errorf("%+v does not begin at its item", k)
		}
		to := l.items[k.to].node
		if k.edge < 0 {
			if l.items[k.from].node != to {
				t.Errorf("a way to %d goes on to %d", l.items[k.from].node, to)
			}
			continue
		}
		if l.nodes[k.from].args[k.edge] != to || reached[[2]int{k.from, k.edge}] {
			t.Errorf("edge %d of node %d leads to %d", k.edge, k.from, to)
		}
		reached[[2]int{k.from, k.edge}] = true
	}
	for _, s := range l.stubs {
		reached[[2]int{s.node, s.edge}] = true
	}
	for i := range l.items {
		if l.items[i].point && (len(l.down[i]) != 1 || len(l.up[i]) == 0) {
			t.Errorf("way point %d has %d links up, %d down", i, len(l.up[i]), len(l.down[i]))
		}
	}
	for i, n := range l.nodes {
		for edge, to := range n.args {
			if !reached[[2]int{i, edge}] {
				t.Errorf("edge %d of node %d is not there", edge, i)
			}
			if l.items[i].layer >= l.items[to].layer {
				t.Errorf("node %d is not above its operand %d", i, to)
			}
		}
	}
}

func TestLayout(t *testing.T) {
	for _, test := range []struct {
		name      string
		nodes     []layoutNode
		layers    []int
		crossings int
	}{
		{"nothing", nil, nil, 0},
		{"one", layoutNodes(nil), []int{0}, 0},
		{"a chain", layoutNodes(nil, []int{0}, []int{1}), []int{2, 1, 0}, 0},
		{"the longest path counts", layoutNodes(nil, []int{0}, []int{1, 0}), []int{2, 1, 0}, 0},
		{"one operand twice", layoutNodes(nil, []int{0, 0}), []int{1, 0}, 0},
		{"two that would cross", layoutNodes(nil, nil, []int{1}, []int{0}), []int{1, 1, 0, 0}, 0},
		{"operands that have to cross", layoutNodes(nil, nil, []int{0, 1}, []int{1, 0}), []int{1, 1, 0, 0}, 2},
		{"all of three with all of three cross nine times", layoutNodes(nil, nil, nil, []int{0, 1, 2}, []int{0, 1, 2}, []int{0, 1, 2}),
			[]int{1, 1, 1, 0, 0, 0}, 9},
		{"no more than eight side by side", layoutNodes(nil, nil, nil, nil, nil, nil, nil, nil, nil, nil), []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLayout(test.nodes)
			checkLayout(t, l)
			for i, want := range test.layers {
				if got := l.items[i].layer; got != want {
					t.Errorf("node %d in layer %d, not %d", i, got, want)
				}
			}
			if got := l.crossings(); got != test.crossings {
				t.Errorf("%d crossings, not %d", got, test.crossings)
			}
		})
	}
}

// Edges to one node share their way points.
func TestLayoutShares(t *testing.T) {
	// A chain of 6 whose nodes all use the last one.
	args := [][]int{nil}
	for i := range 6 {
		args = append(args, []int{i, 0})
	}
	l := newLayout(layoutNodes(args...))
	checkLayout(t, l)
	if points := len(l.items) - len(l.nodes); points != 5 {
		t.Errorf("%d way points past 5 layers", points)
	}
	// And what is left of their shares when no two layers may be passed.
	if got := longestWay(l.nodes, layersOf(l.nodes), 4); got != 5 {
		t.Errorf("with 4 way points edges may go through %d layers, not 5", got)
	}
	if got := longestWay(l.nodes, layersOf(l.nodes), 0); got != 1 {
		t.Errorf("without way points edges may go through %d layers, not 1", got)
	}
}

// A chain does not drift to the side because each has its next on the left.
func TestLayoutStraight(t *testing.T) {
	args := [][]int{nil, nil}
	for i := range 300 {
		args = append(args, []int{i + 1, 0})
	}
	l := newLayout(layoutNodes(args...))
	checkLayout(t, l)
	if l.width > 600 {
		t.Errorf("a chain is %v pixels wide", l.width)
	}
}

// What takes too many way points becomes stubs, and the others stay edges.
func TestLayoutStubs(t *testing.T) {
	args := [][]int{nil}
	for i := range 1500 {
		args = append(args, []int{i, i / 2})
	}
	start := time.Now()
	l := newLayout(layoutNodes(args...))
	checkLayout(t, l)
	points := len(l.items) - len(l.nodes)
	if most := 4*len(l.nodes) + 4000; points > most || points < most/2 || len(l.stubs) == 0 {
		t.Errorf("%d way points of at most %d, %d stubs", points, most, len(l.stubs))
	}
	t.Logf("%d stubs, %v", len(l.stubs), time.Since(start))
}

// brutally counts crossings pair by pair.
func (l *layout) brutally() int {
	var sum int
	for i := range l.links {
		for j := range i {
			a, b := &l.links[i], &l.links[j]
			if l.items[a.from].layer != l.items[b.from].layer {
				continue
			}
			up := l.above(i) - l.above(j)
			down := l.items[a.to].place - l.items[b.to].place
			if up < 0 && down > 0 || up > 0 && down < 0 {
				sum++
			}
		}
	}
	return sum
}

// Random graphs: all holds, the order is no worse than the first, and for most better.
func TestLayoutRandom(t *testing.T) {
	r := randomly(t)
	var first, last int
	for range 60 {
		var args [][]int
		n := 1 + r.IntN(80)
		for i := range n {
			var list []int
			for range min(i, r.IntN(4)) {
				list = append(list, max(r.IntN(i), r.IntN(i)))
			}
			args = append(args, list)
		}
		nodes := layoutNodes(args...)
		for i := range nodes {
			nodes[i].half = 10 + 50*r.Float64()
		}
		l := newLayout(nodes)
		checkLayout(t, l)
		got := l.crossings()
		if want := l.brutally(); got != want {
			t.Fatalf("%d crossings, by pairs %d", got, want)
		}
		unordered := &layout{nodes: nodes}
		layer := layersOf(nodes)
		unordered.join(layer, longestWay(nodes, layer, 4*n+4000))
		unordered.walk()
		if before := unordered.crossings(); got > before {
			t.Errorf("%d crossings became %d", before, got)
		} else {
			first, last = first+before, last+got
		}
	}
	if last > first*9/10 {
		t.Errorf("%d crossings became %d in all", first, last)
	}
}

// misses is what align makes least.
func (l *layout) misses(at int) float64 {
	var sum float64
	for _, i := range l.layers[at] {
		wanted, weight := l.wanted(i, true, true)
		sum += weight * (l.items[i].x - wanted) * (l.items[i].x - wanted)
	}
	return sum
}

// No other place of an item, or of several side by side, would do better.
func TestLayoutAlign(t *testing.T) {
	r := randomly(t)
	var args [][]int
	for i := range 60 {
		var list []int
		for range min(i, 1+r.IntN(3)) {
			list = append(list, r.IntN(i))
		}
		args = append(args, list)
	}
	l := newLayout(layoutNodes(args...))
	for at := range l.layers {
		l.align(at, true, true)
		best := l.misses(at)
		for from := range l.layers[at] {
			for to := from; to < len(l.layers[at]); to++ {
				for _, by := range []float64{-1, 1} {
					move := func(by float64) {
						for _, i := range l.layers[at][from : to+1] {
							l.items[i].x += by
						}
					}
					move(by)
					valid := true
					for j := 1; j < len(l.layers[at]); j++ {
						left, right := l.layers[at][j-1], l.layers[at][j]
						valid = valid && l.items[right].x-l.items[left].x >= l.apart(left, right)
					}
					if now := l.misses(at); valid && now < best-1e-6 {
						t.Errorf("layer %d, %d to %d moved by %v: %v became %v", at, from, to, by, best, now)
					}
					move(-by)
				}
			}
		}
	}
}

// Four times the nodes are at most eight times the work: without a bound on way points
// it were sixteen.
func TestLayoutWork(t *testing.T) {
	work := func(n int) int {
		o := Defaults()
		o.Count = n
		g, _, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		l := newLayout(nodesOf(g))
		checkLayout(t, l)
		return len(l.links) + len(l.items)
	}
	if one, two := work(300), work(1200); two > 8*one {
		t.Errorf("%d for 300 nodes, %d for 1,200", one, two)
	}
}

func nodesOf(g *graph.Graph) []layoutNode {
	var args [][]int
	for _, n := range g.Nodes {
		var list []int
		for _, r := range n.Args {
			list = append(list, r.To)
		}
		args = append(args, list)
	}
	return layoutNodes(args...)
}
