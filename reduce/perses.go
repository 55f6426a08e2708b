package reduce

import (
	"container/heap"
	"context"
)

// perses looks at the largest node first (Sun and others, Perses: Syntax-Guided
// Program Reduction, ICSE 2018): it replaces the node by a descendant of its
// sort if it can, and then looks at that one; else it minimises the list of its
// children, and goes on with those that are left. All again until nothing
// changes.
func (s *search) perses(ctx context.Context) (made int, err error) {
	for {
		n, err := s.largestFirst(ctx)
		made += n
		if err != nil || n == 0 {
			return made, err
		}
	}
}

// donorDepth and donorsTried bound the search for what may replace a node.
const (
	donorDepth  = 3 // how many of the same sort lie around it within the node, itself counted
	donorsTried = 8
)

func (s *search) largestFirst(ctx context.Context) (made int, err error) {
	donors, lengths := s.donors(), s.lengths()
	waiting := &largest{}
	number := 0
	add := func(n *Node) {
		heap.Push(waiting, sizedNode{n, lengths[n], number})
		number++
	}
	for add(s.tree.Root); waiting.Len() > 0; {
		n := heap.Pop(waiting).(sizedNode).Node
		var ps []Proposal
		var by []*Node
		for _, d := range donors.within(n, donorDepth) {
			if s.stands(d) != nil && lengths[d] < lengths[n] && len(ps) < donorsTried {
				ps, by = append(ps, Proposal{[]NodeEdit{{n, Edit{By: d}}}}), append(by, d)
			}
		}
		i, err := s.first(ctx, ps)
		if i >= 0 {
			made++
			lengths[n] = lengths[by[i]]
			donors.of[n] = donors.of[by[i]]
			add(n)
		}
		if err != nil {
			return made, err
		}
		if i >= 0 {
			continue
		}
		var inner, listed []*Node
		inner = s.nearest(n, func(c *Node) bool { return removable(c) || c.Sort != "" })
		for _, c := range inner {
			if removable(c) {
				listed = append(listed, c)
			}
		}
		_, gone, err := s.remove(ctx, listed)
		made += gone
		if err != nil {
			return made, err
		}
		for _, c := range inner {
			if s.stands(c) != nil {
				add(c)
			}
		}
	}
	return made, nil
}

// within returns what may replace a node, breadth first: the nearest, those
// nearest in these, and so on.
func (d donation) within(n *Node, depth int) []*Node {
	var all []*Node
	level := []*Node{n}
	for range depth {
		var next []*Node
		for _, m := range level {
			next = append(next, d.of[m]...)
		}
		all = append(all, next...)
		level = next
	}
	return all
}

// largest is a heap with the longest node on top; of two as long the one that
// was found first.
type largest []sizedNode

type sizedNode struct {
	*Node
	length, number int
}

func (l largest) Len() int      { return len(l) }
func (l largest) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l largest) Less(i, j int) bool {
	if l[i].length != l[j].length {
		return l[i].length > l[j].length
	}
	return l[i].number < l[j].number
}
func (l *largest) Push(x any) { *l = append(*l, x.(sizedNode)) }
func (l *largest) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}
