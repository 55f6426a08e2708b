package btor

import "github.com/gitdd/gitdd/graph"

// A generator is a graph in the making. Arguments of Go functions are evaluated
// from left to right, so operands are drawn in the order of the line.
type generator struct {
	Options
	random
	graph.Graph

	pools  map[graph.Sort]*pool
	bits   pool // all bit-vectors
	stores pool // all arrays

	place   [][2]int // of a node among the free ones of its sort, and of all sorts; -1 = something refers to it
	depth   []int    // of a node, from the leaves
	deepest int      // of all depths
	layers  [][]int  // the nodes of each depth
	floor   int      // the least depth of one operand of the node being made; 0 = any
}

// A pool is nodes to draw from. Those that only cut or extend another are apart:
// others are preferred.
type pool struct {
	free [2][]int // nothing refers to them yet
	all  [2][]int
}

// len is the number of nodes of a pool.
func (p *pool) len() int { return len(p.all[0]) + len(p.all[1]) }

// at is one of them, by a number of 0..len-1.
func (p *pool) at(i int) int {
	if n := len(p.all[0]); i >= n {
		return p.all[1][i-n]
	}
	return p.all[0][i]
}

// adapts says whether a node is there for its width only: the half of its pool.
func adapts(op string) int {
	if op == "slice" || op == "uext" || op == "sext" {
		return 1
	}
	return 0
}

// pool is that of a sort.
func (g *generator) pool(s graph.Sort) *pool {
	if g.pools[s] == nil {
		g.pools[s] = &pool{}
	}
	return g.pools[s]
}

// poolsOf are the two that a node is in.
func (g *generator) poolsOf(n int) [2]*pool {
	s := g.Nodes[n].Sort
	if s.Array() {
		return [2]*pool{g.pool(s), &g.stores}
	}
	return [2]*pool{g.pool(s), &g.bits}
}

// add makes a node of nothing but operands.
func (g *generator) add(op string, s graph.Sort, args ...graph.Ref) graph.Ref {
	return graph.Ref{To: g.insert(graph.Node{Op: op, Sort: s, Args: args})}
}

// insert makes a node that others may refer to, but for roots.
func (g *generator) insert(n graph.Node) int {
	number, depth := len(g.Nodes), 0
	for _, arg := range n.Args {
		depth = max(depth, g.depth[arg.To]+1)
	}
	g.Nodes = append(g.Nodes, n)
	g.depth = append(g.depth, depth)
	g.deepest = max(g.deepest, depth)
	for len(g.layers) <= depth {
		g.layers = append(g.layers, nil)
	}
	g.layers[depth] = append(g.layers[depth], number)
	g.place = append(g.place, [2]int{-1, -1})
	switch n.Op {
	case "root", "next", "anext":
		return number
	}
	half := adapts(n.Op)
	for i, p := range g.poolsOf(number) {
		g.place[number][i] = len(p.free[half])
		p.free[half] = append(p.free[half], number)
		p.all[half] = append(p.all[half], number)
	}
	return number
}

// isFree says whether nothing refers to a node.
func (g *generator) isFree(n int) bool { return g.place[n][0] >= 0 }

// parentless are the nodes that nothing refers to, in their order.
func (g *generator) parentless() []int {
	var all []int
	for n := range g.Nodes {
		if g.isFree(n) {
			all = append(all, n)
		}
	}
	return all
}

// edge refers to a node, complemented or not where it is a bit-vector.
func (g *generator) edge(n int) graph.Ref {
	g.take(n)
	if g.Nodes[n].Sort.Array() {
		return graph.Ref{To: n}
	}
	return graph.Ref{To: n, Not: g.percent(g.Neg)}
}

// take notes that something refers to a node.
func (g *generator) take(n int) {
	if !g.isFree(n) {
		return
	}
	half := adapts(g.Nodes[n].Op)
	for i, p := range g.poolsOf(n) {
		free := p.free[half]
		at, last := g.place[n][i], len(free)-1
		free[at] = free[last]
		g.place[free[at]][i] = at
		p.free[half] = free[:last]
	}
	g.place[n] = [2]int{-1, -1}
}

// pick draws an operand of a sort. Where there is none a bit-vector of another
// width is cut or extended; of arrays only sorts are asked for that there are.
func (g *generator) pick(s graph.Sort) graph.Ref {
	n, ok := g.choose(s, g.floor)
	if !ok && s.Array() { // another operand goes below the floor
		n, _ = g.choose(s, 0)
		return g.edge(n)
	}
	if !ok {
		n = g.adapted(s.Width)
	}
	g.floor = 0
	return g.edge(n)
}

// adapted makes a bit-vector of a width of which there is none.
func (g *generator) adapted(w int) int {
	floor := g.full()
	n, ok := g.chooseOf(&g.bits, floor)
	if !ok { // a layer of arrays
		array, _ := g.chooseOf(&g.stores, floor)
		n = g.readOf(array)
	}
	of := g.Nodes[n].Sort.Width
	if of > w {
		return g.cut(g.edge(n), of, w)
	}
	op := []string{"uext", "sext"}[g.below(2)]
	return g.extend(op, g.edge(n), of, w)
}

// choose draws a node of a sort, if there is one of such a depth.
func (g *generator) choose(s graph.Sort, floor int) (int, bool) {
	return g.chooseOf(g.pool(s), floor)
}

// chooseOf draws a node of a pool, one that nothing refers to first but in
// g.DAG of a hundred cases.
func (g *generator) chooseOf(p *pool, floor int) (int, bool) {
	if floor > 0 {
		p = g.deep(p, floor)
	}
	lists := [][]int{p.free[0], p.free[1], p.all[0], p.all[1]}
	if g.percent(g.DAG) {
		lists = lists[2:]
	}
	for _, list := range lists {
		if len(list) > 0 {
			return list[g.below(len(list))], true
		}
	}
	return 0, false
}

// deep is the part of a pool that is of such a depth.
func (g *generator) deep(p *pool, floor int) *pool {
	var part pool
	for _, layer := range g.layers[floor:] {
		for _, n := range layer {
			if of := g.poolsOf(n); of[0] != p && of[1] != p {
				continue
			}
			half := adapts(g.Nodes[n].Op)
			part.all[half] = append(part.all[half], n)
			if g.isFree(n) {
				part.free[half] = append(part.free[half], n)
			}
		}
	}
	return &part
}

// arraySort draws the sort of an array there is.
func (g *generator) arraySort() graph.Sort { return g.sortOf(&g.stores) }

// sortOf draws the sort of an array of a pool.
func (g *generator) sortOf(p *pool) graph.Sort {
	all := p.all[0]
	return g.Nodes[all[g.below(len(all))]].Sort
}

// begin is called before a node is drawn. With a limit on layers one of its
// operands then is as deep as the deepest layer that is full, so that it comes to lie
// behind all of these.
func (g *generator) begin() { g.floor = g.full() }

// full is the depth of the deepest layer that has no room, 0 if all have.
func (g *generator) full() int {
	if g.LayerMax == 0 {
		return 0
	}
	for depth := len(g.layers) - 1; depth > 0; depth-- {
		if len(g.layers[depth]) >= g.LayerMax {
			return depth
		}
	}
	return 0
}
