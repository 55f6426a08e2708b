package btor

import (
	"slices"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/components"
)

// match says which node of b each node of a became, -1 for none; no node of b is named
// twice. What is known is the structure alone, as numbers do not survive a reduction,
// and that a reduction makes no operators: each of b was one of a.
//
//  1. What occurs once in each, with all below it, is the same, the largest first.
//  2. From the roots down: the operand at the same position of two nodes that are the
//     same is the same if its operator is, even of another width. If it is not, what
//     stands there now may stand further down before: operators were taken out.
//  3. From the leaves up: of the nodes that use what is the same the one with the most
//     operands in common. And again down from there.
//  4. An operator that is left, from the roots down, is the most similar of those that
//     are not above what uses it.
//  5. What is left and equal, with all below it, in its order. Not leaves of which
//     nothing is known: those are what a reduction puts in the place of others.
//
// This is the scheme of GumTree (Falleri et al., ASE 2014) on graphs. It takes linear
// time: of many candidates, only the first 64 are looked at.
func match(a, b *graph.Graph) []int {
	m := &matching{a: a, b: b, toB: slices.Repeat([]int{-1}, len(a.Nodes)), toA: slices.Repeat([]int{-1}, len(b.Nodes))}
	m.classify()
	m.unique()
	for i := 0; i < len(a.Roots) && i < len(b.Roots); i++ {
		m.below(a.Roots[i], b.Roots[i])
	}
	m.above()
	m.similar()
	m.rest()
	m.untangle()
	return m.toB
}

// mostCandidates is how many nodes are looked at to find the one that another became.
const mostCandidates = 64

type matching struct {
	a, b           *graph.Graph
	toB, toA       []int
	classA, classB []int   // equal with all below: the same class
	inA, inB       [][]int // by class: nodes
}

// nameless says that nothing is known of a leaf, not even a name.
func nameless(n graph.Node) bool {
	return isFresh(n) && n.Text == ""
}

func (m *matching) classify() {
	classes, count := graph.Classes(m.a, m.b)
	m.classA, m.classB = classes[0], classes[1]
	m.inA, m.inB = make([][]int, count), make([][]int, count)
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

// further looks below u, near it, for what became v: all of it, or the most similar
// node; -1 if there is none.
func (m *matching) further(u, v int) int {
	if nameless(m.b.Nodes[v]) {
		return -1
	}
	best, most := -1, 0
	queue := []int{u}
	for head := 0; head < len(queue) && head < mostCandidates; head++ {
		i := queue[head]
		if m.alike(i, v) {
			if likeness := m.likeness(i, v, 2); likeness > most {
				best, most = i, likeness
			}
		}
		for _, r := range m.a.Nodes[i].Args {
			if !slices.Contains(queue, r.To) {
				queue = append(queue, r.To)
			}
		}
	}
	return best
}

// likeness says how much of u is in v, down to a depth.
func (m *matching) likeness(u, v, depth int) int {
	p, q := m.a.Nodes[u], m.b.Nodes[v]
	switch {
	case m.classA[u] == m.classB[v] || m.toB[u] == v:
		return 20
	case p.Op != q.Op:
		return 0
	}
	sum := 1
	if p.Sort == q.Sort && slices.Equal(p.Numbers, q.Numbers) {
		sum++
	}
	if depth > 0 {
		for j := 0; j < len(p.Args) && j < len(q.Args); j++ {
			sum += m.likeness(p.Args[j].To, q.Args[j].To, depth-1)
		}
	}
	return sum
}

// above is step 3.
func (m *matching) above() {
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
		for _, u := range users[rarest][:min(mostCandidates, len(users[rarest]))] {
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

// similar is step 4.
func (m *matching) similar() {
	byOp := map[string][]int{}
	for i, p := range m.a.Nodes {
		if len(p.Args) > 0 && m.toB[i] < 0 {
			byOp[p.Op] = append(byOp[p.Op], i)
		}
	}
	depths := m.a.Depths()
	floor := make([]int, len(m.b.Nodes)) // the depth in a that a node has to be below
	for v, q := range slices.Backward(m.b.Nodes) {
		if m.toA[v] < 0 && len(q.Args) > 0 {
			best, most := -1, 0
			var looked, gone int
			for _, u := range byOp[q.Op] {
				if m.toB[u] >= 0 {
					gone++
					continue
				}
				if looked++; looked > mostCandidates {
					break
				}
				if likeness := m.likeness(u, v, 2); likeness > most && depths[u] >= floor[v] && m.alike(u, v) {
					best, most = u, likeness
				}
			}
			if gone > mostCandidates {
				byOp[q.Op] = slices.DeleteFunc(byOp[q.Op], func(u int) bool { return m.toB[u] >= 0 })
			}
			if best >= 0 {
				m.below(best, v)
			}
		}
		at := floor[v]
		if u := m.toA[v]; u >= 0 {
			at = max(at, depths[u]+1)
		}
		for _, r := range q.Args {
			floor[r.To] = max(floor[r.To], at)
		}
	}
}

// rest is step 5.
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
// with f(g(x)) before and g(f(x)) after: what is on a circle with others matches
// nothing. Each circle consists of ways within one of the graphs, which have none, and
// of matches, so none is left.
func (m *matching) untangle() {
	n := len(m.a.Nodes)
	at := func(v int) int { // of a node of b in the graph of both
		if u := m.toA[v]; u >= 0 {
			return u
		}
		return n + v
	}
	edges := make([][]int, n+len(m.b.Nodes))
	for i, p := range m.a.Nodes {
		for _, r := range p.Args {
			edges[i] = append(edges[i], r.To)
		}
	}
	for i, q := range m.b.Nodes {
		for _, r := range q.Args {
			edges[at(i)] = append(edges[at(i)], at(r.To))
		}
	}
	circle, circles := components.Of(edges)
	nodes := make([]int, circles)
	for _, c := range circle {
		nodes[c]++
	}
	for u := range n {
		if nodes[circle[u]] > 1 && m.toB[u] >= 0 {
			m.toB[u], m.toA[m.toB[u]] = -1, -1
		}
	}
}
