package btor

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// brief quotes a text for a message, the begin of a long one.
func brief(text string) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("'%s...'", printable(text[:most]))
	}
	return "'" + printable(text) + "'"
}

// printable is text without what is no printable ASCII.
func printable(text string) string {
	q := fmt.Sprintf("%+q", text)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// Check holds a graph in memory to the rules that [Read] holds a text to: what
// passes can be written and is read again as the same graph. Errors name nodes by
// the numbers that [Write] gives them. It takes time linear in the graph.
func Check(g *graph.Graph) error {
	r := &rater{nodes: g.Nodes}
	taken := map[int]bool{} // by next and anext
	roots := g.Roots
	for i := range g.Nodes {
		n := &g.Nodes[i]
		fault := r.whole(n, i)
		if fault == "" && isNext(*n) {
			of := n.Args[0].To
			if taken[of] {
				fault = fmt.Sprintf("next index %d already used", of+1)
			}
			taken[of] = true
		}
		if fault == "" && IsRoot(*n) {
			if len(roots) == 0 || roots[0] != i {
				fault = "it is not in its place among the roots of the graph"
			} else {
				roots = roots[1:]
			}
		}
		if fault != "" {
			return fmt.Errorf("node %d (%s): %s", i+1, printable(n.Op), fault)
		}
	}
	if len(roots) > 0 {
		return fmt.Errorf("the graph counts node %d among its roots, which is no root, next or anext, or stands there twice", roots[0]+1)
	}
	return nil
}

// whole is what is wrong with node number i, its shape first.
func (r *rater) whole(n *graph.Node, i int) string {
	kind := operators[n.Op]
	switch {
	case kind == nil:
		return "invalid operator"
	case n.Sort.Width < 1 || n.Sort.Width > maxNumber:
		return fmt.Sprintf("width %d is not between 1 and %d", n.Sort.Width, maxNumber)
	case n.Sort.Index < 0 || n.Sort.Index > maxNumber:
		return fmt.Sprintf("index width %d is not between 1 and %d", n.Sort.Index, maxNumber)
	case kind.index != n.Sort.Array():
		return fmt.Sprintf("index width %d does not fit the operator", n.Sort.Index)
	case len(n.Args) != kind.args:
		return fmt.Sprintf("%d operands instead of %d", len(n.Args), kind.args)
	case len(n.Numbers) != kind.numbers:
		return fmt.Sprintf("%d numbers instead of %d behind its operands", len(n.Numbers), kind.numbers)
	case kind.text == noText && n.Text != "":
		return fmt.Sprintf("unexpected text %s", brief(n.Text))
	case kind.text == symbolText && strings.ContainsFunc(n.Text, noSymbol):
		return fmt.Sprintf("symbol %s has characters that none has", brief(n.Text))
	}
	for _, a := range n.Args {
		if a.To < 0 || a.To >= i {
			return fmt.Sprintf("literal '%d' undefined: operands stand before", a.To+1)
		}
	}
	for _, x := range n.Numbers {
		if x < 0 || x > maxNumber {
			return fmt.Sprintf("number %d is not between 0 and %d", x, maxNumber)
		}
	}
	return kind.fault(r, n)
}

// noSymbol reports whether a character cannot be in a symbol.
func noSymbol(r rune) bool { return r == 0 || r < 0x80 && isSpace(byte(r)) }

// SingleRoot returns an error unless g has exactly one root line, which is what a
// reduction is of. Lines next and anext are none.
func SingleRoot(g *graph.Graph) error {
	n := 0
	for _, i := range g.Roots {
		if g.Nodes[i].Op == "root" {
			n++
		}
	}
	switch n {
	case 1:
		return nil
	case 0:
		return fmt.Errorf("there is no root line, so nothing is asked of a solver: add one, as in 9 root 1 8")
	}
	return fmt.Errorf("there are %d root lines, and a reduction is of one: join them by `and` nodes of width 1 (redor makes a bit of a wider one)", n)
}
