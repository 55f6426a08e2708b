package isolate

import (
	"cmp"
	"math"
	"slices"
)

// A Tie says how much two elements belong together.
type Tie struct {
	I, J   int
	Weight float64 // positive and finite
}

// How the order by affinity is found.
const (
	smoothings   = 120  // steps of the power iteration
	neighbourly  = 0.02 // the weight of a tie between groups next to each other in the order
	requirement  = 1.0  // of one between elements of which one is believed to require the other
	mostTied     = 1e9  // the most weight of a tie: sums of them stay finite
	leastSevered = 0.02 // the least share of requirements that a cut is taken to break
)

// A ties holds Problem.Affinity between positions, both ways.
type ties struct {
	start []int32
	to    []int32
	w     []float64
}

func newTies(list []Tie, position []int, n int) *ties {
	if len(list) == 0 || n >= many {
		return nil
	}
	t := &ties{start: make([]int32, n+1)}
	each := func(yield func(i, j int, w float64)) {
		for _, e := range list {
			if i, j := position[e.I], position[e.J]; i >= 0 && j >= 0 && i != j {
				w := min(e.Weight, mostTied)
				yield(i, j, w)
				yield(j, i, w)
			}
		}
	}
	each(func(i, _ int, _ float64) { t.start[i+1]++ })
	for i := range n {
		t.start[i+1] += t.start[i]
	}
	t.to, t.w = make([]int32, t.start[n]), make([]float64, t.start[n])
	next := slices.Clone(t.start[:n])
	each(func(i, j int, w float64) {
		t.to[next[i]], t.w[next[i]] = int32(j), w
		next[i]++
	})
	return t
}

// An arrangement is the groups of suspects of a level in an order in which those that
// belong together stand together, and the share of the ties that each cut of this order
// severs.
type arrangement struct {
	groups  []Configuration
	severed []float64 // severed[k] = the share of all ties that lead from the first k to the others
}

// arrange returns the groups by affinity: by the second eigenvector of the random walk
// along the ties (Fiedler, "Algebraic connectivity of graphs", Czechoslovak Mathematical
// Journal 23, 1973; as an order: Barnard, Pothen and Simon, 1995), approximately, by a
// power iteration that starts with the order of the space. Ties are Problem.Affinity and
// the requirements that are believed. Cost: the ties, and those between groups times
// smoothings.
func (n *narrowing) arrange(groups []Configuration) *arrangement {
	group := make(map[int]int, n.members.len())
	for g, c := range groups {
		for i := range c.All() {
			group[i] = g
		}
	}
	within := 0.0 // the weight of ties that no cut severs
	weights := map[[2]int]float64{}
	for g := range len(groups) - 1 {
		weights[[2]int{g, g + 1}] = neighbourly
	}
	for g, c := range groups {
		for i := range c.All() {
			add := func(j int, w float64) {
				h, ok := group[j]
				switch {
				case !ok:
				case h == g:
					within += w
				default:
					weights[[2]int{min(g, h), max(g, h)}] += w
				}
			}
			for e := n.ties.start[i]; e < n.ties.start[i+1]; e++ {
				if j := int(n.ties.to[e]); j > i {
					add(j, n.ties.w[e])
				}
			}
			for _, j := range n.learned.to[i] {
				if n.taught(i, j) {
					add(j, requirement)
				}
			}
			for _, j := range n.must.to.of(i) {
				add(int(j), requirement)
			}
			for _, j := range n.may.to.of(i) {
				if n.believes(i, int(j)) {
					add(int(j), requirement)
				}
			}
		}
	}
	type edge struct {
		i, j int
		w    float64
	}
	edges := make([]edge, 0, len(weights))
	for pair, w := range weights {
		edges = append(edges, edge{pair[0], pair[1], w})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
	degree := make([]float64, len(groups))
	between := 0.0
	for _, e := range edges {
		degree[e.i] += e.w
		degree[e.j] += e.w
		between += e.w
	}
	x, next := make([]float64, len(groups)), make([]float64, len(groups))
	for k := range x {
		x[k] = float64(2*k - len(groups) + 1)
	}
	// The conversions keep a product from being fused with a sum, which not all machines do.
	for range smoothings {
		clear(next)
		for _, e := range edges {
			next[e.i] += float64(e.w * x[e.j])
			next[e.j] += float64(e.w * x[e.i])
		}
		mean := 0.0
		for k := range next {
			next[k] = float64(0.5*x[k]) + float64(0.5*next[k])/degree[k]
			mean += float64(degree[k] * next[k])
		}
		mean /= 2 * between
		most := 0.0
		for k := range next {
			next[k] -= mean
			most = max(most, math.Abs(next[k]))
		}
		if most == 0 {
			break
		}
		for k := range next {
			next[k] /= most
		}
		x, next = next, x
	}
	order := make([]int, len(groups))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rounded(x[a]), rounded(x[b])) })
	at := make([]int, len(groups))
	a := &arrangement{groups: make([]Configuration, len(groups)), severed: make([]float64, len(groups)+2)}
	for k, g := range order {
		at[g], a.groups[k] = k, groups[g]
	}
	for _, e := range edges {
		a.severed[min(at[e.i], at[e.j])+1] += e.w
		a.severed[max(at[e.i], at[e.j])+1] -= e.w
	}
	sum := 0.0
	for k := range a.severed {
		sum += a.severed[k]
		a.severed[k] = rounded(sum / (between + within))
	}
	return a
}

// tiedCuts returns cuts along the order by affinity of each level: for each size, of the
// places near it, the one that severs least.
func (n *narrowing) tiedCuts() (cuts []cut) {
	if n.ties == nil {
		return nil
	}
	last := 0
	for level := range n.finest() + 1 {
		groups := n.groups(n.left, level)
		if len(groups) < 3 || len(groups) == last {
			continue
		}
		last = len(groups)
		cuts = append(cuts, n.tiedCutsOf(level, n.arrange(groups))...)
	}
	return cuts
}

func (n *narrowing) tiedCutsOf(level int, a *arrangement) (cuts []cut) {
	before := make([]float64, len(a.groups)+1)
	count := make([]int, len(a.groups)+1)
	for k, g := range a.groups {
		before[k+1] = before[k] + n.members.massOf(g)
		count[k+1] = count[k] + g.Len()
	}
	all := len(a.groups)
	seen := map[int]bool{}
	for _, size := range n.sizes(before[all]) {
		for _, want := range []float64{size, before[all] - size} {
			k, _ := slices.BinarySearchFunc(before, want, func(have, want float64) int { return cmp.Compare(have, want) })
			slack := max(1, min(k, all-k)/6)
			best := -1
			for at := max(1, k-slack); at <= min(all-1, k+slack); at++ {
				if best < 0 || a.severed[at] < a.severed[best] {
					best = at
				}
			}
			if best < 0 || seen[best] {
				continue
			}
			seen[best] = true
			var members []int
			for _, g := range a.groups[:best] {
				members = slices.AppendSeq(members, g.All())
			}
			first := Of(n.n, members...)
			rest := n.left.Minus(first)
			breaks := max(leastSevered, a.severed[best]/2) + borderRisk/float64(all)
			cuts = append(cuts,
				cut{add: true, set: &first, count: count[best], mass: before[best], level: level, tied: true, breaks: breaks},
				cut{add: false, set: &rest, count: count[all] - count[best], mass: before[all] - before[best], level: level, tied: true, breaks: breaks},
				cut{add: true, set: &rest, count: count[all] - count[best], mass: before[all] - before[best], level: level, tied: true, breaks: breaks},
				cut{add: false, set: &first, count: count[best], mass: before[best], level: level, tied: true, breaks: breaks})
		}
	}
	return cuts
}
