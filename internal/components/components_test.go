package components

import (
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// Two nodes have one component if, and only if, each leads to the other, and edges between
// components lead to lower numbers.
func TestOf(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 3000 {
		n := random.IntN(9)
		edges, leads := make([][]int, n), make([][]bool, n)
		for v := range n {
			leads[v] = make([]bool, n)
			leads[v][v] = true
		}
		for range random.IntN(2*n + 1) {
			v, w := random.IntN(n), random.IntN(n)
			edges[v] = append(edges[v], w)
			leads[v][w] = true
		}
		for middle := range n { // Warshall's algorithm
			for v := range n {
				for w := range n {
					leads[v][w] = leads[v][w] || leads[v][middle] && leads[middle][w]
				}
			}
		}
		of, components := Of(edges)
		seen := map[int]bool{}
		for v := range n {
			seen[of[v]] = true
			if of[v] < 0 || of[v] >= components {
				t.Fatalf("%v: component %d of %d", edges, of[v], components)
			}
			for w := range n {
				if together := leads[v][w] && leads[w][v]; together != (of[v] == of[w]) {
					t.Fatalf("%v: components %v, but that %d and %d lead to each other is %v", edges, of, v, w, together)
				}
				if leads[v][w] && of[v] < of[w] {
					t.Fatalf("%v: components %v, but %d leads to %d", edges, of, v, w)
				}
			}
		}
		if len(seen) != components {
			t.Fatalf("%v: components %v of %d", edges, of, components)
		}
	}
}
