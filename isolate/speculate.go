package isolate

import (
	"errors"
	"slices"
)

// A node is a point that the path may come to. The root is where the path is;
// below it are the points that each outcome leads to. What an algorithm asks
// at a point follows from the outcomes before it, so it is found once, by
// running the algorithm from its beginning on these outcomes, and kept.
type node struct {
	parent  *node
	outcome Outcome // of parent.config, assumed here

	visited bool
	config  Configuration // what is asked here
	chances []chances     // of its outcomes, and of those of the batch
	batch   []Configuration
	firm    bool // the batch is asked next, whatever the outcomes; else it is as long as nothing fails
	trials  int  // on the path, this one included
	over    bool // nothing is asked: the algorithm, or the budget, is at its end
	next    [3]*node
}

// chances are the probabilities of the three outcomes.
type chances [3]float64

// after returns the point that an outcome leads to. Within a firm batch it is
// known without a visit.
func (e *engine) after(n *node, o Outcome) *node {
	if n.next[o] == nil {
		m := &node{parent: n, outcome: o}
		if n.firm && len(n.batch) > 0 {
			m.visited, m.firm, m.trials = true, true, n.trials+1
			m.config, m.batch, m.chances = n.batch[0], n.batch[1:], n.chances[1:]
			m.over = e.opts.MaxTrials > 0 && m.trials > e.opts.MaxTrials
		}
		n.next[o] = m
	}
	return n.next[o]
}

// advance moves the root along the path, and forgets all that did not happen.
func (e *engine) advance(o Outcome) {
	e.root = e.after(e.root, o)
	e.root.parent = nil
}

// speculate keeps the workers busy that the path, which waits for c, leaves
// free. (There is always one for c: that of the test the path waited for
// before.) Running tests that the path cannot come to any more are cancelled.
func (e *engine) speculate(c Configuration) {
	if e.jobs == 1 {
		return
	}
	likely := e.likely()
	for config, job := range e.running {
		if config != c && !slices.Contains(likely, config) && !slices.Contains(e.asked, config) {
			job.cancel()
		}
	}
	for _, config := range likely {
		e.start(config)
	}
}

// likely returns unfinished configurations that the path may ask for, the
// likeliest first: the one it waits for, then those that it would ask for if
// that one passed, failed or were unresolved, and so on. There are at least as
// many as jobs, if a few more visits than that find them, and among them are
// all that were found before and can still be asked for.
func (e *engine) likely() []Configuration {
	if e.prospects != nil {
		return e.foreseen()
	}
	var configs []Configuration
	var open likeliest[*node] // points, and how likely the path is to come to them
	open.add(e.root, 1)
	visits := 4*e.jobs + 8
	for looks := 32 * visits; !open.empty() && looks > 0; looks-- {
		n, probability := open.next()
		if !n.visited {
			if len(configs) >= e.jobs || visits == 0 {
				continue
			}
			visits--
			e.visit(n)
		}
		if n.over {
			continue
		}
		if o, finished := e.outcomes[n.config]; finished {
			open.add(e.after(n, o), probability)
			continue
		}
		for _, c := range append([]Configuration{n.config}, n.batch...) {
			if _, finished := e.outcomes[c]; !finished && !slices.Contains(configs, c) {
				configs = append(configs, c)
			}
		}
		for _, o := range []Outcome{Unresolved, Pass, Fail} {
			open.add(e.after(n, o), probability*n.chances[0][o])
		}
	}
	return configs
}

// errUnknown stops a run that has come to the point of a node.
var errUnknown = errors.New("outcome not known yet")

// visit finds out what is asked at a node.
func (e *engine) visit(n *node) {
	assumed := map[Configuration]Outcome{}
	for m := n; m.parent != nil; m = m.parent {
		assumed[m.parent.config] = m.outcome
	}
	n.visited, n.over = true, true
	var asked []Configuration
	var ahead *run
	ahead = newRun(e.space, e.opts, func(c Configuration) (Outcome, error) {
		if n.trials++; e.opts.MaxTrials > 0 && n.trials > e.opts.MaxTrials {
			return Unresolved, ErrBudget
		}
		if o, ok := e.past[c]; ok {
			return o, nil
		}
		if o, ok := assumed[c]; ok {
			return o, nil
		}
		n.config, n.over = c, false
		n.chances = []chances{e.chances(ahead, c)}
		for _, next := range asked {
			if _, known := ahead.seen[next]; !known && next != c && !slices.Contains(n.batch, next) && !e.isBroken(next) {
				n.batch = append(n.batch, next)
				n.chances = append(n.chances, e.chances(ahead, next))
			}
		}
		return Unresolved, errUnknown
	})
	ahead.announce = func(configs []Configuration, firm bool) { asked, n.firm = configs, firm }
	ahead.learn = func(c Configuration) [][2]int {
		if _, finished := e.outcomes[c]; finished {
			return e.teach(c)
		}
		return nil
	}
	_, _ = ahead.perform(e.algorithm) // n holds what it came to
}

// chances returns how likely the outcomes of a configuration are: what the
// algorithm says, or else by the path's own record. The ends are almost
// certain: a search that finds them otherwise is over.
func (e *engine) chances(ahead *run, c Configuration) chances {
	const surely = 0.98
	const hardly = (1 - surely) / 2
	switch {
	case c.IsEmpty():
		return chances{Unresolved: hardly, Pass: surely, Fail: hardly}
	case c == Full(e.n):
		return chances{Unresolved: hardly, Pass: hardly, Fail: surely}
	case ahead.likely != nil:
		return ahead.likely(c)
	}
	total := 2.5 + float64(e.counts[Unresolved]+e.counts[Pass]+e.counts[Fail])
	return chances{
		Unresolved: (0.5 + float64(e.counts[Unresolved])) / total,
		Pass:       (1 + float64(e.counts[Pass])) / total,
		Fail:       (1 + float64(e.counts[Fail])) / total,
	}
}
