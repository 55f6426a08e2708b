package graph

// A Sort says which values a node has: bit-vectors of Width bits, or arrays of
// them whose index has Index bits. Index 0 is no array.
type Sort struct{ Width, Index int }

// Array reports whether the values are arrays.
func (s Sort) Array() bool { return s.Index > 0 }

// A Ref is an edge to a node. Not says that the value is complemented on the way.
type Ref struct {
	To  int // number of the node
	Not bool
}

// A Node is a value that is made of those of its Args. What it does with them, Op,
// Numbers and Text say to its language alone.
type Node struct {
	Op      string
	Sort    Sort
	Args    []Ref
	Numbers []int  // such as the bounds of a slice
	Text    string // such as the digits of a constant, or a symbol
}

// A Graph is nodes, each behind its Args: Args refer to smaller numbers. Graphs are
// not changed once they are made; operations return new ones, which may share
// Args and Numbers with those they were made of.
type Graph struct {
	Nodes []Node
	Roots []int // the nodes that count, in their order; the others do as far as these need them
}

// A Language is what has to be known of one to change its graphs.
type Language struct {
	Zero  func(Sort) Node // the leaf with the least value of a sort that is no array
	Fresh func(Sort) Node // a leaf of which nothing is known, a new one each time; of arrays, too

	IsZero  func(Node) bool // as Zero makes them
	IsFresh func(Node) bool // a leaf of which nothing is known, with or without a name

	Simplify func(*Graph) *Graph // by what constants say, to a fixed point; nil = the language has no rules

	// Bridge returns the nodes that make a value of one sort of one of another, the
	// last one gives it: an argument -1 is the value, others are numbers among the
	// nodes. None if the sorts are the same. It may be nil.
	Bridge func(from, to Sort) []Node

	Holds func(n Node, arg int) bool // whether argument arg of n has to be the fresh leaf that it is; nil = none
	Spare func(Node) bool            // whether a root may go, by [Graph.Without]; nil = none
}
