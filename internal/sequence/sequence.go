package sequence

import (
	"slices"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
	"znkr.io/diff"
)

// A Block replaces the elements A0..A1 of one sequence by the elements B0..B1 of
// another. Either may be empty.
type Block struct{ A0, A1, B0, B1 int }

// Small is the number of elements, of both sequences together, up to which the
// minimal engine compares. It is exact but quadratic in the number of differing
// elements: two lists of 500 lines with nothing in common take some 10 ms.
const Small = 1000

// Blocks returns what turns a into b, in order, with an equal element between any
// two blocks. The engine is chosen by size alone, never by the clock.
func Blocks[T ~string | ~[]byte](a, b []T) []Block {
	switch {
	case len(a) == 0 && len(b) == 0:
		return nil
	case len(a) == 0 || len(b) == 0:
		return []Block{{0, len(a), 0, len(b)}}
	}
	x, y := number(a, b)
	if len(a)+len(b) <= Small {
		return minimal(x, y)
	}
	return quick(x, y)
}

// Anchored is Blocks where some elements are anchors. A key function returns the key of an element, or "" if it has none. Two
// elements are a pair of anchors if their keys are equal, and no other element of a or b has this key; the first functions come
// first, and an element is in one pair at most. Of the pairs, a longest list that is in the same order in a and b is kept. What
// stands before the elements of a pair in a and b, and behind the pair before it, is compared by Blocks, and so is what stands
// behind the last pair. This is one level of the patience diff of Bram Cohen, with anchors that may differ.
//
// isEnd tells the elements that end a part which an element with a key begins; nil = there are none. The ends of a part that
// begins with a pair, or where both sequences begin, are pairs, too, as far as they are equal and in the same order.
//
// Time: O(n log n) more than Blocks for each function.
func Anchored[T ~string | ~[]byte](a, b []T, isEnd func(T) bool, keys ...func(T) string) []Block {
	var pairs [][2]int
	inA, inB := make([]bool, len(a)), make([]bool, len(b))
	for _, key := range keys {
		for _, p := range onceInBoth(a, b, key) {
			if !inA[p[0]] && !inB[p[1]] {
				inA[p[0]], inB[p[1]] = true, true
				pairs = append(pairs, p)
			}
		}
	}
	slices.SortFunc(pairs, func(p, q [2]int) int { return p[0] - q[0] })
	pairs = increasing(pairs)
	x, y := number(a, b)
	if isEnd != nil {
		next := func(list []T, from int) int { // the next element that begins or ends a part
			for from++; from < len(list) && !isEnd(list[from]) && !slices.ContainsFunc(keys, func(key func(T) string) bool { return key(list[from]) != "" }); from++ {
			}
			return from
		}
		for _, p := range append([][2]int{{-1, -1}}, pairs...) {
			for i, j := next(a, p[0]), next(b, p[1]); i < len(a) && j < len(b) && x[i] == y[j] && isEnd(a[i]); i, j = next(a, i), next(b, j) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
		slices.SortFunc(pairs, func(p, q [2]int) int { return p[0] - q[0] })
	}
	if len(pairs) == 0 {
		return Blocks(a, b)
	}
	var out []Block
	i, j := 0, 0
	for _, p := range append(pairs, [2]int{len(a), len(b)}) {
		i1, j1 := p[0], p[1]
		for i < i1 && j < j1 && x[i] == y[j] {
			i, j = i+1, j+1
		}
		i0, j0 := i1, j1
		for i < i0 && j < j0 && x[i0-1] == y[j0-1] {
			i0, j0 = i0-1, j0-1
		}
		for _, k := range Blocks(a[i:i0], b[j:j0]) {
			k = Block{i + k.A0, i + k.A1, j + k.B0, j + k.B1}
			if last := len(out) - 1; last >= 0 && out[last].A1 == k.A0 && out[last].B1 == k.B0 {
				out[last].A1, out[last].B1 = k.A1, k.B1
			} else {
				out = append(out, k)
			}
		}
		i, j = i1, j1
	}
	return out
}

// onceInBoth returns where the keys that one element of a and one of b have are in a and in b, in the order of a.
func onceInBoth[T ~string | ~[]byte](a, b []T, key func(T) string) (list [][2]int) {
	const several = -1
	places := func(of []T) map[string]int {
		at := map[string]int{}
		for i, e := range of {
			if k := key(e); k == "" {
			} else if _, ok := at[k]; ok {
				at[k] = several
			} else {
				at[k] = i
			}
		}
		return at
	}
	inB := places(b)
	for k, i := range places(a) {
		if j, ok := inB[k]; ok && i != several && j != several {
			list = append(list, [2]int{i, j})
		}
	}
	slices.SortFunc(list, func(p, q [2]int) int { return p[0] - q[0] })
	return list
}

// increasing returns a longest subsequence of pairs, which are in the order of their first numbers and
// have no number in common, that is in the order of their second numbers as well (patience sorting).
func increasing(pairs [][2]int) [][2]int {
	var ends []int                    // ends[k] is the pair with the least second number that ends a subsequence of k+1 pairs
	before := make([]int, len(pairs)) // the pair before that in the subsequence which it ends
	for n, p := range pairs {
		k, _ := slices.BinarySearchFunc(ends, p[1], func(end, second int) int { return pairs[end][1] - second })
		if k > 0 {
			before[n] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, n)
		} else {
			ends[k] = n
		}
	}
	out := make([][2]int, len(ends))
	for k := len(ends) - 1; k >= 0; k-- {
		out[k] = pairs[ends[k]]
		if k > 0 {
			ends[k-1] = before[ends[k]]
		}
	}
	return out
}

// minimal finds a shortest edit script (Myers 1986, section 4b) by go-diff.
//
// Only the lengths of go-diff's runs are read: each element is one rune there, and
// with at most Small of them neither the surrogates nor the end of the
// code space, where go-diff goes wrong or panics, come near. Its time limit is
// off, for with it the result depends on the machine's load. Its DiffCleanup
// functions know no lines.
func minimal(x, y []rune) []Block {
	engine := diffmatchpatch.New()
	engine.DiffTimeout = 0

	var out []Block
	i, j := 0, 0
	for _, run := range engine.DiffMainRunes(x, y, false) {
		n := utf8.RuneCountInString(run.Text)
		switch run.Type {
		case diffmatchpatch.DiffEqual:
			i, j = i+n, j+n
		case diffmatchpatch.DiffDelete:
			out = join(out, Block{i, i + n, j, j})
			i += n
		case diffmatchpatch.DiffInsert:
			out = join(out, Block{i, i, j, j + n})
			j += n
		}
	}
	return out
}

// quick finds a nearly shortest edit script in O(n^1.5 log n) by znkr.io/diff.
// Its indent heuristic is not used: it sees only the lines between the common
// head and tail, while package changes sees the whole texts.
func quick(x, y []rune) []Block {
	var out []Block
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		out = join(out, Block{h.PosX, h.EndX, h.PosY, h.EndY})
	}
	return out
}

// number gives equal elements equal numbers, from 0 in the order of appearance.
func number[T ~string | ~[]byte](a, b []T) (x, y []rune) {
	numbers := make(map[string]rune, max(len(a), len(b)))
	list := func(elements []T) []rune {
		out := make([]rune, len(elements))
		for i, e := range elements {
			n, ok := numbers[string(e)]
			if !ok {
				n = rune(len(numbers))
				numbers[string(e)] = n
			}
			out[i] = n
		}
		return out
	}
	return list(a), list(b)
}

// join appends k, as a part of the last block when no equal element lies between:
// were they two, the order in which they are applied would matter.
func join(list []Block, k Block) []Block {
	if k.A0 == k.A1 && k.B0 == k.B1 {
		return list
	}
	if n := len(list); n > 0 && list[n-1].A1 == k.A0 && list[n-1].B1 == k.B0 {
		list[n-1].A1, list[n-1].B1 = k.A1, k.B1
		return list
	}
	return append(list, k)
}
