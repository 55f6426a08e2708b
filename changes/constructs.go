package changes

import (
	"bytes"
	"slices"
	"sync"
)

// Constructs returns the lines of the parts of a file's syntax that go over several lines, such as statements,
// lists, and declarations with the comments before them: from [0] to before [1], counted from 0, in any order.
// Nil = the syntax of the file is not known.
type Constructs func(path string, content []byte) [][2]int

const (
	// constructBytes is how much of a difference is read by Constructs, both sides of files together, in the order
	// of the set. It is checked before a file, so the last file may exceed it.
	constructBytes = 4 << 20
	// maxPlaces is about how many places a side of a hunk is tried at, above and below its own.
	maxPlaces = 1000
)

// A lineText is a text by its lines, with its constructs.
type lineText struct {
	text       []byte
	starts     []int // of each line, and the end of the text
	constructs func() [][2]int
}

func newLineText(path string, text []byte, constructs Constructs) *lineText {
	t := &lineText{text: text, starts: everyLine(text)}
	if len(text) == 0 {
		t.starts = []int{0}
	}
	t.constructs = sync.OnceValue(func() [][2]int { return constructs(path, text) })
	return t
}

func (t *lineText) line(i int) []byte { return t.text[t.starts[i]:t.starts[i+1]] }

// placeByConstructs moves what hunks add or remove to where it consists of whole constructs, if the same lines are
// there. That may part a hunk:
//
//	 func a() {          func a() {
//	-	x()             -	x()
//	+	y()             +	y()
//	+}                   }
//	+                   +
//	+func b() {         +func b() {
//	+	z()             +	z()
//	 }                  +}
//
// First what is added is moved, then what is removed.
func placeByConstructs(hunks []hunk, old, new *lineText) []hunk {
	placed, a, b := hunks, old, new
	for range 2 {
		var out []hunk
		for i, h := range placed {
			from, to := linesBetween(out, placed[i+1:], b)
			out = append(out, h.move(from, to, a, b)...)
		}
		placed, a, b = reversed(out), b, a
	}
	if !exact(placed, old.text, new.text, true) {
		return hunks
	}
	return placed
}

// movable reports whether something that hunks add or remove may be elsewhere.
func movable(hunks []hunk, old, new *lineText) bool {
	for _, t := range []*lineText{new, old} {
		for i, h := range hunks {
			if from, to := linesBetween(hunks[:i], hunks[i+1:], t); len(h.places(from, to, t)) > 0 {
				return true
			}
		}
		hunks = reversed(hunks)
	}
	return false
}

// reversed returns the hunks that lead from the new text to the old one.
func reversed(hunks []hunk) []hunk {
	out := slices.Clone(hunks)
	for i, h := range hunks {
		out[i] = hunk{
			oldOff: h.newOff, oldEnd: h.newEnd, newOff: h.oldOff, newEnd: h.oldEnd,
			oldLine: h.newLine, oldLines: h.newLines, newLine: h.oldLine, newLines: h.oldLines,
		}
	}
	return out
}

// linesBetween returns the lines of the new text that a hunk may have, between those before and behind it: a line that both
// texts have remains beside each of these.
func linesBetween(before, behind []hunk, new *lineText) (from, to int) {
	to = len(new.starts) - 1
	if n := len(before); n > 0 {
		from = before[n-1].newLine + before[n-1].newLines + 1
	}
	if len(behind) > 0 {
		to = behind[0].newLine - 1
	}
	return from, to
}

// A place is another one for the lines from..to that a hunk adds, with the same effect: so many rows further down
// or, if negative, up.
type place struct{ from, to, rows int }

// places returns where else the last or the first lines that a hunk adds may be, in from..to of the new text. Only
// blank lines that are the same make no place.
func (h hunk) places(from, to int, new *lineText) (list []place) {
	first, end := h.newLine, h.newLine+h.newLines
	for at := first; at < end && len(list) < maxPlaces; at++ {
		blank := true
		for n := 0; n < maxSlide && end+n < to && bytes.Equal(new.line(at+n), new.line(end+n)); n++ {
			if blank = blank && isBlank(new.line(end+n)); !blank {
				list = append(list, place{at, end, n + 1})
			}
		}
	}
	for at := end; at > first && len(list) < 2*maxPlaces; at-- {
		blank := true
		for n := 1; n <= maxSlide && first-n >= from && bytes.Equal(new.line(at-n), new.line(first-n)); n++ {
			if blank = blank && isBlank(new.line(first-n)); !blank {
				list = append(list, place{first, at, -n})
			}
		}
	}
	return list
}

// move returns the hunk, or the one or two that it becomes when what it adds is moved, within from..to of the new text, to
// where the fewest constructs are cut. Among places with equally few, quality decides.
func (h hunk) move(from, to int, old, new *lineText) []hunk {
	places := h.places(from, to, new)
	if len(places) == 0 {
		return []hunk{h}
	}
	constructs := new.constructs()
	first, end := h.newLine, h.newLine+h.newLines
	var replaced [2]int
	if h.oldLines > 0 {
		replaced = partial(old.constructs(), h.oldLine, h.oldLine+h.oldLines)
	}
	least := difference(partial(constructs, first, end), replaced)
	var best place
	var bestQuality quality
	for _, p := range places {
		moved := partial(constructs, p.from+p.rows, p.to+p.rows)
		rest := partial(constructs, first, p.from)
		if p.rows < 0 {
			rest = partial(constructs, p.to, end)
		}
		cost := moved[0] + moved[1] + difference(rest, replaced)
		q := placed(new.text, new.starts[p.from+p.rows], new.starts[p.to+p.rows])
		if cost < least || cost == least && best.rows != 0 && q.better(bestQuality) {
			least, best, bestQuality = cost, p, q
		}
	}
	if best.rows == 0 {
		return []hunk{h}
	}
	moved, rest := h, h
	moved.newLine, moved.newLines = best.from+best.rows, best.to-best.from
	moved.oldLine, moved.oldLines = h.oldLine+best.rows, 0
	if rest.newLines -= moved.newLines; best.rows < 0 {
		rest.newLine = best.to
	} else {
		moved.oldLine += h.oldLines
	}
	for _, h := range []*hunk{&moved, &rest} {
		h.oldOff, h.oldEnd = old.starts[h.oldLine], old.starts[h.oldLine+h.oldLines]
		h.newOff, h.newEnd = new.starts[h.newLine], new.starts[h.newLine+h.newLines]
	}
	switch {
	case rest.oldLines+rest.newLines == 0:
		return []hunk{moved}
	case best.rows < 0:
		return []hunk{moved, rest}
	}
	return []hunk{rest, moved}
}

// partial counts the constructs of which the lines from..to have the end but not the beginning, and those of which they have
// the beginning but not the end.
func partial(constructs [][2]int, from, to int) (n [2]int) {
	for _, c := range constructs {
		begun, open := c[0] < from && from < c[1], c[0] < to && to < c[1]
		switch {
		case begun && !open:
			n[0]++
		case open && !begun:
			n[1]++
		}
	}
	return n
}

// difference is how many more constructs are cut on one side of a hunk than on the other.
func difference(a, b [2]int) int { return max(a[0]-b[0], b[0]-a[0]) + max(a[1]-b[1], b[1]-a[1]) }
