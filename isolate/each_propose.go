package isolate

import (
	"cmp"
	"slices"
)

// A proposal of SearchEach may be asked next.
type proposalEach struct {
	config Configuration // as the problem calls it
	bits   float64       // what it is worth
	asked  bool          // the search of a class asks for it
}

const (
	// What the question of a search is worth for its class at least, if it resolves. It is less than
	// what a likely cause is worth: so the search of a class without a candidate, such as a target
	// with two causes, goes on when the other classes know theirs, which often are its own.
	questionBits = 0.5
	// So many trials in a row may be for something else than the question of a search.
	mostAside = 64
	// What is worth less than this share of the best proposal is not tried ahead of the path.
	leastAhead = 0.25
)

// proposals returns configurations that were not asked: the first is asked next, and the others may be
// tried ahead of the path, the best first.
func (e *each) proposals() []Configuration {
	passing, failing := e.problem.ends()
	if ends := []Configuration{passing, failing}; len(e.path) < len(ends) {
		return ends[len(e.path):]
	}
	list := append(e.questions(), e.guesses()...)
	slices.SortStableFunc(list, func(a, b proposalEach) int {
		if e.aside >= mostAside && a.asked != b.asked {
			if a.asked {
				return -1
			}
			return 1
		}
		return cmp.Compare(rounded(b.bits), rounded(a.bits))
	})
	e.aside++
	if list[0].asked {
		e.aside = 0
	}
	var configs []Configuration
	for k, p := range list {
		if k == 0 || p.bits >= leastAhead*list[0].bits {
			configs = append(configs, p.config)
		}
	}
	return e.ahead(configs)
}

// questions returns what the searches of the classes ask for.
func (e *each) questions() (list []proposalEach) {
	for _, c := range e.open {
		x := e.inside(c.question)
		cells := c.candidates.set(x, true)
		bits := max(0, questionBits-c.candidates.expected(cells)) + e.expected(x)
		list = append(list, proposalEach{c.question, (1 - c.chances[Unresolved]) * bits, true})
	}
	return list
}

// guesses returns the likeliest cause of each class, with what it requires, and if there are several
// classes with candidates, random configurations. A cause that fails is a trial that the answer needs anyway, so
// it is worth a bit more.
func (e *each) guesses() (list []proposalEach) {
	classes := 0
	worth := func(x Configuration) float64 { return e.random.hidden.resolves(x) * e.expected(x) }
	for _, c := range e.open {
		x, p := c.candidates.likeliest()
		if p == 0 {
			continue
		}
		classes++
		x = e.random.required(x, Full(e.n))
		if config := e.outside(x); e.known[config] == nil && !e.isBroken(x) {
			list = append(list, proposalEach{config, worth(x) + e.random.hidden.resolves(x)*p, false})
		}
	}
	if classes > 1 {
		for _, g := range e.random.draw(e.elementsOfCandidates(), worth) {
			if config := e.outside(g.config); e.known[config] == nil {
				list = append(list, proposalEach{config, g.bits, false})
			}
		}
	}
	return list
}

// expected returns how many bits the outcomes of a configuration give, summed over all classes, if it
// resolves.
func (e *each) expected(x Configuration) (bits float64) {
	cells := e.open[0].candidates.set(x, true)
	for _, c := range e.open {
		bits += c.candidates.expected(cells)
	}
	return bits
}

// elementsOfCandidates returns the positions that are in a candidate of some class.
func (e *each) elementsOfCandidates() Configuration {
	cells := newBitset(e.open[0].candidates.cells)
	for _, c := range e.open {
		c.candidates.collect(cells)
	}
	return e.open[0].candidates.positions(cells)
}

// refine divides the positions that are left in candidates into smaller cells, if they are at most half
// of those that there were, and each class learns again what is known.
func (e *each) refine() {
	was, among := e.open[0].candidates, e.elementsOfCandidates()
	if was.cells == was.n || 2*among.Len() > was.n || among.IsEmpty() {
		return
	}
	for _, c := range e.open {
		c.candidates = newCandidates(among)
	}
	for _, config := range e.path {
		x := e.inside(config)
		for _, c := range e.open {
			c.candidates.take(x, e.turn(e.known[config][c.targets[0]]))
		}
	}
}

// ahead adds what the searches of the classes ask for if their questions pass, and if they fail, and so
// on, the likeliest first, until there is something for each worker.
func (e *each) ahead(list []Configuration) []Configuration {
	if e.opts.Jobs <= 1 {
		return list
	}
	var points likeliest[*class]
	for _, c := range e.open {
		points.add(c, 1)
	}
	for len(list) < e.opts.Jobs && !points.empty() {
		c, p := points.next()
		for _, o := range []Outcome{Pass, Fail} {
			d := *c
			d.assumed = append(slices.Clip(c.assumed), sized{Configuration: c.question, outcome: o})
			e.replay(&d)
			if d.err != errUnknown {
				continue
			}
			points.add(&d, p*c.chances[e.turn(o)])
			if !slices.Contains(list, d.question) {
				list = append(list, d.question)
			}
		}
	}
	return list
}
