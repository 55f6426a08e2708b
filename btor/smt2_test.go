package btor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// translated is g in SMT-LIB.
func translated(t testing.TB, g *graph.Graph) []byte {
	t.Helper()
	text, err := SMT2(g)
	if err != nil {
		t.Fatalf("%v\n%s", err, Text(g))
	}
	return text
}

// everyOperator is a graph of many roots: each operator on all constants of widths 1
// to 3, shifts of 2 and 4, equals what evaluate says of it.
func everyOperator() *graph.Graph {
	b := &builder{Graph: &graph.Graph{}}
	constant := func(w int, v uint64) int {
		at := b.add("const", graph.Sort{Width: w}, nil)
		b.Nodes[at].Text = fmt.Sprintf("%0*b", w, v)
		return at
	}
	var of [5][]int // by width: all constants
	for w := range of {
		for v := range uint64(1 << w) {
			if w > 0 {
				of[w] = append(of[w], constant(w, v))
			}
		}
	}
	var all [][2]int // a node, and its width
	note := func(op string, w int, args []int, numbers ...int) {
		var refs []graph.Ref
		for i, a := range args {
			// Half of the operands are complements, which says the same of all.
			ref := graph.Ref{To: a, Not: len(all)>>i&1 == 1 && !b.Nodes[a].Sort.Array()}
			refs = append(refs, ref)
		}
		all = append(all, [2]int{b.add(op, graph.Sort{Width: w}, refs, numbers...), w})
	}
	for w := 1; w <= 3; w++ {
		for _, x := range of[w] {
			for _, op := range unaryOps {
				note(op, w, []int{x})
			}
			for _, op := range reductionOps {
				if w > 1 {
					note(op, 1, []int{x})
				}
			}
			for high := range w {
				for low := range high + 1 {
					note("slice", high-low+1, []int{x}, high, low)
				}
			}
			for added := range 3 {
				note("uext", w+added, []int{x}, added)
				note("sext", w+added, []int{x}, added)
			}
			for _, y := range of[w] {
				for _, op := range binaryOps {
					note(op, w, []int{x, y})
				}
				for _, op := range compareOps {
					note(op, 1, []int{x, y})
				}
				for _, op := range logicOps {
					if w == 1 {
						note(op, 1, []int{x, y})
					}
				}
				for _, c := range of[1] {
					note("cond", w, []int{c, x, y})
				}
			}
			for v := 1; v <= 2; v++ {
				for _, y := range of[v] {
					note("concat", w+v, []int{x, y})
				}
			}
		}
	}
	for k := 1; k <= 2; k++ {
		for _, x := range of[1<<k] {
			for _, y := range of[k] {
				for _, op := range shiftOps {
					note(op, 1<<k, []int{x, y})
				}
			}
		}
	}
	for _, w := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12} {
		for bit := range w + 1 {
			note("redxor", 1, []int{constant(w+1, 1<<bit|1)})
		}
	}
	written := map[int][][2]string{3: {{"constd", "6"}, {"consth", "06"}}, 9: {{"consth", "1Af"}, {"constd", "0"}, {"consth", "00"}}, 8: {{"consth", "0aF"}}}
	for _, w := range []int{3, 8, 9} {
		for _, c := range written[w] {
			at := b.add(c[0], graph.Sort{Width: w}, nil)
			b.Nodes[at].Text = c[1]
			all = append(all, [2]int{at, w})
		}
		for _, op := range []string{"zero", "one", "ones"} {
			all = append(all, [2]int{b.add(op, graph.Sort{Width: w}, nil), w})
		}
	}
	values := evaluate(b.Graph, nil)
	for _, n := range all {
		is := b.add("eq", graph.Sort{Width: 1}, []graph.Ref{{To: n[0]}, {To: constant(n[1], values[n[0]].bits)}})
		b.Roots = append(b.Roots, b.add("root", graph.Sort{Width: 1}, []graph.Ref{{To: is}}))
	}
	return b.Graph
}

// Each operator means in SMT-LIB what it means in BTOR, for all operands.
func TestSMT2Operators(t *testing.T) {
	solvers(t, "z3", "boolector")
	g := everyOperator()
	if len(g.Roots) < 3500 {
		t.Errorf("%d roots: some operators are missing", len(g.Roots))
	}
	text := translated(t, g)
	for _, c := range []struct {
		text    []byte
		command []string
	}{
		{text, []string{"z3", "-in"}},
		{text, []string{"boolector", "--smt2", sound}},
		{Text(g), []string{"boolector", "--btor", sound}},
	} {
		if _, got := run(t, c.text, c.command...); got != "sat" {
			t.Errorf("%v says %.300q, not sat", c.command, got)
		}
	}
	// And if one were not as it should be, they would say so.
	g.Nodes[g.Roots[len(g.Roots)/2]].Args[0].Not = true
	if _, got := run(t, translated(t, g), "z3", "-in"); got != "unsat" {
		t.Errorf("with one root complemented z3 says %.300q, not unsat", got)
	}
}

// Boolector says of a graph in BTOR what z3 and boolector say of it in SMT-LIB.
func TestSMT2Solvers(t *testing.T) {
	solvers(t, "z3", "boolector")
	r := randomly(t)
	files := 30
	if testing.Short() {
		files = 10
	}
	count := map[string]int{}
	for range files {
		g := solvable(r)
		text := translated(t, g)
		_, want := run(t, Text(g), "boolector", "--btor", sound)
		count[want]++
		for _, command := range [][]string{{"z3", "-in"}, {"boolector", "--smt2", sound}} {
			if _, got := run(t, text, command...); got != want || want != "sat" && want != "unsat" {
				t.Errorf("%v says %.300q, boolector of BTOR %.300q:\n%s", command, got, want, Text(g))
			}
		}
	}
	t.Logf("%v", count)
}

// solvable draws a graph without next, of several roots now and then, of any width.
func solvable(r *rand.Rand) *graph.Graph {
	for {
		g := graphOf(r, 5+r.IntN(60), 1+r.IntN(6))
		if len(g.Roots) > 1 {
			continue // a next
		}
		for range r.IntN(3) {
			n := g.Nodes[len(g.Nodes)/2:][r.IntN(len(g.Nodes)-len(g.Nodes)/2)]
			if n.Sort.Array() {
				continue
			}
			at := len(g.Nodes)
			from := r.IntN(at)
			if s := g.Nodes[from].Sort; !s.Array() {
				g.Nodes = append(g.Nodes, graph.Node{Op: "root", Sort: s, Args: []graph.Ref{{To: from, Not: r.IntN(2) == 0}}})
				g.Roots = append(g.Roots, at)
			}
		}
		return g
	}
}

// A value that is used twice, and so on, is written once: the text is linear in the
// graph where the formula without names had 2^2000 places.
func TestSMT2Linear(t *testing.T) {
	size := func(n int) int {
		s := graph.Sort{Width: 8}
		g := &graph.Graph{Nodes: []graph.Node{{Op: "var", Sort: s}}}
		for i := range n {
			g.Nodes = append(g.Nodes, graph.Node{Op: "add", Sort: s, Args: []graph.Ref{{To: i}, {To: i, Not: true}}})
		}
		g.Nodes = append(g.Nodes, graph.Node{Op: "root", Sort: s, Args: []graph.Ref{{To: n}}})
		g.Roots = []int{n + 1}
		return len(translated(t, g))
	}
	if one, two := size(1000), size(2000); two > 5*one/2 {
		t.Errorf("%d bytes of 1,000 additions, %d of 2,000", one, two)
	}
}

func TestSMT2(t *testing.T) {
	for _, test := range []struct{ name, btor, want string }{
		{"nothing", "", `(set-logic QF_BV)
(set-info :smt-lib-version 2.6)
(check-sat)
(exit)
`},
		{"a root", "1 var 4 x\n2 var 1\n3 root 4 -1\n", `(set-logic QF_BV)
(set-info :smt-lib-version 2.6)
(declare-fun $x () (_ BitVec 4))
(assert
(let ((n3 (bvnot $x)))
(not (= n3 (_ bv0 4)))))
(check-sat)
(exit)
`},
		{"roots that are operands, arrays",
			"1 array 8 2\n2 var 2\n3 read 8 1 2\n4 redxor 1 3\n5 root 1 4\n6 iff 1 4 -5\n7 root 1 6\n", `(set-logic QF_ABV)
(set-info :smt-lib-version 2.6)
(declare-fun n1 () (Array (_ BitVec 2) (_ BitVec 8)))
(declare-fun n2 () (_ BitVec 2))
(assert
(let ((n3 (select n1 n2)))
(let ((n4.1 (bvxor n3 (bvlshr n3 (_ bv1 8)))))
(let ((n4.2 (bvxor n4.1 (bvlshr n4.1 (_ bv2 8)))))
(let ((n4.3 (bvxor n4.2 (bvlshr n4.2 (_ bv4 8)))))
(let ((n4 ((_ extract 0 0) n4.3)))
(let ((n5 n4))
(let ((n6 (bvxnor n4 (bvnot n5))))
(let ((n7 n6))
(and (not (= n5 (_ bv0 1))) (not (= n7 (_ bv0 1)))))))))))))
(check-sat)
(exit)
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file, err := Read([]byte(test.btor))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(translated(t, file.Graph)); got != test.want {
				t.Errorf("got\n%s\nnot\n%s", got, test.want)
			}
		})
	}
}

func TestSMT2Refused(t *testing.T) {
	for _, test := range []struct{ btor, want string }{
		{"1 var 2\n2 next 2 1 -1\n3 root 2 1\n", "node 2 (next): SMT-LIB 2 has no sequential models"},
		{"1 array 4 3\n2 anext 4 3 1 1\n", "node 2 (anext): SMT-LIB 2 has no sequential models"},
		{"1 array 4 3\n2 var 3\n3 read 4 -1 2\n4 root 4 3\n", "node 3 (read): its operand -1 complements an array"},
	} {
		file, err := Read([]byte(test.btor))
		if err != nil {
			t.Fatal(err)
		}
		text, err := SMT2(file.Graph)
		if err == nil || !strings.Contains(err.Error(), test.want) || text != nil {
			t.Errorf("%q: error %v, not one with %q; %d bytes", test.btor, err, test.want, len(text))
		}
	}
	if _, err := SMT2(&graph.Graph{Nodes: []graph.Node{{Op: "root", Sort: graph.Sort{Width: 1}}}, Roots: []int{0}}); err == nil {
		t.Error("a root without an operand was translated")
	}
}

// Symbols come from files of others. Whatever they are, each leaf has a name of its
// own, which a solver reads.
func TestSMT2Symbols(t *testing.T) {
	list := []string{"x", "x", "x!2", "n1", "n1.1", "let", "bvadd", "assert", "true", "|", `\`, `a|)(exit)`, "%7C", ";", "(", `"`, ":key", "#b1", "$x",
		"gr\xc3\xb6\xc3\x9fe", "gr\xf6\xdfe", "gr%C3%B6%C3%9Fe", "\x01", "\x7f", "-1", "", "", "!", "!2", "x!2!2", strings.Repeat("long", 1000)}
	g := &graph.Graph{}
	bit := graph.Sort{Width: 1}
	for i, symbol := range list {
		g.Nodes = append(g.Nodes, graph.Node{Op: "var", Sort: bit, Text: symbol})
		g.Roots = append(g.Roots, len(list)+i)
	}
	for i := range list {
		// All are true but one, so two of one name or two that the solver confuses matter.
		g.Nodes = append(g.Nodes, graph.Node{Op: "root", Sort: bit, Args: []graph.Ref{{To: i, Not: i == 7}}})
	}
	text := translated(t, g)
	names := map[string]bool{}
	for _, line := range bytes.Split(text, []byte("\n")) {
		if rest, ok := bytes.CutPrefix(line, []byte("(declare-fun ")); ok {
			name, _, _ := bytes.Cut(rest, []byte(" () "))
			plain := strings.Trim(string(name), "|")
			if names[plain] {
				t.Errorf("%s is declared twice", name)
			}
			names[plain] = true
			for _, c := range name[1 : len(name)-1] {
				if c <= ' ' || c > '~' || c == '|' || c == '\\' {
					t.Errorf("%q is no symbol of SMT-LIB", name)
				}
			}
		}
	}
	if len(names) != len(list) {
		t.Errorf("%d names for %d leaves", len(names), len(list))
	}
	for _, symbol := range []string{"$x", "$x!2", "$x!3", "$let", "$a%7C)(exit)", "$%7C", "$%7C!2", "$gr%C3%B6%C3%9Fe!2", "n26", "n27"} {
		if !names[symbol] {
			t.Errorf("no leaf is called %s: %v", symbol, names)
		}
	}
	solvers(t, "z3", "boolector")
	for _, command := range [][]string{{"z3", "-in"}, {"boolector", "--smt2", sound}} {
		if _, got := run(t, text, command...); got != "sat" {
			t.Errorf("%v says %.300q, not sat", command, got)
		}
	}
}

// A thousand leaves with one symbol take no longer than with as many.
func TestSMT2Duplicates(t *testing.T) {
	g := &graph.Graph{}
	const n = 20000
	for i := range n {
		symbol := "a"
		if i >= n/2 {
			symbol = fmt.Sprintf("a!%d", i-n/2)
		}
		g.Nodes = append(g.Nodes, graph.Node{Op: "var", Sort: graph.Sort{Width: 1}, Text: symbol})
	}
	needed := make([]bool, n)
	for i := range needed {
		needed[i] = true
	}
	names := map[string]bool{}
	for _, name := range symbols(g, needed) {
		names[name] = true
	}
	if len(names) != n {
		t.Errorf("%d names for %d leaves", len(names), n)
	}
}
