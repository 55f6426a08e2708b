package btor

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// match says which node of b each node of a became, -1 for none; no node of b is named
// twice. What is known is the structure alone, as numbers do not survive a reduction:
//
//  1. What occurs once in each, with all below it, is the same, the largest first.
//  2. From the roots down: the operand at the same position of two nodes that are the
//     same is the same if its operator is, even of another width. If it is not, what
//     stands there now may stand further down before: an operator was taken out.
//  3. From the leaves up: of the nodes that use what is the same the one with the most
//     operands in common. And again down from there.
//  4. What is left and equal, with all below it, in its order. Not leaves of which
//     nothing is known: those are what a reduction puts in the place of others.
//
// This is the scheme of GumTree (Falleri et al., ASE 2014) on graphs. It takes linear
// time: where many nodes use one, only the first 64 are looked at.
func match(a, b *graph.Graph) []int {
	m := &matching{a: a, b: b, toB: make([]int, len(a.Nodes)), toA: make([]int, len(b.Nodes))}
	for i := range m.toB {
		m.toB[i] = -1
	}
	for i := range m.toA {
		m.toA[i] = -1
	}
	m.classify()
	m.unique()
	for i := 0; i < len(a.Roots) && i < len(b.Roots); i++ {
		m.below(a.Roots[i], b.Roots[i])
	}
	m.above()
	m.rest()
	m.untangle()
	return m.toB
}

type matching struct {
	a, b           *graph.Graph
	toB, toA       []int
	classA, classB []int   // equal with all below: the same class
	inA, inB       [][]int // by class: nodes
}

// nameless says that nothing is known of a leaf, not even a name.
func nameless(n graph.Node) bool {
	return (n.Op == "var" || n.Op == "array") && n.Text == ""
}

func (m *matching) classify() {
	classes := map[string]int{}
	of := func(g *graph.Graph) []int {
		list := make([]int, len(g.Nodes))
		var key strings.Builder
		for i, n := range g.Nodes {
			key.Reset()
			fmt.Fprintf(&key, "%s %d %d %d %q", n.Op, n.Sort.Width, n.Sort.Index, n.Numbers, n.Text)
			for _, r := range n.Args {
				fmt.Fprintf(&key, " %d %t", list[r.To], r.Not)
			}
			class, ok := classes[key.String()]
			if !ok {
				class = len(classes)
				classes[key.String()] = class
			}
			list[i] = class
		}
		return list
	}
	m.classA, m.classB = of(m.a), of(m.b)
	m.inA, m.inB = make([][]int, len(classes)), make([][]int, len(classes))
	for i, class := range m.classA {
		m.inA[class] = append(m.inA[class], i)
	}
	for i, class := range m.classB {
		m.inB[class] = append(m.inB[class], i)
	}
}

// free says whether neither node is matched.
func (m *matching) free(u, v int) bool {
	return m.toB[u] < 0 && m.toA[v] < 0
}

// alike says whether v may be what became of u, of another width where it has to be.
func (m *matching) alike(u, v int) bool {
	p, q := m.a.Nodes[u], m.b.Nodes[v]
	return m.free(u, v) && p.Op == q.Op && p.Sort.Array() == q.Sort.Array() && (len(p.Args) > 0 || p.Text == q.Text)
}

// unique is step 1.
func (m *matching) unique() {
	for v := len(m.b.Nodes) - 1; v >= 0; v-- {
		class := m.classB[v]
		if len(m.inA[class]) == 1 && len(m.inB[class]) == 1 && !nameless(m.b.Nodes[v]) {
			m.below(m.inA[class][0], v)
		}
	}
}

// below is step 2, from u and v on.
func (m *matching) below(u, v int) {
	if !m.alike(u, v) {
		return
	}
	m.toB[u], m.toA[v] = v, u
	stack := [][2]int{{u, v}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		p, q := m.a.Nodes[top[0]], m.b.Nodes[top[1]]
		for j := 0; j < len(p.Args) && j < len(q.Args); j++ {
			u, v := p.Args[j].To, q.Args[j].To
			if m.toA[v] >= 0 {
				continue
			}
			if !m.alike(u, v) {
				if u = m.further(u, v); u < 0 {
					continue
				}
			}
			m.toB[u], m.toA[v] = v, u
			stack = append(stack, [2]int{u, v})
		}
	}
}

// further looks below u, near it, for a node that is v with all below it; -1 if none.
func (m *matching) further(u, v int) int {
	if nameless(m.b.Nodes[v]) {
		return -1
	}
	const most = 32
	queue := []int{u}
	for head := 0; head < len(queue) && head < most; head++ {
		if i := queue[head]; m.classA[i] == m.classB[v] && m.toB[i] < 0 {
			return i
		}
		for _, r := range m.a.Nodes[queue[head]].Args {
			queue = append(queue, r.To)
		}
	}
	return -1
}

// above is step 3.
func (m *matching) above() {
	const most = 64
	users := make([][]int, len(m.a.Nodes))
	for i, n := range m.a.Nodes {
		for _, r := range n.Args {
			users[r.To] = append(users[r.To], i)
		}
	}
	for v, n := range m.b.Nodes {
		if m.toA[v] >= 0 {
			continue
		}
		rarest := -1
		for _, r := range n.Args {
			if u := m.toA[r.To]; u >= 0 && (rarest < 0 || len(users[u]) < len(users[rarest])) {
				rarest = u
			}
		}
		if rarest < 0 {
			continue
		}
		best, common := -1, 0
		for _, u := range users[rarest][:min(most, len(users[rarest]))] {
			if m.alike(u, v) && m.a.Nodes[u].Sort == n.Sort {
				if c := m.common(u, v); c > common {
					best, common = u, c
				}
			}
		}
		if best >= 0 {
			m.below(best, v)
		}
	}
}

// common counts the positions at which u and v have the same operand.
func (m *matching) common(u, v int) int {
	var sum int
	p, q := m.a.Nodes[u].Args, m.b.Nodes[v].Args
	for j := 0; j < len(p) && j < len(q); j++ {
		if m.toB[p[j].To] == q[j].To {
			sum++
		}
	}
	return sum
}

// rest is step 4.
func (m *matching) rest() {
	for v := range m.b.Nodes {
		if nameless(m.b.Nodes[v]) || m.toA[v] >= 0 {
			continue
		}
		list := m.inA[m.classB[v]]
		for len(list) > 0 && m.toA[v] < 0 {
			if u := list[0]; m.free(u, v) {
				m.toB[u], m.toA[v] = v, u
			}
			list = list[1:]
		}
		m.inA[m.classB[v]] = list
	}
}

// untangle keeps the two graphs, drawn as one, from running in circles, as they would
// with f(g(x)) before and g(f(x)) after. What is not on a way from a node that nothing
// uses, nor on one to a node that uses nothing, is near a circle, and matches nothing.
// A circle consists of ways within each graph that matches join, so none is left.
func (m *matching) untangle() {
	n := len(m.a.Nodes)
	at := func(v int) int { // of a node of b in the graph of both
		if u := m.toA[v]; u >= 0 {
			return u
		}
		return n + v
	}
	size := n + len(m.b.Nodes)
	below, above := make([][]int, size), make([][]int, size)
	join := func(u, v int) {
		below[u], above[v] = append(below[u], v), append(above[v], u)
	}
	for i, p := range m.a.Nodes {
		for _, r := range p.Args {
			join(i, r.To)
		}
	}
	for i, q := range m.b.Nodes {
		for _, r := range q.Args {
			join(at(i), at(r.To))
		}
	}
	gone := make([]bool, size)
	peel := func(in, out [][]int) {
		count := make([]int, size)
		var queue []int
		for i := range size {
			for _, j := range in[i] {
				if !gone[j] {
					count[i]++
				}
			}
			if count[i] == 0 && !gone[i] {
				queue = append(queue, i)
			}
		}
		for len(queue) > 0 {
			i := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			gone[i] = true
			for _, j := range out[i] {
				if count[j]--; count[j] == 0 && !gone[j] {
					queue = append(queue, j)
				}
			}
		}
	}
	peel(above, below)
	peel(below, above)
	for u := range n {
		if v := m.toB[u]; v >= 0 && !gone[u] {
			m.toB[u], m.toA[v] = -1, -1
		}
	}
}
