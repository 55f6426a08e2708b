package reduce

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/internal/syntax"
)

// inside returns the parts of what is a single group: one of several forms.
func inside(parts []syntax.Part) []syntax.Part {
	for len(parts) == 1 && parts[0].Child < 0 && !parts[0].List {
		parts = parts[0].Parts
	}
	return parts
}

// isChain reports whether parts are two operands of one sort with signs between
// them, in a place of that sort that takes either operand alone.
func (g *grower) isChain(sort string, takes map[string]string, parts []syntax.Part) bool {
	last := len(parts) - 1
	if sort == "" || last < 2 {
		return false
	}
	for i, p := range parts {
		if p.Child < 0 {
			return false
		}
		node := &g.tree.Nodes[p.Child]
		if i > 0 && i < last {
			if node.Named || p.Least == "" && !p.Never {
				return false
			}
		} else if _, ok := takes[node.Key()]; !ok || !node.Named || p.Sort != sort {
			return false
		}
	}
	return true
}

// chain makes a list of the operands of a node and of those of its first and
// last operands that are of its kind: a+b-c is (a+b)-c in the tree.
func (g *grower) chain(p pending, parts []syntax.Part) {
	n, kind := p.node, g.tree.Nodes[p.at].Kind
	n.Plus = true
	// What is left to do, the last first: an operand, or a separator (Child -1).
	type work struct {
		part     syntax.Part
		from, to int
	}
	var todo []work
	push := func(parts []syntax.Part) {
		last := len(parts) - 1
		todo = append(todo, work{part: parts[last]}, work{part: syntax.Part{Child: -1}, from: g.from(&parts[1]), to: g.to(&parts[last-1])}, work{part: parts[0]})
	}
	extras := slices.Clone(g.extras)
	push(parts)
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if w.part.Child < 0 {
			n.Children = append(n.Children, &Node{From: w.from, To: w.to, Separator: true})
			continue
		}
		c := w.part.Child
		if g.tree.Nodes[c].Kind == kind && g.tree.Nodes[c].End > c+1 {
			g.sort(c)
			if inner, ok := g.matcher.Match(c, g.plain); ok && g.isChain(n.Sort, p.takes, inside(inner)) {
				extras = append(extras, g.extras...)
				push(inside(inner))
				continue
			}
		}
		for _, o := range g.child(&w.part) {
			if !o.Fixed && len(bytes.TrimSpace(o.Least)) > 0 {
				o.Or = append(o.Or, o.Least)
			}
			o.Fixed, o.Least = false, g.apart(o, "")
			n.Children = append(n.Children, o)
		}
	}
	slices.Sort(extras)
	g.extras = extras
	var merged []*Node
	for _, c := range n.Children {
		merged = append(merged, g.extrasBefore(c.From)...)
		g.extrasBefore(c.To) // within a separator: part of it
		merged = append(merged, c)
	}
	n.Children = merged
}
