package changes

import (
	"bytes"
	"slices"
)

const (
	// maxSlide is how many lines a group is moved at most to stand well, as in
	// git's indent heuristic.
	maxSlide = 100
	// maxReach is how many lines a group is moved either way to find others. Git
	// has no bound; without one the time for texts of few distinct lines is
	// quadratic.
	maxReach = 1000
)

// A group is a run of whole lines of one text that the other lacks: the bytes
// off..end, lines many, the first of them number line. equal counts the lines
// before it that both texts have. A group of the old text and one of the new with
// the same count are a hunk.
type group struct{ off, end, line, lines, equal int }

// up moves the group one line up, if its text looks the same from there: then the
// line above equals its last one.
func (g *group) up(text []byte) bool {
	if g.off == 0 {
		return false
	}
	p, q := lineStart(text, g.off), lineStart(text, g.end)
	if !bytes.Equal(text[p:g.off], text[q:g.end]) {
		return false
	}
	g.off, g.end, g.line, g.equal = p, q, g.line-1, g.equal-1
	return true
}

// down moves the group one line down, if its first line equals the one below.
func (g *group) down(text []byte) bool {
	if g.end == len(text) {
		return false
	}
	p, q := lineEnd(text, g.off), lineEnd(text, g.end)
	if !bytes.Equal(text[g.off:p], text[g.end:q]) {
		return false
	}
	g.off, g.end, g.line, g.equal = p, q, g.line+1, g.equal+1
	return true
}

// slide moves the sides of hunks to the place where a reader would see them, and
// joins what meets on the way, as git does (xdiff, xdl_change_compact). Lines that
// come or go can often stand one line lower or higher with the same effect:
//
//	 func a() {        func a() {
//	+}                 }
//	+
//	+func b() {       +func b() {
//	 }                +}
//	                  +
//	 func c() {        func c() {
//
// First the old sides are moved, then the new ones. Between two hunks an equal
// line remains; their lines are as many as before.
func slide(hunks []hunk, old, new []byte) []hunk {
	var a, b []group
	equal, oldAt := 0, 0
	for _, h := range hunks {
		equal, oldAt = equal+h.oldLine-oldAt, h.oldLine+h.oldLines
		if h.oldLines > 0 {
			a = append(a, group{h.oldOff, h.oldEnd, h.oldLine, h.oldLines, equal})
		}
		if h.newLines > 0 {
			b = append(b, group{h.newOff, h.newEnd, h.newLine, h.newLines, equal})
		}
	}
	a = compact(a, old, b)
	b = compact(b, new, a)

	hunks = hunks[:0]
	last, equal := hunk{}, 0
	for len(a)+len(b) > 0 {
		var x, y group // the sides of the next hunk; empty if there is none
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].equal < b[0].equal:
			x, a = a[0], a[1:]
		case len(a) == 0 || b[0].equal < a[0].equal:
			y, b = b[0], b[1:]
		default:
			x, a, y, b = a[0], a[1:], b[0], b[1:]
		}
		gap, rows := x.off-last.oldEnd, x.equal-equal // of the equal lines before it
		if x.lines == 0 {
			gap, rows = y.off-last.newEnd, y.equal-equal
		}
		h := hunk{
			oldOff: last.oldEnd + gap, oldLine: last.oldLine + last.oldLines + rows, oldLines: x.lines,
			newOff: last.newEnd + gap, newLine: last.newLine + last.newLines + rows, newLines: y.lines,
		}
		h.oldEnd, h.newEnd = h.oldOff+x.end-x.off, h.newOff+y.end-y.off
		hunks = append(hunks, h)
		last, equal = h, equal+rows
	}
	return hunks
}

// compact slides the groups of a text, first to last, up and down as far as they
// go. Groups that meet are one from then on. Then each takes the lowest place at
// which the other text has a group too, and if there is none the best, the lowest
// among equals.
func compact(groups []group, text []byte, other []group) []group {
	var done []group
	matches := func(g group) bool {
		_, ok := slices.BinarySearchFunc(other, g.equal, func(o group, equal int) int { return o.equal - equal })
		return ok
	}
	for len(groups) > 0 {
		g := groups[0]
		groups = groups[1:]
		var highest, matched int
		for lines := 0; lines != g.lines; { // again with what it met
			lines = g.lines
			for n := 0; n < maxReach && g.up(text); n++ {
				if k := len(done) - 1; k >= 0 && done[k].end == g.off {
					d := done[k]
					g.off, g.line, g.lines, done = d.off, d.line, g.lines+d.lines, done[:k]
				}
			}
			highest, matched = g.equal, -1
			if matches(g) {
				matched = g.equal
			}
			for n := 0; n < maxReach+maxReach && g.down(text); n++ {
				if len(groups) > 0 && groups[0].off == g.end {
					g.end, g.lines, groups = groups[0].end, g.lines+groups[0].lines, groups[1:]
				}
				if matches(g) {
					matched = g.equal
				}
			}
		}
		if matched < 0 {
			g = best(g, text, highest)
		}
		for matched >= 0 && g.equal > matched {
			g.up(text)
		}
		done = append(done, g)
	}
	return done
}

// best returns the best place of g, up to where so many lines are equal: the
// least indented lines follow its two borders, then the most borders are at a
// blank line (or the end of the text), then it is the lowest.
func best(g group, text []byte, highest int) group {
	found, at := placed(text, g.off, g.end), g
	// Invariant: text without g is text without what g was.
	for n := 0; n < maxSlide && g.equal > highest && g.up(text); n++ {
		if c := placed(text, g.off, g.end); c.better(found) {
			found, at = c, g
		}
	}
	return at
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
