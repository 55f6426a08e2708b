package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/graph"
)

// bfs asks for each node alone whether it can be replaced, breadth first from the
// roots; each of them once, as the graph is then, and not for the leaves that come
// into it (A. Vida, "Random Test Case Generation and Delta Debugging for Bit-Vector
// Logic with Arrays", JKU Linz, 2008, chapter 4; its listing is not breadth
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

// lw replaces all nodes of a level at once, from the roots down (thesis,
// chapter 4). It takes at most 3 questions for each level.
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

// deltabtor is the scheme of the tool of that name (deltabtor.c in early releases of
// boolector): the nodes in the order of the file in blocks, first one of all, then of
// half as many each time, rounded up, and below 8 of 3, 2 and 1. Blocks are of places
// in the file as it was, so that one whose nodes are gone is shorter. Each is replaced
// where it can be; with blocks of one size it is done again as long as something
// could. Leaves that come in are left alone. Each time it takes at most 3 questions
// for each block; there are at most 2n successes. (The tool counts the places of roots
// and arrays, too, and asks about a block of which nothing is left in the graph.)
func (d *dag) deltabtor(ctx context.Context) error {
	places := d.language.Replaceable(d.g) // -1 = gone
	for size := len(places); size > 0; {
		changed := false
		for at := 0; at < len(places); {
			was := d.g
			made, ok, err := d.firstReplaced(ctx, func(yield func(replacement) bool) {
				for from := at; from < len(places); from += size {
					to := min(from+size, len(places))
					block := slices.DeleteFunc(slices.Clone(places[from:to]), func(i int) bool { return i < 0 })
					if r := (replacement{nodes: block, step: to}); len(block) > 0 && !r.kindsOf(yield) {
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
			changed, at = true, made.step
			now := numbersNow(d.origins(was, made))
			for k, old := range places {
				if i, ok := now[old]; ok {
					places[k] = i
				} else {
					places[k] = -1
				}
			}
		}
		if !changed {
			size = smallerBlock(size)
		}
	}
	return nil
}

// smallerBlock returns the size of blocks after another one, 0 after the last.
func smallerBlock(size int) int {
	switch {
	case size <= 3:
		return size - 1
	case size < 8:
		return 3
	}
	return (size + 1) / 2
}

// numbersNow returns the numbers that old nodes have now, of those that are still there.
func numbersNow(origins []int) map[int]int {
	now := map[int]int{}
	for i, old := range origins {
		if old >= 0 {
			now[old] = i
		}
	}
	return now
}

// leftOf returns those of some nodes that are still there, by their new numbers.
func leftOf(nodes []int, origins []int) (left []int) {
	now := numbersNow(origins)
	for _, old := range nodes {
		if i, ok := now[old]; ok {
			left = append(left, i)
		}
	}
	return left
}
