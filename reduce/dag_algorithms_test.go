package reduce

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/testcase"
)

// graphing returns a graph that is reduced alone, without passes.
func graphing(t testing.TB, g *graph.Graph, fails func(*graph.Graph) bool, opts Options) *dag {
	t.Helper()
	g = g.Canonical()
	text := btor.Text(g)
	in := oneFile("a.btor", string(text))
	return &dag{
		reduction: newReduction(in, graphFails(t, string(text), fails), opts), simplify: !opts.NoSimplify, base: in, content: text,
		digraph: digraph{g: g, language: btor.Language, text: func(g *graph.Graph) ([]byte, bool) { return btor.Text(g), true }},
	}
}

// drawn returns a generated graph of about so many nodes.
func drawn(t testing.TB, seed uint64, nodes int) *graph.Graph {
	t.Helper()
	o := btor.Defaults()
	o.Seed, o.Count = seed, nodes
	o.Vars, o.Arrays, o.Writes = 3+nodes/20, 1+nodes/40, 1+nodes/40
	g, _, err := btor.Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// lumpy is a test that some of the graphs with a pattern fail, and that no search can
// foresee which. g does.
func lumpy(r *rand.Rand, g *graph.Graph) func(*graph.Graph) bool {
	pattern := fixtures.DrawPattern(r, g, 1+r.IntN(4))
	odd, salt := r.IntN(3), r.Uint64()
	return func(h *graph.Graph) bool {
		d := fnv.New64a()
		fmt.Fprint(d, salt, string(btor.Text(h)))
		return pattern.In(h) && (odd > 0 || d.Sum64()%3 > 0)
	}
}

// A reduced graph is what came of one, and how.
type reduced struct {
	*dag
	asked    []string // by question
	distinct int      // questions but for those that were asked before
	made     int      // questions that brought it further
	widest   int      // nodes of a level that could be replaced, at any time
}

func reducing(t *testing.T, name string, g *graph.Graph, fails func(*graph.Graph) bool, opts Options) reduced {
	t.Helper()
	run, err := graphStructure(name)
	if err != nil {
		t.Fatal(err)
	}
	var r reduced
	digests := map[string]bool{}
	opts.Observe = func(s Step) {
		digests[s.Digest] = true
		r.asked = append(r.asked, fmt.Sprint(s.Trial, s.Outcome, s.Digest))
	}
	opts.Improved = func(testcase.Input) error {
		r.made++
		for _, level := range r.levels() {
			r.widest = max(r.widest, len(level))
		}
		return nil
	}
	r.dag = graphing(t, g, fails, opts)
	delete(digests, r.best.Digest())
	for _, level := range r.levels() {
		r.widest = max(r.widest, len(level))
	}
	if err := run(t.Context(), r.dag); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r.distinct = len(digests)
	return r
}

// log2 is the logarithm, rounded up; that of 0 is 0.
func log2(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

// bound returns how many questions an algorithm may ask at most about a graph, by
// its comment.
func (r reduced) bound(name string, g *graph.Graph) int {
	n, w, edges, levels := len(btor.Language.Replaceable(g)), r.widest, 0, slices.Max(g.Depths())
	for _, node := range g.Nodes {
		edges += len(node.Args)
	}
	hdd := func(passes int) int { return 6 * w * (r.made + passes*levels*(log2(w)+1)) }
	switch m := r.opts.MaxPartitions; {
	case name == "ddmin" && m == 8:
		return 78
	case name == "ddmin" && m == 16:
		return 174
	case name == "ddmin" && m > 0:
		return 18 * m
	}
	switch name {
	case "ddmin/keep":
		return 6 * n * (r.made + log2(n) + 1)
	case "ddmin":
		return 18 * n * (r.made + 1)
	case "hdd":
		return hdd(1)
	case "hdd+":
		return hdd(1) + 3*n*(r.made+1)
	case "hdd*":
		return hdd(r.made + 1)
	case "bfs":
		return 3 * n
	case "lw":
		return 3 * levels
	case "changeref":
		return len(g.Nodes) * edges
	case "changeref+":
		return edges * log2(len(g.Nodes)+1)
	case "deltabtor":
		once := 0
		for size := n; size > 0; size = smallerBlock(size) {
			once += 3 * ((n + size - 1) / size)
		}
		return once + 3*n*r.made
	}
	panic(name)
}

// TestGraphAlgorithms holds each algorithm of the thesis to what its comment says, on
// graphs that are drawn at random.
func TestGraphAlgorithms(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 1))
	names := slices.DeleteFunc(GraphAlgorithms(), func(name string) bool { return name == "auto" })
	names = append(names, "ddmin", "ddmin", "ddmin") // with partitions
	for k, name := range slices.Repeat(names, 5) {
		opts := Options{NoSimplify: k/len(names)%2 == 0, Jobs: 1}
		if at := k % len(names); at >= len(names)-3 {
			opts.MaxPartitions = []int{8, 16, 1 + r.IntN(20)}[len(names)-1-at]
		}
		g := drawn(t, r.Uint64(), 4+r.IntN(40))
		fails := lumpy(r, g)
		what := fmt.Sprintf("%s of\n%s, at most %d partitions, simplified: %t", name, btor.Text(g), opts.MaxPartitions, !opts.NoSimplify)

		got := reducing(t, name, g, fails, opts)
		if !bytes.Equal(btor.Text(got.g), got.best.Files[0].Content) || len(got.g.Nodes) > len(g.Nodes) {
			t.Fatalf("%s: the graph is not what the best input says, or has grown:\n%s", what, btor.Text(got.g))
		}
		if got.made > 0 && !fails(got.g) {
			t.Errorf("%s: left, and does not fail:\n%s", what, btor.Text(got.g))
		}
		if most := got.bound(name, g.Canonical()); len(got.asked) > most {
			t.Errorf("%s: %d questions, want at most %d", what, len(got.asked), most)
		}
		n := len(btor.Language.Replaceable(g))
		if !strings.HasPrefix(name, "changeref") && got.made > 2*n {
			t.Errorf("%s: %d successes with %d nodes", what, got.made, n)
		}
		if got.trials != got.distinct {
			t.Errorf("%s: %d trials for %d different questions", what, got.trials, got.distinct)
		}
		if result := got.result(); result.Trials+result.Cached != len(got.asked) {
			t.Errorf("%s: %d trials and %d cached of %d questions", what, result.Trials, result.Cached, len(got.asked))
		}
		also := opts
		also.Jobs = 4
		if with4 := reducing(t, name, g, fails, also); !slices.Equal(got.asked, with4.asked) || !bytes.Equal(btor.Text(got.g), btor.Text(with4.g)) {
			t.Errorf("%s: %d questions to %d nodes with one job, %d to %d with 4", what, len(got.asked), len(got.g.Nodes), len(with4.asked), len(with4.g.Nodes))
		}
		if strings.HasPrefix(name, "ddmin") && opts.MaxPartitions == 0 {
			oneMinimal(t, what, got.dag, fails)
		}
	}
}

// oneMinimal tries each replacement of a single node.
func oneMinimal(t *testing.T, what string, d *dag, fails func(*graph.Graph) bool) {
	t.Helper()
	for i := range d.g.Nodes {
		for _, kind := range graph.Kinds {
			h, ok := btor.Language.Replace(d.g, []int{i}, kind)
			if !ok {
				continue
			}
			if d.simplify {
				h = btor.Simplify(h)
			}
			if fails(h) {
				t.Errorf("%s: of what is left\n%s node %d can still be replaced (%d)", what, btor.Text(d.g), i+1, kind)
			}
		}
	}
}

// TestGraphOrder holds the algorithms to the order that the thesis finds them in, on
// ten inputs: lw leaves most by far, then ddmin in one pass with few partitions;
// changeref+ leaves more than hdd* and changeref, which leave least; hdd, hdd+ and
// hdd* each no more than the one before.
func TestGraphOrder(t *testing.T) {
	seed.SkipLong(t, 4)
	nodes := map[string]int{}
	calls := map[string]int{}
	const inputs = 10
	for _, name := range []string{"lw", "ddmin", "hdd", "hdd+", "hdd*", "bfs", "changeref+", "changeref"} {
		for s := range uint64(inputs) {
			o := btor.Defaults()
			o.Seed, o.Count = s, 200
			g, _, err := btor.Generate(o)
			if err != nil {
				t.Fatal(err)
			}
			pattern := fixtures.DrawPattern(rand.New(rand.NewPCG(s, 1)), g, 5)
			opts := Options{Jobs: 1}
			if name == "ddmin" {
				opts.MaxPartitions = 8
			}
			got := reducing(t, name, g, pattern.In, opts)
			nodes[name] += len(got.g.Nodes)
			calls[name] += len(got.asked)
		}
	}
	t.Log("nodes", nodes)
	t.Log("calls", calls)
	for _, order := range [][]string{
		{"lw", "ddmin", "hdd", "hdd+", "hdd*"},
		{"ddmin", "changeref+", "hdd*"},
		{"changeref+", "changeref"},
		{"ddmin", "bfs"},
	} {
		for i := range len(order) - 1 {
			more, less := order[i], order[i+1]
			if nodes[more] < nodes[less] {
				t.Errorf("%s leaves %.1f nodes, %s %.1f", more, float64(nodes[more])/inputs, less, float64(nodes[less])/inputs)
			}
		}
	}
	if calls["changeref+"] >= calls["changeref"] {
		t.Errorf("changeref+ asks %d questions, changeref %d", calls["changeref+"], calls["changeref"])
	}
}

// TestGraphLists does several algorithms in turn.
func TestGraphLists(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 3))
	for _, names := range []string{"lw,bfs", "changeref+,changeref", "hdd,lw,changeref+", "ddmin/keep,deltabtor", "lw,changeref,*", "bfs,*", "ddmin,hdd,bfs,lw,changeref+,changeref"} {
		g := drawn(t, r.Uint64(), 30)
		fails := lumpy(r, g)
		for _, simple := range []bool{false, true} {
			opts := Options{NoSimplify: !simple, MaxPartitions: 8}
			got := reducing(t, names, g, fails, opts)
			parts, loop := strings.CutSuffix(names, ",*")

			// By hand: what is left of one is the input of the next.
			left, asked := g, 0
			for before := 0; len(left.Nodes) != before; {
				before = len(left.Nodes)
				for name := range strings.SplitSeq(parts, ",") {
					for size := 0; len(left.Nodes) != size; {
						size = len(left.Nodes)
						one := reducing(t, name, left, fails, opts)
						left, asked = one.g, asked+len(one.asked)
					}
				}
				if !loop {
					break
				}
			}
			if string(btor.Text(left)) != string(btor.Text(got.g)) || asked != len(got.asked) {
				t.Errorf("%s of\n%s: %d questions to\n%s, want %d to\n%s", names, btor.Text(g), len(got.asked), btor.Text(got.g), asked, btor.Text(left))
			}
		}
	}
}

func TestGraphAlgorithmNames(t *testing.T) {
	for name, want := range map[string]string{
		"lw,probdd":   `unknown algorithm "probdd" in "lw,probdd"; for graphs there are auto, ddmin, ddmin/keep, hdd, hdd+, hdd*,`,
		"hdd*/dab":    `unknown algorithm "hdd*/dab"; for`,
		"*":           `unknown algorithm "*"; for`,
		"*,lw":        `unknown algorithm "*" in "*,lw"; for`,
		"lw,":         `unknown algorithm "" in "lw,"; for`,
		"lw*":         `unknown algorithm "lw*"; for`,
		"lw,*,*":      `unknown algorithm "*" in "lw,*,*"; for`,
		"changeref +": `unknown algorithm "changeref +"; for`,
	} {
		if _, err := graphStructure(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	for _, name := range slices.Concat(Algorithms(), []string{"", "hdd*/dab", "coarse,hoist", "lw,bfs", "ddmin,hdd,bfs,lw,changeref+,changeref,*", "auto,*"}) {
		if err := CheckAlgorithm(name); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{
		"no":           `unknown algorithm "no"; there are auto, hdd, hdd+, hdd*, levels,`,
		"hdd,no":       `unknown algorithm "no" in "hdd,no"; there are auto,`,
		"bfs,no":       `unknown algorithm "no" in "bfs,no"; for graphs there are auto, ddmin,`,
		"lw,hoist":     `unknown algorithm "hoist" in "lw,hoist"; for graphs`, // each is one, of other inputs
		"changeref,":   `unknown algorithm "" in "changeref,"; for graphs`,
		"ddmin/random": `unknown algorithm "random" in "ddmin/random"; there are auto,`,
	} {
		if err := CheckAlgorithm(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// layered is four layers: six nodes over six over four leaves, and what joins them.
const layered = `1 var 4 a
2 var 4 b
3 var 4 c
4 var 4 d
5 mul 4 1 2
6 udiv 4 3 -4
7 add 4 2 3
8 xor 4 1 4
9 sub 4 5 6
10 and 4 6 -7
11 or 4 7 8
12 xnor 4 9 10
13 nand 4 -10 11
14 ult 1 12 13
15 eq 1 9 -11
16 slt 1 8 12
17 and 1 14 -15
18 or 1 16 17
19 root 1 18
`

// TestGraphQuestions counts what each algorithm asks about one graph: that is what it
// costs.
func TestGraphQuestions(t *testing.T) {
	f, err := btor.Read([]byte(layered))
	if err != nil {
		t.Fatal(err)
	}
	udiv := func(g *graph.Graph) bool { return has(g, "udiv") && has(g, "ult") }
	for _, c := range []struct {
		name       string
		partitions int
		nodes      int // that are left
		questions  int
		trials     int
	}{
		{"ddmin/keep", 0, 5, 62, 32},
		{"ddmin", 0, 7, 139, 38},
		{"hdd", 0, 4, 23, 19},
		{"hdd+", 0, 4, 29, 19},
		{"hdd*", 0, 4, 29, 19},
		{"bfs", 0, 4, 26, 19},
		{"lw", 0, 10, 14, 11},
		{"changeref", 0, 4, 11, 11},
		{"changeref+", 0, 6, 12, 12},
		{"deltabtor", 0, 7, 72, 23},
		{"ddmin", 8, 7, 64, 23},
		{"hdd", 2, 8, 15, 12},
	} {
		got := reducing(t, c.name, f.Graph, udiv, Options{Jobs: 1, MaxPartitions: c.partitions})
		if len(got.g.Nodes) != c.nodes || len(got.asked) != c.questions || got.trials != c.trials {
			t.Errorf("%s with %d partitions: %d nodes after %d questions, %d trials; want %d, %d, %d", c.name, c.partitions, len(got.g.Nodes), len(got.asked), got.trials, c.nodes, c.questions, c.trials)
		}
	}
}

// The blocks of deltabtor.c: halves, rounded up, and below 8 of 3, 2 and 1 nodes.
func TestBlocksOfDeltabtor(t *testing.T) {
	for first, want := range map[int][]int{
		100: {50, 25, 13, 7, 3, 2, 1},
		16:  {8, 4, 3, 2, 1},
		7:   {3, 2, 1},
		4:   {3, 2, 1},
		1:   nil,
	} {
		var got []int
		for size := smallerBlock(first); size > 0; size = smallerBlock(size) {
			got = append(got, size)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %d: %v, want %v", first, got, want)
		}
	}
}
