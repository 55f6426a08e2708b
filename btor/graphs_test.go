package btor

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
)

// randomly draws from a seed of its own for each test.
func randomly(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(seed.New(t), 6)) }

// A builder makes graphs of all operators, on constants more often than users do.
type builder struct {
	*rand.Rand
	*graph.Graph
	widest int
	names  int
}

// operators by how they are made. Each has a case in builder.one.
var (
	unaryOps     = []string{"not", "neg", "inc", "dec", "proxy"}
	reductionOps = []string{"redor", "redand", "redxor"}
	binaryOps    = []string{"add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod", "and", "or", "xor", "nand", "nor", "xnor"}
	logicOps     = []string{"implies", "iff"}
	compareOps   = []string{"ult", "ulte", "ugt", "ugte", "slt", "slte", "sgt", "sgte", "uaddo", "saddo", "usubo", "ssubo", "umulo", "smulo", "sdivo", "eq", "ne"}
	shiftOps     = []string{"sll", "srl", "sra", "rol", "ror"}
)

// graphOf makes a graph of about n nodes and at most widest bits, with one root of width
// 1 and sometimes a next; canonical. Leaves have names, so that they are known again.
func graphOf(r *rand.Rand, n, widest int) *graph.Graph {
	b := &builder{Rand: r, Graph: &graph.Graph{}, widest: widest}
	for len(b.Nodes) < n {
		b.one()
	}
	var fresh []int
	for i, n := range b.Nodes {
		if Language.IsFresh(n) {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) > 0 && r.IntN(6) == 0 {
		leaf, op := pick(b, fresh), "next"
		s := b.Nodes[leaf].Sort
		if s.Array() {
			op = "anext"
		}
		value := b.any(s)
		b.Roots = append(b.Roots, b.add(op, s, []graph.Ref{{To: leaf}, value}))
	}
	// What nothing refers to goes into the root, as a generator does it.
	used := make([]bool, len(b.Nodes))
	for _, n := range b.Nodes {
		for _, a := range n.Args {
			used[a.To] = true
		}
	}
	bit := graph.Sort{Width: 1}
	top := b.any(bit)
	for i := range used {
		n := b.Nodes[i]
		at := b.sign(i)
		switch {
		case used[i] || n.Op == "next" || n.Op == "anext" || b.IntN(4) == 0:
			continue
		case n.Sort.Array():
			at = graph.Ref{To: b.add("read", graph.Sort{Width: n.Sort.Width}, []graph.Ref{{To: i}, b.any(graph.Sort{Width: n.Sort.Index})})}
			fallthrough
		default:
			if b.Nodes[at.To].Sort.Width > 1 {
				at = graph.Ref{To: b.add(pick(b, reductionOps), bit, []graph.Ref{at})}
			}
		}
		top = graph.Ref{To: b.add(pick(b, []string{"and", "or", "xor", "implies", "iff"}), bit, []graph.Ref{top, at})}
	}
	b.Roots = append(b.Roots, b.add("root", bit, []graph.Ref{top}))
	return b.Canonical()
}

func pick[T any](b *builder, of []T) T { return of[b.IntN(len(of))] }

func (b *builder) add(op string, s graph.Sort, args []graph.Ref, numbers ...int) int {
	b.Nodes = append(b.Nodes, graph.Node{Op: op, Sort: s, Args: args, Numbers: numbers})
	return len(b.Nodes) - 1
}

// sign returns an edge to a node, now and then with a minus, never to an array.
func (b *builder) sign(to int) graph.Ref {
	return graph.Ref{To: to, Not: !b.Nodes[to].Sort.Array() && b.IntN(4) == 0}
}

// any returns an edge to a node of a sort, new or old.
func (b *builder) any(s graph.Sort) graph.Ref {
	var fit []int
	for i, n := range b.Nodes {
		if n.Sort == s && n.Op != "next" && n.Op != "anext" {
			fit = append(fit, i)
		}
	}
	if len(fit) > 0 && b.IntN(8) > 0 {
		return b.sign(pick(b, fit))
	}
	return b.sign(b.leaf(s))
}

// leaf makes a variable or a constant.
func (b *builder) leaf(s graph.Sort) int {
	ops := []string{"var", "var", "zero", "one", "ones", "const", "const", "constd", "consth"}
	op := pick(b, ops)
	if s.Array() {
		op = "array"
	}
	at := b.add(op, s, nil)
	n := &b.Nodes[at]
	v := b.Uint64() & mask(s.Width)
	if b.IntN(2) == 0 {
		v = []uint64{0, mask(s.Width)}[b.IntN(2)]
	}
	switch op {
	case "var", "array":
		b.names++
		n.Text = fmt.Sprint("x", b.names)
	case "const":
		n.Text = fmt.Sprintf("%0*b", s.Width, v)
	case "constd":
		n.Text = fmt.Sprint(v)
	case "consth":
		n.Text = fmt.Sprintf("%x", v)
	}
	return at
}

// one makes a node of some operator.
func (b *builder) one() {
	w := 1 + b.IntN(b.widest)
	s, bit := graph.Sort{Width: w}, graph.Sort{Width: 1}
	array := graph.Sort{Width: w, Index: 1 + b.IntN(3)}
	index := graph.Sort{Width: array.Index}
	args := func(sorts ...graph.Sort) []graph.Ref {
		var refs []graph.Ref
		for _, s := range sorts {
			refs = append(refs, b.any(s))
		}
		return refs
	}
	switch b.IntN(15) {
	case 0:
		b.leaf(s)
	case 1:
		b.leaf(array)
	case 2:
		b.add(pick(b, unaryOps), s, args(s))
	case 3:
		b.add(pick(b, reductionOps), bit, args(graph.Sort{Width: w + 1}))
	case 4, 5, 6:
		b.add(pick(b, binaryOps), s, args(s, s))
	case 7:
		b.add(pick(b, logicOps), bit, args(bit, bit))
	case 8:
		if b.IntN(8) == 0 {
			b.add(pick(b, []string{"eq", "ne"}), bit, args(array, array))
		} else {
			b.add(pick(b, compareOps), bit, args(s, s))
		}
	case 9:
		k := 1 + b.IntN(2)
		s = graph.Sort{Width: 1 << k}
		b.add(pick(b, shiftOps), s, args(s, graph.Sort{Width: k}))
	case 10:
		other := graph.Sort{Width: 1 + b.IntN(b.widest)}
		b.add("concat", graph.Sort{Width: w + other.Width}, args(s, other))
	case 11:
		low := b.IntN(w)
		high := low + b.IntN(w-low)
		b.add("slice", graph.Sort{Width: high - low + 1}, args(s), high, low)
	case 12:
		more := b.IntN(3)
		b.add(pick(b, []string{"uext", "sext"}), graph.Sort{Width: w + more}, args(s), more)
	case 13:
		if b.IntN(2) == 0 {
			b.add("cond", s, args(bit, s, s))
		} else {
			b.add("acond", array, args(bit, array, array))
		}
	case 14:
		if b.IntN(2) == 0 {
			b.add("read", s, args(array, index))
		} else {
			b.add("write", array, args(array, index, s))
		}
	}
}

// assignment draws what leaves are, by their names.
func assignment(r *rand.Rand) func(*graph.Graph) func(node int) outcome {
	known := map[string]outcome{}
	return func(g *graph.Graph) func(int) outcome {
		return func(i int) outcome {
			n := g.Nodes[i]
			v, ok := known[n.Text]
			if !ok {
				v.bits = r.Uint64() & mask(n.Sort.Width)
				if n.Sort.Array() {
					v = outcome{}
					for range 1 << n.Sort.Index {
						v.elements = append(v.elements, r.Uint64()&mask(n.Sort.Width))
					}
				}
				known[n.Text] = v
			}
			return v
		}
	}
}

// differ is cmp.Diff, for what is almost always equal: it takes a hundredth of the time.
func differ(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}
