package isolate

import "slices"

// With returns c and all that its members require, by p.Requires and
// p.Predicted. Its cost is linear in all requirements.
func (p Problem) With(c Configuration) Configuration {
	return p.spread(c, p.edges)
}

// Without returns c without members and without all that requires them, by
// p.Requires and p.Predicted. Its cost is linear in all requirements.
func (p Problem) Without(c, members Configuration) Configuration {
	return c.Minus(p.spread(members, func(yield func(i, j int)) {
		p.edges(func(i, j int) { yield(j, i) })
	}))
}

// edges yields each element i with each j that it requires, by p.Requires and p.Predicted.
func (p Problem) edges(yield func(i, j int)) {
	for _, rows := range [][][]int{p.Requires, p.Predicted} {
		for i, row := range rows {
			for _, j := range row {
				yield(i, j)
			}
		}
	}
}

// spread returns c and all that the edges lead to from there.
func (p Problem) spread(c Configuration, edges func(yield func(i, j int))) Configuration {
	rows := newLinks(p.N, edges)
	reached := make([]bool, p.N)
	members := slices.Collect(c.All())
	for _, i := range members {
		reached[i] = true
	}
	for k := 0; k < len(members); k++ {
		for _, j := range rows.of(members[k]) {
			if !reached[j] {
				reached[j] = true
				members = append(members, int(j))
			}
		}
	}
	return Of(p.N, members...)
}
