package changes

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/internal/sequence"
)

// A hunk replaces the bytes oldOff..oldEnd of a text by the bytes newOff..newEnd
// of another. Both ranges hold whole lines, and either may be empty.
type hunk struct {
	oldOff, oldEnd, newOff, newEnd       int
	oldLine, oldLines, newLine, newLines int // line numbers count from 0
}

// cut returns the hunks that turn old into new, in order, with at least one
// equal line between two neighbours. A line ends after "\n"; a last line without
// one is a line of its own, different from the same line with it. The result
// depends on the two texts alone.
//
// The code of a function is compared with the code of the same function: a hunk reaches over the line that
// declares a name in both texts, and in long texts over a heading that both have once or the line that closes what such a
// heading begins, only if lines on both sides of it differ. In a text that was rewritten, a short edit script takes lines of one function for those of another, and such
// hunks can be applied only together.
//
// Time: O(len) for the common head and tail, then that of sequence.Anchored.
func cut(old, new []byte) []hunk {
	if bytes.Equal(old, new) {
		return nil
	}
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	a := lines(old[head : len(old)-tail])
	b := lines(new[head : len(new)-tail])
	if len(a)+len(b) > sequence.Small { // what the two texts begin alike may be closed in the tail
		tail -= beforeHeading(old[len(old)-tail:])
		a, b = lines(old[head:len(old)-tail]), lines(new[head:len(new)-tail])
	}
	headLines := bytes.Count(old[:head], []byte{'\n'})

	var hunks []hunk
	oldOff, newOff := head, head
	oldAt, newAt := 0, 0
	for _, k := range anchored(a, b) {
		oldOff += size(a[oldAt:k.A0])
		newOff += size(b[newAt:k.B0])
		h := hunk{
			oldOff: oldOff, oldEnd: oldOff + size(a[k.A0:k.A1]),
			newOff: newOff, newEnd: newOff + size(b[k.B0:k.B1]),
			oldLine: headLines + k.A0, oldLines: k.A1 - k.A0,
			newLine: headLines + k.B0, newLines: k.B1 - k.B0,
		}
		oldOff, newOff, oldAt, newAt = h.oldEnd, h.newEnd, k.A1, k.B1
		hunks = append(hunks, h)
	}
	hunks = slide(hunks, old, new)
	if !exact(hunks, old, new, true) {
		return []hunk{whole(old, new)}
	}
	return hunks
}

// anchored compares the lines of two texts, those with declared names and headings first.
func anchored(a, b [][]byte) []sequence.Block {
	if len(a)+len(b) <= sequence.Small {
		return sequence.Anchored(a, b, nil, declaredName)
	}
	return sequence.Anchored(a, b, isEnd, headingOf, declaredName)
}

// isEnd reports whether a line closes what a heading begins.
func isEnd(line []byte) bool {
	return bytes.IndexByte([]byte(")]}"), line[0]) >= 0 || string(bytes.TrimRight(line, "\r\n")) == "end"
}

// beforeHeading returns how many bytes of a text are before its first heading; all if there is none, but 0 if more than 64 KB are.
func beforeHeading(text []byte) (n int) {
	for _, line := range lines(text[:min(len(text), 64<<10)]) {
		if isHeading(line) {
			return n
		}
		n += len(line)
	}
	if n < len(text) {
		return 0
	}
	return n
}

// whole is the hunk that replaces all of old by all of new: right for any two
// texts, and what cut falls back to when an engine's answer is not.
func whole(old, new []byte) hunk {
	return hunk{
		oldEnd: len(old), oldLines: len(lines(old)),
		newEnd: len(new), newLines: len(lines(new)),
	}
}

// exact reports whether the hunks are in order and keep to lines, none applied
// gives old, and all applied gives new, by comparing every byte between them. Where
// apart is set, there has to be a line between two neighbours.
func exact(hunks []hunk, old, new []byte, apart bool) bool {
	o, n := 0, 0
	// Invariant: old[:o] with the hunks so far applied is new[:n].
	for i, h := range hunks {
		gap := h.oldOff - o
		if gap < 0 || h.newOff-n != gap || apart && i > 0 && gap == 0 ||
			h.oldEnd < h.oldOff || h.oldEnd > len(old) || h.newEnd < h.newOff || h.newEnd > len(new) ||
			!border(old, h.oldOff) || !border(old, h.oldEnd) || !border(new, h.newOff) || !border(new, h.newEnd) ||
			!bytes.Equal(old[o:h.oldOff], new[n:h.newOff]) {
			return false
		}
		o, n = h.oldEnd, h.newEnd
	}
	return bytes.Equal(old[o:], new[n:])
}

// border reports whether a line of text starts or the text ends at offset i.
func border(text []byte, i int) bool {
	return i == 0 || i == len(text) || text[i-1] == '\n'
}

// commonHead returns the length of the longest common run of whole lines at the
// start of a and b.
func commonHead(a, b []byte) int {
	n := min(len(a), len(b))
	const stride = 4096 // bytes.Equal compares these at memory speed
	i := 0
	for i+stride <= n && bytes.Equal(a[i:i+stride], b[i:i+stride]) {
		i += stride
	}
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return i
	}
	return bytes.LastIndexByte(a[:i], '\n') + 1
}

// commonTail returns the length of the longest common run of whole lines at the
// end of a and b, which both start at the start of a line.
func commonTail(a, b []byte) int {
	n := min(len(a), len(b))
	const stride = 4096
	i := 0
	for i+stride <= n && bytes.Equal(a[len(a)-i-stride:len(a)-i], b[len(b)-i-stride:len(b)-i]) {
		i += stride
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	if i == 0 || border(a, len(a)-i) && border(b, len(b)-i) {
		return i
	}
	next := bytes.IndexByte(a[len(a)-i:], '\n')
	if next < 0 {
		return 0
	}
	return i - next - 1
}

// lines splits text after each "\n".
func lines(text []byte) [][]byte {
	return slices.AppendSeq(make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1), bytes.Lines(text))
}

// lineEnd returns the offset after the line of text that starts at i.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// lineStart returns the offset of the line of text that ends at i > 0.
func lineStart(text []byte, i int) int {
	return bytes.LastIndexByte(text[:i-1], '\n') + 1
}

func size(lines [][]byte) int {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	return n
}
