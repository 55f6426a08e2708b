package reduce

import (
	"bytes"
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
	type kind struct {
		nodes []*Node  // the largest first
		texts [][]byte // the shortest first
	}
	kinds := map[string]*kind{}
	var sorts []string // in the order of their first node
	lengths := s.lengths()
	for _, n := range s.all(s.tree.Root, func(n *Node) bool { return !n.Separator && n.Sort != "" }) {
		if lengths[n] == 0 {
			continue
		}
		k := kinds[n.Sort]
		if k == nil {
			k = &kind{}
			kinds[n.Sort] = k
			sorts = append(sorts, n.Sort)
		}
		k.nodes = append(k.nodes, n)
		if len(n.Children) > 0 || lengths[n] > longestSubstitute {
			continue
		}
		text := s.tree.textOf(n, s.made)
		if !slices.ContainsFunc(k.texts, func(t []byte) bool { return bytes.Equal(t, text) }) && len(k.texts) < mostTexts {
			k.texts = append(k.texts, text)
		}
	}
	var ps []Proposal
	for i := range substitutes {
		for _, sort := range sorts {
			k := kinds[sort]
			if i == 0 {
				slices.SortStableFunc(k.nodes, func(a, b *Node) int { return cmp.Compare(lengths[b], lengths[a]) })
				slices.SortStableFunc(k.texts, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
			}
			if i >= len(k.texts) {
				continue
			}
			for _, n := range k.nodes {
				if lengths[n] > len(k.texts[i]) {
					ps = append(ps, replacing(n, k.texts[i]))
				}
			}
		}
	}
	return s.walk(ctx, len(ps), func(i int) (Proposal, bool) { return ps[i], s.stands(ps[i].Edits[0].Node) != nil }, func() {})
}

// What is longer is no name and no number; and where there are more texts, the
// first stand for all.
const (
	longestSubstitute = 64
	mostTexts         = 256
)
