package isolate

import "math"

// A rate is what a search knows of how many hidden requirements there are,
// those that are neither known nor predicted nor learned: a probability for
// each number of a logarithmic grid, by Bayes' rule. It is the noise of noisy
// group testing (Atia and Saligrama, "Boolean compressed sensing and noisy
// group testing", IEEE Transactions on Information Theory 58(3), 2012), with
// its level unknown and estimated on the way. It decides how much to move at
// once: half of the suspects while configurations resolve, less when not.
type rate struct {
	p [gridSize]float64
	*teaching

	// Of the hidden requirements that no message tells of, such as where a mixture builds and crashes. Where tests teach, p is
	// of the others alone. nil = p is of all.
	silent *rate
}

// A teaching is what a search knows of how far unresolved trials teach requirements.
type teaching struct {
	told, nothing int // unresolved trials that taught requirements, and those that did not
	repairs       int // trials of what was asked again with what was learned
	repaired      int // of these, those that resolved
	most, times   int // requirements that one of them taught, and how many taught so many
}

// The grid goes from 1/16 to 2^14 hidden requirements, in steps of 4. Before
// anything is known, each number is 3/4 as likely as the one before.
const (
	gridSize  = 10
	gridStart = 1.0 / 16
	gridStep  = 4
	gridDecay = 0.75

	floor    = 1e-5 // no number of the grid becomes less likely than this
	mistaken = 0.01 // how likely an outcome has reasons that are not modelled

	toldShare = 0.7 // the share of violated requirements that diagnostics name
	toldWell  = 0.8 // of as many as they name at most, so many are of use
)

func newRate() *rate {
	r := &rate{teaching: &teaching{}}
	p := 1.0
	for i := range r.p {
		r.p[i] = p
		p *= gridDecay
	}
	r.normalise()
	return r
}

// repair takes in a trial of what was asked again with what was learned.
func (t *teaching) repair(resolved bool) {
	t.repairs++
	if resolved {
		t.repaired++
	}
}

// numbers yields the grid.
func numbers(yield func(i int, n float64) bool) {
	n := gridStart
	for i := range gridSize {
		if !yield(i, n) {
			return
		}
		n *= gridStep
	}
}

// resolves returns how likely a configuration resolves that each hidden
// requirement breaks with probability x.
func (r *rate) resolves(x float64) float64 {
	sum := 0.0
	for i, n := range numbers {
		sum += r.p[i] * math.Exp(-x*n)
	}
	return sum
}

// resolvesSilent returns how likely a configuration breaks none of the requirements that no message tells of, if it breaks each with
// probability x.
func (r *rate) resolvesSilent(x float64) float64 {
	if r.silent == nil {
		return 1
	}
	return r.silent.resolves(x)
}

// yield returns how many resolved configurations a trial of such a one gives:
// where unresolved ones teach requirements it takes a few trials to get there,
// but what is learned stays.
func (r *rate) yield(x float64) float64 {
	if !r.teaches() {
		return r.resolves(x) * r.resolvesSilent(x)
	}
	trials := 0.0
	for i, n := range numbers {
		trials += r.p[i] * trialsTaught(x*n, toldWell*float64(r.limit()))
	}
	return r.resolvesSilent(x) / trials
}

// teaches reports whether unresolved trials tell what was missing, and it pays to ask
// again with that.
func (t *teaching) teaches() bool {
	return t.told > t.nothing && t.repairs <= patient+patiently*t.repaired
}

// How many trials are spent on repairs of what did not resolve, in vain, and how many
// more for each that came to an end.
const (
	patient   = 30
	patiently = 15
)

// trialsTaught returns about how many trials it takes to meet the x
// requirements that a configuration violates, when each tells of some, at most so many.
func trialsTaught(x, most float64) float64 {
	trials := 0.0
	for reached := 1.0; reached > 0.01; x = max(0.4*x, x-most) {
		if x > 100 {
			return trials + x/most
		}
		trials += reached
		reached *= 1 - math.Exp(-x)
	}
	return trials
}

// limit returns how many requirements an unresolved trial teaches at most, for many tools
// stop after some errors. If none taught more than several did, that is taken to be the
// limit; until then it is that of most compilers.
func (t *teaching) limit() int {
	if t.times > 1 {
		return t.most
	}
	return max(usualLimit, t.most+1)
}

const usualLimit = 10

// learn takes in the outcome of such a configuration, and how many requirements
// it taught.
func (r *rate) learn(x float64, resolved bool, taught int) {
	r.count(resolved, taught)
	r.update(x, resolved, taught)
}

// count takes in how many requirements a trial taught.
func (t *teaching) count(resolved bool, taught int) {
	switch {
	case taught > t.most:
		t.most, t.times = taught, 1
	case taught == t.most:
		t.times++
	}
	if !resolved && taught > 0 {
		t.told++
	} else if !resolved {
		t.nothing++
	}
}

// update takes in the outcome alone.
func (r *rate) update(x float64, resolved bool, taught int) {
	for i, n := range numbers {
		r.p[i] *= mistaken + (1-mistaken)*likelihood(x*n, resolved, taught, r.limit(), r.teaches())
	}
	r.normalise()
	for i := range r.p {
		r.p[i] = max(r.p[i], floor)
	}
	r.normalise()
}

// likelihood returns how likely the outcome is when x requirements are
// violated in the mean, by the law of Poisson.
func likelihood(x float64, resolved bool, taught, most int, teaches bool) float64 {
	switch {
	case resolved:
		return math.Exp(-x)
	case taught > 0:
		p, fewer := math.Exp(-toldShare*x), 0.0
		for k := range taught {
			fewer += p
			p *= toldShare * x / float64(k+1)
		}
		if taught >= most { // there may be more that the tool did not come to
			return max(0, 1-fewer)
		}
		return p
	case teaches:
		return math.Exp(-toldShare*x) - math.Exp(-x)
	}
	return 1 - math.Exp(-x)
}

func (r *rate) normalise() {
	total := 0.0
	for _, p := range r.p {
		total += p
	}
	for i := range r.p {
		r.p[i] /= total
	}
}

// entropy returns the entropy of an event of probability p, in bits.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// rates are what is known of hidden requirements for cuts at the borders of groups of each
// level, and the last for cuts between any elements. Where a mixture of whole files does
// not resolve, one of parts of files is not likelier to, and where one of parts of files
// resolves, one of whole files is as likely to: so each outcome counts for the level of its
// cut, an unresolved one also for the finer levels, and another one for the coarser levels.
type rates []*rate

// newRates returns rates for cuts of some levels of groups. With apart unset all of them
// are one. With said set there are messages, and requirements that no message tells of are counted apart.
func newRates(levels int, apart, said bool) rates {
	list := make(rates, levels+1)
	first := newRate()
	if said {
		first.silent = newRate()
	}
	for l := range list {
		list[l] = first
		if apart && l > 0 {
			list[l] = newRate()
			list[l].teaching = first.teaching
			if said {
				list[l].silent = newRate()
			}
		}
	}
	return list
}

// learn takes in the outcome of a cut of a level as rate.learn does. said is whether there was a message. silent reports that
// the cut did not resolve because of a requirement that no message tells of, as far as can be known: others teach.
func (r rates) learn(level int, x float64, resolved, said bool, taught int) (silent bool) {
	own := r[level]
	if silent = !resolved && !said && own.silent != nil && own.teaches(); !silent {
		own.count(resolved, taught)
	}
	for l, other := range r {
		if l != level && (other == own || resolved != (l < level)) {
			continue
		}
		other.update(x, resolved || silent, taught)
		if other.silent != nil && (resolved || silent) {
			other.silent.update(x, resolved, 0)
		}
	}
	return silent
}
