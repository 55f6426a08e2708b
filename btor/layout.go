package btor

import (
	"cmp"
	"slices"
	"sort"
)

// A layout is where the nodes of an acyclic graph stand in a picture: in layers from
// top to bottom, each node below all that use it, and the ways between them around
// the boxes.
//
// It is made in the four steps of Sugiyama, Tagawa and Toda (1981): layers, here by
// the longest path with a bound on what stands in one; way points where an edge goes
// through layers; an order in each layer with few crossings (layout_order.go); places
// (layout_place.go). All edges to one node share the way points above it, so that
// there are at most as many as nodes times layers, and a value that many use arrives
// by one line.
type layout struct {
	nodes  []layoutNode
	items  []item  // the boxes first, by node
	layers [][]int // items, from left to right
	links  []link
	stubs  []stub

	up, down [][]int // by item: links to the layer above, to that below

	width, height float64
}

// A layoutNode is what a layout has to know of a node.
type layoutNode struct {
	half float64 // half of the width of its box
	args []int   // the nodes below it, in their order
}

// An item is a box, or a way point where an edge passes a layer.
type item struct {
	node  int  // the node itself, or the one that the way leads to
	point bool // whether it is a way point
	layer int
	place int     // in its layer
	x, y  float64 // the middle of its top
	half  float64 // half of its width
}

// A link joins an item with one in the layer below.
type link struct {
	from, to int
	port     float64 // where it leaves from, beside the middle of the upper item
	edge     int     // number of the operand of from; -1 below a way point
}

// A stub is an edge too long to be drawn: where it leads is written at its begin.
type stub struct {
	node, edge int
}

// Measures of pictures, in pixels.
const (
	boxHeight = 36.0
	boxGap    = 16.0 // between boxes side by side
	pointHalf = 1.0  // of a way point
	pointGap  = 10.0 // beside a way point
	layerGap  = 36.0 // the least between layers
	margin    = 16.0
)

// newLayout places nodes, none of which is above itself. The work grows with the
// nodes, the edges and the way points, of which there are at most 4 for each node and
// 4,000 more: edges longer than that allows become stubs.
func newLayout(nodes []layoutNode) *layout {
	l := &layout{nodes: nodes}
	layer := layersOf(nodes)
	l.join(layer, longestWay(nodes, layer, 4*len(nodes)+4000))
	l.order()
	l.position()
	return l
}

// layersOf says in which layer each node stands: in the first below all that use it
// that is not full. Full is a layer with as many nodes as make the layers as wide as
// they are many, but 8 always fit. Of those that may stand in one, those above the
// longest paths come first (Coffman and Graham, 1972).
func layersOf(nodes []layoutNode) []int {
	order, depth, height := ranks(nodes)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(depth[a]-depth[b], height[b]-height[a]) })
	most := 8
	for most*most < len(nodes) {
		most++
	}
	// A layer is opened by a node in the one above, or because one above is full: so
	// there are no more than twice as many as nodes.
	count := make([]int, 2*len(nodes)+2)
	next := make([]int, len(count)) // a layer that is not full, or one on the way to it
	for i := range next {
		next[i] = i
	}
	layer := make([]int, len(nodes))
	for _, i := range order {
		at := layer[i]
		for next[at] != at {
			next[at] = next[next[at]]
			at = next[at]
		}
		layer[i] = at
		count[at]++
		if count[at] == most {
			next[at] = at + 1
		}
		for _, a := range nodes[i].args {
			layer[a] = max(layer[a], at+1)
		}
	}
	return layer
}

// ranks gives the nodes in an order in which each stands before its args, and of each
// node the longest path to it from above and from it down.
func ranks(nodes []layoutNode) (order, depth, height []int) {
	users := make([]int, len(nodes))
	for _, n := range nodes {
		for _, a := range n.args {
			users[a]++
		}
	}
	depth, height = make([]int, len(nodes)), make([]int, len(nodes))
	for i := range nodes {
		if users[i] == 0 {
			order = append(order, i)
		}
	}
	for head := 0; head < len(order); head++ {
		i := order[head]
		for _, a := range nodes[i].args {
			depth[a] = max(depth[a], depth[i]+1)
			users[a]--
			if users[a] == 0 {
				order = append(order, a)
			}
		}
	}
	for _, i := range slices.Backward(order) {
		for _, a := range nodes[i].args {
			height[i] = max(height[i], height[a]+1)
		}
	}
	return order, depth, height
}

// longestWay says through how many layers an edge may go so that all take no more
// than most way points.
func longestWay(nodes []layoutNode, layer []int, most int) int {
	top := make([]int, len(nodes))
	points := func(longest int) int {
		copy(top, layer)
		for i, n := range nodes {
			for _, a := range n.args {
				if layer[a]-layer[i] <= longest {
					top[a] = min(top[a], layer[i]+1)
				}
			}
		}
		var sum int
		for i := range nodes {
			sum += layer[i] - top[i]
		}
		return sum
	}
	var deepest int
	for _, at := range layer {
		deepest = max(deepest, at)
	}
	return sort.Search(deepest, func(longest int) bool { return points(longest+1) > most })
}

// join makes items of the nodes and of the ways between them.
func (l *layout) join(layer []int, longest int) {
	var deepest int
	for i, n := range l.nodes {
		l.items = append(l.items, item{node: i, layer: layer[i], half: n.half})
		deepest = max(deepest, layer[i])
	}
	// ways[i] are the way points above node i, the lowest first.
	ways := make([][]int, len(l.nodes))
	for i, n := range l.nodes {
		for edge, a := range n.args {
			span := layer[a] - layer[i]
			if span > longest {
				l.stubs = append(l.stubs, stub{node: i, edge: edge})
				continue
			}
			to := a
			for len(ways[a]) < span-1 {
				if len(ways[a]) > 0 {
					to = ways[a][len(ways[a])-1]
				}
				point := len(l.items)
				l.items = append(l.items, item{node: a, point: true, layer: layer[a] - 1 - len(ways[a]), half: pointHalf})
				l.links = append(l.links, link{from: point, to: to, edge: -1})
				ways[a] = append(ways[a], point)
			}
			if span > 1 {
				to = ways[a][span-2]
			}
			l.links = append(l.links, link{from: i, to: to, port: n.port(edge), edge: edge})
		}
	}
	l.up, l.down = make([][]int, len(l.items)), make([][]int, len(l.items))
	for i := range l.links {
		k := &l.links[i]
		l.up[k.to] = append(l.up[k.to], i)
		l.down[k.from] = append(l.down[k.from], i)
	}
	if len(l.items) > 0 {
		l.layers = make([][]int, deepest+1)
	}
}

// port is where an edge leaves from the lower side of the box, beside its middle.
func (n layoutNode) port(edge int) float64 {
	k := len(n.args)
	return (2*float64(edge+1)/float64(k+1) - 1) * n.half
}
