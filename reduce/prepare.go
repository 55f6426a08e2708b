package reduce

import (
	"bytes"
	"cmp"
	"slices"
)

// prepare makes a parser's tree fit for reducing: recursion flattened, chains
// squeezed, and what nothing can be done with hidden. It changes the nodes that
// it is given. The text is the same, and so is what can be taken out or put in
// another's place; there are fewer nodes, and longer lists. Its cost is linear
// in the nodes, and it does not recurse.
func prepare(t *Tree) {
	flatten(t.Root)
	squeeze(t.Root)
	hide(t.Root)
}

// postorder visits each node after all that are below it. visit may change the
// children of the node that it is given, and nothing else.
func postorder(root *Node, visit func(n *Node)) {
	type frame struct {
		node *Node
		next int
	}
	open := []frame{{node: root}}
	for len(open) > 0 {
		f := &open[len(open)-1]
		if f.next < len(f.node.Children) {
			f.next++
			open = append(open, frame{node: f.node.Children[f.next-1]})
			continue
		}
		visit(f.node)
		open = open[:len(open)-1]
	}
}

// squeeze makes one node of a node and its only child, where they are the same
// text and have the same said of them (picireny's squeeze). Where both have to
// stay, because each may be replaced by others, the child is fixed: taking it
// out is taking its parent out.
func squeeze(root *Node) {
	postorder(root, func(n *Node) {
		for len(n.Children) == 1 {
			c := n.Children[0]
			if c.From != n.From || c.To != n.To || c.Separator || n.Joint || c.Joint || n.Repair != nil || c.Repair != nil {
				return
			}
			if !c.Fixed && (n.Fixed || !bytes.Equal(c.Least, n.Least)) {
				return // taking out the child is not taking out the parent
			}
			if n.Sort != "" && c.Sort != "" && n.Sort != c.Sort {
				c.Fixed = true
				return
			}
			n.Sort, n.Kind = cmp.Or(n.Sort, c.Sort), cmp.Or(n.Kind, c.Kind)
			n.Children, n.Plus = c.Children, c.Plus
			n.Or = append(slices.Clip(n.Or), c.Or...)
		}
	})
}

// hide takes fixed leaves out of the lists of children: they can neither go nor
// be put anywhere. Their text stays as long as their parent does. A pair of
// delimiters, the first and the last child, is left, for who drops pairs.
func hide(root *Node) {
	hidden := func(c *Node) bool {
		return c.Fixed && !c.Separator && c.Sort == "" && len(c.Children) == 0
	}
	postorder(root, func(n *Node) {
		if n.Repair != nil {
			return // white space among them, such as an empty line of context, is text that it reads
		}
		last := len(n.Children) - 1
		if last < 1 || !hidden(n.Children[0]) || !hidden(n.Children[last]) {
			n.Children = slices.DeleteFunc(n.Children, hidden)
			return
		}
		inner := slices.DeleteFunc(n.Children[1:last], hidden)
		n.Children = append(n.Children[:1+len(inner)], n.Children[last])
	})
}

// flatten makes lists of recursion: a node whose first child, or else last
// child, is of its own kind and sort, and so on down, becomes one node with what
// all of them have (picireny's flattening). Where they have separators it has
// all their other children: a+b+c has a, b and c. Else what a level has beside
// the recursive child becomes one element, which taken out leaves what was there
// before the rule was used once more: x[1][2] has [1] and [2] behind x.
//
// Only what may be replaced by its recursive child is flattened, that is, what
// has a sort.
func flatten(root *Node) {
	waiting := []*Node{root}
	for len(waiting) > 0 {
		n := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if !flattened(n, true) {
			flattened(n, false)
		}
		waiting = append(waiting, n.Children...)
	}
}

// flattened makes a list of a chain that begins at a node and goes down at its
// first or last child, and reports whether there was one.
func flattened(n *Node, first bool) bool {
	if recursive(n, first) == nil {
		return false
	}
	separated := hasSeparator(n)
	var pieces [][]*Node // of what each level has beside the recursive child, from the outermost
	at := n
	for c := recursive(at, first); c != nil; at, c = c, recursive(c, first) {
		rest := &Node{Kind: n.Kind, From: c.To, To: at.To, Children: at.Children[1:]}
		if !first {
			rest.From, rest.To, rest.Children = at.From, c.From, at.Children[:len(at.Children)-1]
		}
		if separated {
			pieces = append(pieces, rest.Children)
		} else {
			pieces = append(pieces, []*Node{rest})
		}
	}
	innermost := []*Node{at}
	if separated {
		innermost = at.Children
	}
	pieces = append(pieces, innermost)
	if first {
		slices.Reverse(pieces)
	}
	n.Children = slices.Concat(pieces...)
	return true
}

// recursive returns the child at the given end if it is the same again as the
// node, else nil.
func recursive(n *Node, first bool) *Node {
	if n.Sort == "" || len(n.Children) < 2 {
		return nil
	}
	c := n.Children[0]
	if !first {
		c = n.Children[len(n.Children)-1]
	}
	separated := hasSeparator(n)
	switch {
	case c.Kind != n.Kind || c.Sort != n.Sort || c.Separator || len(c.Children) == 0,
		first && c.From != n.From || !first && c.To != n.To,
		c.Plus != n.Plus || hasSeparator(c) != separated || n.Plus && !separated:
		return nil
	}
	return c
}

func hasSeparator(n *Node) bool {
	return slices.ContainsFunc(n.Children, func(c *Node) bool { return c.Separator })
}
