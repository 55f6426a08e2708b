package graph

import "strconv"

// Classes numbers the nodes of some graphs from 0 on, so that those have the same number
// that are the same with all below them, in one graph or in two: by graph and node, and
// how many numbers there are. Linear in nodes and edges.
func Classes(graphs ...*Graph) (classes [][]int, count int) {
	known := map[string]int{}
	var key []byte
	for _, g := range graphs {
		list := make([]int, len(g.Nodes))
		for i := range g.Nodes {
			key = g.Nodes[i].appendKey(key[:0], list)
			class, ok := known[string(key)]
			if !ok {
				class = len(known)
				known[string(key)] = class
			}
			list[i] = class
		}
		classes = append(classes, list)
	}
	return classes, len(known)
}

// appendKey writes what tells n from others: what it is itself, and the classes of its
// arguments. Texts are quoted, so that none looks like what stands beside it.
func (n *Node) appendKey(key []byte, classes []int) []byte {
	key = strconv.AppendQuote(key, n.Op)
	key = strconv.AppendQuote(key, n.Text)
	for _, x := range [...]int{n.Sort.Width, n.Sort.Index, len(n.Numbers)} {
		key = strconv.AppendInt(append(key, ' '), int64(x), 10)
	}
	for _, x := range n.Numbers {
		key = strconv.AppendInt(append(key, ' '), int64(x), 10)
	}
	for _, r := range n.Args {
		sign := byte('+')
		if r.Not {
			sign = '-'
		}
		key = strconv.AppendInt(append(key, sign), int64(classes[r.To]), 10)
	}
	return key
}
