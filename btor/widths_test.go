package btor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// parsed reads a graph whose lines are parted by semicolons, with IDs from 1.
func parsed(t *testing.T, text string) *graph.Graph {
	t.Helper()
	var lines strings.Builder
	for i, line := range strings.Split(text, ";") {
		fmt.Fprintf(&lines, "%d %s\n", i+1, strings.TrimSpace(line))
	}
	f, err := Read([]byte(lines.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, lines.String())
	}
	return f.Graph.Canonical()
}

// printed writes a graph as parsed reads it.
func printed(g *graph.Graph) string {
	var lines []string
	for line := range strings.Lines(string(Text(g))) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), " ")
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// TestNarrowings shows all that is proposed for small graphs, rule by rule.
func TestNarrowings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"operands and result are one class; a reduction of width 1 goes", "var 4; var 4; add 4 1 -2; redor 1 3; root 1 4", []string{
			"var 1; var 1; add 1 1 -2; root 1 3",
			"var 2; var 2; add 2 1 -2; redor 1 3; root 1 4",
			"var 3; var 3; add 3 1 -2; redor 1 3; root 1 4",
		}},
		{"the sign of what goes stays", "var 2; redand 1 -1; root 1 -2", []string{"var 1; root 1 1"}},
		{"comparisons bind their operands; their result is fixed", "var 3; zero 3; ult 1 1 2; root 1 3", []string{
			"var 1; zero 1; ult 1 1 2; root 1 3",
			"var 2; zero 2; ult 1 1 2; root 1 3",
		}},
		{"the root keeps its width", "var 3; neg 3 1; root 3 2", nil},
		{"an extension keeps its width, or lowers what it extends", "var 3; sext 6 1 3; redxor 1 2; root 1 3", []string{
			"var 1; root 1 1",
			"var 2; redxor 1 1; root 1 2",
			"var 3; redxor 1 1; root 1 2",
			"var 3; sext 5 1 2; redxor 1 2; root 1 3",
			"var 1; sext 6 1 5; redxor 1 2; root 1 3",
			"var 2; sext 6 1 4; redxor 1 2; root 1 3",
		}},
		{"a slice moves its window down, or shrinks", "var 6; slice 3 1 5 3; redor 1 2; root 1 3", []string{
			"var 1; root 1 1",
			"var 2; redor 1 1; root 1 2",
			"var 3; redor 1 1; root 1 2",
			"var 5; slice 3 1 4 2; redor 1 2; root 1 3",
			"var 6; slice 1 1 3 3; root 1 2",
			"var 6; slice 2 1 4 3; redor 1 2; root 1 3",
		}},
		{"a concatenation changes its result, or its parts", "var 3; var 2; concat 5 1 2; redor 1 3; root 1 4", []string{
			// The result to 1: parts have at least one bit each.
			"var 1; var 1; concat 2 1 2; redor 1 3; root 1 4",
			"var 2; var 2; concat 4 1 2; redor 1 3; root 1 4",
			"var 1; var 2; concat 3 1 2; redor 1 3; root 1 4",
			"var 2; var 2; concat 4 1 2; redor 1 3; root 1 4",
			"var 3; var 1; concat 4 1 2; redor 1 3; root 1 4",
		}},
		{"two parts of one class", "var 2; concat 4 1 1; redor 1 2; root 1 3", []string{
			"var 1; concat 2 1 1; redor 1 2; root 1 3",
			"var 1; concat 2 1 1; redor 1 2; root 1 3",
		}},
		{"a concatenation at the root is as wide as it is", "var 3; var 2; concat 5 1 2; root 5 3", nil},
		{"shifts have powers of two, and amounts of their logarithms", "var 4; var 2; rol 4 1 2; redor 1 3; root 1 4", []string{
			"var 2; var 1; rol 2 1 2; redor 1 3; root 1 4",
			"var 2; var 1; rol 2 1 2; redor 1 3; root 1 4",
		}},
		{"a shift of 2 bits has none less", "var 2; var 1; sll 2 1 2; redor 1 3; root 1 4", nil},
		{"constants keep their low bits", "const 4 1010; constd 4 13; consth 4 0B; one 4; add 4 1 2; sub 4 3 4; eq 1 5 6; root 1 7", []string{
			"const 1 0; constd 1 1; add 1 1 2; consth 1 1; one 1; sub 1 4 5; eq 1 3 6; root 1 7",
			"const 2 10; constd 2 1; add 2 1 2; consth 2 3; one 2; sub 2 4 5; eq 1 3 6; root 1 7",
			"const 3 010; constd 3 5; add 3 1 2; consth 3 3; one 3; sub 3 4 5; eq 1 3 6; root 1 7",
		}},
		{"arrays have two classes", "array 2 3 a; var 3; read 2 1 2; var 2; write 2 3 1 2 4; eq 1 1 5; redor 1 3; and 1 6 7; root 1 8", []string{
			"array 2 1 a; var 1; var 2; write 2 1 1 2 3; eq 1 1 4; read 2 1 2; redor 1 6; and 1 5 7; root 1 8",
			"array 2 2 a; var 2; var 2; write 2 2 1 2 3; eq 1 1 4; read 2 1 2; redor 1 6; and 1 5 7; root 1 8",
			"array 1 3 a; var 3; var 1; write 1 3 1 2 3; eq 1 1 4; read 1 1 2; and 1 5 6; root 1 7",
		}},
		{"branches", "var 1; array 1 2; array 1 2; acond 1 2 1 2 3; var 2; read 1 4 5; var 2; cond 2 6 5 -7; redor 1 8; root 1 9", []string{
			"var 1; array 1 1; array 1 1; acond 1 1 1 2 3; var 1; read 1 4 5; var 1; cond 1 6 5 -7; root 1 8",
		}},
		{"zeros that become alike become one", "zero 2; zero 3; redor 1 1; redor 1 2; and 1 3 4; root 1 5", []string{
			"zero 2; redor 1 1; zero 1; and 1 2 3; root 1 4",
			"zero 2; redor 1 1; redor 1 1; and 1 2 3; root 1 4",
			"zero 1; zero 3; redor 1 2; and 1 1 3; root 1 4",
		}},
		{"what comes next is of one class with its variable", "var 2; inc 2 1; next 2 1 2; redor 1 1; root 1 4", []string{
			"var 1; inc 1 1; next 1 1 2; root 1 1",
		}},
		{"a slice that shrinks carries on", "var 4; slice 3 1 2 0; var 3; add 3 2 3; redor 1 4; redor 1 1; and 1 5 6; root 1 7", []string{
			"var 4; slice 1 1 0 0; var 1; add 1 2 3; redor 1 1; and 1 4 5; root 1 6",
			"var 4; slice 2 1 1 0; var 2; add 2 2 3; redor 1 4; redor 1 1; and 1 5 6; root 1 7",
			"var 1; var 1; add 1 1 2; and 1 3 1; root 1 4",
			"var 2; var 2; add 2 1 2; redor 1 3; redor 1 1; and 1 4 5; root 1 6",
			"var 3; var 3; add 3 1 2; redor 1 3; redor 1 1; and 1 4 5; root 1 6",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := parsed(t, c.text)
			var got []string
			for h := range NewWidths(g).Singly() {
				if err := Check(h); err != nil {
					t.Errorf("%v: %s", err, printed(h))
				}
				got = append(got, printed(h))
			}
			if d := differ(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestNarrow takes several classes at once: one that contradicts is passed over.
func TestNarrow(t *testing.T) {
	g := parsed(t, "var 4; var 2; sll 4 1 2; redor 1 3; var 8; redor 1 5; var 3; redor 1 7; and 1 4 6; and 1 8 9; root 1 10")
	w := NewWidths(g)
	if got := w.Classes(); !slices.Equal(got, []int{8, 4, 3, 2}) {
		t.Fatalf("classes %v", got)
	}
	for i, want := range []int{1, 2, 1, 1} { // a shift of 1 bit is none
		if got := w.Least(i); got != want {
			t.Errorf("least of class %d: %d", i, got)
		}
	}
	for _, c := range []struct {
		to    []Narrowing
		after []int
		want  string
	}{
		{[]Narrowing{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, []int{1, 2, 1, 1}, "var 1; var 2; var 1; sll 2 2 3; redor 1 4; var 1; and 1 5 6; and 1 1 7; root 1 8"},
		{[]Narrowing{{1, 2}, {2, 2}}, []int{8, 2, 2, 1}, "var 2; redor 1 1; var 2; var 1; sll 2 3 4; redor 1 5; var 8; redor 1 7; and 1 6 8; and 1 2 9; root 1 10"},
		{[]Narrowing{{0, 5}, {1, 3}, {0, 6}, {0, 2}}, []int{2, 4, 3, 2}, "var 3; redor 1 1; var 4; var 2; sll 4 3 4; redor 1 5; var 2; redor 1 7; and 1 6 8; and 1 2 9; root 1 10"},
		{[]Narrowing{{0, 8}, {1, 4}}, []int{8, 4, 3, 2}, ""},
		{[]Narrowing{{1, 3}}, []int{8, 4, 3, 2}, ""},
		{nil, []int{8, 4, 3, 2}, ""},
	} {
		got := ""
		h, ok := w.Narrow(c.to...)
		if ok {
			got = printed(h)
		}
		if after := w.After(c.to...); got != c.want || !slices.Equal(after, c.after) {
			t.Errorf("%v: %v, %s", c.to, after, got)
		}
	}
}

func TestTargets(t *testing.T) {
	for width, want := range map[int][]int{1: nil, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1, 2, 4}, 9: {1, 2, 4, 8}, 64: {1, 2, 32, 63}} {
		if got := Targets(width); !slices.Equal(got, want) {
			t.Errorf("%d: %v", width, got)
		}
	}
}

// gone are the operators that a width can turn into their argument.
var gone = []string{"redor", "redand", "redxor", "uext", "sext", "slice"}

// operatorsOf counts operators by their words.
func operatorsOf(g *graph.Graph) map[string]int {
	counts := map[string]int{}
	for _, n := range g.Nodes {
		counts[n.Op]++
	}
	return counts
}

// TestNarrowingsHold holds what is proposed for graphs of all operators to the rules of
// the format, to the operators that were there, and to fewer bits.
func TestNarrowingsHold(t *testing.T) {
	r := randomly(t)
	proposed, skipped := 0, 0
	for range 100 {
		g := graphOf(r, 5+r.IntN(40), 6)
		if err := Check(g); err != nil {
			t.Fatal(err)
		}
		before, m := operatorsOf(g), Language.Measure(g)
		w := NewWidths(g)
		possible := 0
		for _, width := range w.Classes() {
			possible += len(Targets(width))
		}
		check := func(h *graph.Graph) {
			if err := Check(h); err != nil {
				t.Fatalf("%v\n%s\n%s", err, Text(g), Text(h))
			}
			if d := differ(h, h.Canonical()); d != "" {
				t.Fatalf("not canonical: %s", d)
			}
			o := Language.Measure(h)
			if o.Widths >= m.Widths || !o.Less(m) || o.Size > m.Size || o.Leaves != m.Leaves {
				t.Fatalf("%+v of %+v", o, m)
			}
			after := operatorsOf(h)
			for op, n := range before {
				if n != after[op] && !(slices.Contains(append(gone, "zero"), op) && after[op] < n) {
					t.Fatalf("%d of %s, after %d\n%s\n%s", after[op], op, n, Text(g), Text(h))
				}
			}
		}
		done := 0
		for h := range NewWidths(g).Singly() {
			done++
			check(h)
		}
		proposed += done
		skipped += possible - done
		var several []Narrowing
		for i, width := range w.Classes() {
			several = append(several, Narrowing{i, 1 + r.IntN(width)})
		}
		if h, ok := w.Narrow(several...); ok {
			check(h)
			if after := w.After(several...); slices.Equal(after, w.Classes()) {
				t.Fatalf("%v of %v changes nothing", several, after)
			}
		}
	}
	if proposed < 300 || skipped < 30 {
		t.Errorf("%d proposed, %d skipped", proposed, skipped)
	}
}

// TestNarrowingsAccepted asks a solver whether it takes what is proposed, and what was
// simplified, and what is left of it with nodes replaced.
func TestNarrowingsAccepted(t *testing.T) {
	solvers(t, "boolector")
	r := randomly(t)
	accepted := 0
	accept := func(h *graph.Graph) {
		t.Helper()
		if status, out := run(t, Text(h), "boolector", "--btor", "-de"); status != 0 {
			t.Fatalf("exit status %d\n%s%s", status, out, Text(h))
		}
		accepted++
	}
	for range 20 {
		g := graphOf(r, 10+r.IntN(40), 6)
		if slices.ContainsFunc(g.Nodes, isNext) {
			continue // the solver has removed support for them
		}
		accept(g)
		accept(Simplify(g))
		if h, ok := Language.Replace(g, g.Roots, graph.Zero); ok {
			t.Fatalf("a root is replaced: %s", Text(h))
		}
		if set := Language.Replaceable(g); len(set) > 0 {
			for _, k := range graph.Kinds {
				if h, ok := Language.Replace(g, set[r.IntN(len(set)):], k); ok {
					accept(h)
				}
			}
		}
		n := 0
		for h := range NewWidths(g).Singly() {
			if n++; n > 5 {
				break
			}
			accept(h)
		}
	}
	if accepted < 60 {
		t.Errorf("only %d were asked about", accepted)
	}
}
