package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// A sheet is what lines of a report are written on.
type sheet struct {
	out       bytes.Buffer
	color     bool
	full      bool
	columns   int  // of a line of code or the name of a file
	gone      bool // no session is left to look at
	called    func(string) string
	width     int
	shortened bool // something was left out, and the reader was told how to see it

	// facts, if not nil, gets what the items say, in place of their lines: a page
	// says the same as the text.
	facts *[]fact
}

// A fact is what an item says, before it is broken into lines.
type fact struct {
	Label, Text string
	Command     string      // to be copied; of a hint
	Steps       [][2]string // commands, each with its effect, in place of Text
}

func newSheet(o TextOptions) sheet {
	width := o.Width
	if width == 0 {
		width = 80
	}
	called := o.Named
	if called == nil {
		called = func(sentence string) string { return sentence }
	}
	width = min(max(width, 40), 200)
	columns := width
	if o.Full {
		columns = math.MaxInt
	} else if o.Whole {
		columns = wholeColumns
	}
	return sheet{color: o.Color, full: o.Full, columns: columns, gone: o.Gone, called: called, width: width}
}

// wholeColumns is where a line ends that is written whole: minified code has lines of megabytes.
const wholeColumns = 2000

// line writes l cut to the width.
func (p *sheet) line(l *prose.Line) { p.whole(l.Cut(p.width)) }

// whole writes l as it is.
func (p *sheet) whole(l *prose.Line) {
	p.out.WriteString(l.Render(p.color))
	p.out.WriteByte('\n')
}

// code writes a line of code, or of a diff.
func (p *sheet) code(l *prose.Line) { p.whole(l.Cut(p.columns)) }

// path writes the name of a file.
func (p *sheet) path(name string) {
	p.whole((&prose.Line{}).Add(prose.Headline, prose.Tail(prose.Printable(name), p.columns)))
}

// paragraph writes text, wrapped.
func (p *sheet) paragraph(style prose.Style, text string) {
	for _, s := range prose.Wrap(prose.Printable(text), p.width) {
		p.line((&prose.Line{}).Add(style, s))
	}
}

// writeTo writes the sheet out.
func (p *sheet) writeTo(w io.Writer) error {
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (p *sheet) blank() { p.out.WriteByte('\n') }

// labelWidth is the column in which the text behind a label begins.
const labelWidth = 10

// item writes a label and text wrapped behind it.
func (p *sheet) item(label, text string) {
	if p.facts != nil {
		*p.facts = append(*p.facts, fact{Label: label, Text: prose.Printable(text)})
		return
	}
	for _, s := range prose.Wrap(prose.Printable(text), p.width-labelWidth) {
		p.labelled(&label, (&prose.Line{}).Add(prose.Plain, s))
	}
}

// trials writes how many trials there were, and how long they took.
func (p *sheet) trials(text string, took Seconds, jobs int) {
	text += "; " + words(took.Total)
	if jobs > 1 {
		text += " with " + prose.Count(jobs, "worker")
	}
	p.item("trials", text)
}

// more writes text, wrapped, behind what a label stands before.
func (p *sheet) more(label *string, text string) {
	if p.facts != nil {
		*p.facts = append(*p.facts, fact{Label: *label, Text: prose.Printable(text)})
		*label = ""
		return
	}
	for _, s := range prose.Wrap(prose.Printable(text), p.width-labelWidth) {
		p.labelled(label, (&prose.Line{}).Add(prose.Plain, s))
	}
}

// labelled writes l behind a label, and empties the label: it stands only
// before the first line of an item.
func (p *sheet) labelled(label *string, l *prose.Line) {
	out := (&prose.Line{}).Add(prose.Note, *label).Add(prose.Plain, strings.Repeat(" ", labelWidth-len(*label)))
	*label = ""
	p.line(out.Join(l))
}

// leftOut tells what is not shown; the first time also how to see it.
func (p *sheet) leftOut(what string) {
	text := "… " + what
	if !p.shortened && !p.gone && !p.full {
		text += p.called(" (gitdd show --full)")
	}
	p.shortened = true
	p.line((&prose.Line{}).Add(prose.Note, text))
}

// steps writes what the reader can do next: commands, each with its effect.
func (p *sheet) steps(label *string, commands [][2]string) {
	if p.facts != nil {
		*p.facts = append(*p.facts, fact{Label: *label, Steps: commands})
		*label = ""
		return
	}
	column := 28 // of the effects
	for _, c := range commands {
		if n := prose.Columns(c[0]) + 2; n <= p.width/2 {
			column = max(column, n)
		}
	}
	for _, c := range commands {
		l := (&prose.Line{}).Add(prose.Headline, c[0])
		if prose.Columns(c[0]) < column && labelWidth+column+prose.Columns(c[1]) <= p.width {
			p.labelled(label, l.Add(prose.Plain, strings.Repeat(" ", column-prose.Columns(c[0]))+c[1]))
			continue
		}
		p.labelled(label, l)
		for _, s := range prose.Wrap(c[1], p.width-labelWidth-2) {
			p.labelled(label, (&prose.Line{}).Add(prose.Plain, "  "+s))
		}
	}
}

// command writes a sentence and, below it, a command to be copied, neither wrapped
// nor cut.
func (p *sheet) command(label *string, text, command string) {
	if p.facts != nil {
		*p.facts = append(*p.facts, fact{Label: *label, Text: prose.Printable(text), Command: prose.Printable(command)})
		*label = ""
		return
	}
	p.labelled(label, (&prose.Line{}).Add(prose.Plain, text))
	p.whole((&prose.Line{}).Add(prose.Plain, strings.Repeat(" ", labelWidth)).Add(prose.Headline, command))
}

// hints writes what the user may want to do differently.
func (p *sheet) hints(hints []string) {
	for _, hint := range hints {
		text, command, _ := strings.Cut(p.called(hint), "\n")
		p.item("hint", text)
		if p.facts != nil {
			(*p.facts)[len(*p.facts)-1].Command = prose.Printable(command)
			continue
		}
		if command != "" { // to be copied, so neither wrapped nor cut
			p.whole((&prose.Line{}).Add(prose.Plain, strings.Repeat(" ", labelWidth)+command))
		}
	}
}
