package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// share is part of whole in per cent, never rounded down to nothing.
func share(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	switch percents := 100 * float64(part) / float64(whole); {
	case part > 0 && percents < 0.01:
		return "less than 0.01 %"
	case percents < 1:
		return fmt.Sprintf("%.2g %%", percents)
	case percents < 10:
		return fmt.Sprintf("%.1f %%", percents)
	default:
		return fmt.Sprintf("%.0f %%", percents)
	}
}

// sizes is a table of how much there was and what is left of it.
func (p *reductionPage) sizes() {
	r := p.r
	extents := r.extents()
	if len(extents) == 0 {
		return
	}
	p.blank()
	row := func(label, what, before, after, left string) {
		l := (&prose.Line{}).Add(prose.Plain, fmt.Sprintf("%-7s %10s %10s", what, before, after))
		if p.width >= 60 {
			l.Add(prose.Plain, fmt.Sprintf(" %10s", left))
		}
		p.labelled(&label, l)
	}
	row("size", "", "before", "after", "left")
	for _, e := range extents {
		row("", e.what, prose.Number(int(e.before)), prose.Number(int(e.after)), share(e.after, e.before))
	}
}

// A sizeChange is how much there was of something, and what is left.
type sizeChange struct {
	what          string
	before, after int64
}

// extents are those that say how much smaller the input is; none if it is not.
func (r *Reduction) extents() (list []sizeChange) {
	if r.Isolation != nil || r.whole() || r.Status == NotReduced || r.Status == Failed || r.Status == NotIsolated {
		return nil
	}
	count := func(what string, before, after int64) {
		if before > 0 {
			list = append(list, sizeChange{what, before, after})
		}
	}
	if r.Input.Files > 1 {
		count("files", int64(r.Input.Files), int64(r.Output.Files))
	}
	if r.nodes() { // each is a line
		count("nodes", int64(r.Input.Nodes), int64(r.Output.Nodes))
		count("bits", int64(r.Input.Bits), int64(r.Output.Bits))
		count("bytes", r.Input.Bytes, r.Output.Bytes)
		return list
	}
	count("bytes", r.Input.Bytes, r.Output.Bytes)
	count("tokens", int64(r.Input.Tokens), int64(r.Output.Tokens))
	count("lines", int64(r.Input.Lines), int64(r.Output.Lines))
	return list
}

// passes says which of them removed how much, in how many trials.
func (p *reductionPage) passes() {
	label := "passes"
	row := func(style prose.Style, name string, trials int, removed string) {
		count, width := prose.Count(trials, "trial"), [3]int{12, 14, 12}
		if p.width < 60 {
			count, width[1] = prose.Number(trials), 6
		}
		if p.r.nodes() {
			width[2] = 14
			if p.width < 60 {
				width[0], width[1] = 11, 5
			}
		}
		p.labelled(&label, (&prose.Line{}).Add(style, fmt.Sprintf("%-*s %*s %*s", width[0], prose.Printable(name), width[1]-1, count, width[2]-1, removed)))
	}
	idle, trials := 0, 0
	for _, pass := range p.r.Passes {
		if pass.idle() && !p.full {
			idle++
			trials += pass.Trials
			continue
		}
		row(prose.Plain, pass.Name, pass.Trials, pass.removed())
	}
	if trials > 0 {
		what := verb(idle, " pass", " passes")
		if label == "" {
			what = " more"
		}
		what = prose.Number(idle) + what
		row(prose.Note, what, trials, "nothing")
	}
}

// idle reports whether a pass removed nothing.
func (p *Pass) idle() bool { return p.Removed == 0 && p.Nodes == 0 && p.Bits == 0 }

// removed says what a pass removed.
func (p *Pass) removed() string {
	switch {
	case p.Nodes > 0:
		return "-" + prose.Count(p.Nodes, "node")
	case p.Bits > 0:
		return "-" + prose.Count(p.Bits, "bit")
	case p.Removed <= 0:
		return "nothing"
	}
	return "-" + prose.Size(p.Removed)
}

// curve is the size over the trials.
func (p *reductionPage) curve() {
	r := p.r
	const sizeColumns = 11
	trials := r.Trials.Run
	if n := len(r.Curve); n > 0 {
		trials = max(trials, r.Curve[n-1].Trial)
	}
	size := func(p Point) string {
		if r.nodes() {
			return prose.Number(p.Nodes)
		}
		return prose.Size(p.Bytes)
	}
	rows := curve(r.Curve, r.nodes(), trials, min(p.width-labelWidth-sizeColumns, curveColumns), p.plain)
	label := "curve"
	for i, row := range rows {
		at := ""
		switch i {
		case 0:
			at = size(r.Curve[0])
		case len(rows) - 1:
			at = size(r.Curve[len(r.Curve)-1])
		}
		p.labelled(&label, (&prose.Line{}).Add(prose.Note, fmt.Sprintf("%*s ", sizeColumns-1, at)).Add(prose.Plain, row))
	}
	if len(rows) > 0 {
		p.labelled(&label, (&prose.Line{}).Add(prose.Note, strings.Repeat(" ", sizeColumns)+prose.Count(trials, "trial")+", logarithmic"))
	}
}
