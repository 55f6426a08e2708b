package isolate

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"sort"
)

// binaryReduction is Binary Reduction of Kalhauge and Palsberg, "Binary Reduction of Dependency
// Graphs" (ESEC/FSE 2019): it keeps elements together with all that they require, by List.Requires.
// The closure of an element is the element and all that it requires, directly or not.
// In each round the closures are sorted by the weight that they add to those that were found to be
// needed, the least first. A binary search finds the shortest prefix of that order whose union,
// with the needed closures, fails. The last closure of the prefix is needed, and
// the elements outside the union are gone. The rounds end when the needed closures alone fail. (We know the algorithm from the authors' programs:
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
		base := needed.configuration(m.N)
		if base == kept || m.test(base) == Fail {
			return base
		}
		order := m.order(kept, needed, closures)
		first := func(k int) bitset {
			union := slices.Clone(needed)
			for _, i := range order[:k] {
				union.add(closures[i])
			}
			return union
		}
		shortest := 1 + sort.Search(len(order)-1, func(k int) bool {
			return m.test(first(k+1).configuration(m.N)) == Fail
		})
		kept = first(shortest).configuration(m.N)
		needed.add(closures[order[shortest-1]])
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
		union.add(closures[i])
		return known
	})
}

// closuresOf returns the closure of each of n elements.
func closuresOf(n int, requires [][]int) []bitset {
	closures := make([]bitset, n)
	for i := range closures {
		closures[i] = newBitset(n)
		closures[i][i/64] |= 1 << (i % 64)
	}
	order := required(requires)
	for changed := true; changed; { // again only for elements that require each other
		changed = false
		for _, i := range order {
			for _, j := range requires[i] {
				changed = closures[i].add(closures[j]) || changed
			}
		}
	}
	return closures
}

// required returns all elements, each behind those that it requires but for those that require it, too: the order in
// which a depth-first search leaves them.
func required(requires [][]int) []int {
	var order, path []int
	next := make([]int, len(requires)) // the requirement of each that is looked at next; 0 = it was not reached
	for root := range requires {
		if next[root] == 0 {
			next[root], path = 1, append(path, root)
		}
		for len(path) > 0 {
			i := path[len(path)-1]
			if next[i] > len(requires[i]) {
				order, path = append(order, i), path[:len(path)-1]
				continue
			}
			j := requires[i][next[i]-1]
			next[i]++
			if next[j] == 0 {
				next[j], path = 1, append(path, j)
			}
		}
	}
	return order
}

// A bitset is a set of the elements of a list, a bit for each.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

// add adds the elements of other to b, and reports whether b has changed.
func (b bitset) add(other bitset) (more bool) {
	for k, word := range other {
		more = more || word&^b[k] != 0
		b[k] |= word
	}
	return more
}

func (b bitset) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(64*k + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

func (b bitset) configuration(n int) Configuration {
	c := builder{n: n}
	for i := range b.all() {
		c.add(i, i+1)
	}
	return c.configuration()
}
