package btor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// cells is figure 4.2: by operator, what comes of two arguments that are all zeros,
// all ones, or x and y. 0 and 1 are of the width of the result; "" = it stays.
var cells = map[string]string{
	"and":     "00=0 01=0 0y=0 10=0 11=1 1y=y x0=0 x1=x xy=",
	"or":      "00=0 01=1 0y=y 10=1 11=1 1y=1 x0=x x1=1 xy=",
	"nand":    "00=1 01=1 0y=1 10=1 11=0 1y=-y x0=1 x1=-x xy=",
	"nor":     "00=1 01=0 0y=-y 10=0 11=0 1y=0 x0=-x x1=0 xy=",
	"xor":     "00=0 01=1 0y=y 10=1 11=0 1y=-y x0=x x1=-x xy=",
	"add":     "00=0 01=1 0y=y 10=1 11= 1y= x0=x x1= xy=",
	"implies": "00=1 01=1 0y=1 10=0 11=1 1y=y x0=-x x1=1 xy=",
	"eq":      "00=1 01=0 0y= 10=0 11=1 1y= x0= x1= xy=",
}

// TestSimplifyCells tries all binary operators on all kinds of constants of width 1 to
// 3, against the table and by all values.
func TestSimplifyCells(t *testing.T) {
	asked := 0
	for _, op := range slices.Concat(binaryOps, logicOps, compareOps) {
		for w := 1; w <= 3; w++ {
			if slices.Contains(logicOps, op) && w > 1 {
				continue
			}
			s := graph.Sort{Width: w}
			result := s
			if slices.Contains(compareOps, op) {
				result.Width = 1
			}
			for a, left := range operands(s, "x") {
				for b, right := range operands(s, "y") {
					asked++
					g := &graph.Graph{Nodes: []graph.Node{left.node, right.node,
						{Op: op, Sort: result, Args: []graph.Ref{{To: 0, Not: left.not}, {To: 1, Not: right.not}}},
						{Op: "root", Sort: result, Args: []graph.Ref{{To: 2}}},
					}, Roots: []int{3}}
					h := Simplify(g)
					if h != g {
						equal(t, g, h)
					}
					want := ""
					if text, ok := cells[op]; ok {
						_, after, ok := strings.Cut(text+" ", left.value+right.value+"=")
						want, _, _ = strings.Cut(after, " ")
						if !ok && left.value != "c" && right.value != "c" {
							t.Fatalf("no cell %s for %s", left.value+right.value, op)
						}
						// A constant that is neither is like a variable.
						if left.value == "c" || right.value == "c" {
							_, after, _ = strings.Cut(text+" ", strings.Replace(left.value, "c", "x", 1)+strings.Replace(right.value, "c", "y", 1)+"=")
							want, _, _ = strings.Cut(after, " ")
							want = strings.NewReplacer("x", left.value, "y", right.value).Replace(want)
						}
					}
					if got := shape(h); got != want {
						t.Errorf("%s of width %d, operands %d and %d (%s, %s): %q, not %q", op, w, a, b, left.value, right.value, got, want)
					}
				}
			}
		}
	}
	if asked < 5000 {
		t.Errorf("only %d cells", asked)
	}
}

// An operand of a cell: value is 0, 1, the name of a variable, or c.
type operand struct {
	node  graph.Node
	not   bool
	value string
}

// operands lists zeros and ones in all their writings, a variable, and constants that
// rules know nothing of, each with and without a sign. That of a variable is left out:
// its name is that of what the edge leads to.
func operands(s graph.Sort, name string) []operand {
	at := func(op, text string) graph.Node { return graph.Node{Op: op, Sort: s, Text: text} }
	all := []operand{{node: at("var", name), value: name}}
	for _, not := range []bool{false, true} {
		bit := map[bool]string{false: "0", true: "1"}
		all = append(all,
			operand{at("zero", ""), not, bit[not]},
			operand{at("ones", ""), not, bit[!not]},
			operand{at("const", strings.Repeat("0", s.Width)), not, bit[not]},
			operand{at("const", strings.Repeat("1", s.Width)), not, bit[!not]})
		if s.Width == 1 {
			all = append(all, operand{at("one", ""), not, bit[!not]})
		}
	}
	all = append(all, operand{at("constd", "0"), false, "c"}, operand{at("consth", "0"), false, "c"})
	if s.Width > 1 {
		all = append(all, operand{at("one", ""), false, "c"}, operand{at("const", strings.Repeat("0", s.Width-1)+"1"), false, "c"})
	}
	return all
}

// shape says what the root of a graph leads to, as cells do; "" for an operator.
func shape(g *graph.Graph) string {
	top := g.Nodes[len(g.Nodes)-1].Args[0]
	n := g.Nodes[top.To]
	switch c := constantOf(n).not(top.Not); {
	case c == zeros:
		return "0"
	case c == ones:
		return "1"
	case len(n.Args) > 0:
		return ""
	}
	s := n.Text
	if n.Op != "var" {
		s = "c"
	}
	if top.Not {
		s = "-" + s
	}
	return s
}

// equal holds two graphs to the same values of their roots under all values of their
// leaves, which are named and have at most 3 bits.
func equal(t *testing.T, g, h *graph.Graph) {
	t.Helper()
	for v := range uint64(64) {
		leaf := func(g *graph.Graph) func(int) outcome {
			return func(i int) outcome {
				w := g.Nodes[i].Sort.Width
				if g.Nodes[i].Text == "y" {
					return outcome{bits: v >> 3 & mask(w)}
				}
				return outcome{bits: v & mask(w)}
			}
		}
		a, b := evaluate(g, leaf(g)), evaluate(h, leaf(h))
		if !a[g.Roots[0]].same(b[h.Roots[0]]) {
			t.Fatalf("%v\n%v\ndiffer for %d", g, h, v)
		}
	}
}

// TestSimplifyOthers shows not and the conditions: one that is true picks its first
// branch, not the condition.
func TestSimplifyOthers(t *testing.T) {
	bit, s, array := graph.Sort{Width: 1}, graph.Sort{Width: 2}, graph.Sort{Width: 2, Index: 1}
	leaf := func(s graph.Sort, name string) graph.Node {
		n := fresh(s)
		n.Text = name
		return n
	}
	for _, c := range []struct {
		op   string
		sort graph.Sort
		cond operand
		want string
	}{
		{"cond", s, operand{node: graph.Node{Op: "one", Sort: bit}}, "y"},
		{"cond", s, operand{node: graph.Node{Op: "ones", Sort: bit}}, "y"},
		{"cond", s, operand{node: graph.Node{Op: "zero", Sort: bit}, not: true}, "y"},
		{"cond", s, operand{node: graph.Node{Op: "zero", Sort: bit}}, "z"},
		{"cond", s, operand{node: graph.Node{Op: "const", Text: "0", Sort: bit}}, "z"},
		{"cond", bit, operand{node: graph.Node{Op: "const", Text: "1", Sort: bit}}, "y"},
		{"cond", s, operand{node: leaf(bit, "c")}, ""},
		{"acond", array, operand{node: graph.Node{Op: "ones", Sort: bit}}, "y"},
		{"acond", array, operand{node: graph.Node{Op: "ones", Sort: bit}, not: true}, "z"},
		{"acond", array, operand{node: leaf(bit, "c")}, ""},
	} {
		g := &graph.Graph{Nodes: []graph.Node{c.cond.node, leaf(c.sort, "y"), leaf(c.sort, "z"),
			{Op: c.op, Sort: c.sort, Args: []graph.Ref{{To: 0, Not: c.cond.not}, {To: 1}, {To: 2}}},
			{Op: "root", Sort: c.sort, Args: []graph.Ref{{To: 3}}},
		}, Roots: []int{4}}
		h := Simplify(g)
		top := h.Nodes[h.Roots[0]].Args[0]
		if got := h.Nodes[top.To].Text; got != c.want || top.Not {
			t.Errorf("%v: %q", c, got)
		}
	}

	g := &graph.Graph{Nodes: []graph.Node{leaf(s, "x"),
		{Op: "not", Sort: s, Args: []graph.Ref{{To: 0}}},
		{Op: "not", Sort: s, Args: []graph.Ref{{To: 1, Not: true}}},
		{Op: "root", Sort: s, Args: []graph.Ref{{To: 2}}},
	}, Roots: []int{3}}
	want := &graph.Graph{Nodes: []graph.Node{leaf(s, "x"), {Op: "root", Sort: s, Args: []graph.Ref{{To: 0, Not: true}}}}, Roots: []int{1}}
	if d := differ(want, Simplify(g)); d != "" {
		t.Errorf("not of a complemented not: %s", d)
	}

	// An array with a sign keeps its condition: else another edge would get the sign.
	signed := &graph.Graph{Nodes: []graph.Node{{Op: "one", Sort: bit}, leaf(array, "a"), leaf(array, "b"), leaf(bit, "i"),
		{Op: "acond", Sort: array, Args: []graph.Ref{{To: 0}, {To: 1, Not: true}, {To: 2}}},
		{Op: "read", Sort: s, Args: []graph.Ref{{To: 4}, {To: 3}}},
		{Op: "root", Sort: s, Args: []graph.Ref{{To: 5}}},
	}, Roots: []int{6}}
	if Simplify(signed) != signed {
		t.Error("the sign of an array was moved")
	}
}

// TestSimplify holds graphs of all operators to their values, and to a fixed point.
func TestSimplify(t *testing.T) {
	r := randomly(t)
	done := 0
	for range 1500 {
		g := graphOf(r, 4+r.IntN(30), 4)
		h := Simplify(g)
		if Simplify(h) != h {
			t.Fatal("another time changes more")
		}
		if h == g {
			continue
		}
		done++
		if d := differ(h, h.Canonical()); d != "" {
			t.Fatalf("not canonical: %s", d)
		}
		m, o := Language.Measure(h), Language.Measure(g)
		if !m.Less(o) || m.Size > o.Size {
			t.Fatalf("%+v of %+v", m, o)
		}
		for range 5 {
			leaf := assignment(r)
			a, b := evaluate(g, leaf(g)), evaluate(h, leaf(h))
			if len(g.Roots) != len(h.Roots) {
				t.Fatal("other roots")
			}
			var before, after []string
			for i := range g.Roots {
				before = append(before, fmt.Sprint(a[g.Roots[i]]))
				after = append(after, fmt.Sprint(b[h.Roots[i]]))
			}
			if !slices.Equal(before, after) {
				t.Fatalf("%v\n%v\n%v\n%v", g, h, before, after)
			}
		}
	}
	if done < 500 {
		t.Errorf("only %d graphs had something to simplify", done)
	}
}
