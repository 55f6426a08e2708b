package isolate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gitdd/gitdd/internal/components"
)

// A space is a Problem as the algorithms see it: only the suspects, numbered
// by their position in the order in which they are cut, between the empty
// configuration, which passes, and the full one, which fails. Suspects that
// require each other in a circle have one position, and count as one.
//
// For Revert the space is mirrored: a position is in a configuration when its
// element is taken out, and Pass and Fail change places. So the largest part
// that may stay is found as the smallest part that must go, by the same code.
type space struct {
	n        int
	elements []int   // elements[i] = what the problem calls position i, the first of several in the order
	others   [][]int // others[i] = the other elements at position i, increasing; nil if each position has one
	mirrored bool
	given    bool // the failing end is known to fail, and nothing is known of the other: see Minimize

	passing, failing Configuration // the ends, as the problem calls them
	broken           [2]bool       // whether the empty and the full configuration break a requirement outside the space

	weights    []int     // of the positions; nil = 1 each
	prior      []float64 // of the positions; nil = all alike
	milestones []int     // Problem.Milestones as numbers of positions, increasing, each within 1..n-1

	position []int // position[e] = where element e is, -1 = not in the space

	ties *ties // Problem.Affinity between positions; nil = none

	levels int                      // levels of groups; single elements are level `levels`
	border []int                    // border[i] = the coarsest level at which a group starts at position i
	starts [][]int                  // starts[l] = where groups of level l start, increasing; nil if there are many positions
	refuse func(Configuration) bool // Problem.Broken; nil = none is broken
	must   related                  // Problem.Requires between positions
	may    related                  // Problem.Predicted between positions

	// What makes the work cheaper, and changes no result:
	names numbering
	sound Configuration // the last one found to break no requirement
	marks []uint32      // see reach
	mark  uint32
	plans map[string]plan // of cgr, by what they follow from
}

// leastPrior is the least weight of an element beside the heaviest: less is as
// good as never, and sums of them would be lost.
const leastPrior = 1e-9

// newSpace checks a problem and renumbers it. With closed set, an element is
// moved behind all it requires, or is predicted to (a linear extension, and
// groups stay together where that allows it), so that every prefix of the
// order meets its requirements. Its cost is linear in elements and edges.
func newSpace(p Problem, goal Goal, closed bool) (*space, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	passing, failing := p.ends()
	s := &space{passing: passing, failing: failing, mirrored: goal == Revert, levels: len(p.Groups), refuse: p.Broken}
	order := p.Order
	if order == nil {
		order = make([]int, p.N)
		for i := range order {
			order[i] = i
		}
	}
	if closed {
		order = extension(order, p.Milestones, p.Requires, p.Predicted)
	}
	suspects := failing.Minus(passing)
	s.place(order, suspects, p.Requires)
	s.milestones = s.moved(p.Milestones, order)
	s.must = newRelated(p.Requires, s.position, s.n, s.mirrored)
	s.may = newRelated(p.Predicted, s.position, s.n, s.mirrored)
	s.ties = newTies(p.Affinity, s.position, s.n)
	s.names = numbering{n: p.N, elements: s.elements, others: s.others, all: suspects}
	s.sound = Empty(s.n)
	s.marks = make([]uint32, s.n)
	s.plans = map[string]plan{}
	s.broken = [2]bool{breaks(passing, p.Requires), breaks(failing, p.Requires)}
	if s.mirrored {
		s.broken[0], s.broken[1] = s.broken[1], s.broken[0]
	}
	if p.Weights != nil {
		s.weights = make([]int, s.n)
		for i := range s.elements {
			s.eachAt(i, func(e int) { s.weights[i] += p.Weights[e] })
		}
	}
	if len(p.Prior) > 0 {
		s.prior = make([]float64, s.n)
		most := slices.Max(p.Prior)
		for i := range s.elements {
			s.prior[i] = leastPrior
			s.eachAt(i, func(e int) { s.prior[i] = max(s.prior[i], p.Prior[e]/most) })
		}
	}
	s.border = make([]int, s.n)
	for i := 1; i < s.n; i++ {
		for s.border[i] < s.levels && p.Groups[s.border[i]][s.elements[i]] == p.Groups[s.border[i]][s.elements[i-1]] {
			s.border[i]++
		}
	}
	if s.n < many {
		s.starts = make([][]int, s.levels)
		for l := range s.starts {
			for i, b := range s.border {
				if b <= l {
					s.starts[l] = append(s.starts[l], i)
				}
			}
		}
	}
	return s, nil
}

// place numbers the suspects in order. It is linear in elements and requirements.
func (s *space) place(order []int, suspects Configuration, requires [][]int) {
	circle, circles := circlesOf(suspects, requires)
	s.position = make([]int, len(order))
	for i := range s.position {
		s.position[i] = -1
	}
	if s.mirrored {
		order = slices.Clone(order)
		slices.Reverse(order) // what requires comes behind what is required, in the mirror too
	}
	at := slices.Repeat([]int{-1}, circles) // where a circle is
	for _, e := range order {
		switch {
		case !suspects.Has(e):
		case circle == nil || at[circle[e]] < 0:
			if circle != nil {
				at[circle[e]] = len(s.elements)
			}
			s.position[e] = len(s.elements)
			s.elements = append(s.elements, e)
		default:
			s.position[e] = at[circle[e]]
		}
	}
	s.n = len(s.elements)
	if s.n == suspects.Len() {
		return
	}
	s.others = make([][]int, s.n)
	for e := range suspects.All() {
		if i := s.position[e]; s.elements[i] != e {
			s.others[i] = append(s.others[i], e)
		}
	}
}

// circlesOf numbers the sets of suspects that require each other in a circle: circle[e] is that of e, alone or not. It
// is nil without requirements.
func circlesOf(suspects Configuration, requires [][]int) (circle []int, circles int) {
	if requires == nil {
		return nil, 0
	}
	edges := make([][]int, len(requires))
	for e := range suspects.All() {
		for _, f := range requires[e] {
			if suspects.Has(f) {
				edges[e] = append(edges[e], f)
			}
		}
	}
	return components.Of(edges)
}

// eachAt calls f for each element at a position.
func (s *space) eachAt(position int, f func(element int)) {
	f(s.elements[position])
	if s.others != nil {
		for _, e := range s.others[position] {
			f(e)
		}
	}
}

// moved returns milestones in order as numbers of positions of the space.
func (s *space) moved(milestones, order []int) []int {
	var found []int
	suspects, k := 0, 0
	for i, e := range order {
		if k < len(milestones) && milestones[k] == i {
			found = append(found, suspects)
			k++
		}
		if i := s.position[e]; i >= 0 && s.elements[i] == e {
			suspects++
		}
	}
	if s.mirrored { // what was applied first is taken out last
		slices.Reverse(found)
		for i := range found {
			found[i] = s.n - found[i]
		}
	}
	found = slices.Compact(found)
	return slices.DeleteFunc(found, func(m int) bool { return m == 0 || m == s.n })
}

// ends returns the passing and the failing end, with their zero values replaced.
func (p Problem) ends() (passing, failing Configuration) {
	passing, failing = p.Passing, p.Failing
	if passing == (Configuration{}) {
		passing = Empty(p.N)
	}
	if failing == (Configuration{}) {
		failing = Full(p.N)
	}
	return passing, failing
}

// check returns what is wrong with the shape of the problem.
func (p Problem) check() error {
	if p.N < 0 {
		return fmt.Errorf("problem of %d elements: the number is negative", p.N)
	}
	passing, failing := p.ends()
	if passing.N() != p.N || failing.N() != p.N {
		return fmt.Errorf("problem of %d elements: its ends have %d and %d", p.N, passing.N(), failing.N())
	}
	if !failing.Contains(passing) {
		return fmt.Errorf("problem: the passing end does not lie within the failing end")
	}
	if p.Order != nil {
		seen := make([]bool, p.N)
		for _, e := range p.Order {
			if e < 0 || e >= p.N || seen[e] {
				return fmt.Errorf("problem: the order has %d twice, or it is not within 0..%d", e, p.N-1)
			}
			seen[e] = true
		}
		if len(p.Order) != p.N {
			return fmt.Errorf("problem: the order has %d of %d elements", len(p.Order), p.N)
		}
	}
	for l, groups := range p.Groups {
		if len(groups) != p.N {
			return fmt.Errorf("problem: level %d groups %d of %d elements", l, len(groups), p.N)
		}
	}
	if p.Weights != nil && len(p.Weights) != p.N {
		return fmt.Errorf("problem: weights of %d elements, not of %d", len(p.Weights), p.N)
	}
	total := 0
	for i, w := range p.Weights {
		if w < 1 {
			return fmt.Errorf("problem: element %d weighs %d, which is less than 1", i, w)
		}
		if w > math.MaxInt-total {
			return fmt.Errorf("problem: the weights are more than %d together", math.MaxInt)
		}
		total += w
	}
	last := 0
	for _, m := range p.Milestones {
		if m <= last || m >= p.N {
			return fmt.Errorf("problem: milestone %d of %d elements comes after %d", m, p.N, last)
		}
		last = m
	}
	if p.Prior != nil && len(p.Prior) != p.N {
		return fmt.Errorf("problem: prior of %d elements, not of %d", len(p.Prior), p.N)
	}
	for i, w := range p.Prior {
		if !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("problem: element %d has the prior %v, which is not positive and finite", i, w)
		}
	}
	for _, t := range p.Affinity {
		if min(t.I, t.J) < 0 || max(t.I, t.J) >= p.N || !(t.Weight > 0) || math.IsInf(t.Weight, 1) {
			return fmt.Errorf("problem: the tie of %d and %d of weight %v is not between elements, or not positive and finite", t.I, t.J, t.Weight)
		}
	}
	return errors.Join(checkEdges(p.N, p.Requires), checkEdges(p.N, p.Predicted))
}

// checkEdges says what is wrong with requirements of n elements.
func checkEdges(n int, edges [][]int) error {
	if edges != nil && len(edges) != n {
		return fmt.Errorf("problem: requirements of %d elements, not of %d", len(edges), n)
	}
	for i, required := range edges {
		for _, j := range required {
			if j < 0 || j >= n {
				return fmt.Errorf("problem: element %d requires %d, which is not within 0..%d", i, j, n-1)
			}
		}
	}
	return nil
}

// extension returns order with every element moved behind all that the edges
// lead to, as far as they have no cycle and do not leave the element's stretch
// between two milestones.
func extension(order, milestones []int, edges ...[][]int) []int {
	out := make([]int, 0, len(order))
	placed := make([]bool, len(order))
	var stretch []int32 // of each element, if there are several
	if len(milestones) > 0 {
		stretch = make([]int32, len(order))
		k := 0
		for i, e := range order {
			if k < len(milestones) && milestones[k] == i {
				k++
			}
			stretch[e] = int32(k)
		}
	}
	// waiting are the elements that wait for what they require, each for the next one.
	var waiting []waiter
	place := func(e int) {
		if !placed[e] {
			placed[e] = true
			waiting = append(waiting, waiter{element: e})
		}
	}
	for _, first := range order {
		place(first)
		for len(waiting) > 0 {
			top := &waiting[len(waiting)-1]
			switch e := top.element; {
			case top.kind == len(edges):
				out = append(out, e)
				waiting = waiting[:len(waiting)-1]
			case edges[top.kind] == nil || top.next == len(edges[top.kind][e]):
				top.kind, top.next = top.kind+1, 0
			default:
				required := edges[top.kind][e][top.next]
				top.next++
				if stretch == nil || stretch[required] == stretch[e] {
					place(required)
				}
			}
		}
	}
	return out
}

// A waiter is an element of which the requirements before edges[kind][element][next] are placed.
type waiter struct{ element, kind, next int }

// breaks reports whether c has an element without one that it requires.
func breaks(c Configuration, requires [][]int) bool {
	if requires == nil {
		return false
	}
	for i := range c.All() {
		for _, j := range requires[i] {
			if !c.Has(j) {
				return true
			}
		}
	}
	return false
}

// isBroken reports whether c breaks Problem.Requires, or is Problem.Broken.
func (s *space) isBroken(c Configuration) bool {
	if s.broken[0] && c.IsEmpty() || s.broken[1] && c == Full(s.n) {
		return true
	}
	return s.lacks(c) || s.refuse != nil && !c.IsEmpty() && c != Full(s.n) && s.refuse(s.outside(c))
}

// lacks reports whether an element of c requires another one of the space that c has not.
func (s *space) lacks(c Configuration) bool {
	if s.must.to.start == nil {
		return false
	}
	for range s.must.broken(c, s.sound) {
		return true
	}
	s.sound = c
	return false
}

// outside returns a configuration of the space as the problem calls it.
func (s *space) outside(c Configuration) Configuration {
	elements := s.names.elementsOf(c)
	if s.mirrored {
		return s.failing.Minus(elements)
	}
	return s.passing.Union(elements)
}

// inside returns the positions of a configuration of the problem, without elements that are no
// suspects.
func (s *space) inside(c Configuration) Configuration {
	if s.mirrored {
		c = s.failing.Minus(c)
	}
	return s.positions(c)
}

// positions returns the positions of the elements in c that are suspects.
func (s *space) positions(c Configuration) Configuration {
	var positions []int
	for e := range c.All() {
		if s.position[e] >= 0 {
			positions = append(positions, s.position[e])
		}
	}
	return Of(s.n, positions...)
}

// between returns the elements at the positions in c, as the problem calls them.
func (s *space) between(c Configuration) Configuration {
	if s.mirrored {
		return s.failing.Minus(s.outside(c))
	}
	return s.outside(c).Minus(s.passing)
}

// weight returns how much the elements at the positions in c weigh together.
func (s *space) weight(c Configuration) int {
	if s.weights == nil {
		return c.Len()
	}
	total := 0
	for i := range c.All() {
		total += s.weights[i]
	}
	return total
}

// turn returns an outcome as the other side of the mirror sees it.
func (s *space) turn(o Outcome) Outcome {
	switch {
	case !s.mirrored || o == Unresolved:
		return o
	case o == Pass:
		return Fail
	}
	return Pass
}

// groups returns the parts of c that lie in one group of a level each,
// in order; at level s.levels these are the single elements.
func (s *space) groups(c Configuration, level int) []Configuration {
	var groups []Configuration
	b := builder{n: s.n}
	next := 0 // everything before it has been looked at
	for i := range c.All() {
		for starts := false; next <= i; next++ {
			starts = starts || s.border[next] <= level
			if next == i && starts && b.from < b.to {
				groups = append(groups, b.configuration())
				b = builder{n: s.n}
			}
		}
		b.add(i, i+1)
	}
	if b.from < b.to {
		groups = append(groups, b.configuration())
	}
	return groups
}
