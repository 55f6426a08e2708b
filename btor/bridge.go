package btor

import "github.com/gitdd/gitdd/graph"

// bridge makes nodes that give a value of one sort from one of another, each an
// operand of the next: what is too wide is reduced or cut, what is too narrow
// extended, an array read at 0, and into one written at 0. Operand -1 is the value.
func bridge(from, to graph.Sort) []graph.Node {
	var nodes []graph.Node
	value := -1
	add := func(n graph.Node) int {
		nodes = append(nodes, n)
		return len(nodes) - 1
	}
	if from == to {
		return nil
	}
	if from.Array() {
		at := add(zero(graph.Sort{Width: from.Index}))
		from = graph.Sort{Width: from.Width}
		value = add(graph.Node{Op: "read", Sort: from, Args: []graph.Ref{{To: value}, {To: at}}})
	}
	w := graph.Sort{Width: to.Width}
	switch {
	case from.Width > 1 && to.Width == 1:
		value = add(graph.Node{Op: "redor", Sort: w, Args: []graph.Ref{{To: value}}})
	case from.Width > to.Width:
		value = add(graph.Node{Op: "slice", Sort: w, Args: []graph.Ref{{To: value}}, Numbers: []int{to.Width - 1, 0}})
	case from.Width < to.Width:
		value = add(graph.Node{Op: "uext", Sort: w, Args: []graph.Ref{{To: value}}, Numbers: []int{to.Width - from.Width}})
	}
	if to.Array() {
		array, at := add(fresh(to)), add(zero(graph.Sort{Width: to.Index}))
		add(graph.Node{Op: "write", Sort: to, Args: []graph.Ref{{To: array}, {To: at}, {To: value}}})
	}
	return nodes
}
