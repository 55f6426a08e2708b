package isolate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// narrowing is one stage of cpi: a tested pair, and what is suspected between.
type narrowing struct {
	*isolation
	pair
	left    Configuration   // the difference of the pair: the suspects
	members *members        // of left
	blocks  []Configuration // what resolved before and tells suspects apart
	moves   int             // made so far
	causes  causes          // how many there may be between the pair
	all     float64         // the mass of the suspects at first
	passed  float64         // of those, of what has been added
	refused []int           // milestones that were unresolved beside this passing configuration
}

// A proposal is a configuration between the pair. It is made by a cut, or it
// adds all up to a milestone, or a block.
type proposal struct {
	cut
	config    Configuration
	milestone int // 0 = none
	block     bool
}

// narrow moves a pair until its difference is one element, or no proposal is
// left for a few, or too many in a row were unresolved: then stuck says that
// there are many.
func (s *isolation) narrow(p pair, pins int) (closest pair, stuck bool) {
	n := &narrowing{isolation: s, pair: p, causes: remaining(pins)}
	n.blocks = s.resolvedWithin(p.passing, p.failing)
	for {
		// Invariant: n.pair is a tested pair, and each time it is closer.
		n.left = n.difference()
		n.blocks = slices.DeleteFunc(n.blocks, func(b Configuration) bool {
			b = b.Intersect(n.left)
			return b.IsEmpty() || b == n.left
		})
		n.members = newMembers(n.left, n.prior)
		if n.members.len() == 1 {
			return n.pair, false
		}
		if n.moves == 0 {
			n.all = n.mass()
		}
		if n.move() {
			continue
		}
		// It may be wrong predictions that hold the rest together.
		s.doubt = true
		moved := n.move()
		s.doubt = false
		if !moved {
			return n.pair, n.members.len() > few
		}
	}
}

// few is up to how many suspects each is tried alone before they are taken for
// inseparable.
const few = 6

// move makes the pair closer, and reports whether it could.
func (n *narrowing) move() bool {
	for refused := 0; refused <= 60+6*bits.Len(uint(n.members.len())); refused++ {
		if n.unresolved > 200+8*n.n && n.members.len() > few {
			return false
		}
		n.suspects = n.members.len()
		p, ok := n.best()
		if !ok {
			p, ok = n.single()
		}
		if !ok {
			return false
		}
		n.level = n.levelOf(p)
		if n.try(p) {
			return true
		}
	}
	return false
}

// tell asks for what is this likely to resolve, and moves the pair if it does.
func (n *narrowing) tell(c Configuration, likely float64) bool {
	moved := c.Intersect(n.left)
	mass := n.members.massOf(moved)
	inside := n.fails(mass)
	n.outlook.narrow(n.members.len(), moved.Len())
	likely = max(0.01, min(0.99, likely))
	inside = min(inside+0.001, 1) // of two halves the failing one is looked at first, for what is asked then is smaller
	n.expected = chances{Unresolved: 1 - likely, Pass: likely * (1 - inside), Fail: likely * inside}
	switch n.ask(c) {
	case Pass:
		n.passing = c
		n.passed += mass
	case Fail:
		n.failing = c
	default:
		n.unresolved++
		return false
	}
	n.moves++
	return true
}

// levelOf returns the coarsest level at which a group starts where p cuts.
func (n *narrowing) levelOf(p proposal) int {
	level := n.levels
	if p.milestone > 0 {
		return n.border[p.milestone]
	}
	for _, part := range p.parts {
		for _, at := range part {
			if at > 0 && at < n.n {
				level = min(level, n.border[at])
			}
		}
	}
	return level
}

// try asks for a proposal, and reports whether it resolved.
func (n *narrowing) try(p proposal) bool {
	if !p.block && p.milestone == 0 {
		return n.tryCut(p)
	}
	likely := n.ofMilestones.share()
	if p.block {
		likely = n.ofBlocks.share()
	}
	resolved := n.tell(p.config, likely)
	if p.block {
		n.ofBlocks.take(resolved)
		return resolved
	}
	n.ofMilestones.take(resolved)
	if !resolved {
		n.refused = append(n.refused, p.milestone)
	}
	return resolved
}

// retries is how often a cut is asked again, with what it was told it lacks.
const retries = 12

func (n *narrowing) tryCut(p proposal) bool {
	part := n.suspectsIn(p.cut)
	for range retries {
		likely := n.rate.resolves(p.breaks)
		resolved := n.tell(p.config, likely)
		taught := len(n.fresh)
		n.rate.learn(p.breaks, resolved, taught)
		if resolved {
			return true
		}
		if !n.rate.teaches() {
			n.blame(p.cut, likely)
			return false
		}
		if taught == 0 {
			// What is missing was not told. Another configuration close to
			// this one, which keeps what was learned for it, may tell.
			size := part.Len()
			if size < 16 {
				break
			}
			if lost := 1 + size/64; p.add {
				part = part.slice(0, size-lost)
			} else {
				part = part.slice(lost, size)
			}
		}
		p.config = n.proposed(part, p.add)
		f := n.members.massOf(p.config.Intersect(n.left)) / n.mass()
		if _, known := n.seen[p.config]; known || 2*entropy(f) < entropy(p.mass/n.mass()) {
			break
		}
	}
	return false
}

// blame makes the elements of an unresolved cut riskier: one of them has a
// hidden requirement at least. By Bayes' rule they have, in the mean, as many
// times more than expected as it was likely that there is none. What did not
// move has its part in it, the more the less it is.
func (n *narrowing) blame(c cut, likely float64) {
	share := 1 - float64(c.count)/float64(n.members.len())
	factor := math.Pow(1/(1-min(likely, 0.99)), share)
	n.risks.scale(n.n, c.parts, c.add, factor)
}

// proposed returns the configuration that moving a part leads to. It lies
// within the pair, and differs from both ends unless the part takes all along.
func (n *narrowing) proposed(part Configuration, add bool) Configuration {
	if add {
		return n.passing.Union(n.required(part, n.left))
	}
	return n.failing.Minus(n.dependents(part, n.left)).Union(n.passing)
}

// looks returns how many of the cuts with the best scores are made, to see
// what they take along. It takes time where there are many elements.
func (n *narrowing) looks() int {
	if n.n >= many {
		return 2
	}
	return 6
}

// best returns the proposal, not asked before, of which most bits are expected:
// how likely it resolves, times the entropy of the outcome then.
func (n *narrowing) best() (found proposal, ok bool) {
	p := recalled(n.run, func() *proposal {
		if found, ok := n.findBest(); ok {
			return &found
		}
		return nil
	})
	if p == nil {
		return proposal{}, false
	}
	return *p, true
}

func (n *narrowing) findBest() (found proposal, ok bool) {
	found, ok = n.milestone()
	if b, better := n.block(); better && (!ok || b.score > found.score) {
		found, ok = b, true
	}
	all := n.stretches()
	cuts := append(n.cuts(true, all), n.cuts(false, all)...)
	if n.members.len() <= few {
		cuts = append(cuts, n.singles(all)...)
	}
	for i := range cuts {
		c := &cuts[i]
		inside := c.mass
		if !c.add {
			inside = n.mass() - inside
		}
		c.score = rounded(n.rate.yield(c.breaks) * entropy(n.fails(inside)))
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.score, a.score) })
	looked := 0
	for _, c := range cuts {
		if ok && (found.score >= c.score || looked >= n.looks()) {
			break
		}
		config := n.proposed(n.suspectsIn(c), c.add)
		if o, known := n.seen[config]; known && o == Unresolved || config == n.passing || config == n.failing {
			continue
		}
		looked++
		p := proposal{cut: c, config: config}
		added := config.Intersect(n.left)
		moved := added.Len()
		if !c.add {
			moved = n.members.len() - moved
		}
		if moved != c.count { // what it takes along has hidden requirements too, and borders
			p.breaks *= float64(moved) * float64(n.members.len()-moved) / float64(c.count) / float64(n.members.len()-c.count)
			p.breaks += borderRisk * float64(moved-c.count) / float64(n.n)
		}
		p.score = rounded(n.rate.yield(p.breaks) * entropy(n.fails(n.members.massOf(added))))
		if !ok || p.score > found.score {
			found, ok = p, true
		}
	}
	return found, ok
}

// single returns a proposal, not asked before, to add or to drop one suspect
// with all that is tied to it: of the first few that there are, that of which
// most bits are expected. It is for suspects so tied that each cut takes all
// or nothing.
func (n *narrowing) single() (found proposal, ok bool) {
	usable := 0
	for i := range n.left.All() {
		for _, add := range []bool{true, false} {
			p := proposal{cut: cut{add: add, parts: [][2]int{{i, i + 1}}, count: 1}}
			p.config = n.proposed(Of(n.n, i), add)
			if o, known := n.seen[p.config]; known && o == Unresolved || p.config == n.passing || p.config == n.failing {
				continue
			}
			p.mass = n.members.massOf(p.config.Intersect(n.left))
			if p.score = rounded(entropy(n.fails(p.mass))); !ok || p.score > found.score {
				found, ok = p, true
			}
			usable++
		}
		if usable > 2*n.looks() {
			break
		}
	}
	return found, ok
}

// milestone returns the best proposal to add all up to a milestone: nothing is
// taken along, for the history is what resolved before. Near one that did not
// resolve, others are less likely to.
func (n *narrowing) milestone() (found proposal, ok bool) {
	likely := n.ofMilestones.share()
	middle, _ := slices.BinarySearchFunc(n.milestones, 0.5, func(m int, half float64) int {
		return cmp.Compare(rounded(n.fails(n.members.massBefore(m))), half)
	})
	for _, step := range []int{-1, 1} {
		for k := middle + min(step, 0); k >= 0 && k < len(n.milestones); k += step {
			m := n.milestones[k]
			score := rounded(likely * entropy(n.fails(n.members.massBefore(m))))
			if score == 0 || ok && score <= found.score {
				break // further away it is no better
			}
			for _, refused := range n.refused {
				other, _ := slices.BinarySearch(n.milestones, refused)
				score *= 1 - math.Exp2(-float64(1+max(k-other, other-k))/2)
			}
			if score = rounded(score); ok && score <= found.score {
				continue
			}
			config := n.passing.Union(n.failing.Intersect(span(n.n, 0, m)))
			if o, known := n.seen[config]; known && o == Unresolved || config == n.passing || config == n.failing {
				continue
			}
			found, ok = proposal{cut: cut{score: score}, config: config, milestone: m}, true
		}
	}
	return found, ok
}

// block returns the best proposal to add what resolved before.
func (n *narrowing) block() (found proposal, ok bool) {
	likely := n.ofBlocks.share()
	for _, b := range n.blocks {
		score := rounded(likely * entropy(n.fails(n.members.massOf(b.Intersect(n.left)))))
		if ok && score <= found.score {
			continue
		}
		config := n.passing.Union(b.Intersect(n.failing))
		if o, known := n.seen[config]; known && o == Unresolved || config == n.passing || config == n.failing {
			continue
		}
		found, ok = proposal{cut: cut{score: score}, config: config, block: true}, true
	}
	return found, ok
}
