package reduce

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/internal/syntax"
)

// list makes a node of a list, unless its elements may stand among the other
// children. One element that has to stay is none of a list.
func (g *grower) list(p *syntax.Part) []*Node {
	items, separated := 0, false
	for i := range p.Parts {
		if p.Parts[i].Separator {
			separated = true
		} else {
			items++
		}
	}
	if p.Plus && items == 1 && !separated {
		only := p.Parts[0].Parts
		if len(only) == 1 && only[0].Child >= 0 && !p.Never {
			only[0].Least, only[0].Never = p.Least, false
			if p.Sort != "" {
				only[0].Sort = p.Sort
			}
		}
		return g.nodes(only)
	}
	n := &Node{From: g.from(p), To: g.to(p), Plus: p.Plus, Fixed: true}
	sorts, most := map[string]int{"": 0}, ""
	for i := range p.Parts {
		part := &p.Parts[i]
		n.Children = append(n.Children, g.extrasBefore(g.from(part))...)
		if part.Separator {
			s := &Node{From: g.from(part), To: g.to(part), Separator: true}
			if len(bytes.TrimSpace(g.source[s.From:s.To])) > 0 {
				n.Children = append(n.Children, s)
			}
			g.extrasBefore(s.To) // a comment within a separator is part of it
			continue
		}
		item := g.item(part, separated)
		if item == nil {
			continue
		}
		n.Children = append(n.Children, item)
		if item.Sort != "" {
			if sorts[item.Sort]++; sorts[item.Sort] > sorts[most] {
				most = item.Sort
			}
		}
	}
	if !separated {
		n.Sort = most
	}
	if left := slices.DeleteFunc(slices.Clone(n.Children), func(c *Node) bool { return c.Separator || c.Kind == commentKind }); len(left) < items {
		n.Plus = false // what is no node stays
	}
	switch {
	case len(n.Children) == 0:
		return nil
	case separated || p.Plus || n.Sort != "" && len(n.Children) > 1:
		return []*Node{n}
	}
	return n.Children
}

// item makes the node of an element of a list.
func (g *grower) item(p *syntax.Part, separated bool) *Node {
	n := &Node{From: g.from(p), To: g.to(p)}
	inner := g.nodes(p.Parts)
	if len(inner) == 1 && inner[0].From == n.From && inner[0].To == n.To && !inner[0].Plus && !(inner[0].Fixed && inner[0].Kind == "") {
		n = inner[0]
		if separated && !n.Fixed && len(bytes.TrimSpace(n.Least)) > 0 {
			n.Or = append(n.Or, n.Least)
		}
		n.Fixed = false
	} else {
		if len(bytes.TrimSpace(g.source[n.From:n.To])) == 0 {
			return nil
		}
		n.Children = inner
	}
	n.Least = g.apart(n, "")
	return n
}
