package reduce

import (
	"cmp"
	"context"
	"slices"
)

// flat minimises the list of all elements, in the order in which they begin. One
// that others are part of takes them along: from the last to the first, the
// parts are looked at before the whole.
func (s *search) flat(ctx context.Context) (removed int, err error) {
	_, removed, err = s.remove(ctx, s.all(s.tree.Root, removable))
	return removed, err
}

// hdd is hierarchical delta debugging as published (Misherghi and Su, ICSE 2006): it
// minimises the list of all nodes of one level of the tree, from the root down, by
// ddmin where no other list algorithm is named. What
// goes on one level takes along what is below it, so that it costs no question. As
// ddmin does, it begins with the first nodes, and never asks whether all of a level
// can go. Nodes that cannot be taken out are on their level, but not in its list.
func (s *search) hdd(ctx context.Context) (removed int, err error) {
	defer func(list string) { s.list, s.nonEmpty = list, false }(s.list)
	s.list, s.nonEmpty = cmp.Or(s.list, "ddmin"), true
	for level := s.tree.Root.Children; len(level) > 0; {
		list := slices.DeleteFunc(slices.Clone(level), func(n *Node) bool { return !removable(n) || s.stands(n) == nil })
		slices.Reverse(list) // list algorithms begin with the last
		if len(list) > 1 {   // one alone stays
			_, gone, err := s.remove(ctx, list)
			removed += gone
			if err != nil {
				return removed, err
			}
		}
		var below []*Node
		for _, n := range level {
			if n = s.stands(n); n != nil {
				below = append(below, n.Children...)
			}
		}
		level = below
	}
	return removed, nil
}

// levels is hdd with three changes that are ours. It asks whether all of a level can
// go. Levels count wanted nodes alone: what cannot be taken out parts no lists. And
// after manyAlone levels of one node each that had to stay, not every one of those that
// follow is asked about, see chain.
func (s *search) levels(ctx context.Context, wanted func(*Node) bool) (removed int, err error) {
	level := s.nearest(s.tree.Root, wanted)
	alone := 0 // so many levels in a row were one node, which stays
	for len(level) > 0 {
		left, gone, err := s.remove(ctx, level)
		removed += gone
		if err != nil {
			return removed, err
		}
		if alone++; len(level) > 1 || gone > 0 {
			alone = 0
		}
		level = level[:0:0]
		for _, n := range left {
			level = append(level, s.nearest(n, wanted)...)
		}
		if alone >= manyAlone {
			level, gone, err = s.chain(ctx, level, wanted)
			removed += gone
			if err != nil {
				return removed, err
			}
			alone = 0
		}
	}
	return removed, nil
}

const manyAlone = 8

// chain takes out of the nodes that lie alone in one another, from level on, the
// outermost that can go. It takes it that none can go around one that cannot, and
// asks in growing steps: about the logarithm of their number, where hdd asks
// for each. It returns the level below them.
func (s *search) chain(ctx context.Context, level []*Node, wanted func(*Node) bool) (below []*Node, removed int, err error) {
	var nodes []*Node
	for ; len(level) == 1; level = s.nearest(level[0], wanted) {
		nodes = append(nodes, level[0])
	}
	// Those before low stay.
	for low, step := 0, 1; low < len(nodes); step *= 2 {
		at := min(low+step, len(nodes)) - 1
		_, gone, err := s.remove(ctx, nodes[at:at+1])
		removed += gone
		if err != nil {
			return nil, removed, err
		}
		if gone == 0 {
			low = at + 1
			continue
		}
		for low < at { // at is gone, with all that lies in it
			middle := (low + at) / 2
			_, gone, err := s.remove(ctx, nodes[middle:middle+1])
			removed += gone
			if err != nil {
				return nil, removed, err
			}
			if gone > 0 {
				at = middle
			} else {
				low = middle + 1
			}
		}
		return nil, removed, nil
	}
	return level, removed, nil
}

// An order is the order in which hddr comes to the nodes.
type order struct {
	last    bool // the node that was found last is next: depth first
	reverse bool // of the children of a node the last comes first
}

// hddr is recursive hierarchical delta debugging (Kiss, Hodován and Gyimóthy,
// A-TEST 2018): it minimises the list of the wanted children of one node after
// the other.
func (s *search) hddr(ctx context.Context, o order, wanted func(*Node) bool) (removed int, err error) {
	waiting := []*Node{s.tree.Root}
	for len(waiting) > 0 {
		var n *Node
		if o.last {
			n, waiting = waiting[len(waiting)-1], waiting[:len(waiting)-1]
		} else {
			n, waiting = waiting[0], waiting[1:]
		}
		children := s.nearest(n, wanted)
		if len(children) == 0 {
			continue
		}
		left, gone, err := s.remove(ctx, children)
		removed += gone
		if err != nil {
			return removed, err
		}
		if o.last != o.reverse { // what is taken from the end was put there the other way round
			slices.Reverse(left)
		}
		waiting = append(waiting, left...)
	}
	return removed, nil
}

// singles asks for each wanted node alone, breadth first, and takes out those
// that it can, until none can go: the second half of HDD+ (Misherghi and Su).
func (s *search) singles(ctx context.Context, wanted func(*Node) bool) (removed int, err error) {
	for {
		var gone int
		level := s.nearest(s.tree.Root, wanted)
		for len(level) > 0 {
			n, err := s.each(ctx, len(level), func(i int) (Proposal, bool) { return removing(level[i]), true })
			gone += n
			if err != nil {
				return removed + gone, err
			}
			var next []*Node
			for _, n := range level {
				next = append(next, s.nearest(n, wanted)...)
			}
			level = next
		}
		removed += gone
		if gone == 0 {
			return removed, nil
		}
	}
}
