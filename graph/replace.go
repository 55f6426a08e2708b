package graph

// A Kind is what a node is replaced by.
type Kind int

// The kinds in the order in which they are tried.
const (
	Zero    Kind = iota // the least value of its sort, which all share; of arrays a fresh leaf, which all share
	NotZero             // its complement; of arrays as Zero
	Fresh               // a fresh leaf, each its own
)

// Kinds are all kinds in the order in which they are tried.
var Kinds = []Kind{Zero, NotZero, Fresh}

// Replaceable returns the nodes that at least one kind replaces, ascending: those in
// reach that are no root, no zero, no fresh leaf of arrays, and that nothing holds.
// Linear in nodes and edges.
func (l Language) Replaceable(g *Graph) []int {
	held := l.fixed(g)
	var nodes []int
	for i, depth := range g.Depths() {
		if depth >= 0 && !held[i] && l.replaces(g.Nodes[i], Zero) {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// replaces reports whether nodes like n are replaced by k.
func (l Language) replaces(n Node, k Kind) bool {
	return !l.IsZero(n) && !(l.IsFresh(n) && (k == Fresh || n.Sort.Array()))
}

// fixed marks the nodes that are what they are whatever is replaced: roots, and what has
// to stay the leaf that it is.
func (l Language) fixed(g *Graph) []bool {
	fixed := make([]bool, len(g.Nodes))
	for _, root := range g.Roots {
		fixed[root] = true
	}
	if l.Holds == nil {
		return fixed
	}
	for _, n := range g.Nodes {
		for arg, r := range n.Args {
			if l.Holds(n, arg) {
				fixed[r.To] = true
			}
		}
	}
	return fixed
}

// Replace returns g with the nodes of set replaced by kind k, canonical; false if
// nothing changes: none of set is in reach and of those that k replaces. Of nodes one
// above the other only the topmost matters. Signs of edges multiply; one that leads to
// an array keeps its sign. Zeros and leaves of arrays that are there already are taken.
// What comes of it is less by [Language.Measure], and has no more nodes. Linear in nodes
// and edges.
//
// See A. Vida, "Random Test Case Generation and Delta Debugging for Bit-Vector Logic
// with Arrays", JKU Linz, 2008, chapter 4, which leaves arrays open.
func (l Language) Replace(g *Graph, set []int, k Kind) (*Graph, bool) {
	p := plan{Graph: g, via: g.Same()}
	shared := map[Sort]int{} // a zero, or a leaf of arrays
	for i, n := range g.Nodes {
		if n.Sort.Array() && l.IsFresh(n) || l.IsZero(n) {
			if _, ok := shared[n.Sort]; !ok {
				shared[n.Sort] = i
			}
		}
	}
	add := func(n Node) int {
		p.leaves = append(p.leaves, n)
		return len(g.Nodes) + len(p.leaves) - 1
	}
	fixed := l.fixed(g)
	for _, i := range set {
		n := g.Nodes[i]
		if fixed[i] || !l.replaces(n, k) {
			continue
		}
		if k == Fresh {
			p.via[i] = Ref{To: add(l.Fresh(n.Sort))}
			continue
		}
		to, ok := shared[n.Sort]
		if !ok {
			leaf := l.Fresh
			if !n.Sort.Array() {
				leaf = l.Zero
			}
			to = add(leaf(n.Sort))
			shared[n.Sort] = to
		}
		p.via[i] = Ref{to, k == NotZero && !n.Sort.Array()}
	}
	made, changed := p.build(g.Roots)
	if !changed {
		return nil, false
	}
	return made, true
}
