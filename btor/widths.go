package btor

import (
	"cmp"
	"iter"
	"math/big"
	"math/bits"
	"slices"

	"github.com/gitdd/gitdd/graph"
)

// Widths are the widths of a graph that may become smaller: those of values and of the
// indices of arrays, in classes that have to agree, as those of what is added.
type Widths struct {
	g     *graph.Graph
	class []int   // by slot: the value of node i is slot i, its index slot len(Nodes)+i
	width []int   // by class
	fixed []bool  // by class: that of the root
	bound [][]int // by class: the nodes whose widths depend on it in another way than by being equal
	open  []int   // classes that may shrink, those that save most first
}

// NewWidths finds the classes of a graph that is well-formed. Linear in nodes and edges
// but for sorting.
func NewWidths(g *graph.Graph) *Widths {
	n := len(g.Nodes)
	parent := make([]int, 2*n)
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, node := range g.Nodes {
		equalWidths(g, i, node, func(a, b int) { parent[find(b)] = find(a) })
	}

	w := &Widths{g: g, class: make([]int, 2*n)}
	number := make([]int, 2*n) // by slot that stands for a class: that class + 1
	var members []int
	for slot := range w.class {
		i, width := slot%n, g.Nodes[slot%n].Sort.Width
		if slot >= n {
			if width = g.Nodes[i].Sort.Index; width == 0 {
				w.class[slot] = -1
				continue
			}
		}
		top := find(slot)
		if number[top] == 0 {
			w.width = append(w.width, width)
			members = append(members, 0)
			number[top] = len(w.width)
		}
		w.class[slot] = number[top] - 1
		members[w.class[slot]]++
	}
	w.fixed, w.bound = make([]bool, len(w.width)), make([][]int, len(w.width))
	for i, node := range g.Nodes {
		switch node.Op {
		case "root":
			w.fixed[w.class[i]] = true
		case "concat", "slice", "uext", "sext", "sll", "srl", "sra", "rol", "ror":
			for _, c := range w.around(i) {
				if b := w.bound[c]; len(b) == 0 || b[len(b)-1] != i {
					w.bound[c] = append(b, i)
				}
			}
		}
	}
	for c, width := range w.width {
		if width > 1 && !w.fixed[c] {
			w.open = append(w.open, c)
		}
	}
	slices.SortStableFunc(w.open, func(a, b int) int {
		return cmp.Compare((w.width[b]-1)*members[b], (w.width[a]-1)*members[a])
	})
	return w
}

// equalWidths calls equal for slots that the rules of node i force to be of one width.
func equalWidths(g *graph.Graph, i int, n graph.Node, equal func(a, b int)) {
	arg := func(k int) int { return n.Args[k].To }
	index := func(slot int) int { return len(g.Nodes) + slot }
	arrays := func(a, b int) {
		equal(a, b)
		if g.Nodes[a].Sort.Array() {
			equal(index(a), index(b))
		}
	}
	switch n.Op {
	case "not", "neg", "inc", "dec", "proxy", "root", "sll", "srl", "sra", "rol", "ror":
		equal(i, arg(0))
	case "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod", "and", "or", "xor", "nand", "nor", "xnor":
		equal(i, arg(0))
		equal(i, arg(1))
	case "ult", "ulte", "ugt", "ugte", "slt", "slte", "sgt", "sgte",
		"uaddo", "saddo", "usubo", "ssubo", "umulo", "smulo", "sdivo", "eq", "ne":
		arrays(arg(0), arg(1))
	case "cond", "acond":
		arrays(i, arg(1))
		arrays(i, arg(2))
	case "next", "anext":
		arrays(i, arg(0))
		arrays(i, arg(1))
	case "read":
		equal(i, arg(0))
		equal(index(arg(0)), arg(1))
	case "write":
		arrays(i, arg(0))
		equal(index(i), arg(1))
		equal(i, arg(2))
	}
}

// around returns the classes of the value of node i and of its arguments.
func (w *Widths) around(i int) []int {
	classes := []int{w.class[i]}
	for _, a := range w.g.Nodes[i].Args {
		classes = append(classes, w.class[a.To])
	}
	return classes
}

// Classes returns the widths of the classes that may shrink, each more than 1, those
// first that save most bits.
func (w *Widths) Classes() []int {
	widths := make([]int, len(w.open))
	for i, c := range w.open {
		widths[i] = w.width[c]
	}
	return widths
}

// A Narrowing gives one class of [Widths.Classes] a width.
type Narrowing struct{ Class, Width int }

// Narrow returns the graph with narrowings made one after the other, each with what has
// to follow: nothing gets wider. One that contradicts what is fixed, or itself, is passed
// over, as is one that makes nothing narrower; it returns false if all are. The sum of
// all widths decreases. Linear in nodes and edges, and in what each changes.
//
// Constants keep their low bits. What its widths turn into its argument goes: a
// reduction of width 1, an extension by nothing, a slice of all.
//
// See A. Vida, "Random Test Case Generation and Delta Debugging for Bit-Vector Logic
// with Arrays", JKU Linz, 2008, which proposes it as future work.
func (w *Widths) Narrow(to ...Narrowing) (*graph.Graph, bool) {
	p, made := w.narrow(to)
	if made == 0 {
		return nil, false
	}
	return p.graph(), true
}

// Least returns the smallest of [Targets] of a class that contradicts nothing; its width
// if all do. Up to four times the work of [Widths.Narrow], without the graph.
func (w *Widths) Least(class int) int {
	width := w.width[w.open[class]]
	for _, t := range Targets(width) {
		if _, made := w.narrow([]Narrowing{{class, t}}); made > 0 {
			return t
		}
	}
	return width
}

// After returns the widths of the classes after some narrowings, as [Widths.Narrow]
// makes them, without the graph.
func (w *Widths) After(to ...Narrowing) []int {
	p, _ := w.narrow(to)
	widths := make([]int, len(w.open))
	for i, c := range w.open {
		widths[i] = p.now[c]
	}
	return widths
}

// narrow makes narrowings one after the other, and counts those that are possible.
func (w *Widths) narrow(to []Narrowing) (p *narrowing, made int) {
	p = &narrowing{Widths: w, now: slices.Clone(w.width), set: make([]int, len(w.width))}
	for _, n := range to {
		if c := w.open[n.Class]; n.Width < p.now[c] && p.follow(c, n.Width) {
			made++
		}
	}
	return p, made
}

// Singly yields the graphs that one narrowing makes, each with what has to follow: for
// each class, in their order, by all of [Targets] that contradict nothing. Who takes one
// begins again with it.
func (w *Widths) Singly() iter.Seq[*graph.Graph] {
	return func(yield func(*graph.Graph) bool) {
		for i, width := range w.Classes() {
			for _, t := range Targets(width) {
				if h, ok := w.Narrow(Narrowing{i, t}); ok && !yield(h) {
					return
				}
			}
		}
	}
}

// Targets are the widths to try for a class of a width, ascending: 1 bit, 2, half of it,
// and one less.
func Targets(width int) []int {
	var targets []int
	for _, t := range []int{1, 2, width / 2, width - 1} {
		if t >= 1 && t < width && !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	slices.Sort(targets)
	return targets
}

// A narrowing is widths that become smaller.
type narrowing struct {
	*Widths
	now   []int // by class
	set   []int // by class: the round that it was last set in
	round int
	trail []change // what the round did
}

type change struct{ class, width int }

// follow gives a class a width and all others what follows; if that contradicts itself
// nothing changes, and it returns false.
func (p *narrowing) follow(class, width int) bool {
	p.round++
	p.trail = p.trail[:0]
	ok := p.give(class, width)
	// What the trail holds has been given; what depends on it is looked at in turn.
	for at := 0; ok && at < len(p.trail); at++ {
		for _, i := range p.bound[p.trail[at].class] {
			if ok = p.settle(i); !ok {
				break
			}
		}
	}
	if !ok {
		for _, c := range slices.Backward(p.trail) {
			p.now[c.class] = c.width
		}
	}
	return ok
}

// give sets a class, once in a round and never to more than it has.
func (p *narrowing) give(class, width int) bool {
	if width == p.now[class] {
		return true
	}
	if width < 1 || width > p.now[class] || p.fixed[class] || p.set[class] == p.round {
		return false
	}
	p.trail = append(p.trail, change{class, p.now[class]})
	p.now[class], p.set[class] = width, p.round
	return true
}

// settle gives what the rules of node i want for the widths around it as they are.
func (p *narrowing) settle(i int) bool {
	n := p.g.Nodes[i]
	own, a := p.class[i], p.class[n.Args[0].To]
	switch n.Op {
	case "uext", "sext":
		return p.now[own] >= p.now[a] || p.give(a, p.now[own])
	case "slice":
		return p.now[own] <= p.now[a] || p.give(own, p.now[a])
	case "concat":
		return p.join(own, a, p.class[n.Args[1].To])
	}
	// A shift: the amount has the logarithm of the width.
	amount := p.class[n.Args[1].To]
	switch w := p.now[own]; {
	case w == 1<<p.now[amount]:
		return true
	case p.set[own] != p.round:
		return p.give(own, 1<<p.now[amount])
	default:
		return w >= 2 && w&(w-1) == 0 && p.give(amount, bits.TrailingZeros(uint(w)))
	}
}

// join makes the width of a concatenation the sum of those of its parts: by its own, or
// by those of the parts, of the high one first.
func (p *narrowing) join(own, a, b int) bool {
	less := p.now[a] + p.now[b] - p.now[own]
	switch {
	case less <= 0:
		return p.give(own, p.now[a]+p.now[b])
	case a == b:
		return less%2 == 0 && p.give(a, p.now[a]-less/2)
	}
	may := func(class int) int { // the bits that it can lose
		if p.fixed[class] || p.set[class] == p.round {
			return 0
		}
		return p.now[class] - 1
	}
	high := min(less, may(a))
	low := min(less-high, may(b))
	return high+low == less && p.give(a, p.now[a]-high) && p.give(b, p.now[b]-low)
}

// graph makes the graph with the widths as they are now.
func (p *narrowing) graph() *graph.Graph {
	n := len(p.g.Nodes)
	made := &graph.Graph{Nodes: slices.Clone(p.g.Nodes), Roots: p.g.Roots}
	via, zeros := made.Same(), map[int]int{}
	for i := range made.Nodes {
		node := &made.Nodes[i]
		old := node.Sort
		node.Sort.Width = p.now[p.class[i]]
		if node.Sort.Array() {
			node.Sort.Index = p.now[p.class[n+i]]
		}
		of := 0 // the width of the first argument
		if len(node.Args) > 0 {
			of = made.Nodes[node.Args[0].To].Sort.Width
		}
		gone := false
		switch node.Op {
		case "zero":
			if first, ok := zeros[node.Sort.Width]; ok {
				via[i].To = first
			} else {
				zeros[node.Sort.Width] = i
			}
		case "const", "constd", "consth":
			if node.Sort != old {
				node.Text = lowBits(*node)
			}
		case "redor", "redand", "redxor":
			gone = of == 1
		case "uext", "sext":
			gone = of == node.Sort.Width
			node.Numbers = []int{node.Sort.Width - of}
		case "slice":
			gone = of == node.Sort.Width
			low := min(node.Numbers[1], of-node.Sort.Width)
			node.Numbers = []int{low + node.Sort.Width - 1, low}
		}
		if gone {
			a := node.Args[0]
			via[i] = graph.Ref{To: via[a.To].To, Not: via[a.To].Not != a.Not}
		}
	}
	return made.Rewrite(via, nil)
}

// lowBits returns the digits of a constant without the bits beyond its width.
func lowBits(n graph.Node) string {
	w := n.Sort.Width
	var v *big.Int
	base := 10
	switch n.Op {
	case "const":
		return n.Text[len(n.Text)-w:]
	case "constd":
		v = decimalValue(n.Text)
	case "consth":
		v, _ = new(big.Int).SetString(n.Text, 16) // linear, for digits are bits
		base = 16
	}
	if v.BitLen() <= w {
		return n.Text
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(w))
	return v.Mod(v, limit).Text(base)
}
