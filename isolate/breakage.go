package isolate

import (
	"cmp"
	"math"
	"slices"
)

// A breakage is how far a configuration breaks what explains messages.
type breakage struct {
	of     *reasons
	config Configuration
	in     []bool    // by element: whether it is in config
	broken []float64 // by message: the share of the weight of its explanations that config breaks
}

// A mention is an explanation of a message, as one of its two elements sees it.
type mention struct {
	message, other int
	requires       bool    // the element is what the other one requires
	share          float64 // of the weight of the message's explanations
}

// breakage returns how far a configuration breaks the explanations. Of a message the
// weighedMost likeliest are looked at. Cost: the explanations.
func (r *reasons) breakage(c Configuration) *breakage {
	if len(r.list) == 0 {
		return &breakage{of: r, config: c}
	}
	b := &breakage{r, c, membership(c), make([]float64, len(r.list))}
	for k, is := range r.list {
		for _, e := range is.explanations[:min(weighedMost, len(is.explanations))] {
			if b.in[e.Element] && !b.in[e.Requires] {
				b.broken[k] += e.Weight / is.total
			}
		}
	}
	return b
}

// moved returns the breakage of another configuration. Cost: the messages, and the explanations
// that have an element in which the two configurations differ.
func (b *breakage) moved(c Configuration) *breakage {
	next := &breakage{b.of, c, slices.Clone(b.in), slices.Clone(b.broken)}
	mentions := b.of.mentioned(len(b.in))
	for _, d := range []Configuration{b.config.Minus(c), c.Minus(b.config)} {
		for i := range d.All() {
			for _, m := range mentions[i] {
				if next.in[m.other] != m.requires { // not broken, whether i is in or not
					continue
				}
				if next.in[i] == m.requires { // it becomes broken
					next.broken[m.message] += m.share
				} else {
					next.broken[m.message] -= m.share
				}
			}
			next.in[i] = !next.in[i]
		}
	}
	return next
}

// mentioned returns for each of n elements the explanations that it is in.
func (r *reasons) mentioned(n int) [][]mention {
	r.indexed.Do(func() {
		counts := make([]int, n+1)
		each := func(visit func(i int, m mention)) {
			for k, is := range r.list {
				for _, e := range is.explanations[:min(weighedMost, len(is.explanations))] {
					share := e.Weight / is.total
					visit(e.Element, mention{k, e.Requires, false, share})
					visit(e.Requires, mention{k, e.Element, true, share})
				}
			}
		}
		each(func(i int, _ mention) { counts[i]++ })
		total := 0
		for i, count := range counts {
			counts[i] = total
			total += count
		}
		all := make([]mention, total)
		next := slices.Clone(counts)
		each(func(i int, m mention) { all[next[i]] = m; next[i]++ })
		r.mentions = make([][]mention, n)
		for i := range n {
			r.mentions[i] = all[counts[i]:counts[i+1]]
		}
	})
	return r.mentions
}

// likely returns how likely the configuration breaks none of the requirements that explain
// the messages of trials: that the reason of each message is not among those that it breaks, as if these
// were independent, and the same of the one message for which it is the least likely. As one
// requirement that is broken makes many messages, the truth lies in between. checked is the
// same as all of the messages that only Options.Check gave. Cost: the messages.
func (b *breakage) likely() (all, least, checked float64) {
	all, least, checked = 1, 1, 1
	for k, share := range b.broken {
		p := 1 - surest*min(max(share, 0), 1)
		switch {
		case p >= 1:
		case b.of.list[k].tested:
			all *= p
			least = min(least, p)
		default:
			checked *= p
		}
	}
	return all, least, checked
}

// A repair finds suspects to move so that a configuration breaks less of what explains messages.
// It keeps what is used from one configuration to the next.
type repair struct {
	suspects []bool    // by element
	gain     []float64 // by element: how much likelier its move alone makes it, as a logarithm
	part     []float64 // by element: the share of the explanations of one message that it is in
	met      []int     // the elements that have a gain
}

func newRepair(suspects Configuration) *repair {
	return &repair{suspects: membership(suspects), gain: make([]float64, suspects.n), part: make([]float64, suspects.n)}
}

// best returns the suspects of which it is the likeliest that moving one of them alone mends the
// messages that the configuration of b most likely leads to: the best first, at most mostTried.
// Cost: the messages, and the explanations of mostRepaired of them.
func (r *repair) best(b *breakage) []int {
	for _, k := range b.worst() {
		is, broken := b.of.list[k], b.broken[k]
		var here []int
		take := func(i int, share float64) {
			if !r.suspects[i] {
				return
			}
			if r.part[i] == 0 {
				here = append(here, i)
			}
			r.part[i] += share
		}
		for _, e := range is.explanations[:min(weighedMost, len(is.explanations))] {
			if b.in[e.Element] && !b.in[e.Requires] {
				take(e.Element, e.Weight/is.total)
				take(e.Requires, e.Weight/is.total)
			}
		}
		for _, i := range here {
			if r.gain[i] == 0 {
				r.met = append(r.met, i)
			}
			r.gain[i] += math.Log1p(-surest*max(broken-r.part[i], 0)) - math.Log1p(-surest*min(broken, 1))
			r.part[i] = 0
		}
	}
	var best []int
	for _, i := range r.met {
		at := len(best)
		for gain := rounded(r.gain[i]); at > 0 && cmp.Or(cmp.Compare(rounded(r.gain[best[at-1]]), gain), i-best[at-1]) < 0; {
			at--
		}
		if at < mostTried {
			best = slices.Insert(best[:min(len(best), mostTried-1)], at, i)
		}
	}
	for _, i := range r.met {
		r.gain[i] = 0
	}
	r.met = r.met[:0]
	return best
}

// worst returns the messages of which the configuration breaks the most, at most mostRepaired.
func (b *breakage) worst() []int {
	var list []int
	var shares []float64 // of list
	for k, share := range b.broken {
		if share = rounded(share); share < hardly {
			continue
		}
		at := len(list)
		for at > 0 && shares[at-1] < share {
			at--
		}
		if at < mostRepaired {
			kept := min(len(list), mostRepaired-1)
			list, shares = slices.Insert(list[:kept], at, k), slices.Insert(shares[:kept], at, share)
		}
	}
	return list
}

const (
	mostRepaired = 16   // of so many messages a repair looks at the explanations
	mostTried    = 3    // so many suspects are tried
	hardly       = 0.01 // a smaller share that is broken is not worth a repair
)
