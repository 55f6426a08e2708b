package isolate

import (
	"cmp"
	"math"
	"slices"
)

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
	if n.members.len() <= few && n.finest() == n.levels {
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
		if ok && (found.score >= c.score || looked >= n.looks()) {
			break
		}
		if p, usable := n.closed(c); usable {
			looked++
			if !ok || p.score > found.score {
				found, ok = p, true
			}
		}
	}
	isCut := !found.block && found.milestone == 0
	if !ok || isCut && n.byUnclosed.mean() > n.byCuts.mean() {
		if p, better := n.unclosed(); better {
			return p, true
		}
	}
	return found, ok
}

// rateOf returns what is known of hidden requirements for a cut. Cuts along the affinity
// have a rate of their own: they break fewer requirements, and how many is estimated in
// another way.
func (n *narrowing) rateOf(c cut) *rate { return n.ratesOf(c)[c.level] }

func (n *narrowing) ratesOf(c cut) rates {
	if c.tied {
		return n.tiedRates
	}
	return n.rates
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
	var how *breakage
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
		broken := n.reasons.breakage(config)
		p := n.scored(c, broken)
		if !usable || p.score > found.score {
			found, usable, how = p, true, broken
		}
	}
	if usable {
		found = n.improved(found, how)
	}
	return found, usable
}

// scored returns the proposal that a cut leads to, with how likely it resolves, and its score.
func (n *narrowing) scored(c cut, broken *breakage) proposal {
	p := proposal{cut: c, config: broken.config}
	added := p.config.Intersect(n.left)
	moved := added.Len()
	if !c.add {
		moved = n.members.len() - moved
	}
	if moved != c.count { // what it takes along has hidden requirements too, and borders
		p.breaks *= float64(moved) * float64(n.members.len()-moved) / float64(c.count) / float64(n.members.len()-c.count)
		p.breaks += borderRisk * math.Abs(float64(moved-c.count)) / float64(n.n)
	}
	p.likely, p.least, p.checked = broken.likely()
	p.score = rounded(n.coarse(c.level) * n.unbroken(p) * n.rateOf(c).yield(p.breaks) * entropy(n.fails(n.members.massOf(added))))
	return p
}

// unbroken returns how likely a proposal breaks nothing that explains a message, for the comparison of
// proposals. Messages that only Options.Check gave count little: whether a configuration
// leads to them is asked without a trial, and where they are many, as in a language with types, they would make
// all proposals look alike.
func (n *narrowing) unbroken(p proposal) float64 {
	return n.trust.of(p.likely, p.least) * math.Pow(p.checked, checkedPower)
}

// checkedPower is what the likelihood of messages that only Options.Check gave is raised to.
const checkedPower = 0.04

// improved returns a proposal with some more suspects moved, one after another and each with what goes
// with it for certain, so that it breaks less of what explains messages. Of all on the way it takes that with the best score.
func (n *narrowing) improved(p proposal, broken *breakage) proposal {
	if n.doubt == inDoubt || p.likely*p.checked == 1 {
		return p
	}
	c, likely, repair := p.cut, p.likely*p.checked, newRepair(n.left)
	for range mostImproved {
		better := false
		for _, i := range repair.best(broken) {
			config := broken.config
			if broken.in[i] {
				config = config.Minus(n.dependents(Of(n.n, i), n.left))
			} else {
				config = config.Union(n.required(Of(n.n, i), n.left))
			}
			if !n.usable(config) {
				continue
			}
			next := broken.moved(config)
			if all, _, checked := next.likely(); all*checked > likely*(1+1e-9) {
				broken, likely, better = next, all*checked, true
				break
			}
		}
		if !better {
			break
		}
		if q := n.scored(c, broken); q.score > p.score {
			p = q
		}
	}
	return p
}

// mostImproved is how many suspects at most are moved to improve a proposal.
const mostImproved = 64

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
	for level := range n.finest() + 1 {
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
