package changes

import (
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
	"znkr.io/diff"
)

// A block replaces the lines a0..a1 of one list by the lines b0..b1 of another.
type block struct{ a0, a1, b0, b1 int }

// smallMiddle is the number of lines, of both sides together, up to which the
// minimal engine cuts. It is exact but quadratic in the number of differing
// lines: two lists of 500 lines with nothing in common take some 10 ms.
const smallMiddle = 1000

// blocks returns what turns a into b, in order, with an equal line between any
// two blocks. The engine is chosen by size alone, never by the clock, so that
// the same texts give the same blocks on every machine.
func blocks(a, b [][]byte) []block {
	switch {
	case len(a) == 0 && len(b) == 0:
		return nil
	case len(a) == 0 || len(b) == 0:
		return []block{{0, len(a), 0, len(b)}}
	case len(a)+len(b) <= smallMiddle:
		return minimal(a, b)
	}
	return quick(a, b)
}

// minimal finds a shortest edit script (Myers 1986, section 4b) by go-diff.
//
// Only the lengths of go-diff's runs are read: each line is one rune there, and
// with at most smallMiddle of them neither the surrogates nor the end of the
// code space, where go-diff goes wrong or panics, come near. Its time limit is
// off, for with it the result depends on the machine's load. Its DiffCleanup
// functions know no lines.
func minimal(a, b [][]byte) []block {
	x, y := number(a, b)
	engine := diffmatchpatch.New()
	engine.DiffTimeout = 0

	var out []block
	i, j := 0, 0
	for _, run := range engine.DiffMainRunes(x, y, false) {
		n := utf8.RuneCountInString(run.Text)
		switch run.Type {
		case diffmatchpatch.DiffEqual:
			i, j = i+n, j+n
		case diffmatchpatch.DiffDelete:
			out = join(out, block{i, i + n, j, j})
			i += n
		case diffmatchpatch.DiffInsert:
			out = join(out, block{i, i, j, j + n})
			j += n
		}
	}
	return out
}

// quick finds a nearly shortest edit script in O(n^1.5 log n) by znkr.io/diff.
// Its indent heuristic is not used: it sees only the lines between the common
// head and tail, while slide sees the whole texts.
func quick(a, b [][]byte) []block {
	x, y := number(a, b)
	var out []block
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		out = join(out, block{h.PosX, h.EndX, h.PosY, h.EndY})
	}
	return out
}

// number gives equal lines equal numbers, from 0 in the order of appearance.
func number(a, b [][]byte) (x, y []rune) {
	numbers := make(map[string]rune, len(a)+len(b))
	list := func(lines [][]byte) []rune {
		out := make([]rune, len(lines))
		for i, l := range lines {
			n, ok := numbers[string(l)]
			if !ok {
				n = rune(len(numbers))
				numbers[string(l)] = n
			}
			out[i] = n
		}
		return out
	}
	return list(a), list(b)
}

// join appends k, as a part of the last block when no equal line lies between:
// were they two, the order in which they are applied would matter.
func join(list []block, k block) []block {
	if k.a0 == k.a1 && k.b0 == k.b1 {
		return list
	}
	if n := len(list); n > 0 && list[n-1].a1 == k.a0 && list[n-1].b1 == k.b0 {
		list[n-1].a1, list[n-1].b1 = k.a1, k.b1
		return list
	}
	return append(list, k)
}
