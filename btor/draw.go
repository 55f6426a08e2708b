package btor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/graph"
)

// A Drawing is a graph to be drawn, or what became of one.
type Drawing struct {
	nodes    []drawn
	compared bool
}

// A fate is what became of a node or an edge.
type fate int

const (
	kept fate = iota
	removed
	added
)

// name is that of a class of elements in a picture; none for what was kept.
func (c fate) name() string {
	return [...]string{"", "removed", "new"}[c]
}

// drawn is a node in a picture.
type drawn struct {
	node   graph.Node // as it is now, or was
	was    graph.Node // of a kept one, what it was before
	fate   fate
	before string // its number before; "" if it was not there
	after  string
	root   bool
	edges  []drawnEdge // in the order of the operands; what was one before what is
}

type drawnEdge struct {
	to   int // in Drawing.nodes
	not  bool
	fate fate
}

// Draw draws all nodes of a file, those that no root needs, too. A File with a graph
// alone will do.
func Draw(file *File) *Drawing {
	d := overlay(&File{Graph: &graph.Graph{}}, file, nil)
	for i := range d.nodes {
		d.nodes[i].fate = kept
		for j := range d.nodes[i].edges {
			d.nodes[i].edges[j].fate = kept
		}
	}
	d.compared = false
	return d
}

// Compare draws what of before was kept, what was removed, and what is new in after.
// Which node of after is one of before is told by the structure, from leaves with
// names and from the roots on, for the numbers change from one to the other. So a
// variable without a name is the same only as an operand of the same node; and where
// two nodes of before look the same, with all below them, it is either.
func Compare(before, after *File) *Drawing {
	return overlay(before, after, match(before.Graph, after.Graph))
}

// number is what a node is called in the text. A constant that nego needs is on no
// line of its own.
func (f *File) number(i int) string {
	switch {
	case f.IDs == nil:
		return strconv.Itoa(i + 1)
	case f.IDs[i] == 0:
		return "no line"
	}
	return strconv.Itoa(f.IDs[i])
}

func overlay(old, now *File, toNow []int) *Drawing {
	before, after := old.Graph, now.Graph
	d := &Drawing{compared: true, nodes: make([]drawn, len(before.Nodes))}
	at := slices.Repeat([]int{-1}, len(after.Nodes)) // of a node of after in d.nodes
	for i, n := range before.Nodes {
		d.nodes[i] = drawn{node: n, was: n, before: old.number(i), fate: removed}
		d.nodes[i].edges = edgesOf(n, removed, nil)
	}
	for i, v := range toNow {
		if v >= 0 {
			at[v] = i
		}
	}
	for v, n := range after.Nodes {
		if at[v] < 0 {
			at[v] = len(d.nodes)
			d.nodes = append(d.nodes, drawn{node: n, was: n, fate: added})
		} else {
			d.nodes[at[v]].node, d.nodes[at[v]].fate = n, kept
		}
		d.nodes[at[v]].after = now.number(v)
	}
	for v, n := range after.Nodes {
		d.nodes[at[v]].merge(edgesOf(n, added, at))
	}
	for _, r := range before.Roots {
		d.nodes[r].root = true
	}
	for _, r := range after.Roots {
		d.nodes[at[r]].root = true
	}
	return d
}

// edgesOf are the edges of n; at says where in a drawing its operands are, nil means
// that they have the same numbers there.
func edgesOf(n graph.Node, c fate, at []int) []drawnEdge {
	list := make([]drawnEdge, len(n.Args))
	for j, r := range n.Args {
		to := r.To
		if at != nil {
			to = at[to]
		}
		list[j] = drawnEdge{to: to, not: r.Not, fate: c}
	}
	return list
}

// merge puts the edges that a node has now beside those it had, each operand's behind
// what it was.
func (n *drawn) merge(now []drawnEdge) {
	old := n.edges
	n.edges = make([]drawnEdge, 0, len(old)+len(now))
	for j := range max(len(old), len(now)) {
		if j < len(old) && j < len(now) && old[j].to == now[j].to && old[j].not == now[j].not {
			now[j].fate = kept
			n.edges = append(n.edges, now[j])
			continue
		}
		n.edges = append(n.edges, old[min(j, len(old)):min(j+1, len(old))]...)
		n.edges = append(n.edges, now[min(j, len(now)):min(j+1, len(now))]...)
	}
}

// summary says in a line what the picture shows.
func (d *Drawing) summary() string {
	if !d.compared {
		return plural(len(d.nodes), "node")
	}
	var count [3]int
	for i := range d.nodes {
		count[d.nodes[i].fate]++
	}
	return fmt.Sprintf("%s before, %d after: %d kept, %d removed, %d new", plural(count[kept]+count[removed], "node"),
		count[kept]+count[added], count[kept], count[removed], count[added])
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// kind is the class of a node: what it is at a glance.
func (n *drawn) kind() string {
	switch {
	case n.root:
		return "root"
	case n.node.Op == "var":
		return "var"
	case n.node.Sort.Array():
		return "array"
	case len(n.node.Args) == 0:
		return "const"
	}
	return "op"
}

// number is how the node is called in the file, or in both.
func (n *drawn) number() string {
	switch {
	case n.after == "" || n.before == n.after:
		return n.before
	case n.before == "":
		return n.after
	}
	return n.before + "→" + n.after
}

// sort is how wide the values are, and how many are in an array; both sorts, if it was
// another before.
func (n *drawn) sort() string {
	text := func(s graph.Sort) string {
		bits := plural(s.Width, "bit")
		if s.Array() {
			return "2^" + strconv.Itoa(s.Index) + " × " + bits
		}
		return bits
	}
	if n.was.Sort == n.node.Sort {
		return text(n.node.Sort)
	}
	return strings.TrimRight(text(n.was.Sort), "bits ") + "→" + text(n.node.Sort) // the unit once
}

// label is the operator with what belongs to it, no longer than a box.
func (n *drawn) label() string {
	label := n.node.Op
	switch n.node.Op {
	case "slice":
		if len(n.node.Numbers) == 2 {
			label = fmt.Sprintf("slice %d:%d", n.node.Numbers[0], n.node.Numbers[1])
		}
	case "uext", "sext":
		if len(n.node.Numbers) == 1 {
			label = fmt.Sprintf("%s +%d", n.node.Op, n.node.Numbers[0])
		}
	}
	if n.node.Text != "" {
		label += " " + n.node.Text
	}
	return shortened(visible(label), 14)
}

// line is the node as its file has it, but for operands, which are named by op, too.
func (d *Drawing) line(n *drawn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", n.number(), n.node.Op, n.sort())
	for _, e := range n.edges {
		b.WriteString(", ")
		if e.fate != n.fate {
			b.WriteString(e.fate.name() + " ")
		}
		if e.not {
			b.WriteString("-")
		}
		b.WriteString(d.nodes[e.to].number() + " " + d.nodes[e.to].node.Op)
	}
	for _, x := range n.node.Numbers {
		b.WriteString(" " + strconv.Itoa(x))
	}
	if n.node.Text != "" {
		b.WriteString(" " + shortened(visible(n.node.Text), 200))
	}
	if n.fate != kept {
		b.WriteString(" (" + n.fate.name() + ")")
	}
	return b.String()
}

// visible puts \xNN for what cannot be seen, or is no text.
func visible(text string) string {
	var b strings.Builder
	for i, r := range text {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e ||
			r >= 0x2060 && r <= 0x206f || r >= 0xd800 && r <= 0xf8ff || r == 0xfeff || r == 0xfffe || r == 0xffff {
			_, size := utf8.DecodeRuneInString(text[i:])
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shortened cuts text to at most cells characters' room; a wide one takes two.
func shortened(text string, cells int) string {
	var room, fits int
	for i, r := range text {
		room += roomOf(r)
		if room <= cells-1 {
			fits = i + utf8.RuneLen(r)
		}
	}
	if room <= cells {
		return text
	}
	return text[:fits] + "…"
}

// roomOf is how many characters' room r takes at most.
func roomOf(r rune) int {
	if r < 0x1100 || r >= 0x2000 && r < 0x2e80 { // signs, arrows, the dots of shortened
		return 1
	}
	return 2
}

// room is the room that text takes.
func room(text string) int {
	var sum int
	for _, r := range text {
		sum += roomOf(r)
	}
	return sum
}
