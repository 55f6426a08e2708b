package btor

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// An outcome is a bit-vector of at most 32 bits, or an array of them.
type outcome struct {
	bits     uint64
	elements []uint64
}

// evaluate says what each node of g is under an assignment of its leaves, as solvers
// were found to compute it: division by zero, shifts, signed remainders and overflows.
// next and anext are what their second argument is. An array with a sign is its
// elements complemented.
func evaluate(g *graph.Graph, leaf func(node int) outcome) []outcome {
	values := make([]outcome, len(g.Nodes))
	for i, n := range g.Nodes {
		args := make([]outcome, len(n.Args))
		for k, a := range n.Args {
			v, s := values[a.To], g.Nodes[a.To].Sort
			if a.Not {
				v.bits = ^v.bits & mask(s.Width)
				v.elements = slices.Clone(v.elements)
				for j := range v.elements {
					v.elements[j] ^= mask(s.Width)
				}
			}
			args[k] = v
		}
		if n.Op == "var" || n.Op == "array" {
			values[i] = leaf(i)
			continue
		}
		w := 0
		if len(n.Args) > 0 {
			w = g.Nodes[n.Args[len(n.Args)-1].To].Sort.Width
		}
		values[i] = operate(n, args, w)
		values[i].bits &= mask(n.Sort.Width)
	}
	return values
}

func mask(w int) uint64 { return 1<<w - 1 }

// signed reads w bits as a number with a sign.
func signed(v uint64, w int) int64 { return int64(v<<(64-w)) >> (64 - w) }

func truth(is bool) outcome {
	if is {
		return outcome{bits: 1}
	}
	return outcome{}
}

// operate computes one node; w is the width of its last argument. Bits beyond the width
// of the node may be set.
func operate(n graph.Node, args []outcome, w int) outcome {
	var a, b uint64
	if len(args) > 0 {
		a = args[0].bits
	}
	if len(args) > 1 {
		b = args[1].bits
	}
	sa, sb, least := int64(0), int64(0), -(int64(1) << max(w-1, 0))
	if w > 0 {
		sa, sb = signed(a, w), signed(b, w)
	}
	outside := func(v int64) outcome { return truth(v < least || v > -least-1) }
	is := func(v uint64) outcome { return outcome{bits: v} }
	switch n.Op {
	case "const", "constd", "consth":
		return is(constantValue(n))
	case "zero":
		return is(0)
	case "one":
		return is(1)
	case "ones":
		return is(mask(n.Sort.Width))
	case "not":
		return is(^a)
	case "neg":
		return is(-a)
	case "inc":
		return is(a + 1)
	case "dec":
		return is(a - 1)
	case "proxy", "root":
		return args[0]
	case "next", "anext":
		return args[1]
	case "redor":
		return truth(a != 0)
	case "redand":
		return truth(a == mask(w))
	case "redxor":
		return is(uint64(bits.OnesCount64(a)) & 1)
	case "add":
		return is(a + b)
	case "sub":
		return is(a - b)
	case "mul":
		return is(a * b)
	case "udiv":
		if b == 0 {
			return is(mask(w))
		}
		return is(a / b)
	case "urem":
		if b == 0 {
			return is(a)
		}
		return is(a % b)
	case "sdiv":
		switch {
		case b == 0 && sa >= 0:
			return is(mask(w))
		case b == 0:
			return is(1)
		}
		return is(uint64(sa / sb))
	case "srem":
		if b == 0 {
			return is(a)
		}
		return is(uint64(sa % sb))
	case "smod": // the sign of the divisor
		if b == 0 {
			return is(a)
		}
		m := sa % sb
		if m != 0 && (m < 0) != (sb < 0) {
			m += sb
		}
		return is(uint64(m))
	case "and":
		return is(a & b)
	case "or":
		return is(a | b)
	case "xor":
		return is(a ^ b)
	case "nand":
		return is(^(a & b))
	case "nor":
		return is(^(a | b))
	case "xnor", "iff":
		return is(^(a ^ b))
	case "implies":
		return is(^a | b)
	case "ult":
		return truth(a < b)
	case "ulte":
		return truth(a <= b)
	case "ugt":
		return truth(a > b)
	case "ugte":
		return truth(a >= b)
	case "slt":
		return truth(sa < sb)
	case "slte":
		return truth(sa <= sb)
	case "sgt":
		return truth(sa > sb)
	case "sgte":
		return truth(sa >= sb)
	case "uaddo":
		return truth(a+b > mask(w))
	case "saddo":
		return outside(sa + sb)
	case "usubo":
		return truth(a < b)
	case "ssubo":
		return outside(sa - sb)
	case "umulo":
		return truth(a*b > mask(w))
	case "smulo":
		return outside(sa * sb)
	case "sdivo":
		return truth(sa == least && sb == -1)
	case "eq":
		return truth(a == b && slices.Equal(args[0].elements, args[1].elements))
	case "ne":
		return truth(a != b || !slices.Equal(args[0].elements, args[1].elements))
	case "sll":
		return is(a << b)
	case "srl":
		return is(a >> b)
	case "sra":
		return is(uint64(signed(a, n.Sort.Width) >> b))
	case "rol":
		return is(a<<b | a>>(uint64(n.Sort.Width)-b))
	case "ror":
		return is(a>>b | a<<(uint64(n.Sort.Width)-b))
	case "concat":
		return is(a<<w | b)
	case "slice":
		return is(a >> n.Numbers[1])
	case "uext":
		return is(a)
	case "sext":
		return is(uint64(sa))
	case "cond", "acond":
		if a == 1 {
			return args[1]
		}
		return args[2]
	case "read":
		return is(args[0].elements[b])
	case "write":
		elements := slices.Clone(args[0].elements)
		elements[b] = args[2].bits
		return outcome{elements: elements}
	}
	panic("no semantics of " + n.Op)
}

// constantValue reads the digits of a constant.
func constantValue(n graph.Node) uint64 {
	v, ok := new(big.Int).SetString(n.Text, map[string]int{"const": 2, "constd": 10, "consth": 16}[n.Op])
	if !ok || v.BitLen() > n.Sort.Width {
		panic(fmt.Sprintf("constant %v", n))
	}
	return v.Uint64()
}

// same reports whether two values are.
func (v outcome) same(o outcome) bool {
	return v.bits == o.bits && slices.Equal(v.elements, o.elements)
}

// TestEvaluate holds what is computed to tables of what solvers and SMT-LIB say.
func TestEvaluate(t *testing.T) {
	for _, c := range []struct {
		op         string
		w          int
		a, b, want uint64
	}{
		{"udiv", 3, 5, 0, 7}, {"udiv", 3, 7, 2, 3},
		{"urem", 3, 5, 0, 5}, {"urem", 3, 7, 2, 1},
		{"sdiv", 3, 3, 0, 7}, {"sdiv", 3, 5, 0, 1}, {"sdiv", 3, 0, 0, 7}, {"sdiv", 3, 4, 7, 4}, {"sdiv", 3, 5, 2, 7}, {"sdiv", 1, 1, 1, 1},
		{"srem", 3, 5, 0, 5}, {"srem", 3, 5, 2, 7}, {"srem", 3, 3, 6, 1},
		{"smod", 3, 5, 0, 5}, {"smod", 3, 5, 2, 1}, {"smod", 3, 3, 6, 7}, {"smod", 3, 5, 6, 7},
		{"sll", 4, 3, 3, 8}, {"srl", 4, 9, 2, 2}, {"sra", 4, 9, 2, 14}, {"rol", 4, 9, 1, 3}, {"ror", 4, 9, 1, 12}, {"rol", 4, 9, 0, 9}, {"ror", 4, 9, 0, 9},
		{"uaddo", 2, 3, 1, 1}, {"uaddo", 2, 2, 1, 0}, {"saddo", 2, 1, 1, 1}, {"saddo", 2, 3, 2, 1}, {"saddo", 2, 3, 3, 0},
		{"usubo", 2, 0, 1, 1}, {"usubo", 2, 1, 1, 0}, {"ssubo", 2, 0, 2, 1}, {"ssubo", 2, 3, 2, 0},
		{"umulo", 1, 1, 1, 0}, {"umulo", 2, 2, 2, 1}, {"smulo", 1, 1, 1, 1}, {"smulo", 2, 2, 3, 1}, {"smulo", 2, 2, 1, 0},
		{"sdivo", 2, 2, 3, 1}, {"sdivo", 2, 2, 1, 0}, {"sdivo", 2, 3, 3, 0}, {"sdivo", 1, 1, 1, 1},
		{"slt", 2, 2, 1, 1}, {"sgte", 2, 2, 1, 0}, {"implies", 1, 0, 0, 1}, {"xnor", 2, 1, 3, 1},
	} {
		width := c.w
		switch c.op[:2] {
		case "ul", "ug", "sg", "ua", "sa", "us", "ss", "um":
			width = 1
		}
		if slices.Contains([]string{"slt", "smulo", "sdivo"}, c.op) {
			width = 1
		}
		amount := c.w
		if slices.Contains([]string{"sll", "srl", "sra", "rol", "ror"}, c.op) {
			amount = 2
		}
		g := &graph.Graph{Nodes: []graph.Node{
			{Op: "constd", Sort: graph.Sort{Width: c.w}, Text: fmt.Sprint(c.a)},
			{Op: "constd", Sort: graph.Sort{Width: amount}, Text: fmt.Sprint(c.b)},
			{Op: c.op, Sort: graph.Sort{Width: width}, Args: []graph.Ref{{To: 0}, {To: 1}}},
			{Op: "root", Sort: graph.Sort{Width: width}, Args: []graph.Ref{{To: 2}}},
		}, Roots: []int{3}}
		if got := evaluate(g, nil)[3].bits; got != c.want {
			t.Errorf("%d %s %d at width %d: %d, not %d", c.a, c.op, c.b, c.w, got, c.want)
		}
	}
}

// TestEvaluatedBySolver gives a solver graphs all of whose leaves are known: it says that
// they can be satisfied exactly where the root is true.
func TestEvaluatedBySolver(t *testing.T) {
	solvers(t, "boolector")
	r := randomly(t)
	results := map[int]int{}
	for range 100 {
		g := graphOf(r, 5+r.IntN(30), 5)
		if slices.ContainsFunc(g.Nodes, isNext) {
			continue
		}
		leaf := assignment(r)(g)
		want := map[bool]int{true: 10, false: 20}[evaluate(g, leaf)[g.Roots[0]].bits == 1]
		status, out := run(t, Text(known(g, leaf)), "boolector", "--btor", sound)
		if status != want {
			t.Fatalf("exit status %d, not %d: %s\n%s", status, want, out, Text(known(g, leaf)))
		}
		results[status]++
	}
	if results[10] == 0 || results[20] == 0 {
		t.Errorf("all the same: %v", results)
	}
}

// known returns g with its leaves written out.
func known(g *graph.Graph, leaf func(int) outcome) *graph.Graph {
	made, at := &graph.Graph{}, make([]int, len(g.Nodes))
	add := func(n graph.Node) int {
		made.Nodes = append(made.Nodes, n)
		return len(made.Nodes) - 1
	}
	number := func(v uint64, width int) graph.Ref {
		return graph.Ref{To: add(graph.Node{Op: "constd", Sort: graph.Sort{Width: width}, Text: fmt.Sprint(v)})}
	}
	for i, n := range g.Nodes {
		switch n.Op {
		case "var":
			at[i] = number(leaf(i).bits, n.Sort.Width).To
		case "array":
			array := add(n)
			for index, v := range leaf(i).elements {
				args := []graph.Ref{{To: array}, number(uint64(index), n.Sort.Index), number(v, n.Sort.Width)}
				array = add(graph.Node{Op: "write", Sort: n.Sort, Args: args})
			}
			at[i] = array
		default:
			n.Args = slices.Clone(n.Args)
			for k := range n.Args {
				n.Args[k].To = at[n.Args[k].To]
			}
			at[i] = add(n)
		}
	}
	made.Roots = []int{at[g.Roots[0]]}
	return made.Canonical()
}
