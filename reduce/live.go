package reduce

import (
	"context"
	"slices"
)

// What is left of a tree after the edits made so far: nodes keep their places,
// and one that was replaced by another node has that one's children from then
// on. Text that was put somewhere has no structure.

// removable reports whether a node can be taken out alone. Such nodes are what a
// reduction counts as elements.
func removable(n *Node) bool { return !n.Fixed && !n.Separator && !n.Joint }

// coarse reports whether a node can be taken out so that nothing has to stand in
// its place.
func coarse(n *Node) bool { return removable(n) && len(n.Least) == 0 }

// stands returns what is there where a node was: the node itself, or the one
// that replaced it; nil if text replaced it, or nothing.
func (s *search) stands(n *Node) *Node {
	for {
		e, ok := s.made[n]
		if !ok {
			return n
		}
		if n = e.By; n == nil {
			return nil
		}
	}
}

// nearest returns the wanted nodes that are nearest below a node, in their
// order: of two within each other the outer one. Its cost is linear in what
// lies between.
func (s *search) nearest(n *Node, wanted func(*Node) bool) []*Node {
	return s.below(n, func(c *Node) (take, enter bool) {
		take = wanted(c)
		return take, !take
	})
}

// all returns the wanted nodes below a node, each before those within it.
func (s *search) all(n *Node, wanted func(*Node) bool) []*Node {
	return s.below(n, func(c *Node) (take, enter bool) { return wanted(c), true })
}

// below visits what is left below a node, each node before those within it, and
// returns what visit takes. Of what visit does not enter, and of what text
// stands for, nothing is visited.
func (s *search) below(n *Node, visit func(*Node) (take, enter bool)) []*Node {
	var taken, waiting []*Node
	enter := func(n *Node) {
		if n = s.stands(n); n == nil {
			return
		}
		waiting = append(waiting, n.Children...)
		slices.Reverse(waiting[len(waiting)-len(n.Children):])
	}
	for enter(n); len(waiting) > 0; {
		c := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if s.stands(c) == nil {
			continue
		}
		take, in := visit(c)
		if take {
			taken = append(taken, c)
		}
		if in {
			enter(c)
		}
	}
	return taken
}

// remove takes out as many of the nodes as the list algorithm finds can go
// together, and returns those that are left, and how many are not.
func (s *search) remove(ctx context.Context, nodes []*Node) (left []*Node, removed int, err error) {
	ps := make([]Proposal, len(nodes))
	for i, n := range nodes {
		ps[i] = removing(n)
	}
	made, err := s.minimise(ctx, ps)
	for i, n := range nodes {
		if made[i] {
			removed++
		} else {
			left = append(left, n)
		}
	}
	return left, removed, err
}
