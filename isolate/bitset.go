package isolate

import (
	"iter"
	"math/bits"
)

// A bitset is a set of numbers from 0 to n-1, a bit for each. The operations on two sets want those of one n.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) remove(i int) { b[i/64] &^= 1 << (i % 64) }

// unite adds the members of other, and reports whether b has changed.
func (b bitset) unite(other bitset) (changed bool) {
	for k, word := range other {
		changed = changed || word&^b[k] != 0
		b[k] |= word
	}
	return changed
}

func (b bitset) intersect(other bitset) {
	for k := range b {
		b[k] &= other[k]
	}
}

func (b bitset) subtract(other bitset) {
	for k := range b {
		b[k] &^= other[k]
	}
}

func (b bitset) isEmpty() bool { return !b.meets(b) }

// meets reports whether some number is in both sets.
func (b bitset) meets(other bitset) bool {
	for k := range b {
		if b[k]&other[k] != 0 {
			return true
		}
	}
	return false
}

func (b bitset) len() int { return b.common(b) }

// common returns how many numbers are in both sets.
func (b bitset) common(other bitset) (n int) {
	for k := range b {
		n += bits.OnesCount64(b[k] & other[k])
	}
	return n
}

// all yields the members, the least first.
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

// first returns the least member of a set that is not empty.
func (b bitset) first() int {
	for i := range b.all() {
		return i
	}
	panic("isolate: empty set")
}
