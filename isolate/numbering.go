package isolate

import "math/bits"

// A numbering turns sets of positions into the sets of elements that a Problem
// calls them. It remembers the last one, because a search moves in steps: what
// it costs follows the difference from that, or from nothing or everything,
// and beside it n/64 words are read.
type numbering struct {
	n        int     // elements of the problem
	elements []int   // elements[i] = the element at position i
	others   [][]int // others[i] = more elements at position i; nil if each position has one
	all      Configuration
	last     Configuration // of positions
	words    []uint64      // the elements of last
}

// elementsOf returns the elements at the positions in c.
func (m *numbering) elementsOf(c Configuration) Configuration {
	if m.words == nil {
		m.words, m.last = make([]uint64, (m.n+63)/64), Empty(c.n)
	}
	base := nearest(c, m.last)
	if base != m.last {
		clear(m.words)
		if !base.IsEmpty() {
			m.fill()
		}
	}
	flip := func(d Configuration) {
		for i := range d.All() {
			e := m.elements[i]
			m.words[e/64] ^= 1 << (e % 64)
			if m.others != nil {
				for _, e := range m.others[i] {
					m.words[e/64] ^= 1 << (e % 64)
				}
			}
		}
	}
	flip(c.Minus(base))
	flip(base.Minus(c))
	m.last = c
	b := builder{n: m.n}
	for w, word := range m.words {
		for word != 0 {
			// Invariant: the bits of word below those that are set are done with.
			from := bits.TrailingZeros64(word)
			length := bits.TrailingZeros64(^(word >> from))
			b.add(64*w+from, 64*w+from+length)
			if from+length == 64 {
				break
			}
			word &= ^uint64(0) << (from + length)
		}
	}
	return b.configuration()
}

// fill sets the words to all elements of the space.
func (m *numbering) fill() {
	for e := range m.all.All() {
		m.words[e/64] |= 1 << (e % 64)
	}
}
