package report

import (
	"unicode"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/sequence"
)

// mostAlign bounds the work of align and differences: pairs of lines, or of words,
// that are compared. What is larger is put side by side from the top, or compared
// from both ends.
const mostAlign = 40_000

// align puts the lines of two sides beside each other, such that lines which share
// much stand in one row; -1 is a gap. The order on either side stays, and each line
// is in one row. Cost O(len(a)·len(b)), by the dynamic program of Needleman and
// Wunsch (1970) with what two lines share as their score and gaps for nothing.
func align(a, b []string) [][2]int {
	var rows [][2]int
	if len(a)*len(b) > mostAlign {
		for i := range max(len(a), len(b)) {
			row := [2]int{i, i}
			if i >= len(a) {
				row[0] = -1
			}
			if i >= len(b) {
				row[1] = -1
			}
			rows = append(rows, row)
		}
		return rows
	}
	grams := func(lines []string) []map[uint16]int {
		out := make([]map[uint16]int, len(lines))
		for i, line := range lines {
			out[i] = bigrams(line)
		}
		return out
	}
	ga, gb := grams(a), grams(b)
	// score[i][j] is the best for a[i:] and b[j:].
	width := len(b) + 1
	score := make([]float64, (len(a)+1)*width)
	alike := make([]float64, len(a)*len(b))
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			s := shared(ga[i], gb[j])
			alike[i*len(b)+j] = s
			score[i*width+j] = max(score[(i+1)*width+j], score[i*width+j+1], s+score[(i+1)*width+j+1])
		}
	}
	// Lines with nothing in common share a row, too, if no better one is lost: the
	// picture is shorter then. gap collects both sides up to the next good pair.
	var old, new []int
	flush := func() {
		for k := range max(len(old), len(new)) {
			row := [2]int{-1, -1}
			if k < len(old) {
				row[0] = old[k]
			}
			if k < len(new) {
				row[1] = new[k]
			}
			rows = append(rows, row)
		}
		old, new = nil, nil
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		here := score[i*width+j]
		switch s := alike[i*len(b)+j]; {
		case s >= 0.4 && here == s+score[(i+1)*width+j+1]:
			flush()
			rows = append(rows, [2]int{i, j})
			i, j = i+1, j+1
		case here == score[(i+1)*width+j]:
			old = append(old, i)
			i++
		case here == score[i*width+j+1]:
			new = append(new, j)
			j++
		default: // a pair that shares little
			old, new = append(old, i), append(new, j)
			i, j = i+1, j+1
		}
	}
	for ; i < len(a); i++ {
		old = append(old, i)
	}
	for ; j < len(b); j++ {
		new = append(new, j)
	}
	flush()
	return rows
}

// bigrams counts the pairs of neighbouring bytes of a line, of its begin at most,
// but for white space.
func bigrams(line string) map[uint16]int {
	const most = 400
	grams := map[uint16]int{}
	var last byte
	for i := range min(len(line), most) {
		c := line[i]
		if c == ' ' || c == '\t' || c == '\r' {
			continue
		}
		if last != 0 {
			grams[uint16(last)<<8|uint16(c)]++
		}
		last = c
	}
	return grams
}

// shared is how alike two lines are: Dice's coefficient of their bigrams, 0 to 1.
func shared(a, b map[uint16]int) float64 {
	total, both := 0, 0
	for g, n := range a {
		total += n
		both += min(n, b[g])
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(both) / float64(total)
}

// differences are the bytes of two lines that the other one does not have, word by
// word; nil for both where they share too little for that to say anything.
func differences(a, b string) (inA, inB []bool) {
	var wa, wb []string
	words := a != b && len(a)+len(b) <= mostAlign/2
	if words {
		wa, wb = cutWords(a), cutWords(b)
	}
	if !words || len(wa)*len(wb) > mostAlign {
		prefix, suffix := common(a, b)
		if 2*(prefix+suffix) < max(len(a), len(b)) {
			return nil, nil
		}
		inA, inB = make([]bool, len(a)), make([]bool, len(b))
		set(inA, prefix, len(a)-suffix)
		set(inB, prefix, len(b)-suffix)
		return inA, inB
	}
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	both := weight(wa)
	for _, k := range sequence.Blocks(wa, wb) {
		set(inA, size(wa[:k.A0]), size(wa[:k.A1]))
		set(inB, size(wb[:k.B0]), size(wb[:k.B1]))
		both -= weight(wa[k.A0:k.A1])
	}
	if 5*both < 2*max(weight(wa), weight(wb)) {
		return nil, nil
	}
	return inA, inB
}

func set(mark []bool, from, to int) {
	for i := from; i < to; i++ {
		mark[i] = true
	}
}

// weight is what words count when lines are compared: white space little.
func weight(words []string) (n int) {
	for _, w := range words {
		if w[0] == ' ' || w[0] == '\t' {
			n++
		} else {
			n += 8 * len(w)
		}
	}
	return n
}

func size(words []string) (n int) {
	for _, w := range words {
		n += len(w)
	}
	return n
}

// cutWords cuts a line into names and numbers, runs of white space, and single
// other characters.
func cutWords(line string) []string {
	var words []string
	kind := func(r rune) int {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 1
		case r == ' ' || r == '\t':
			return 2
		}
		return 0
	}
	begin, last := 0, 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		k := kind(r)
		if i > begin && (k == 0 || k != last) {
			words = append(words, line[begin:i])
			begin = i
		}
		last = k
		i += size
	}
	if begin < len(line) {
		words = append(words, line[begin:])
	}
	return words
}
