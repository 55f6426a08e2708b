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
	early   bool            // see narrow
	inRow   int             // of the last trials, so many did not resolve
	refused []int           // milestones that were unresolved beside this passing configuration
}

// A proposal is a configuration between the pair. It is made by a cut, or it
// adds all up to a milestone, or a block.
type proposal struct {
	cut
	config    Configuration
	likely    float64 // that it breaks nothing that explains a message
	milestone int     // 0 = none
	block     bool
}

// narrow moves a pair until its difference is one element, or no proposal is
// left for a few, or too many in a row were unresolved: then stuck says that
// there are many.
// With early set it also ends when at most twiceFew suspects are left and mostEarly trials
// in a row did not resolve. Then the caller tests these with nothing but what they require.
func (s *isolation) narrow(p pair, pins int, early bool) (closest pair, stuck bool) {
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
		n.early = early && n.members.len() <= twiceFew
		if n.moves == 0 {
			n.all = n.mass()
		}
		if n.move() {
			continue
		}
		if n.early && n.inRow >= mostEarly {
			return n.pair, false
		}
		// It may be wrong predictions that hold the rest together.
		s.doubt = inDoubt
		moved := n.move()
		s.doubt = 0
		if !moved {
			return n.pair, n.members.len() > few
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
	n.outlook.narrow(n.members.len(), moved.Len())
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
		return false
	}
	n.inRow = 0
	n.moves++
	return true
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
		var ok bool
		if p, ok = n.wellFormed(p, part); !ok {
			return false
		}
		otherwise := n.rateOf(p.cut).resolves(p.breaks)
		likely := otherwise * max(n.trust.of(p.likely), 0.01)
		resolved := n.tell(p.config, likely)
		n.trust.take(p.likely, otherwise, resolved)
		taught := len(n.fresh)
		if n.repeated {
			if stale++; stale == mostStale {
				return false
			}
		}
		n.rateOf(p.cut).learn(p.breaks, resolved, taught)
		if again > 0 {
			n.rateOf(p.cut).repair(resolved)
		}
		if resolved {
			return true
		}
		if !n.rateOf(p.cut).teaches() {
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
		if len(n.study(p.config, said)) == 0 {
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

// mostLooks is looks where all that was seen so far is unlikely to resolve.
func (n *narrowing) mostLooks() int {
	if n.n >= many {
		return n.looks()
	}
	return n.looks()
}

const doubtful = 0.3

// best returns the proposal, not asked before, of which most bits are expected:
// how likely it resolves, times the entropy of the outcome then.
func (n *narrowing) best() (found proposal, ok bool) {
	return n.recalled(n.findBest)
}

// recalled returns what find returns, see the function of this name.
func (n *narrowing) recalled(find func() (proposal, bool)) (found proposal, ok bool) {
	p := recalled(n.run, func() *proposal {
		if found, ok := find(); ok {
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
	cuts := append(n.cutsOfLevels(all), n.tiedCuts()...)
	if n.members.len() <= few {
		cuts = append(cuts, n.singles(all)...)
	}
	for i := range cuts {
		c := &cuts[i]
		inside := c.mass
		if !c.add {
			inside = n.mass() - inside
		}
		c.score = rounded(n.coarse(c.level) * n.rateOf(*c).yield(c.breaks) * entropy(n.fails(inside)))
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.score, a.score) })
	looked := 0
	for _, c := range cuts {
		if ok && (found.score >= c.score || looked >= n.looks() && (looked >= n.mostLooks() || n.trust.of(found.likely) > doubtful)) {
			break
		}
		if p, usable := n.closed(c); usable {
			looked++
			if !ok || p.score > found.score {
				found, ok = p, true
			}
		}
	}
	return found, ok
}

// rateOf returns what is known of hidden requirements for a cut. Cuts along the affinity
// have a rate of their own: they break fewer requirements, and how many is estimated in
// another way.
func (n *narrowing) rateOf(c cut) *rate {
	if c.tied {
		return n.tiedRate
	}
	return n.rate
}

// coarse returns a factor for the score of a cut, by its level. Where Problem.Affinity is
// given, groups are files and symbols: of two cuts that are about as good, that at the
// border of a file is preferred.
func (n *narrowing) coarse(level int) float64 {
	if n.ties == nil || n.levels == 0 {
		return 1
	}
	return 1 - coarser*float64(level)/float64(n.levels)
}

const coarser = 0.02

// closed returns the best proposal that a cut leads to: closed under all requirements
// that are believed, or only under the likelier ones, which takes less along. There is
// none if all of these were asked before, are malformed, or come to one of the ends.
func (n *narrowing) closed(c cut) (found proposal, usable bool) {
	part := n.suspectsIn(c)
	was := n.doubt
	defer func() { n.doubt = was }()
	var last Configuration
	for k, doubt := range doubts {
		if n.doubt = max(was, doubt); k > 0 && (n.doubt == was || len(n.reasons.sure) == 0) {
			break
		}
		config := n.proposed(part, c.add)
		if config == last {
			continue
		}
		last = config
		if !n.usable(config) {
			continue
		}
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
		p.likely = n.reasons.likely(config)
		p.score = rounded(n.coarse(c.level) * n.trust.of(p.likely) * n.rateOf(c).yield(p.breaks) * entropy(n.fails(n.members.massOf(added))))
		if !usable || p.score > found.score {
			found, usable = p, true
		}
	}
	return found, usable
}

// doubts are how likely what is believed must be to count for a proposal.
var doubts = []float64{0, 0.3, 0.7}

// cutsOfLevels returns the cuts of all levels, the coarsest first. A cut of a finer
// level that comes to the same is left out.
func (n *narrowing) cutsOfLevels(all []stretch) (cuts []cut) {
	type shape struct {
		add             bool
		count, from, to int
	}
	seen := map[shape]bool{}
	for level := range n.levels + 1 {
		if level < n.levels && (n.starts == nil || len(n.starts[level]) < 2) {
			continue
		}
		for _, add := range []bool{true, false} {
			for _, c := range n.cuts(add, all, level) {
				last := c.parts[len(c.parts)-1]
				if s := (shape{add, c.count, last[0], last[1]}); !seen[s] {
					seen[s] = true
					cuts = append(cuts, c)
				}
			}
		}
	}
	return cuts
}

// single returns a proposal, not asked before, to add or to drop one suspect
// with all that is tied to it: of the first few that there are, that of which
// most bits are expected. It is for suspects so tied that each cut takes all
// or nothing.
func (n *narrowing) single() (found proposal, ok bool) {
	return n.recalled(n.findSingle)
}

func (n *narrowing) findSingle() (found proposal, ok bool) {
	usable := 0
	for i := range n.left.All() {
		for _, add := range []bool{true, false} {
			p := proposal{cut: cut{add: add, parts: [][2]int{{i, i + 1}}, count: 1, level: n.levels}}
			p.config = n.proposed(Of(n.n, i), add)
			if !n.usable(p.config) {
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
			if !n.usable(config) {
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
		if !n.usable(config) {
			continue
		}
		found, ok = proposal{cut: cut{score: score}, config: config, block: true}, true
	}
	return found, ok
}
