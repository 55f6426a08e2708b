package btor

import (
	"bytes"
	"fmt"
	"strings"
)

// DOT writes the drawing for Graphviz: an edge leads from a node to its operand and has
// a ring at its begin if that is complemented. What was removed is grey and dashed, what
// is new is orange and bold.
func (d *Drawing) DOT() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `digraph btor {
	label=%s
	labelloc=t
	fontname="sans-serif"
	node [fontname="monospace", fontsize=10, shape=box, style=filled, fillcolor="#f2f2f2", color="#4d4d4d"]
	edge [color="#4d4d4d", arrowsize=0.6]
`, dotString(d.summary()))
	shapes := map[string]string{
		"root":  `, shape=invhouse, fillcolor="#e9d8f4"`,
		"var":   `, shape=ellipse, fillcolor="#d3ecfa"`,
		"const": `, shape=ellipse, fillcolor="#fdf3c4"`,
		"array": `, shape=box3d, fillcolor="#cdeee2"`,
		"op":    "",
	}
	fates := [...]string{
		kept:    "",
		removed: `, style="filled,dashed", fillcolor="#ffffff", color="#a0a0a0", fontcolor="#8a8a8a"`,
		added:   `, penwidth=2.5, color="#d55e00"`,
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		fmt.Fprintf(&b, "\tn%d [label=%s, tooltip=%s%s%s]\n", i+1, dotString(n.label()+"\n"+n.number()+": "+n.sort()),
			dotString(d.line(n)), shapes[n.kind()], fates[n.fate])
	}
	edges := [...]string{
		kept:    "",
		removed: `, style=dashed, color="#a0a0a0"`,
		added:   `, penwidth=2, color="#d55e00"`,
	}
	for i := range d.nodes {
		for _, e := range d.nodes[i].edges {
			ring := "dir=forward"
			if e.not {
				ring = "dir=both, arrowtail=odot"
			}
			fmt.Fprintf(&b, "\tn%d -> n%d [%s%s]\n", i+1, e.to+1, ring, edges[e.fate])
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// dotString quotes text. All but quotes stands for itself in DOT, but in labels there
// are escapes that begin with a backslash, and characters by their names in HTML.
func dotString(text string) string {
	return `"` + strings.NewReplacer(`&`, "&amp;", `\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
