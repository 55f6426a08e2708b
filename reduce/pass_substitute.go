package reduce

import (
	"cmp"
	"context"
	"slices"
)

// substitutes is how many texts of a sort are tried in the place of its nodes.
const substitutes = 4

// passSubstitute puts what stands elsewhere in the text in the place of longer
// nodes of its sort: a variable for an expression, so that what only the
// expression needs can go. passConstants does it with the shortest text alone,
// and before others have made the tree small. The shortest texts are asked about
// first, of each of them the largest nodes.
func passSubstitute(ctx context.Context, s *search) error {
	nodes := map[string][]*Node{} // by sort, the largest first
	var sorts []string            // in the order of their first node
	lengths := s.lengths()
	for _, n := range s.all(s.tree.Root, func(n *Node) bool { return !n.Separator && n.Sort != "" && lengths[n] > 0 }) {
		if nodes[n.Sort] == nil {
			sorts = append(sorts, n.Sort)
		}
		nodes[n.Sort] = append(nodes[n.Sort], n)
	}
	for _, sort := range sorts {
		slices.SortStableFunc(nodes[sort], func(a, b *Node) int { return cmp.Compare(lengths[b], lengths[a]) })
	}
	texts := s.shortest(substitutes, func(n *Node) bool { return len(n.Children) == 0 && lengths[n] <= longestSubstitute })
	var ps []Proposal
	for i := range substitutes {
		for _, sort := range sorts {
			if i >= len(texts[sort]) {
				continue
			}
			for _, n := range nodes[sort] {
				if lengths[n] > len(texts[sort][i]) {
					ps = append(ps, replacing(n, texts[sort][i]))
				}
			}
		}
	}
	return s.walk(ctx, len(ps), func(i int) (Proposal, bool) { return ps[i], s.stands(ps[i].Edits[0].Node) != nil }, func() {})
}

// longestSubstitute bounds the texts: what is longer is no name and no number.
const longestSubstitute = 64
