package report

import (
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// A part is a range of the bytes of a line.
type part struct{ from, to int }

// setPart sets the columns of a change within a line.
func (c *Change) setPart(p changes.Part) {
	if p == (changes.Part{}) {
		return
	}
	c.OldColumn, c.OldEndColumn = p.OldFrom+1, p.OldTo+1
	c.NewColumn, c.NewEndColumn = p.NewFrom+1, p.NewTo+1
}

// within reports whether c is a change within a line, and has that line on both sides.
func (c *Change) within() bool {
	isLine := func(text string) bool { return text != "" && !strings.Contains(text[:len(text)-1], "\n") }
	return c.OldColumn > 0 && c.NewColumn > 0 && isLine(c.Old) && isLine(c.New)
}

// parts returns which bytes of the two lines a change within a line takes away and brings.
func (c *Change) parts() (old, new part) {
	return partOf(c.oldText(), c.OldColumn, c.OldEndColumn), partOf(c.newText(), c.NewColumn, c.NewEndColumn)
}

// partOf returns the bytes of text from a column to before another one, as far as there are any.
func partOf(text string, column, end int) part {
	to := min(max(end-1, 0), len(text))
	return part{min(max(column-1, 0), to), to}
}

// oneLine returns how many changes at the beginning of a list are within the same line, at
// least 1: a reader sees them in one.
func oneLine(list []Change) int {
	first, n := &list[0], 1
	for first.within() && n < len(list) && list[n].within() && list[n].path() == first.path() &&
		list[n].OldStart == first.OldStart && list[n].NewStart == first.NewStart && list[n].New == first.New {
		n++
	}
	return n
}

// newHunkOf is newHunk of changes within one line, or of one change.
func newHunkOf(list []Change) *hunk {
	h := newHunk(&list[0])
	for i := range list {
		if list[i].within() {
			old, new := list[i].parts()
			h.old.add(old)
			h.new.add(new)
		}
	}
	return h
}

// add marks a part of the only line of a side, behind those that were added before.
func (s *side) add(p part) {
	p.from, p.to = min(p.from, len(s.lines[0])), min(p.to, len(s.lines[0]))
	if n := len(s.parts); n == 0 || s.parts[n-1].to <= p.from {
		s.parts = append(s.parts, p)
	}
}

// marks tells of each byte of a line whether it is in a part.
func marks(line string, parts []part) []bool {
	if parts == nil {
		return nil
	}
	out := make([]bool, len(line))
	for _, p := range parts {
		set(out, p.from, p.to)
	}
	return out
}

// applied returns the old line of changes within it with these changes, and no others.
func applied(list []Change) string {
	line, at := list[0].oldText(), 0
	text := ""
	for i := range list {
		old, new := list[i].parts()
		if old.from < at {
			continue // not in order, in a result of another hand
		}
		text += line[at:old.from] + list[i].newText()[new.from:new.to]
		at = old.to
	}
	return text + line[at:]
}
