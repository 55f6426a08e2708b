package report

import (
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// shownText is how many lines of a text the page shows, and to hide fewer than
// these saves nothing.
const (
	shownText  = 24
	hiddenText = 4
)

// A text of so many lines and bytes at most is short: none of its lines is cut, but goes on
// in the next line.
const (
	shortLines = 10
	shortBytes = 1000
)

// shown is what is left of the input, where that is a text.
func (p *reductionPage) shown() {
	x := p.r.Shown
	if x == nil {
		return
	}
	p.blank()
	path := x.Path
	if path == stdio {
		path = stdout
	}
	p.path(path)
	p.text(cut(exact(x.Text, x.Raw)), x.Lines, func(string) prose.Style { return prose.Plain })
}

// text writes lines behind a bar, or as many as fit a page; there are total.
func (p *reductionPage) text(s side, total int, style func(string) prose.Style) {
	short := total <= shortLines && total == len(s.lines) && len(strings.Join(s.lines, "\n")) <= shortBytes
	for i, text := range s.lines {
		if left := total - i; i >= shownText && left > hiddenText && !p.full {
			p.leftOut(prose.Count(left, "more line"))
			return
		}
		l := (&prose.Line{}).Add(prose.Note, "│")
		if text != "" {
			addContent(l, style(text), text, false)
		}
		switch {
		case short && p.columns == p.width:
			for i, part := range l.Fold(p.width - 1) {
				if i > 0 {
					part = (&prose.Line{}).Add(prose.Note, "┆").Join(part)
				}
				p.whole(part)
			}
		default:
			p.code(l)
		}
	}
	if left := total - len(s.lines); left > 0 {
		p.leftOut(prose.Count(left, "more line"))
	}
	if s.unended && total == len(s.lines) {
		p.line((&prose.Line{}).Add(prose.Note, `\ No newline at end of file`))
	}
}

// difference is the diff of the nearest inputs that pass and fail.
func (p *reductionPage) difference() {
	i := p.r.Isolation
	if i == nil || i.Diff == "" {
		return
	}
	p.blank()
	s := cut(exact(i.Diff, i.RawDiff))
	header := true
	p.text(s, len(s.lines), func(text string) prose.Style {
		switch {
		case strings.HasPrefix(text, "@@"):
			header = false
			return prose.Place
		case header:
			return prose.Headline
		case strings.HasPrefix(text, "-"):
			return prose.Removed
		case strings.HasPrefix(text, "+"):
			return prose.Added
		}
		return prose.Plain
	})
}
