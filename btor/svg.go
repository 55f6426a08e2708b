package btor

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// svgStyle is that of a picture: no colour says what is not said by a shape, a line or a word as
// well, and the colours are those of Okabe and Ito, which the colour-blind tell apart.
// Numbers of pixels are in svg.go's constants where something depends on them.
const svgStyle = `
text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:12px;fill:#1a1a1a;text-anchor:middle}
.n text+text,.stub text{font-size:9.5px;fill:#555}
.stub text{font-size:8px}
.legend text,.head{text-anchor:start}
.head{font-weight:bold}
.paper{fill:#fff}
.box{fill:#f2f2f2;stroke:#666;stroke-width:1.2}
.var .box{fill:#cfe8f9;stroke:#0072b2}
.const .box{fill:#fbf0b8;stroke:#8a6d00}
.array .box{fill:#c9ece0;stroke:#00795a}
.root .box{fill:#ecd9e6;stroke:#a3477e}
.edge{fill:none;stroke:#666;stroke-width:1.1}
.edge:hover{stroke-width:3}
.ring{fill:#fff;stroke:#444;stroke-width:1.2}
.new .box,.new.ring{stroke:#d55e00;stroke-width:3}
.new.edge{stroke:#d55e00;stroke-width:2.2}
.new.edge:hover{stroke-width:4}
.removed .box{fill:none;stroke:#999;stroke-dasharray:4 3}
.removed text{fill:#767676;text-decoration:line-through}
.legend .removed text{text-decoration:none}
.removed.edge,.removed.ring{stroke:#aaa;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){
text{fill:#e8e8e8}
.n text+text,.stub text{fill:#b4b8bd}
.paper{fill:#16181c}
.box{fill:#2a2d33;stroke:#9aa0a6}
.var .box{fill:#123a52;stroke:#56b4e9}
.const .box{fill:#443a10;stroke:#e6d92f}
.array .box{fill:#0f4234;stroke:#2fc79b}
.root .box{fill:#4a2a40;stroke:#d98bbb}
.edge{stroke:#9aa0a6}
.ring{fill:#16181c;stroke:#c8ccd0}
.new .box,.new.ring,.new.edge{stroke:#ff8c3a}
.removed .box{stroke:#7d838a}
.removed text{fill:#9aa0a6}
.removed.edge,.removed.ring{stroke:#6f757c}
}
`

// Measures of text in a picture, in pixels.
const (
	labelCell  = 7.4 // width of a character in 12 pixels, wider than any usual font's
	numberCell = 5.9 // in 9.5 pixels
	stubCell   = 5.0
	headHeight = 26.0
	legendRow  = 24.0
	ringRadius = 3.0
)

// SVG draws the nodes in layers, those that use others above them. Operands leave a
// node in their order from left to right, with a ring where they are complemented; all
// lines to one node come together. What a file says of a node is shown when one points
// at it. An edge across too many layers is a stub with the number of its node.
//
// The picture needs no program, follows the reader's light or dark scheme, and grows
// with the graph: 10,000 nodes take about a second and some megabytes.
func (d *Drawing) SVG() []byte {
	nodes := make([]layoutNode, len(d.nodes))
	for i := range d.nodes {
		n := &d.nodes[i]
		width := max(labelCell*float64(room(n.label())), numberCell*float64(room(n.number()+": "+n.sort())), 44)
		nodes[i].half = width/2 + 7
		for _, e := range n.edges {
			nodes[i].args = append(nodes[i].args, e.to)
		}
	}
	p := &picture{d: d, l: newLayout(nodes)}
	p.legend()
	width, height := max(p.width, p.l.width), p.top+p.l.height
	p.begin(width, height)
	p.edges()
	for i := range d.nodes {
		p.node(i)
	}
	for _, s := range p.l.stubs {
		p.stub(s)
	}
	p.printf("</svg>\n")
	return p.text.Bytes()
}

// picture is an SVG in the making.
type picture struct {
	d     *Drawing
	l     *layout
	text  bytes.Buffer
	head  bytes.Buffer // the legend
	width float64      // of the legend
	top   float64      // its height: where the layout begins
}

func (p *picture) printf(format string, args ...any) {
	fmt.Fprintf(&p.text, format, args...)
}

func (p *picture) begin(width, height float64) {
	summary := escaped(p.d.summary())
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img">`+"\n",
		px(width), px(height), px(width), px(height))
	p.printf("<title>%s</title>\n<style>%s</style>\n", summary, svgStyle)
	p.printf(`<rect class="paper" width="%s" height="%s"/>`+"\n", px(width), px(height))
	p.text.Write(p.head.Bytes())
}

// legend explains what occurs in the picture.
func (p *picture) legend() {
	var kinds = map[string]bool{}
	var fates [3]bool
	var rings bool
	for i := range p.d.nodes {
		n := &p.d.nodes[i]
		kinds[n.kind()] = true
		fates[n.fate] = true
		for _, e := range n.edges {
			rings = rings || e.not
			fates[e.fate] = true
		}
	}
	fmt.Fprintf(&p.head, `<text class="head" x="%s" y="%s">%s</text>`+"\n", px(margin), px(headHeight-6), escaped(p.d.summary()))
	p.width = 2*margin + labelCell*float64(room(p.d.summary()))
	wide := max(p.width, p.l.width, 420)
	x, y := margin, headHeight
	entry := func(class, words string, draw func(x, y float64) string) {
		width := 30 + labelCell*float64(room(words)) + 18
		if x > margin && x+width > wide-margin {
			x, y = margin, y+legendRow
		}
		fmt.Fprintf(&p.head, `<g class="%s">%s<text x="%s" y="%s">%s</text></g>`+"\n", class, draw(x, y+4), px(x+30), px(y+16), words)
		x += width
		p.width = max(p.width, x+margin)
	}
	p.head.WriteString(`<g class="legend">` + "\n")
	for _, k := range []struct{ kind, words string }{
		{"root", "root"}, {"op", "operator"}, {"array", "array"}, {"var", "variable"}, {"const", "constant"},
	} {
		if kinds[k.kind] {
			entry(k.kind, k.words, func(x, y float64) string { return outline(k.kind, x, y, 22, 15) })
		}
	}
	if rings {
		entry("sign", "complemented", func(x, y float64) string {
			return fmt.Sprintf(`<circle class="ring" cx="%s" cy="%s" r="%s"/><path class="edge" d="M%s %sV%s"/>`,
				px(x+11), px(y+3), px(ringRadius), px(x+11), px(y+3+ringRadius), px(y+15))
		})
	}
	for _, c := range []fate{removed, added} {
		if p.d.compared && fates[c] {
			entry(c.name(), c.name(), func(x, y float64) string { return outline("op", x, y, 22, 15) })
		}
	}
	if len(p.l.stubs) > 0 {
		entry("far", "17 = goes to node 17, far below", func(x, y float64) string {
			return fmt.Sprintf(`<path class="edge" d="M%s %sV%s"/>`, px(x+11), px(y), px(y+10))
		})
	}
	p.head.WriteString("</g>\n")
	p.top = y + legendRow
}

// outline is the outline of a box of its kind.
func outline(kind string, x, y, width, height float64) string {
	right, bottom, edge := x+width, y+height, height/4.5
	switch kind {
	case "array":
		return fmt.Sprintf(`<path class="box" d="M%s %sH%sL%s %sL%s %sH%sL%s %sZ"/>`, px(x+edge), px(y), px(right-edge),
			px(right), px(y+height/2), px(right-edge), px(bottom), px(x+edge), px(x), px(y+height/2))
	case "root":
		return fmt.Sprintf(`<path class="box" d="M%s %sH%sV%sL%s %sL%s %sZ"/>`, px(x), px(y), px(right), px(bottom-edge),
			px(x+width/2), px(bottom), px(x), px(bottom-edge))
	}
	radius := map[string]float64{"var": height / 2, "const": 0}
	r, ok := radius[kind]
	if !ok {
		r = 4
	}
	return fmt.Sprintf(`<rect class="box" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, px(x), px(y), px(width), px(height), px(r))
}

func (p *picture) node(i int) {
	n, it := &p.d.nodes[i], &p.l.items[i]
	y := it.y + p.top
	class := strings.TrimSpace("n " + n.kind() + " " + n.fate.name())
	p.printf(`<g class="%s"><title>%s</title>%s`, class, escaped(p.d.line(n)), outline(n.kind(), it.x-it.half, y, 2*it.half, boxHeight))
	p.printf(`<text x="%s" y="%s">%s</text><text x="%s" y="%s">%s</text></g>`+"\n",
		px(it.x), px(y+15), escaped(n.label()), px(it.x), px(y+28), escaped(n.number()+": "+n.sort()))
}

// edges draws for each node the lines that lead to it: one element for each fate,
// so that pointing at one shows all.
func (p *picture) edges() {
	// What passes a way point that something kept passes is kept; else new, if that is.
	through := make([]fate, len(p.l.items))
	weaker := func(a, b fate) bool { return a == removed || a == added && b == kept }
	for i := range through {
		through[i] = removed
	}
	of := func(k *link) fate {
		if k.edge < 0 {
			return through[k.from]
		}
		return p.d.nodes[k.from].edges[k.edge].fate
	}
	// Higher way points have greater numbers.
	for i := len(p.l.items) - 1; i >= len(p.d.nodes); i-- {
		for _, k := range p.l.up[i] {
			if c := of(&p.l.links[k]); weaker(through[i], c) {
				through[i] = c
			}
		}
	}
	lines := make([][3]strings.Builder, len(p.d.nodes))
	var rings strings.Builder
	for i := range p.l.links {
		k := &p.l.links[i]
		c := of(k)
		from, to := &p.l.items[k.from], &p.l.items[k.to]
		x, y := from.x+k.port, from.y+boxHeight+p.top
		if k.edge >= 0 && p.d.nodes[k.from].edges[k.edge].not {
			fmt.Fprintf(&rings, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", strings.TrimSpace(c.name()+" ring"),
				px(x), px(y+ringRadius), px(ringRadius))
			y += 2 * ringRadius
		}
		b := &lines[to.node][c]
		end := to.y + p.top
		fmt.Fprintf(b, "M%s %s", px(x), px(y))
		if px(x) != px(to.x) {
			middle := px((y + end) / 2)
			fmt.Fprintf(b, "C%s %s %s %s %s %s", px(x), middle, px(to.x), middle, px(to.x), px(end))
		} else if !to.point {
			fmt.Fprintf(b, "V%s", px(end))
		}
		if to.point {
			fmt.Fprintf(b, "V%s", px(end+boxHeight))
		}
	}
	for _, c := range []fate{removed, kept, added} { // the last is on top
		for i := range lines {
			if lines[i][c].Len() > 0 {
				p.printf(`<path class="%s" d="%s"><title>to %s</title></path>`+"\n",
					strings.TrimSpace(c.name()+" edge"), lines[i][c].String(), escaped(p.d.line(&p.d.nodes[i])))
			}
		}
	}
	p.text.WriteString(rings.String())
}

func (p *picture) stub(s stub) {
	it := &p.l.items[s.node]
	e := p.d.nodes[s.node].edges[s.edge]
	to := &p.d.nodes[e.to]
	x, y := it.x+p.l.nodes[s.node].port(s.edge), it.y+boxHeight+p.top
	name := e.fate.name()
	p.printf(`<g class="stub"><title>to %s</title>`, escaped(p.d.line(to)))
	start := y
	if e.not {
		p.printf(`<circle class="%s" cx="%s" cy="%s" r="%s"/>`, strings.TrimSpace(name+" ring"), px(x), px(y+ringRadius), px(ringRadius))
		start += 2 * ringRadius
	}
	p.printf(`<path class="%s" d="M%s %sV%s"/><text x="%s" y="%s">%s</text></g>`+"\n", strings.TrimSpace(name+" edge"),
		px(x), px(start), px(y+10), px(x), px(y+18), escaped(to.number()))
}

// px is a length with at most one decimal.
func px(x float64) string {
	text := strconv.FormatFloat(x, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0")
}

func escaped(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a Builder takes all
	}
	return b.String()
}
