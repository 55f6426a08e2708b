package graph

import "cmp"

// A Measure is how much a graph is. What a reduction makes is less than what it was
// made of, so it ends.
type Measure struct {
	Operators int // nodes that are neither zero nor a fresh leaf, roots as well
	Leaves    int // fresh ones
	Size      int // nodes
	Negations int // edges with a sign
	Widths    int // bits of all nodes, and of all indices of arrays
}

// Measure measures all nodes of g, those out of reach as well.
func (l Language) Measure(g *Graph) Measure {
	m := Measure{Size: len(g.Nodes)}
	for _, n := range g.Nodes {
		switch {
		case l.IsFresh(n):
			m.Leaves++
		case !l.IsZero(n):
			m.Operators++
		}
		for _, r := range n.Args {
			if r.Not {
				m.Negations++
			}
		}
		m.Widths += n.Sort.Width + n.Sort.Index
	}
	return m
}

// Compare compares the fields of two measures in their order: -1 if m is less than o, 0
// if they are the same, 1 if it is more.
func (m Measure) Compare(o Measure) int {
	return cmp.Or(
		cmp.Compare(m.Operators, o.Operators),
		cmp.Compare(m.Leaves, o.Leaves),
		cmp.Compare(m.Size, o.Size),
		cmp.Compare(m.Negations, o.Negations),
		cmp.Compare(m.Widths, o.Widths),
	)
}

// Less reports whether m is less than o.
func (m Measure) Less(o Measure) bool { return m.Compare(o) < 0 }
