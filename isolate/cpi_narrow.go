package isolate

import (
	"math"
	"math/bits"
	"slices"
)

// A narrowing is one pass through the loop of cpi: a tested pair, and what is suspected between.
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
	early   bool            // see narrow
	inRow   int             // of the last trials, so many did not resolve
	counted int             // what these count together, see finest
	refused []int           // milestones that were unresolved beside this passing configuration
}

// A proposal is a configuration between the pair. It is made by a cut, or it
// adds all up to a milestone, or a block, or it is unclosed.
type proposal struct {
	cut
	config    Configuration
	likely    float64 // that it breaks nothing that explains a message of a trial
	least     float64 // the same of the message for which it is the least likely
	checked   float64 // that it breaks nothing that explains a message that only Options.Check gave
	milestone int     // 0 = none
	block     bool
	unclosed  bool // see narrowing.unclosed
}

// A leftover says what narrow has left of the suspects.
type leftover uint8

const (
	fewLeft     leftover = iota // one, or a few of which no part resolved
	stuck                       // many, and no proposal that is worth a trial; tests do not say why they are unresolved
	inseparable                 // many, and no proposal, though tests say why, or too many in a row were unresolved: see finest
)

// narrow moves a pair until its difference is one element, or no proposal is
// left, or too many in a row were unresolved.
// With early set it also ends when at most twiceFew suspects are left and mostEarly trials
// in a row did not resolve. Then the caller tests these with nothing but what they require.
func (s *isolation) narrow(p pair, fixed int, early bool) (closest pair, left leftover) {
	n := &narrowing{isolation: s, pair: p, causes: remaining(fixed)}
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
			return n.pair, fewLeft
		}
		n.early = early && n.members.len() <= twiceFew
		if n.moves == 0 {
			n.all = n.mass()
		}
		if n.move() {
			continue
		}
		if n.early && n.inRow >= mostEarly {
			return n.pair, fewLeft
		}
		// It may be wrong predictions that hold the rest together.
		s.doubt = inDoubt
		moved := n.finest() == n.levels && n.move()
		s.doubt = 0
		switch {
		case moved:
		case n.members.len() <= few:
			return n.pair, fewLeft
		case len(n.reasons.keys) > 0 || n.finest() < n.levels:
			return n.pair, inseparable
		default:
			return n.pair, stuck
		}
	}
}

// inDoubt is what a requirement that was learned must be likelier than where it may be
// wrong predictions that hold the suspects together. Then nothing is predicted, and what
// Options.Check says does not count.
const inDoubt = 0.95

// few is up to how many suspects each is tried alone before they are taken for
// inseparable.
const few = 6

// How many trials in a row may be unresolved where tests say why, see finest.
const (
	mostInRow   = 32 // of those that taught nothing, and 2 more for each bit of the number of suspects
	moreForFew  = 12 // but at most so many more than there are suspects
	mostCoarser = 8  // so many more with cuts that keep to groups of a coarser level, for each level
	perCoarser  = 16 // but at most one for each so many suspects, and at least one
	untaught    = 6  // as many trials that taught something count as one that taught nothing
	saidBefore  = 3  // so much counts one that printed only what came before, and taught something
	foreseen    = 12 // and as one of which that was to be expected: it broke a prediction, or what most likely explains a message that came
)

// finest returns the finest level whose groups are cut, n.levels to cut between any
// elements, and -1 if the search is to go without the parts of these suspects. To ask a
// cut again and again is worth it as long as trials teach something, or resolve in the
// end. So after too many trials in a row that were unresolved, cuts inside the groups of
// the finest level are not tried any more, after some more those inside the groups of the
// next coarser level, and so on. Without messages only trials that break a prediction count, and n.move has a limit of its own.
func (n *narrowing) finest() int {
	suspects := n.members.len()
	most := untaught * min(mostInRow+2*bits.Len(uint(suspects)), moreForFew+suspects)
	if n.counted < most {
		return n.levels
	}
	forLevel := untaught * max(1, min(mostCoarser, suspects/perCoarser))
	return max(-1, n.levels-1-(n.counted-most)/forLevel)
}

// How many suspects, after how many unresolved trials in a row, are tested with nothing
// but what they require; see narrow.
const (
	twiceFew  = 12
	mostEarly = 3
)

// move makes the pair closer, and reports whether it could.
func (n *narrowing) move() bool {
	for refused := 0; refused <= 60+6*bits.Len(uint(n.members.len())); refused++ {
		if n.unresolved > 200+8*n.n && n.members.len() > few {
			return false
		}
		if n.finest() < 0 {
			return false
		}
		n.suspects = n.members.len()
		p, ok := n.best()
		if !ok && n.finest() == n.levels {
			p, ok = n.single()
		}
		if !ok {
			return false
		}
		n.level = n.levelOf(p)
		if n.try(p) {
			return true
		}
		if n.early && n.inRow >= mostEarly {
			return false
		}
	}
	return false
}

// tell asks for what is this likely to resolve, and moves the pair if it does.
func (n *narrowing) tell(c Configuration, likely float64) bool {
	moved := c.Intersect(n.left)
	mass := n.members.massOf(moved)
	inside := n.fails(mass)
	n.estimate.narrow(n.members.len(), moved.Len())
	likely = max(0.01, min(0.99, likely))
	inside = min(inside+0.001, 1) // of two halves the failing one is looked at first, for what is asked then is smaller
	n.expected = chances{Unresolved: 1 - likely, Pass: likely * (1 - inside), Fail: likely * inside}
	outcome := n.ask(c)
	if len(n.checked(c)) > 0 {
		n.ofChecks.take(outcome == Unresolved)
	}
	switch outcome {
	case Pass:
		n.passing = c
		n.passed += mass
	case Fail:
		n.failing = c
	default:
		n.unresolved++
		n.inRow++
		switch {
		case n.defies(c) || n.foretold:
			n.counted += foreseen
		case len(n.reasons.keys) == 0:
		case len(n.fresh) == 0:
			n.counted += untaught
		case n.repeated:
			n.counted += saidBefore
		default:
			n.counted++
		}
		return false
	}
	n.inRow, n.counted = 0, 0
	n.moves++
	return true
}

// defies reports whether a configuration breaks a predicted requirement among the suspects that no
// outcome has refuted.
func (n *narrowing) defies(c Configuration) bool {
	for i, j := range n.may.broken(c, n.passing) {
		if n.left.Has(i) && n.left.Has(j) && !n.refuted[[2]int{i, j}] {
			return true
		}
	}
	return false
}

// levelOf returns the coarsest level at which a group starts where p cuts.
func (n *narrowing) levelOf(p proposal) int {
	level := n.levels
	if p.milestone > 0 {
		return n.border[p.milestone]
	}
	if p.set != nil {
		return p.cut.level
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
	if p.unclosed {
		return n.tryUnclosed(p)
	}
	if !p.block && p.milestone == 0 {
		return n.tryCut(p)
	}
	if n.doubt < inDoubt && len(n.checked(p.config)) > 0 {
		return false // and it is not usable any more
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
const retries = 40

// A cut is given up after mostStale trials whose messages had all come before.
const mostStale = 4

// A cut is given up after mostBarren trials that taught nothing.
const mostBarren = 2

func (n *narrowing) tryCut(p proposal) bool {
	part := n.suspectsIn(p.cut)
	barren, stale := 0, 0
	for again := range retries {
		if n.finest() < 0 {
			return false
		}
		var ok bool
		if p, ok = n.wellFormed(p, part); !ok {
			return false
		}
		rate := n.rateOf(p.cut)
		otherwise := rate.resolves(p.breaks) * rate.resolvesSilent(p.breaks)
		likely := otherwise * max(n.trust.of(p.likely, p.least), 0.01)
		before := n.members.len()
		resolved := n.tell(p.config, likely)
		n.byCuts.take(n.gained(before))
		n.trust.take(p.likely, p.least, otherwise, resolved)
		taught := len(n.fresh)
		if n.repeated {
			if stale++; stale == mostStale {
				return false
			}
		}
		silent := n.ratesOf(p.cut).learn(p.level, p.breaks, resolved, n.heard, taught)
		if again > 0 {
			rate.repair(resolved)
		}
		if resolved {
			return true
		}
		if silent || !rate.teaches() {
			n.blame(p.cut, likely)
			return false
		}
		if taught == 0 {
			// What is missing was not told. Another configuration close to
			// this one, which keeps what was learned for it, may tell.
			size := part.Len()
			if barren++; size < 16 || p.set != nil || barren == mostBarren {
				break
			}
			if lost := 1 + size/64; p.add {
				part = part.slice(0, size-lost)
			} else {
				part = part.slice(lost, size)
			}
		}
		var usable bool
		if p, usable = n.closed(p.cut.of(part)); !usable {
			break
		}
		f := n.members.massOf(p.config.Intersect(n.left)) / n.mass()
		if _, known := n.seen[p.config]; known || 2*entropy(f) < entropy(p.mass/n.mass()) {
			break
		}
	}
	return false
}

// wellFormed returns a proposal, closed under what Options.Check teaches, of which the
// check has nothing to say; ok is false if there is none of this part.
func (n *narrowing) wellFormed(p proposal, part Configuration) (_ proposal, ok bool) {
	if n.doubt == inDoubt {
		return p, true
	}
	for range checks {
		said := n.checked(p.config)
		if len(said) == 0 {
			return p, true
		}
		if len(n.study(p.config, said, Empty(n.n))) == 0 {
			return p, false
		}
		if p, ok = n.closed(p.cut.of(part)); !ok {
			return p, false
		}
	}
	return p, false
}

// usable reports whether a configuration may be proposed: it was not unresolved, is none
// of the ends, and nothing is known to be wrong with it.
func (n *narrowing) usable(c Configuration) bool {
	o, known := n.seen[c]
	return !(known && o == Unresolved) && c != n.passing && c != n.failing && (n.doubt == inDoubt || !n.malformed[c] || !n.ofChecks.believed())
}

// blame makes the elements of an unresolved cut riskier: one of them has a
// hidden requirement at least. By Bayes' rule they have, in the mean, as many
// times more than expected as it was likely that there is none. What did not
// move has its part in it, the more the less it is.
func (n *narrowing) blame(c cut, likely float64) {
	if c.set != nil {
		return
	}
	share := 1 - float64(c.count)/float64(n.members.len())
	factor := math.Pow(1/(1-min(likely, 0.99)), share)
	n.risks.scale(n.n, c.parts, c.add, factor)
}
