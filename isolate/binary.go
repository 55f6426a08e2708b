package isolate

import (
	"cmp"
	"slices"
	"sort"
)

// binaryReduction is Binary Reduction of Kalhauge and Palsberg, "Binary Reduction of Dependency
// Graphs" (ESEC/FSE 2019): it keeps elements together with all that they require, by List.Requires.
// The closure of an element is the element and all that it requires, directly or not.
// In each round the closures are sorted by the weight that they add to those that were found to be
// needed, the least first. A binary search finds the shortest prefix of that order whose union,
// with the needed closures, fails. The last closure of the prefix is needed, and the elements
// outside the union are gone. The rounds end when the needed closures alone fail. (We know
// the algorithm from the authors' programs:
// kalhauge/python-binary-reduction 0a1572e, and setBinaryReduction of the Haskell module
// Control.Reduce of 2020, which orders by size.)
//
// Where a configuration does not fail although a subset of it does, the binary search may find a
// longer prefix, and elements may stay that are not needed.
//
// Cost: if s closures are needed, at most 1 + s + s log2 n trials, with log2 n rounded up.
// The closures take n²/8 bytes.
func binaryReduction(m *minimization) Configuration {
	closures := closuresOf(m.N, m.Requires)
	needed := newBitset(m.N)
	for kept := Full(m.N); ; {
		// Invariant: kept fails, and is a union of closures. So is needed, which lies within kept.
		base := collect(m.N, needed.all())
		if base == kept || m.test(base) == Fail {
			return base
		}
		order := m.order(kept, needed, closures)
		prefix := func(k int) Configuration {
			union := slices.Clone(needed)
			for _, i := range order[:k] {
				union.unite(closures[i])
			}
			return collect(m.N, union.all())
		}
		shortest := 1 + sort.Search(len(order)-1, func(k int) bool { return m.test(prefix(k+1)) == Fail })
		kept = prefix(shortest)
		needed.unite(closures[order[shortest-1]])
	}
}

// order returns elements of kept whose closures make up kept together with needed. The closure of each has
// an element that is neither in needed nor in the closures before it. They are sorted by the weight that their
// closures add to needed, the least first.
func (m *minimization) order(kept Configuration, needed bitset, closures []bitset) []int {
	var order []int
	added := map[int]int{}
	for i := range kept.All() {
		if needed.has(i) {
			continue
		}
		order = append(order, i)
		for j := range closures[i].all() {
			switch {
			case needed.has(j):
			case m.Weights == nil:
				added[i]++
			default:
				added[i] += m.Weights[j]
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(added[i], added[j]) })
	union := slices.Clone(needed)
	return slices.DeleteFunc(order, func(i int) bool {
		known := union.has(i)
		union.unite(closures[i])
		return known
	})
}

// closuresOf returns the closure of each of n elements.
func closuresOf(n int, requires [][]int) []bitset {
	closures := make([]bitset, n)
	for i := range closures {
		closures[i] = newBitset(n)
		closures[i].add(i)
	}
	if requires == nil {
		return closures
	}
	order := extension(slices.Collect(Full(n).All()), nil, requires)
	for changed := true; changed; { // again only for elements that require each other
		changed = false
		for _, i := range order {
			for _, j := range requires[i] {
				changed = closures[i].unite(closures[j]) || changed
			}
		}
	}
	return closures
}
