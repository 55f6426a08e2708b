package reduce

import (
	"bytes"
	"context"
	"slices"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passInline puts what defines a name in the place of all other uses of the name, and takes the definition
// out: a type in the place of its alias, the value of a variable or of a constant, what a function returns in
// the place of its calls, the query of a view.
func passInline(ctx context.Context, t *text) error {
	return t.rewrite(ctx, func(s *search) (ps []Proposal) {
		shortest := s.shortest(2, func(*Node) bool { return true })
		for _, n := range t.names() {
			if len(ps) >= mostRewritings {
				break
			}
			if len(n.pieces) > mostUses {
				continue
			}
			for _, d := range t.definitions(s.tree, n) {
				for _, value := range t.values(s, d, shortest) {
					p := removing(d.node)
					for _, use := range d.uses {
						p.Edits = append(p.Edits, NodeEdit{use, Edit{Text: value}})
					}
					ps = append(ps, p)
				}
			}
		}
		return ps
	})
}

// A definition is an element that may say what a name stands for, and the nodes outside of it that use the name.
type definition struct {
	node *Node
	name piece
	uses []*Node
}

// Of a name the first places are taken for declarations, some more for assignments, and of each of these the
// innermost elements. What a person would put somewhere else is short.
const (
	declaringPlaces   = 2
	definingPlaces    = 6
	definingElements  = 2
	inlinedValues     = 3
	longestDefinition = 4096
	longestInlined    = 256
	mostUses          = 256
)

// definitions returns what may define a name.
func (t *text) definitions(tree *Tree, n name) (ds []definition) {
	uses := make([]*Node, len(n.pieces))
	for i, p := range n.pieces {
		uses[i] = t.use(tree, p)
	}
	for at, p := range n.pieces[:min(len(n.pieces), definingPlaces)] {
		place := t.pieces[p]
		found := 0
		for _, element := range slices.Backward(tree.around(place.from, place.to)) {
			if element.To-element.From > longestDefinition || found == definingElements {
				break
			}
			assigns := element.From == place.from && at > 0 // then the places before it keep the name
			if !removable(element) || len(tree.source(element)) == place.to-place.from || at >= declaringPlaces && !assigns {
				continue
			}
			d := definition{node: element, name: place}
			for i, p := range n.pieces {
				switch p := t.pieces[p]; {
				case element.From <= p.from && p.to <= element.To, assigns && p.to <= element.From:
				case uses[i] == nil || uses[i].Sort != uses[len(uses)-1].Sort:
					d.node = nil
				default:
					d.uses = append(d.uses, uses[i])
				}
			}
			if d.node != nil && len(d.uses) > 0 {
				ds = append(ds, d)
				found++
			}
		}
	}
	return ds
}

// use returns the node that uses a name: the name, or where it has a sort a call of it; nil if it is no node.
func (t *text) use(tree *Tree, at int) (use *Node) {
	name := t.pieces[at]
	end := name.to
	for next := at + 1; next < len(t.pieces); next++ {
		if kind := t.pieces[next].kind; kind != lexical.Space {
			if t.is(next, "(") && t.partner[next] >= 0 {
				end = t.pieces[t.partner[next]].to
			}
			break
		}
	}
	for _, n := range tree.around(name.from, name.to) {
		if n.From == name.from && (n.To == name.to || n.To == end && n.Sort != "") && (use == nil || use.Sort == "") {
			use = n
		}
	}
	return use
}

// values returns what may stand for a name, by its definition: the largest nodes of the sort of what uses it. Where
// nodes have no sorts it is what stands behind the name, but for the word or sign that comes first.
func (t *text) values(s *search, d definition, shortest map[string][][]byte) (values [][]byte) {
	add := func(v []byte) {
		if len(v) > 0 && len(v) <= longestInlined && len(values) < inlinedValues && !slices.ContainsFunc(values, func(w []byte) bool { return bytes.Equal(v, w) }) {
			values = append(values, v)
		}
	}
	sort, name := d.uses[0].Sort, s.tree.Source[d.name.from:d.name.to]
	if sort != "" {
		elsewhere := func(v *Node) bool { return v.From >= d.name.to || v.To <= d.name.from }
		for _, v := range s.all(d.node, func(v *Node) bool { return v.Sort == sort && elsewhere(v) }) {
			add(s.tree.source(v))
		}
		for _, n := range s.tree.around(d.name.from, d.name.to) {
			if len(values) == 0 && n.From >= d.node.From && n.To <= d.node.To {
				for _, v := range n.Children {
					if elsewhere(v) && !v.Separator {
						add(s.tree.source(v))
					}
				}
			}
		}
		for _, v := range shortest[sort] { // one of the two is not the name
			if !bytes.Equal(v, name) {
				add(v)
				break
			}
		}
		return values
	}
	var behind []*Node
	for _, c := range d.node.Children {
		if c.From >= d.name.to {
			behind = append(behind, c)
		}
	}
	if last := len(behind) - 1; last >= 0 && bytes.Equal(s.tree.source(behind[last]), []byte(";")) {
		behind = behind[:last]
	}
	if len(behind) > 1 {
		v := bytes.TrimSpace(s.tree.Source[behind[1].From:behind[len(behind)-1].To])
		if len(behind) > 2 {
			v = slices.Concat([]byte("("), v, []byte(")"))
		}
		add(v)
	}
	return values
}
