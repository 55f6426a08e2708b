package isolate

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Configuration is an immutable set of elements, a subset of 0..n-1.
// It is comparable: two configurations are == exactly when they have the same
// n and the same members, so it is a map key. The zero Configuration is the
// empty set of no elements.
//
// It is kept as its runs of consecutive members, so its size and the cost of
// every set operation grow with the number of runs and not with n: a prefix of
// a million elements takes eight bytes.
type Configuration struct {
	n     int
	edges string // borders of the runs, increasing, 4 bytes each: start, end, start, end, ...
}

const edgeSize = 4

// Empty returns the empty subset of 0..n-1.
func Empty(n int) Configuration { return Configuration{n: n} }

// Full returns 0..n-1.
func Full(n int) Configuration { return span(n, 0, n) }

// Of returns the subset of 0..n-1 with these members, in any order. As with a
// slice index, a member outside 0..n-1 is a bug of the caller, and panics.
func Of(n int, members ...int) Configuration {
	if !slices.IsSorted(members) {
		members = slices.Sorted(slices.Values(members))
	}
	return collect(n, slices.Values(members))
}

// FromRuns parses what String returns: increasing runs such as "0-3,7,9-12".
func FromRuns(n int, s string) (Configuration, error) {
	if n < 0 || n > math.MaxInt32 {
		return Configuration{}, fmt.Errorf("configuration of %d elements: not within 0..%d", n, math.MaxInt32)
	}
	b := builder{n: n}
	if s == "" {
		return b.configuration(), nil
	}
	next := 0
	for run := range strings.SplitSeq(s, ",") {
		first, last, ranged := strings.Cut(run, "-")
		from, err := strconv.ParseUint(first, 10, 31)
		to := from
		if ranged && err == nil {
			to, err = strconv.ParseUint(last, 10, 31)
		}
		switch {
		case err != nil:
			return Configuration{}, fmt.Errorf("configuration %q: %q is no run of numbers", s, run)
		case int(from) < next || to < from:
			return Configuration{}, fmt.Errorf("configuration %q: run %q is out of order", s, run)
		case int(to) >= n:
			return Configuration{}, fmt.Errorf("configuration %q: %d is not below %d", s, to, n)
		}
		b.add(int(from), int(to)+1)
		next = int(to) + 1
	}
	return b.configuration(), nil
}

// collect returns the configuration with these members, which do not decrease.
func collect(n int, members iter.Seq[int]) Configuration {
	b := builder{n: n}
	for m := range members {
		if m < 0 || m >= n {
			panic(fmt.Sprintf("isolate: element %d is not within 0..%d", m, n-1))
		}
		b.add(m, m+1)
	}
	return b.configuration()
}

// span returns from..to-1 as a subset of 0..n-1.
func span(n, from, to int) Configuration {
	b := builder{n: n}
	b.add(from, to)
	return b.configuration()
}

// N returns the number of elements there are, members or not.
func (c Configuration) N() int { return c.n }

// Len returns the number of members.
func (c Configuration) Len() int {
	n := 0
	for k := 0; k < c.count(); k += 2 {
		n += c.edge(k+1) - c.edge(k)
	}
	return n
}

// away returns how many elements are in c or in d and not in the other.
func (c Configuration) away(d Configuration) int {
	n, last, inside := 0, 0, false
	for at := range edgesOf(c, d) {
		if inside {
			n += at - last
		}
		last, inside = at, !inside
	}
	return n
}

// IsEmpty reports whether c has no member.
func (c Configuration) IsEmpty() bool { return c.edges == "" }

// Has reports whether i is a member. Its cost is logarithmic in the runs.
func (c Configuration) Has(i int) bool { return c.edgesUpTo(i)%2 == 1 }

// All yields the members in increasing order.
func (c Configuration) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for from, to := range c.spans() {
			for i := from; i < to; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// Union returns the elements of c or d.
func (c Configuration) Union(d Configuration) Configuration {
	return combine(c, d, &either)
}

// Intersect returns the elements of both c and d.
func (c Configuration) Intersect(d Configuration) Configuration {
	return combine(c, d, &both)
}

// Minus returns the elements of c that are not in d.
func (c Configuration) Minus(d Configuration) Configuration {
	return combine(c, d, &firstOnly)
}

// With returns c and these elements, which must be within 0..N-1.
func (c Configuration) With(elements ...int) Configuration {
	return c.Union(Of(c.n, elements...))
}

// Contains reports whether every member of d is a member of c.
func (c Configuration) Contains(d Configuration) bool {
	for from, to := range d.spans() {
		k := c.edgesUpTo(from)
		if k%2 == 0 || c.edge(k) < to {
			return false
		}
	}
	return true
}

// String returns the runs: "0-3,7,9-12", and "" for the empty set.
func (c Configuration) String() string {
	var b []byte
	for from, to := range c.spans() {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(from), 10)
		if to-from > 1 {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(to-1), 10)
		}
	}
	return string(b)
}

// first returns the least member of c, which is not empty.
func (c Configuration) first() int { return c.edge(0) }

// slice returns the members of c with rank from..to-1 in increasing order.
func (c Configuration) slice(from, to int) Configuration {
	b := builder{n: c.n}
	rank := 0
	for start, end := range c.spans() {
		// Invariant: rank members lie before start.
		b.add(max(start, start+from-rank), min(end, start+to-rank))
		rank += end - start
		if rank >= to {
			break
		}
	}
	return b.configuration()
}

// ranksIn returns the ranks that the members of c have among those of d, as far as they are in d.
func (c Configuration) ranksIn(d Configuration) Configuration {
	b := builder{n: d.Len()}
	rank, k := 0, 0 // of the first member of a run of d; edges of c before it
	for start, end := range d.spans() {
		for k < c.count() && c.edge(k+1) <= start {
			k += 2
		}
		for i := k; i < c.count() && c.edge(i) < end; i += 2 {
			b.add(rank+max(start, c.edge(i))-start, rank+min(end, c.edge(i+1))-start)
		}
		rank += end - start
	}
	return b.configuration()
}

// spans yields the runs as half-open intervals, increasing, never touching.
func (c Configuration) spans() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for k := 0; k < c.count(); k += 2 {
			if !yield(c.edge(k), c.edge(k+1)) {
				return
			}
		}
	}
}

// count returns the number of edges: twice the number of runs.
func (c Configuration) count() int { return len(c.edges) / edgeSize }

// edge returns the k-th edge. Members lie from even edges up to odd ones.
func (c Configuration) edge(k int) int {
	at := c.edges[k*edgeSize : k*edgeSize+edgeSize]
	return int(at[0])<<24 | int(at[1])<<16 | int(at[2])<<8 | int(at[3])
}

// edgesUpTo returns how many edges are at most i: odd inside a run.
func (c Configuration) edgesUpTo(i int) int {
	low, high := 0, c.count()
	for low < high {
		middle := (low + high) / 2
		if c.edge(middle) <= i {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// A keep says which stretches combine keeps: by whether they are in the first
// configuration, and in the second. What is in neither is not kept.
type keep [2][2]bool

var (
	either    = keep{{false, true}, {true, true}}
	both      = keep{{false, false}, {false, true}}
	firstOnly = keep{{false, false}, {true, false}}
)

// combine walks the edges of both sets once, from left to right, and keeps what keep
// says of each stretch between two edges.
func combine(c, d Configuration, keep *keep) Configuration {
	if c.n != d.n {
		panic(fmt.Sprintf("isolate: configurations of %d and of %d elements", c.n, d.n))
	}
	out := make([]byte, 0, len(c.edges)+len(d.edges))
	kept := false
	i, j := 0, 0
	atC, atD := c.edgeOrEnd(0), d.edgeOrEnd(0)
	for i < c.count() || j < d.count() {
		// Invariant: i edges of c and j edges of d are behind us, so that
		// an odd number says we are inside a run; atC and atD are next.
		at := min(atC, atD)
		if atC == at {
			i++
			atC = c.edgeOrEnd(i)
		}
		if atD == at {
			j++
			atD = d.edgeOrEnd(j)
		}
		if keep[i%2][j%2] != kept {
			kept = !kept
			out = binary.BigEndian.AppendUint32(out, uint32(at))
		}
	}
	return Configuration{n: c.n, edges: string(out)}
}

// edgesOf yields the edges of c and d in order, without those that are in both.
func edgesOf(c, d Configuration) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, j := 0, 0; i < c.count() || j < d.count(); {
			atC, atD := c.edgeOrEnd(i), d.edgeOrEnd(j)
			if atC <= atD {
				i++
			}
			if atD <= atC {
				j++
			}
			if atC != atD && !yield(min(atC, atD)) {
				return
			}
		}
	}
}

// edgeOrEnd returns the k-th edge, or behind the last one what no edge reaches.
func (c Configuration) edgeOrEnd(k int) int {
	if k < c.count() {
		return c.edge(k)
	}
	return math.MaxInt
}

// A builder makes a configuration from intervals that do not go back.
type builder struct {
	n        int
	edges    []byte
	from, to int // the run being built
}

// add takes from..to-1 in, if there is anything in it.
func (b *builder) add(from, to int) {
	switch {
	case from >= to:
	case b.from < b.to && from <= b.to:
		b.to = max(b.to, to)
	default:
		b.flush()
		b.from, b.to = from, to
	}
}

func (b *builder) flush() {
	if b.from < b.to {
		b.edges = binary.BigEndian.AppendUint32(b.edges, uint32(b.from))
		b.edges = binary.BigEndian.AppendUint32(b.edges, uint32(b.to))
	}
}

func (b *builder) configuration() Configuration {
	b.flush()
	return Configuration{n: b.n, edges: string(b.edges)}
}
