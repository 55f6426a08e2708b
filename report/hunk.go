package report

import (
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/prose"
)

// A hunk is the text of a change, cut into lines for display.
type hunk struct {
	old, new   side
	whitespace bool // the sides differ only in white space, so it has to be shown
}

// A side is what one revision has in place of a hunk.
type side struct {
	lines   []string // without their newlines
	unended bool     // the last line has none
	parts   []part   // of changes within the only line: what they are about, in order; nil = all of it
}

func newHunk(c *Change) *hunk {
	before, after := c.oldText(), c.newText()
	h := &hunk{old: cut(before), new: cut(after)}
	// The target of a symbolic link never ends in a newline.
	h.old.unended = h.old.unended && c.OldMode != "120000"
	h.new.unended = h.new.unended && c.NewMode != "120000"
	if before != "" && after != "" && squeeze(before) == squeeze(after) {
		h.whitespace = true
		return h
	}
	// Where every line ends in CR LF the CRs say nothing.
	if h.old.carriageReturns() && h.new.carriageReturns() {
		h.old.trimCarriageReturns()
		h.new.trimCarriageReturns()
	}
	return h
}

func cut(text string) side {
	if text == "" {
		return side{}
	}
	body, ended := strings.CutSuffix(text, "\n")
	return side{lines: strings.Split(body, "\n"), unended: !ended}
}

func (s *side) carriageReturns() bool {
	for _, line := range s.lines {
		if !strings.HasSuffix(line, "\r") {
			return false
		}
	}
	return true
}

func (s *side) trimCarriageReturns() {
	for i, line := range s.lines {
		s.lines[i] = strings.TrimSuffix(line, "\r")
	}
}

func squeeze(text string) string {
	return strings.Join(strings.Fields(text), "")
}

// differing is the part of line i of s that the line beside it on the other
// side does not have: text[from:to]. It is empty when the sides are not as
// long as each other or the two lines have little in common.
func (h *hunk) differing(i int, s *side) (from, to int) {
	if len(h.old.lines) != len(h.new.lines) {
		return 0, 0
	}
	a, b := s.lines[i], h.old.lines[i]
	if s == &h.old {
		b = h.new.lines[i]
	}
	prefix, suffix := common(a, b)
	if 2*(prefix+suffix) < max(len(a), len(b)) {
		return 0, 0
	}
	return prefix, len(a) - suffix
}

// common is how many bytes a and b share at their begin and, beyond those, at
// their end, in whole characters.
func common(a, b string) (prefix, suffix int) {
	for prefix < len(a) && prefix < len(b) {
		ra, size := utf8.DecodeRuneInString(a[prefix:])
		rb, sizeB := utf8.DecodeRuneInString(b[prefix:])
		if ra != rb || size != sizeB || a[prefix] != b[prefix] {
			break
		}
		prefix += size
	}
	a, b = a[prefix:], b[prefix:]
	for suffix < len(a) && suffix < len(b) {
		ra, size := utf8.DecodeLastRuneInString(a[:len(a)-suffix])
		rb, sizeB := utf8.DecodeLastRuneInString(b[:len(b)-suffix])
		if ra != rb || size != sizeB || a[len(a)-suffix-1] != b[len(b)-suffix-1] {
			break
		}
		suffix += size
	}
	return prefix, suffix
}

// skipped is how many bytes at the begin of a line to leave out so that the
// difference behind before is seen in width columns: 0 when it is seen anyway.
func skipped(line, before string, width int) int {
	if prose.Columns(prose.Printable(line)) < width || prose.Columns(prose.Printable(before)) < width*2/3 {
		return 0
	}
	i := len(before)
	for kept := 0; i > 0 && kept < width/3; kept++ {
		_, size := utf8.DecodeLastRuneInString(before[:i])
		i -= size
	}
	return i
}

const tabWidth = 4 // tabs are set this far apart, beginning behind the mark

// addContent appends text from a file: tabs reach to the next stop, and when
// white space is the point, it is shown.
func addContent(l *prose.Line, style prose.Style, text string, whitespace bool) {
	var out strings.Builder
	column := l.Columns() - 1
	for {
		part, rest, tab := strings.Cut(text, "\t")
		if whitespace {
			part = strings.ReplaceAll(part, " ", "·")
		}
		out.WriteString(part)
		if !tab {
			break
		}
		column += prose.Columns(prose.Printable(part))
		fill := strings.Repeat(" ", tabWidth-column%tabWidth)
		column += len(fill)
		if whitespace {
			fill = "→" + fill[1:]
		}
		out.WriteString(fill)
		text = rest
	}
	l.Add(style, out.String())
}
