package changes

import "bytes"

// maxSlide bounds how many lines a hunk is moved either way, as git's indent
// heuristic does.
const maxSlide = 100

// slide moves hunks that only insert or only remove lines to the place where a
// reader would see them. Such a hunk can often stand one line lower or higher
// with the same effect:
//
//	 func a() {        func a() {
//	+}                 }
//	+
//	+func b() {       +func b() {
//	 }                +}
//	                  +
//	 func c() {        func c() {
//
// The best place has the least indented lines after its two borders, then the
// most borders at a blank line (or the end of the text), then is the lowest.
// Hunks keep an equal line between them.
func slide(hunks []hunk, old, new []byte) {
	for i := range hunks {
		h := &hunks[i]
		var text []byte
		var from, to, low, high int // the moved range in text, and how far it may go
		switch {
		case h.oldLines == 0:
			text, from, to, high = new, h.newOff, h.newEnd, len(new)
			if i > 0 {
				low = hunks[i-1].newEnd
			}
			if i+1 < len(hunks) {
				high = hunks[i+1].newOff
			}
		case h.newLines == 0:
			text, from, to, high = old, h.oldOff, h.oldEnd, len(old)
			if i > 0 {
				low = hunks[i-1].oldEnd
			}
			if i+1 < len(hunks) {
				high = hunks[i+1].oldOff
			}
		default:
			continue
		}
		keepAbove, keepBelow := i > 0, i+1 < len(hunks)
		shift, rows := best(text, from, to, low, high, keepAbove, keepBelow)
		h.oldOff, h.oldEnd, h.newOff, h.newEnd = h.oldOff+shift, h.oldEnd+shift, h.newOff+shift, h.newEnd+shift
		h.oldLine, h.newLine = h.oldLine+rows, h.newLine+rows
	}
}

// best returns by how many bytes and lines to move the range from..to of text
// within low..high, leaving a line free at an end that is to be kept.
func best(text []byte, from, to, low, high int, keepAbove, keepBelow bool) (shift, rows int) {
	found := placed(text, from, to)
	s, e := from, to
	// Invariant of both loops: text without s..e is text without from..to.
	for n := 1; n <= maxSlide && s > low; n++ { // up
		p, q := lineStart(text, s), lineStart(text, e)
		if keepAbove && p == low || !bytes.Equal(text[p:s], text[q:e]) {
			break
		}
		s, e = p, q
		if c := placed(text, s, e); c.better(found) {
			found, shift, rows = c, s-from, -n
		}
	}
	s, e = from, to
	for n := 1; n <= maxSlide && e < high; n++ { // down; among equals the lowest
		p, q := lineEnd(text, s), lineEnd(text, e)
		if keepBelow && q == high || !bytes.Equal(text[s:p], text[e:q]) {
			break
		}
		s, e = p, q
		if c := placed(text, s, e); !found.better(c) {
			found, shift, rows = c, s-from, n
		}
	}
	return shift, rows
}

// A quality tells how well a range of lines sits in its text.
type quality struct{ indent, blank int }

func (q quality) better(r quality) bool {
	if q.indent != r.indent {
		return q.indent < r.indent
	}
	return q.blank > r.blank
}

func placed(text []byte, from, to int) quality {
	return quality{
		indent: indentAfter(text, from) + indentAfter(text, to),
		blank:  blankBefore(text, from) + blankBefore(text, to),
	}
}

// indentAfter returns the columns of white space before the first line at or
// after offset i that is not blank, 0 at the end of the text.
func indentAfter(text []byte, i int) int {
	for n := 0; i < len(text) && n < maxSlide; n++ {
		end := lineEnd(text, i)
		column := 0
		for _, c := range text[i:end] {
			switch c {
			case ' ':
				column++
				continue
			case '\t':
				column += 8 - column%8
				continue
			case '\r', '\n':
				column = -1
			}
			break
		}
		if column >= 0 {
			return column
		}
		i = end
	}
	return 0
}

// blankBefore returns 1 if the line that ends at offset i is blank, or the text
// ends there.
func blankBefore(text []byte, i int) int {
	if i == len(text) || i > 0 && len(bytes.TrimSpace(text[lineStart(text, i):i])) == 0 {
		return 1
	}
	return 0
}
