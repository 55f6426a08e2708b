package reduce

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// passColumns takes nodes out that go at once or not at all, such as the cells of a
// column: see Tree.Together.
func passColumns(ctx context.Context, s *search) error {
	var ps []Proposal
	for _, set := range s.tree.Together {
		ps = append(ps, removing(set...))
	}
	_, err := s.minimise(ctx, ps)
	return err
}

// constantsAsked is how many texts passConstants puts in the place of one node.
const constantsAsked = 2

// passConstants puts other texts in the place of nodes: the shortest that a format
// knows for them, see Node.Or, and what stands for another node of the sort, if
// it is shorter. All nodes get the same at first, the largest of them last asked:
// a list algorithm begins there.
func passConstants(ctx context.Context, s *search) error {
	type candidate struct {
		node *Node
		text []byte
	}
	var rounds [][]candidate // the k-th text of each node
	lengths := s.lengths()
	shortest := s.shortest(1, func(*Node) bool { return true })
	for _, n := range s.all(s.tree.Root, func(n *Node) bool { return !n.Separator }) {
		texts := slices.Clone(n.Or)
		if n.Sort != "" && len(texts) < constantsAsked {
			texts = append(texts, shortest[n.Sort]...)
		}
		slices.SortStableFunc(texts, func(a, b []byte) int { return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b)) })
		texts = slices.CompactFunc(texts, bytes.Equal)
		k := 0
		for _, text := range texts {
			if len(text) < lengths[n] && k < constantsAsked {
				if k == len(rounds) {
					rounds = append(rounds, nil)
				}
				rounds[k] = append(rounds[k], candidate{n, text})
				k++
			}
		}
	}
	for _, round := range rounds {
		slices.SortStableFunc(round, func(a, b candidate) int { return cmp.Compare(lengths[a.node], lengths[b.node]) })
		var ps []Proposal
		for _, c := range round {
			if _, gone := s.made[c.node]; !gone {
				ps = append(ps, replacing(c.node, c.text))
			}
		}
		if _, err := s.minimise(ctx, ps); err != nil {
			return err
		}
	}
	return nil
}

// shortest returns for each sort the k shortest texts of nodes that are left, and wanted.
func (s *search) shortest(k int, wanted func(n *Node) bool) map[string][][]byte {
	lengths := s.lengths()
	nodes := map[string][]*Node{}
	for _, n := range s.all(s.tree.Root, func(n *Node) bool { return !n.Separator && n.Sort != "" && lengths[n] > 0 && wanted(n) }) {
		nodes[n.Sort] = append(nodes[n.Sort], n)
	}
	texts := map[string][][]byte{}
	for sort, of := range nodes {
		slices.SortStableFunc(of, func(a, b *Node) int { return cmp.Compare(lengths[a], lengths[b]) })
		for _, n := range of {
			if len(texts[sort]) == k {
				break
			}
			text := s.tree.textOf(n, s.made)
			if !slices.ContainsFunc(texts[sort], func(t []byte) bool { return bytes.Equal(t, text) }) {
				texts[sort] = append(texts[sort], text)
			}
		}
	}
	return texts
}

// passPairs takes two elements out at once that stand next to each other or
// nearly so in a list, of which neither can go alone: one that is said and one
// that is used.
func passPairs(ctx context.Context, s *search) error {
	const window = 3
	var ps []Proposal
	lists := append([]*Node{s.tree.Root}, s.all(s.tree.Root, func(n *Node) bool { return !n.Separator })...)
	for _, list := range slices.Backward(lists) {
		in := s.stands(list)
		if in == nil {
			continue
		}
		var elements []*Node
		for _, c := range in.Children {
			if removable(c) && s.stands(c) != nil {
				elements = append(elements, c)
			}
		}
		for i := len(elements) - 1; i > 0; i-- {
			for j := i - 1; j >= max(0, i-window); j-- {
				ps = append(ps, removing(elements[i], elements[j]))
			}
		}
	}
	return s.walk(ctx, len(ps), func(i int) (Proposal, bool) { return ps[i], true }, func() {})
}
