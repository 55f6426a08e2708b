package reduce

import (
	"context"

	"github.com/gitdd/gitdd/graph"
)

// bfs asks for each node alone whether it can be replaced, breadth first from the
// roots; each of them once, as the graph is then, and not for the leaves that come
// into it (A. Vida, "Random Test Case Generation and Delta Debugging for Bit-Vector
// Logic with Arrays", JKU Linz, 2008, section 4.3; its listing is not breadth
// first, and meets again and again what is shared). It takes at most 3 questions
// for each node.
func (d *dag) bfs(ctx context.Context) error {
	visited := make([]bool, len(d.g.Nodes))
	for {
		was := d.g
		order := breadthFirst(was)
		wanted := make([]bool, len(was.Nodes))
		for _, i := range d.language.Replaceable(was) {
			wanted[i] = !visited[i]
		}
		made, ok, err := d.firstReplaced(ctx, func(yield func(replacement) bool) {
			for at, i := range order {
				one := replacement{nodes: []int{i}, step: at}
				if wanted[i] && !one.kindsOf(yield) {
					return
				}
			}
		})
		if !ok || err != nil {
			return err
		}
		for _, i := range order[:made.step] {
			visited[i] = true
		}
		visited = carried(visited, d.origins(was, made))
	}
}

// carried returns marks of the nodes of a graph by those of the one that it was
// made of. What was not in that is marked.
func carried(marks []bool, origins []int) []bool {
	carried := make([]bool, len(origins))
	for i, old := range origins {
		carried[i] = old < 0 || marks[old]
	}
	return carried
}

// breadthFirst lists the nodes breadth first from the roots.
func breadthFirst(g *graph.Graph) []int {
	seen := make([]bool, len(g.Nodes))
	var order []int
	visit := func(i int) {
		if !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	for _, root := range g.Roots {
		visit(root)
	}
	for at := 0; at < len(order); at++ {
		for _, r := range g.Nodes[order[at]].Args {
			visit(r.To)
		}
	}
	return order
}

// lw replaces all nodes of a level at once, from the roots down (thesis, section
// 4.3). It takes at most 3 questions for each level.
func (d *dag) lw(ctx context.Context) error {
	for level := 0; ; {
		levels := d.levels()
		made, ok, err := d.firstReplaced(ctx, func(yield func(replacement) bool) {
			for i := level; i < len(levels); i++ {
				all := replacement{nodes: levels[i], step: i}
				if len(levels[i]) > 0 && !all.kindsOf(yield) {
					return
				}
			}
		})
		if !ok || err != nil {
			return err
		}
		level = made.step + 1
	}
}

// deltabtor is the scheme of the tool of that name, as the thesis tells it
// (section 4.1): the nodes in the order of the file in blocks, first one of all,
// then of half as many each time, at last of 3, 2 and 1. Each block is replaced
// where it can be; with blocks of one size it is done again as long as something
// could. Leaves that come in are left alone. Each time it takes at most 3 questions
// for each block; there are at most 2n successes.
func (d *dag) deltabtor(ctx context.Context) error {
	nodes := d.language.Replaceable(d.g)
	for size := len(nodes); size > 0; {
		changed := false
		for at := 0; at < len(nodes); {
			was := d.g
			made, ok, err := d.firstReplaced(ctx, func(yield func(replacement) bool) {
				for from := at; from < len(nodes); from += size {
					to := min(from+size, len(nodes))
					block := replacement{nodes: nodes[from:to], step: to}
					if !block.kindsOf(yield) {
						return
					}
				}
			})
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			changed = true
			nodes, at = leftOf(nodes, made.step, d.origins(was, made))
		}
		if !changed {
			size = smallerBlock(size)
		}
	}
	return nil
}

// smallerBlock returns the size of blocks after another one, 0 after the last.
func smallerBlock(size int) int {
	if half := (size + 1) / 2; half >= 8 {
		return half
	}
	return min(size-1, 3)
}

// leftOf returns those of some nodes that are still there, by their new numbers,
// and how many of them there are before one place in the list.
func leftOf(nodes []int, place int, origins []int) (left []int, before int) {
	now := map[int]int{}
	for i, old := range origins {
		if old >= 0 {
			now[old] = i
		}
	}
	for k, old := range nodes {
		if i, ok := now[old]; ok {
			left = append(left, i)
			if k < place {
				before++
			}
		}
	}
	return left, before
}
