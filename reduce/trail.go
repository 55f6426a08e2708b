package reduce

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lexical"
	"github.com/gitdd/gitdd/internal/sequence"
)

// mostPairs bounds the work of one step of a trail: pairs of lines, or of words, that
// are compared.
const mostPairs = 1 << 20

// A Trail follows a text through the edits of a reduction, so that it can say which bytes
// of the first text are left in the end. If several equal bytes may be the ones that stayed, it
// chooses some of them. A name that replaced another name has the place of that other name.
//
// A step takes time in proportion to the product of the numbers of lines before and after the
// step, and likewise of words between the lines that stayed. If such a product is above a
// million, the step takes the time of sequence.Blocks.
type Trail struct {
	text  []byte
	from  []int32       // of each byte of text its place in the first one; -1 = it is new
	names map[int32]int // where names ended that are others now, by where they began
}

// NewTrail begins at a text.
func NewTrail(text []byte) *Trail {
	t := &Trail{text: text, from: make([]int32, len(text)), names: map[int32]int{}}
	for i := range t.from {
		t.from[i] = int32(i)
	}
	return t
}

// Follow goes on to the text that the last one became.
func (t *Trail) Follow(next []byte) {
	from := make([]int32, len(next))
	for i := range from {
		from[i] = -1
	}
	t.match(lines(t.text), lines(next), from, func(a, b []segment) {
		t.match(words(t.text, a), words(next, b), from, func(a, b []segment) { t.renamed(a, b, from) })
	})
	t.text, t.from = next, from
}

// Kept are the bytes of the first text that are left, as runs from..to-1 in order.
func (t *Trail) Kept() [][2]int {
	left := slices.Clone(t.from)
	slices.Sort(left)
	var runs [][2]int
	for _, at := range left {
		begin, end := int(at), max(int(at)+1, t.names[at])
		switch n := len(runs); {
		case at < 0:
		case n > 0 && begin <= runs[n-1][1]:
			runs[n-1][1] = max(runs[n-1][1], end)
		default:
			runs = append(runs, [2]int{begin, end})
		}
	}
	return runs
}

// A segment is a line, or a word, of a text.
type segment struct {
	text []byte
	at   int // where it begins
	name bool
}

func textsOf(list []segment) [][]byte {
	texts := make([][]byte, len(list))
	for i := range list {
		texts[i] = list[i].text
	}
	return texts
}

// lines cuts a text into its lines.
func lines(text []byte) []segment {
	var list []segment
	at := 0
	for line := range bytes.Lines(text) {
		list = append(list, segment{text: line, at: at})
		at += len(line)
	}
	return list
}

// words cuts lines that follow each other in a text into names and numbers, runs of
// white space, and single other characters.
func words(text []byte, lines []segment) []segment {
	if len(lines) == 0 {
		return nil
	}
	last := lines[len(lines)-1]
	end := last.at + len(last.text)
	var list []segment
	before := lexical.Operator
	for at := lines[0].at; at < end; {
		r, size := utf8.DecodeRune(text[at:end])
		c := kindOf(r)
		if n := len(list); c != lexical.Operator && c == before {
			list[n-1].text = text[list[n-1].at : at+size]
		} else {
			list = append(list, segment{text: text[at : at+size], at: at, name: c == lexical.Word})
		}
		before = c
		at += size
	}
	return list
}

func kindOf(r rune) lexical.Kind {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return lexical.Word
	case unicode.IsSpace(r):
		return lexical.Space
	}
	return lexical.Operator
}

// same notes that a segment of the next text is one of the last.
func (t *Trail) same(a, b segment, from []int32) {
	for i := range min(len(a.text), len(b.text)) {
		from[b.at+i] = t.from[a.at+i]
	}
}

// match finds the segments of b that are those of a, as many as can be in their order,
// and gives what is between them to rest.
func (t *Trail) match(a, b []segment, from []int32, rest func(a, b []segment)) {
	oldA, oldB := 0, 0
	found := func(i, j int) {
		if i > oldA && j > oldB {
			rest(a[oldA:i], b[oldB:j])
		}
		oldA, oldB = i, j
	}
	for _, p := range inCommon(a, b) {
		found(p[0], p[1])
		t.same(a[p[0]], b[p[1]], from)
		oldA, oldB = p[0]+1, p[1]+1
	}
	found(len(a), len(b))
}

// inCommon are pairs of equal segments in the order of both, as many as there are, with
// many beside each other; if there are too many to compare, those of a short difference.
func inCommon(a, b []segment) (pairs [][2]int) {
	if len(a)*len(b) > mostPairs {
		i, j := 0, 0
		for _, k := range append(sequence.Blocks(textsOf(a), textsOf(b)), sequence.Block{A0: len(a), B0: len(b)}) {
			for ; i < k.A0; i, j = i+1, j+1 {
				pairs = append(pairs, [2]int{i, j})
			}
			i, j = k.A1, k.B1
		}
		return pairs
	}
	// best[i][j] is what a[i:] and b[j:] have in common, where a byte counts two and a
	// segment one more behind one that they have, too: then then[i][j] is.
	width := len(b) + 1
	best, then := make([]int32, (len(a)+1)*width), make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			at := i*width + j
			best[at] = max(best[at+width], best[at+1])
			then[at] = best[at]
			if bytes.Equal(a[i].text, b[j].text) {
				both := then[at+width+1] + 2*int32(len(a[i].text))
				best[at], then[at] = max(best[at], both), max(then[at], both+1)
			}
		}
	}
	follows := false
	for i, j := 0, 0; i < len(a) && j < len(b); {
		at := i*width + j
		value, more := best[at], int32(0)
		if follows {
			value, more = then[at], 1
		}
		if bytes.Equal(a[i].text, b[j].text) && value == then[at+width+1]+2*int32(len(a[i].text))+more {
			pairs = append(pairs, [2]int{i, j})
			i, j, follows = i+1, j+1, true
			continue
		}
		follows = false
		if best[at+width] >= best[at+1] {
			i++
		} else {
			j++
		}
	}
	return pairs
}

// renamed notes what stands in the place of another: as many words as there were, or
// one name.
func (t *Trail) renamed(a, b []segment, from []int32) {
	if len(a) != len(b) {
		return
	}
	for i := range a {
		if a[i].name != b[i].name {
			continue
		}
		t.same(a[i], b[i], from)
		if begin, n := t.from[a[i].at], len(a[i].text); begin >= 0 && t.from[a[i].at+n-1] == begin+int32(n)-1 {
			t.names[begin] = max(t.names[begin], int(begin)+n)
		}
	}
}
