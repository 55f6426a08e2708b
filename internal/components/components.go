package components

// Of numbers the strongly connected components of a graph, in which node v has edges to the nodes of
// edges[v]: of[v] is the number of the component of v, from 0 to n-1. A component has a higher number than
// those to which it has edges.
//
// It is the algorithm of R. Tarjan, "Depth-first search and linear graph algorithms" (SIAM Journal on
// Computing, 1972), without recursion. Time: linear in nodes and edges.
func Of(edges [][]int) (of []int, n int) {
	of = make([]int, len(edges))
	index, low := make([]int, len(edges)), make([]int, len(edges)) // 0 = not seen
	at := make([]int, len(edges))                                  // the next edge to follow
	var path, stack []int
	seen := 0
	open := make([]bool, len(edges))
	for root := range edges {
		if index[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if index[v] == 0 {
				seen++
				index[v], low[v] = seen, seen
				stack = append(stack, v)
				open[v] = true
			}
			descended := false
			for at[v] < len(edges[v]) {
				w := edges[v][at[v]]
				at[v]++
				if index[w] == 0 {
					path = append(path, w)
					descended = true
					break
				}
				if open[w] {
					low[v] = min(low[v], index[w])
				}
			}
			if descended {
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[w] = false
				of[w] = n
				if w == v {
					break
				}
			}
			n++
		}
	}
	return of, n
}
