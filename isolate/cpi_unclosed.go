package isolate

import (
	"cmp"
	"math"
	"slices"
)

// mostUnclosed is how many suspects there may be for unclosed proposals.
const mostUnclosed = 40

// unclosed returns the best proposal to add or to drop suspects without what is only
// believed to go with them: those that explain messages least, as many as are worth most.
// Wrong beliefs tie suspects together, so that each proposal that is closed under them
// takes the same suspects along, and breaks the same requirement that is not known.
// An unclosed proposal that resolves refutes the beliefs that it breaks. Of one that moves
// a single suspect and does not resolve, that suspect is an end of what it breaks.
// Cost: for each suspect two looks at all messages.
func (n *narrowing) unclosed() (found proposal, ok bool) {
	if len(n.reasons.keys) == 0 || n.members.len() > mostUnclosed || n.finest() != n.levels {
		return found, false
	}
	for _, add := range []bool{true, false} {
		var ones []proposal
		for i := range n.left.All() {
			if p, usable := n.taking(Of(n.n, i), add); usable {
				ones = append(ones, p)
			}
		}
		slices.SortStableFunc(ones, func(a, b proposal) int { return cmp.Compare(b.likely, a.likely) })
		part := Empty(n.n)
		for k, one := range ones {
			part = part.Union(*one.set)
			if size := k + 1; size&(size-1) != 0 {
				continue // sizes are powers of 2
			}
			if p, usable := n.taking(part, add); usable && (!ok || p.score > found.score) {
				found, ok = p, true
			}
		}
	}
	return found, ok
}

// taking returns the proposal to add or to drop a part, closed under what is certain alone.
func (n *narrowing) taking(part Configuration, add bool) (p proposal, usable bool) {
	was := n.doubt
	n.doubt = 1
	defer func() { n.doubt = was }()
	p = proposal{cut: cut{add: add, set: &part, count: part.Len(), level: n.levels}, unclosed: true}
	p.config = n.proposed(part, add)
	if !n.usable(p.config) {
		return p, false
	}
	p.mass = n.members.massOf(p.config.Intersect(n.left))
	p.likely = rounded(n.reasons.likely(p.config))
	p.score = rounded(n.resolvesUnclosed(p) * n.trust.of(p.likely) * entropy(n.fails(p.mass)))
	return p, true
}

// resolvesUnclosed returns how likely an unclosed proposal resolves, but for what messages say.
func (n *narrowing) resolvesUnclosed(p proposal) float64 {
	return math.Pow(n.ofUnclosed.share(), float64(p.count))
}

// tryUnclosed asks for an unclosed proposal, with what Options.Check says that it lacks, and
// reports whether it resolved.
func (n *narrowing) tryUnclosed(p proposal) bool {
	for range checks {
		said := n.checked(p.config)
		if len(said) == 0 {
			break
		}
		fresh := n.study(p.config, said, Empty(n.n))
		part := *p.set
		for _, pair := range fresh {
			if p.add {
				part = part.With(pair[1])
			} else {
				part = part.With(pair[0])
			}
		}
		var usable bool
		if p, usable = n.taking(part.Intersect(n.left), p.add); len(fresh) == 0 || !usable {
			return false
		}
	}
	otherwise, before := n.resolvesUnclosed(p), n.members.len()
	resolved := n.tell(p.config, otherwise*n.trust.of(p.likely))
	n.trust.take(p.likely, otherwise, resolved)
	n.ofUnclosed.take(resolved)
	if resolved {
		n.ofUnclosed.right += float64(p.count - 1) // none of the suspects in it broke anything
	}
	n.byUnclosed.take(n.gained(before))
	return resolved
}

// gained returns how many bits were gained since there were so many suspects.
func (n *narrowing) gained(before int) float64 {
	return math.Log2(float64(before) / float64(max(1, n.difference().Len())))
}

// An arm is a kind of proposals, with how many bits their trials told, of late. The kind whose
// trials tell more is proposed. This is a bandit problem with outcomes that drift, and the means
// are those of discounted UCB (Garivier and Moulines, "On upper-confidence bound policies
// for switching bandit problems", ALT 2011, section 2), without its bonus for what was
// seldom tried.
type arm struct{ bits, trials float64 }

// What an arm is taken to have told before its first trial, and how much each trial of it
// counts when another one follows.
const (
	bitsBefore, trialsBefore = 0.4, 5
	fading                   = 0.95
)

// rate returns how many bits a trial tells.
func (a *arm) rate() float64 { return (a.bits + bitsBefore) / (a.trials + trialsBefore) }

// take takes in a trial that told so many bits.
func (a *arm) take(bits float64) {
	a.bits, a.trials = rounded(float64(fading*a.bits)+bits), float64(fading*a.trials)+1
}
