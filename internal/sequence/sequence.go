package sequence

import (
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
