package btor

import (
	"math"
)

// position gives each item its place in pixels. Within the order of its layer, and
// beside its neighbours without touching them, each goes as near as it can to the
// middle of what it is joined with, ways more than boxes, so that they are straight.
func (l *layout) position() {
	for _, layer := range l.layers {
		var x float64
		for j, i := range layer {
			if j > 0 {
				x += l.apart(layer[j-1], i)
			}
			l.items[i].x = x
		}
	}
	rounds := min(16, max(4, 1_000_000/(len(l.links)+1)))
	for round := range rounds {
		last := round >= rounds-2 // by all neighbours, for what is not straight yet
		for i := 1; i < len(l.layers); i++ {
			l.align(i, true, last)
		}
		for i := len(l.layers) - 2; i >= 0; i-- {
			l.align(i, last, true)
		}
	}
	l.frame()
}

// apart is how far the middles of two items side by side have to be.
func (l *layout) apart(i, j int) float64 {
	a, b := &l.items[i], &l.items[j]
	gap := boxGap
	if a.point || b.point {
		gap = pointGap
	}
	return a.half + gap + b.half
}

// align moves the items of a layer towards their neighbours above, below, or both:
// the sum of weighted squares of what each misses becomes least. That is an isotonic
// regression on the places less what the items need side by side, which pooling
// adjacent violators solves in linear time (Ayer et al., 1955).
func (l *layout) align(at int, byAbove, byBelow bool) {
	layer := l.layers[at]
	type block struct {
		sum, weight float64
		items       int
	}
	blocks := make([]block, 0, len(layer))
	needed := make([]float64, len(layer)) // by those on the left
	for j, i := range layer {
		if j > 0 {
			needed[j] = needed[j-1] + l.apart(layer[j-1], i)
		}
		wanted, weight := l.wanted(i, byAbove, byBelow)
		b := block{sum: (wanted - needed[j]) * weight, weight: weight, items: 1}
		for len(blocks) > 0 {
			left := blocks[len(blocks)-1]
			if left.sum*b.weight <= b.sum*left.weight {
				break
			}
			b = block{sum: left.sum + b.sum, weight: left.weight + b.weight, items: left.items + b.items}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	var j int
	for _, b := range blocks {
		for range b.items {
			l.items[layer[j]].x = b.sum/b.weight + needed[j]
			j++
		}
	}
}

// wanted is where the neighbours of an item would have it, and how much. A box wants
// the boxes below it below its middle, wherever the lines to them leave it, and less
// to be near a way that comes from above: else each on a long way down would go aside a
// little more than the one before.
func (l *layout) wanted(i int, byAbove, byBelow bool) (x, weight float64) {
	add := func(k int, end, sign float64) {
		n := &l.links[k]
		w := 1.0
		switch from, to := &l.items[n.from], &l.items[n.to]; {
		case from.point && to.point:
			w = 8
		case from.point:
			w = 4
		case to.point && len(l.up[n.to]) == 1:
			w = 2
			end += sign * n.port
		case to.point:
			w = 0.3
			end += sign * n.port
		}
		x, weight = x+w*end, weight+w
	}
	if byAbove {
		for _, k := range l.up[i] {
			add(k, l.items[l.links[k].from].x, 1)
		}
	}
	if byBelow {
		for _, k := range l.down[i] {
			add(k, l.items[l.links[k].to].x, -1)
		}
	}
	if weight == 0 {
		return l.items[i].x, 0.1
	}
	return x / weight, weight
}

// frame moves all into a picture that begins at 0, and gives each layer its height:
// further below the one above, the further links between them go to the side.
func (l *layout) frame() {
	left, right := math.Inf(1), math.Inf(-1)
	for i := range l.items {
		it := &l.items[i]
		left, right = min(left, it.x-it.half), max(right, it.x+it.half)
	}
	if len(l.items) == 0 {
		left, right = 0, 0
	}
	y := margin
	for at, layer := range l.layers {
		var aside float64
		for _, i := range layer {
			l.items[i].x += margin - left
			l.items[i].y = y
		}
		for _, i := range layer {
			for _, k := range l.down[i] {
				n := &l.links[k]
				aside = max(aside, math.Abs(l.items[n.from].x+n.port-l.items[n.to].x-margin+left))
			}
		}
		y += boxHeight
		if at+1 < len(l.layers) {
			y += layerGap + min(aside/8, 90)
		}
	}
	l.width, l.height = right-left+2*margin, y+margin
}
