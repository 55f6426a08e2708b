package btor

import (
	"cmp"
	"slices"
)

// order puts the items of each layer into an order in which few links cross. It begins
// with a walk from the top, depth first, and goes down and up through the layers,
// putting each item where the middle of its neighbours is (Eades and Wormald, 1994) and
// exchanging neighbours where that helps. The best order of all is taken: there are
// never more crossings than in the first.
func (l *layout) order() {
	l.walk()
	rounds := min(12, max(2, 400_000/(len(l.links)+1)))
	best, least := l.places(), l.crossings()
	for round := 0; round < rounds && least > 0; round++ {
		for i := 1; i < len(l.layers); i++ {
			l.sortLayer(i, true)
		}
		for i := len(l.layers) - 2; i >= 0; i-- {
			l.sortLayer(i, false)
		}
		for range 4 {
			if !l.exchange() {
				break
			}
		}
		if crossings := l.crossings(); crossings < least {
			best, least = l.places(), crossings
		}
	}
	l.restore(best)
}

// walk puts the items into their layers as a depth first walk from the top meets them.
func (l *layout) walk() {
	met := make([]bool, len(l.items))
	var stack []int
	for first := range l.nodes {
		if len(l.up[first]) > 0 {
			continue
		}
		stack = append(stack[:0], first)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if met[i] {
				continue
			}
			met[i] = true
			at := l.items[i].layer
			l.items[i].place = len(l.layers[at])
			l.layers[at] = append(l.layers[at], i)
			for _, k := range slices.Backward(l.down[i]) {
				stack = append(stack, l.links[k].to)
			}
		}
	}
}

// places are the places of all items, to come back to.
func (l *layout) places() []int {
	list := make([]int, len(l.items))
	for i := range l.items {
		list[i] = l.items[i].place
	}
	return list
}

func (l *layout) restore(places []int) {
	for i := range l.items {
		l.items[i].place = places[i]
	}
	for _, layer := range l.layers {
		slices.SortFunc(layer, func(i, j int) int { return l.items[i].place - l.items[j].place })
	}
}

// above is where a link leaves from in the order of the upper layer: the place of the
// item, and within it that of the port.
func (l *layout) above(k int) float64 {
	n := &l.links[k]
	from := &l.items[n.from]
	if n.edge < 0 {
		return float64(from.place)
	}
	return float64(from.place) + n.port/(2*from.half+1)
}

// sortLayer puts the items of a layer in the order of the medians of their neighbours
// above, or below. Those without any stay where they are.
func (l *layout) sortLayer(at int, byAbove bool) {
	type keyed struct {
		item int
		key  float64
	}
	layer := l.layers[at]
	movable := make([]keyed, 0, len(layer))
	ends := make([]int, 0, len(layer)) // places of those in movable
	var list []float64
	for place, i := range layer {
		list = list[:0]
		if byAbove {
			for _, k := range l.up[i] {
				list = append(list, l.above(k))
			}
		} else {
			for _, k := range l.down[i] {
				// A port on the left asks its item to be further to the right.
				list = append(list, float64(l.items[l.links[k].to].place)-l.above(k)+float64(place))
			}
		}
		if len(list) > 0 {
			movable, ends = append(movable, keyed{i, median(list)}), append(ends, place)
		}
	}
	slices.SortStableFunc(movable, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for j, m := range movable {
		layer[ends[j]] = m.item
		l.items[m.item].place = ends[j]
	}
}

// median is the middle of a list; of two in the middle, that nearer to which the
// others lie closer together.
func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	m := n / 2
	switch {
	case n%2 == 1:
		return list[m]
	case n == 2:
		return (list[0] + list[1]) / 2
	}
	left, right := list[m-1]-list[0], list[n-1]-list[m]
	if left+right == 0 {
		return (list[m-1] + list[m]) / 2
	}
	return (list[m-1]*right + list[m]*left) / (left + right)
}

// exchange puts neighbours the other way round where fewer links cross then, once
// along each layer, and says whether it did anywhere.
func (l *layout) exchange() bool {
	var changed bool
	var ups, downs [2][]float64
	for _, layer := range l.layers {
		for j := 0; j+1 < len(layer); j++ {
			for side, i := range layer[j : j+2] {
				ups[side], downs[side] = ups[side][:0], downs[side][:0]
				for _, k := range l.up[i] {
					ups[side] = append(ups[side], l.above(k))
				}
				for _, k := range l.down[i] {
					downs[side] = append(downs[side], float64(l.items[l.links[k].to].place))
				}
				slices.Sort(ups[side])
				slices.Sort(downs[side])
			}
			now := inverted(ups[0], ups[1]) + inverted(downs[0], downs[1])
			then := inverted(ups[1], ups[0]) + inverted(downs[1], downs[0])
			if then < now {
				layer[j], layer[j+1] = layer[j+1], layer[j]
				l.items[layer[j]].place, l.items[layer[j+1]].place = j, j+1
				changed = true
			}
		}
	}
	return changed
}

// inverted counts the pairs of one of a and a smaller one of b, both in their order.
func inverted(a, b []float64) int {
	var sum, j int
	for _, x := range a {
		for j < len(b) && b[j] < x {
			j++
		}
		sum += j
	}
	return sum
}

// crossings counts the pairs of links between two layers that cross, by the
// accumulating tree of Barth, Mutzel and Jünger (2004).
func (l *layout) crossings() int {
	var sum int
	var list []int
	for at := 0; at+1 < len(l.layers); at++ {
		list = list[:0]
		for _, i := range l.layers[at] {
			list = append(list, l.down[i]...)
		}
		place := func(k int) int { return l.items[l.links[k].to].place }
		slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(l.above(a), l.above(b)), place(a)-place(b)) })
		tree := make([]int, len(l.layers[at+1])+1)
		for seen, k := range list {
			place := place(k)
			// Those before that end further to the right cross this one.
			before := 0
			for i := place + 1; i > 0; i &= i - 1 {
				before += tree[i]
			}
			sum += seen - before
			for i := place + 1; i < len(tree); i += i & -i {
				tree[i]++
			}
		}
	}
	return sum
}
