package reduce

import (
	"context"
	"slices"
)

// certify asks for each element of the tree alone whether it can be taken out,
// from the last to the first, takes out those that can, and begins again until
// none could: what is left is 1-minimal, whatever made it. A question that was
// asked before, of the same text, is not asked again: so of a tree that is
// 1-minimal it takes at most one trial per element.
//
// Those are asked about first that no other element is left in: where one can go
// that has others, one of these mostly can, and each that goes is a reason to
// ask again for all that could not go before it.
func (s *search) certify(ctx context.Context) error {
	for {
		elements := s.all(s.tree.Root, removable)
		slices.Reverse(elements)
		made, err := s.each(ctx, len(elements), func(i int) (Proposal, bool) {
			return removing(elements[i]), len(s.nearest(elements[i], removable)) == 0
		})
		if err == nil && made == 0 {
			made, err = s.each(ctx, len(elements), func(i int) (Proposal, bool) { return removing(elements[i]), true })
		}
		if err != nil || made == 0 {
			return err
		}
	}
}
