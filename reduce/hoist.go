package reduce

import (
	"cmp"
	"context"
	"slices"
)

// hoist replaces nodes by their nearest descendants of the same sort (Vince,
// Hodován, Kiss, A-TEST 2021): a call by its argument, a statement by one of
// those within it.
//
// It goes in rounds. In each one every node proposes the largest of its
// descendants that it has not proposed yet, and all that can be made together
// are made: so of a chain of a thousand wrappings that all can go, no more is
// asked than of one. It ends when no node has anything more to propose. At most
// donorsAsked of one node are asked about between two that were made.
func (s *search) hoist(ctx context.Context) (made int, err error) {
	type pair struct{ place, donor *Node }
	asked := map[pair]bool{}
	vain := map[*Node]int{}
	for {
		donors, lengths := s.donors(), s.lengths()
		var ps []Proposal
		var places []*Node
		for _, n := range donors.places {
			if vain[n] == donorsAsked {
				continue
			}
			of := donors.of[n]
			slices.SortStableFunc(of, func(a, b *Node) int { return cmp.Compare(lengths[b], lengths[a]) })
			i := slices.IndexFunc(of, func(d *Node) bool { return !asked[pair{n, d}] && lengths[d] < lengths[n] })
			if i < 0 {
				continue
			}
			asked[pair{n, of[i]}] = true
			ps = append(ps, Proposal{[]NodeEdit{{n, Edit{By: of[i]}}}})
			places = append(places, n)
		}
		if len(ps) == 0 {
			return made, nil
		}
		done, err := s.minimise(ctx, ps)
		for i, n := range places {
			if done[i] {
				made++
				vain[n] = 0
			} else {
				vain[n]++
			}
		}
		if err != nil {
			return made, err
		}
	}
}

// donorsAsked bounds how many descendants of one node are tried in its place:
// with a thousand statements in a block, the smaller ones have little hope.
const donorsAsked = 4

// A donation says which nodes may be replaced by which.
type donation struct {
	places []*Node           // each before those within it
	of     map[*Node][]*Node // for each: the nearest below it of the same sort
}

// donors returns what may replace what. Its cost is linear in what is left of
// the tree.
func (s *search) donors() donation {
	d := donation{of: map[*Node][]*Node{}}
	type frame struct {
		node  *Node
		leave bool
	}
	open := map[string][]*Node{} // the nodes around this one, by sort
	waiting := []frame{{s.tree.Root, false}}
	for len(waiting) > 0 {
		f := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		n := f.node
		if f.leave {
			open[n.Sort] = open[n.Sort][:len(open[n.Sort])-1]
			continue
		}
		at := s.stands(n)
		if at == nil {
			continue
		}
		if n.Sort != "" {
			if around := open[n.Sort]; len(around) > 0 {
				place := around[len(around)-1]
				d.of[place] = append(d.of[place], n)
			}
			d.places = append(d.places, n)
			open[n.Sort] = append(open[n.Sort], n)
			waiting = append(waiting, frame{n, true})
		}
		for _, c := range slices.Backward(at.Children) {
			waiting = append(waiting, frame{c, false})
		}
	}
	d.places = slices.DeleteFunc(d.places, func(n *Node) bool { return d.of[n] == nil })
	return d
}
