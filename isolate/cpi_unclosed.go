package isolate

import (
	"cmp"
	"math"
	"slices"
)

// mostUnclosed is how many suspects there may be for unclosed proposals.
const mostUnclosed = 160

// unclosed returns the best proposal to add or to drop suspects without what is only
// believed to go with them. Wrong beliefs tie suspects together: closed proposals then all
// move these suspects together, and so all break one and the same requirement that nobody
// has found. It takes the suspects whose move alone most likely breaks no explanation of a
// message, and of them the first 1, 2, 4 and so on, whichever has the best score. A proposal
// that resolves refutes the beliefs that it breaks. Cost: for each suspect and both directions,
// one look at all messages, linear in the elements, too, and at the explanations that have what moves.
func (n *narrowing) unclosed() (found proposal, ok bool) {
	if len(n.reasons.keys) == 0 || n.members.len() > mostUnclosed || n.finest() != n.levels || n.doubt == inDoubt {
		return found, false
	}
	for _, add := range []bool{true, false} {
		var ones []proposal
		from := n.failing
		if add {
			from = n.passing
		}
		broken := n.reasons.breakage(from)
		for i := range n.left.All() {
			if p, usable := n.unclosedOf(Of(n.n, i), add, broken); usable {
				ones = append(ones, p)
			}
		}
		slices.SortStableFunc(ones, func(a, b proposal) int { return cmp.Compare(rounded(b.likely), rounded(a.likely)) })
		part := Empty(n.n)
		for k, one := range ones {
			part = part.Union(*one.set)
			if size := k + 1; size&(size-1) != 0 {
				continue // sizes are powers of 2
			}
			if p, usable := n.unclosedOf(part, add, broken); usable && (!ok || p.score > found.score) {
				found, ok = p, true
			}
		}
	}
	return found, ok
}

// unclosedOf returns the proposal to add or to drop a part, closed only under
// Problem.Requires and what Options.Learn said. broken is the breakage of a configuration near it.
func (n *narrowing) unclosedOf(part Configuration, add bool, broken *breakage) (p proposal, usable bool) {
	was := n.doubt
	n.doubt = 1
	defer func() { n.doubt = was }()
	p = proposal{cut: cut{add: add, set: &part, count: part.Len(), level: n.levels}, unclosed: true}
	p.config = n.proposed(part, add)
	if !n.usable(p.config) {
		return p, false
	}
	p.mass = n.members.massOf(p.config.Intersect(n.left))
	p.likely, p.least, p.checked = broken.moved(p.config).likely()
	p.score = rounded(n.resolvesUnclosed(p) * n.unbroken(p) * entropy(n.fails(p.mass)))
	return p, true
}

// resolvesUnclosed returns how likely an unclosed proposal resolves, but for what messages say.
func (n *narrowing) resolvesUnclosed(p proposal) float64 {
	return math.Pow(n.ofUnclosed.share(), float64(p.count))
}

// tryUnclosed asks for an unclosed proposal, with what Options.Check says that it lacks, and
// reports whether it resolved.
func (n *narrowing) tryUnclosed(p proposal) bool {
	p, ok := n.mended(p)
	if !ok {
		n.byUnclosed.take(0)
		return false
	}
	otherwise, before := n.resolvesUnclosed(p), n.members.len()
	resolved := n.tell(p.config, otherwise*n.trust.of(p.likely, p.least))
	n.trust.take(p.likely, p.least, otherwise, resolved)
	n.ofUnclosed.take(resolved)
	if resolved {
		n.ofUnclosed.right += float64(p.count - 1) // none of the suspects in it broke anything
	}
	n.byUnclosed.take(n.gained(before))
	return resolved
}

// mended returns an unclosed proposal of which Options.Check has nothing to say: with each
// message its likeliest explanation is mended. There may be none.
func (n *narrowing) mended(p proposal) (_ proposal, ok bool) {
	for range checks {
		said := n.checked(p.config)
		if len(said) == 0 {
			return p, true
		}
		part := *p.set
		for _, m := range said {
			if len(m.Explanations) == 0 {
				continue
			}
			e := slices.MaxFunc(m.Explanations, func(a, b Explanation) int { return cmp.Compare(a.Weight, b.Weight) })
			if p.add {
				part = part.With(e.Requires)
			} else {
				part = part.With(e.Element)
			}
		}
		if part = part.Intersect(n.left); part == *p.set {
			return p, false
		}
		if p, ok = n.unclosedOf(part, p.add, n.reasons.breakage(p.config)); !ok {
			return p, false
		}
	}
	return p, false
}

// gained returns how many bits were gained since there were so many suspects.
func (n *narrowing) gained(before int) float64 {
	return math.Log2(float64(before) / float64(n.difference().Len()))
}

// An arm is a kind of proposals: cuts, or unclosed proposals. Its fields are the sums of its trials
// and of the bits that they told, in which each trial counts less with every further one
// of the arm. The arm with the larger mean is tried. To choose so is a bandit problem with
// outcomes that drift; the discounted means are those of Garivier and Moulines ("On
// upper-confidence bound policies for switching bandit problems", ALT 2011, section 2), but
// an arm that is not tried keeps its mean, and there is no bonus for it.
type arm struct{ bits, trials float64 }

// What the trials of an arm are taken to have been before the first one, and how much a trial counts
// once another one of the arm has followed.
const (
	bitsBefore, trialsBefore = 0.4, 5
	fading                   = 0.95
)

// mean returns how many bits a trial tells.
func (a *arm) mean() float64 { return (a.bits + bitsBefore) / (a.trials + trialsBefore) }

// take takes in a trial that told so many bits.
func (a *arm) take(bits float64) {
	a.bits, a.trials = rounded(float64(fading*a.bits)+bits), float64(fading*a.trials)+1
}
