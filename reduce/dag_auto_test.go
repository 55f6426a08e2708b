package reduce

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// Trials of auto, before the certificate and with it, where what has to be found is
// known.
func TestAutoTrials(t *testing.T) {
	both := func(ops ...string) func(*graph.Graph) bool {
		return func(g *graph.Graph) bool {
			return !slices.ContainsFunc(ops, func(op string) bool { return !has(g, op) })
		}
	}
	// A tower of 64 nodes of which one has to stay.
	var tower strings.Builder
	tower.WriteString("1 var 4\n")
	for i := range 64 {
		op := "add"
		if i == 20 {
			op = "mul"
		}
		fmt.Fprintf(&tower, "%d %s 4 %d -1\n", i+2, op, i+1)
	}
	tower.WriteString("66 redor 1 65\n67 root 1 66\n")
	for _, c := range []struct {
		name, text        string
		fails             func(*graph.Graph) bool
		left              string
		trials, certified int
	}{
		{"anything", small, both(), "1 zero 1|2 root 1 1", 2, 2},
		{"one of a tower", tower.String(), both("mul"), "1 zero 4|2 mul 4 1 -1|3 redor 1 2|4 root 1 3", 13, 18},
		{"two", small, both("mul", "udiv"), "1 zero 4|2 mul 4 1 1|3 udiv 4 1 2|4 redor 1 3|5 root 1 4", 9, 17},
	} {
		f, err := btor.Read([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		d := graphing(t, f.Graph, c.fails, Options{})
		if err := d.auto(t.Context()); err != nil {
			t.Fatal(err)
		}
		trials := d.trials
		if err := d.certify(t.Context()); err != nil {
			t.Fatal(err)
		}
		left := strings.ReplaceAll(strings.TrimSpace(string(btor.Text(d.g))), "\n", "|")
		if left != c.left || trials != c.trials || d.trials != c.certified {
			t.Errorf("%s: %s in %d trials, certified after %d; want %s, %d, %d", c.name, left, trials, d.trials, c.left, c.trials, c.certified)
		}
	}
}

// Trials and nodes of auto on generated graphs, beside those of hdd*, in sum: it leaves
// few more than half of the nodes, and asks less with the certificate than that without.
func TestAutoModel(t *testing.T) {
	seed.SkipLong(t, 4)
	var nodes, trials, certified int
	var nodes2, trials2 int
	for n := range 10 {
		g := drawn(t, uint64(n), 600)
		p := fixtures.DrawPattern(rand.New(rand.NewPCG(uint64(n), 1)), g, 2+n)
		d := graphing(t, g, p.In, Options{})
		if err := d.auto(t.Context()); err != nil {
			t.Fatal(err)
		}
		trials += d.trials
		if err := d.certify(t.Context()); err != nil {
			t.Fatal(err)
		}
		nodes, certified = nodes+len(d.g.Nodes), certified+d.trials
		h := reducing(t, "hdd*", g, p.In, Options{})
		nodes2, trials2 = nodes2+len(h.g.Nodes), trials2+h.trials
	}
	if nodes > 116 || trials > 570 || certified > 765 || nodes2 < 200 || trials2 < 1100 {
		t.Errorf("auto left %d nodes in %d trials, certified after %d; hdd* %d in %d", nodes, trials, certified, nodes2, trials2)
	}
}

// TestReduceBTOR holds reductions of graphs to what they promise: each candidate is
// well-formed and canonical (graphFails), no graph has more nodes than the one before,
// the result fails and no single node of it can be replaced, and nothing depends on
// the number of jobs, on where it was interrupted, or on the directory around it.
func TestReduceBTOR(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 2))
	for range 20 {
		g := drawn(t, r.Uint64(), 4+r.IntN(60))
		interesting := lumpy(r, g)
		text := string(btor.Text(g.Canonical()))
		fails := func(g *graph.Graph) bool { return interesting(g) || string(btor.Text(g)) == text }
		test := graphFails(t, text, fails)
		type path struct {
			steps    []Step
			improved []string
			result   Result
		}
		reduced := func(test Test, jobs, most int) path {
			var p path
			opts := Options{Jobs: jobs, MaxTrials: most, Evidence: true}
			opts.Observe = func(s Step) { p.steps = append(p.steps, s) }
			opts.Improved = func(in testcase.Input) error {
				p.improved = append(p.improved, string(in.Files[0].Content))
				return nil
			}
			var err error
			p.result, err = Reduce(t.Context(), oneFile("a.btor", text), test, opts)
			if spent := errors.Is(err, isolate.ErrBudget); err != nil && !spent || spent && p.result.Trials != most {
				t.Fatalf("%s, at most %d trials: %v after %d", text, most, err, p.result.Trials)
			}
			return p
		}
		p := reduced(test, 1, 0)
		output := p.result.Output.Files[0].Content
		f, err := btor.Read(output)
		if err != nil || !fails(f.Graph) || !p.result.Minimal {
			t.Fatalf("%s: left\n%s, minimal: %t, %v", text, output, p.result.Minimal, err)
		}
		nodes := len(g.Nodes)
		for _, in := range p.improved {
			if n := strings.Count(in, "\n"); n > nodes {
				t.Fatalf("%s: grew from %d nodes to\n%s", text, nodes, in)
			} else {
				nodes = n
			}
		}
		d := graphing(t, f.Graph, fails, Options{})
		oneMinimal(t, text, d, fails)
		if again := reduced(test, 4, 0); fmt.Sprint(again) != fmt.Sprint(p) {
			t.Fatalf("%s: with 4 jobs\n%v\nwith one\n%v", text, again, p)
		}
		if p.result.Trials < 2 {
			continue
		}
		// What was answered before it was interrupted is answered again without a test.
		most := 1 + r.IntN(p.result.Trials-1)
		some := reduced(test, 1, most)
		if best := some.result.Output.Files[0].Content; !slices.Contains(append(p.improved, text), string(best)) {
			t.Fatalf("%s: %d trials lead another way, to\n%s", text, most, best)
		}
		if more := reduced(test, 3, most); fmt.Sprint(more) != fmt.Sprint(some) {
			t.Fatalf("%s, %d trials: with 3 jobs\n%v\nwith one\n%v", text, most, more, some)
		}
		if !slices.Equal(some.steps, p.steps[:len(some.steps)]) {
			t.Fatalf("%s: %d trials lead another way", text, most)
		}
		if len(p.result.Evidence) == 0 && len(btor.Language.Replaceable(f.Graph)) > 0 {
			t.Errorf("%s: left without evidence\n%s", text, output)
		}
		for _, w := range p.result.Evidence {
			h, err := btor.Read(w.Input.Files[0].Content)
			if err != nil || fails(h.Graph) || w.Outcome == isolate.Fail {
				t.Errorf("%s: evidence that fails, %v:\n%s", text, err, w.Input.Files[0].Content)
			}
		}
	}
}

// A graph in a directory is reduced as one, beside what is none.
func TestReduceBTORInDirectory(t *testing.T) {
	test := fails(func(in testcase.Input) bool {
		for _, f := range in.Files {
			if f.Path == "d/a.btor" {
				return bytes.Contains(f.Content, []byte("udiv"))
			}
		}
		return false
	})
	in := directory("d/a.btor", small, "d/b.txt", "one\ntwo\n")
	result, err := Reduce(t.Context(), in, test, Options{})
	if err != nil || !result.Minimal || len(result.Output.Files) != 1 {
		t.Fatal(contents(result.Output), result.Minimal, err)
	}
	const want = "1 zero 1\n2 udiv 1 1 1\n3 root 1 2\n"
	if got := string(result.Output.Files[0].Content); got != want || result.Formats[0] != "btor" {
		t.Errorf("left %q, taken for %s, want %q", got, result.Formats[0], want)
	}
}

// Roots that may go do, what holds a variable keeps it, and a complemented array, which
// no graph that is made has, is kept where the input fails for it.
func TestReduceBTOROddities(t *testing.T) {
	const states = `1 var 4 a
2 array 4 2 m
3 var 2
4 add 4 1 -1
5 next 4 1 4
6 write 4 2 2 3 4
7 anext 4 2 2 6
8 mul 4 4 1
9 redor 1 8
10 root 1 9
`
	const complemented = `1 array 4 3
2 var 3
3 var 4
4 write 4 3 1 2 3
5 add 3 2 2
6 read 4 -4 5
7 redor 1 6
8 root 1 7
`
	op := func(op string) func(*graph.Graph) bool { return func(g *graph.Graph) bool { return has(g, op) } }
	for _, c := range []struct {
		text  string
		fails func(*graph.Graph) bool
		left  string
	}{
		{states, op("mul"), "1 zero 4|2 mul 4 1 1|3 redor 1 2|4 root 1 3"},
		{states, op("anext"), "1 array 4 2 m|2 anext 4 2 1 1|3 zero 1|4 root 1 3"},
		{complemented, func(g *graph.Graph) bool {
			return slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Op == "read" && n.Args[0].Not })
		}, "1 array 4 3|2 zero 3|3 read 4 -1 2|4 redor 1 3|5 root 1 4"},
	} {
		result, err := Reduce(t.Context(), oneFile("a.btor", c.text), graphFails(t, c.text, c.fails), Options{Passes: []string{nodesPass}})
		if err != nil || !result.Minimal {
			t.Fatal(result, err)
		}
		left := strings.ReplaceAll(strings.TrimSpace(string(result.Output.Files[0].Content)), "\n", "|")
		if left != c.left {
			t.Errorf("left %s, want %s", left, c.left)
		}
	}
}

// Steps tell the nodes of all graphs of an input, so that they go down to what is left.
func TestNodesOfSteps(t *testing.T) {
	in := directory("d/a.btor", small, "d/b.btor", strings.ReplaceAll(small, "udiv", "urem"), "d/c.txt", "one\n")
	test := fails(func(in testcase.Input) bool {
		text := contents(in)
		return strings.Contains(text, "udiv") && strings.Contains(text, "urem") && strings.Contains(text, "one")
	})
	var nodes []int
	result, err := Reduce(t.Context(), in, test, Options{Observe: func(s Step) { nodes = append(nodes, s.Nodes) }})
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, f := range result.Output.Files {
		if strings.HasSuffix(f.Path, ".btor") {
			left += strings.Count(string(f.Content), "\n")
		}
	}
	down := slices.IsSortedFunc(nodes, func(a, b int) int { return cmp.Compare(b, a) })
	if first, last := nodes[0], nodes[len(nodes)-1]; first != 20 || last != left || !down {
		t.Errorf("%d nodes, want 20 at first and %d at last, and never more", nodes, left)
	}
}
