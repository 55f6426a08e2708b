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
	config  Configuration   // what is asked here
	chances chances         // of its outcomes
	batch   []Configuration // what is asked next, as long as nothing fails
	round   *round          // what is asked next, whatever the outcomes; nil = nothing
	place   int             // in the round
	trials  int             // on the path, this one included
	over    bool            // nothing is asked: the algorithm, or the budget, is at its end
	next    [3]*node
}

// chances are the probabilities of the three outcomes.
type chances [3]float64

// A round is configurations that are asked one after the other, whatever the outcomes.
type round struct {
	configs []Configuration
	chances []chances
	ends    []float64 // for each place, how likely the likeliest outcomes from there on are
}

// update finds out how likely the likeliest outcomes of what is not finished are.
func (e *engine) update(r *round) {
	r.ends = append(r.ends[:0], make([]float64, len(r.configs)+1)...)
	r.ends[len(r.configs)] = 1
	for i := len(r.configs) - 1; i >= 0; i-- {
		r.ends[i] = r.ends[i+1]
		if _, finished := e.outcomes[r.configs[i]]; !finished {
			r.ends[i] *= slices.Max(r.chances[i][:])
		}
	}
}

// beyond is how likely the outcomes of a round are at least, for workers to look for
// what is asked behind it: what is asked there is dear to find out, and few workers
// can be of use at all if there are many more outcomes that are as likely.
const beyond = 1.0 / 64

// after returns the point that an outcome leads to. Within a round it is
// known without a visit.
func (e *engine) after(n *node, o Outcome) *node {
	if n.next[o] == nil {
		m := &node{parent: n, outcome: o}
		if r := n.round; r != nil && n.place+1 < len(r.configs) {
			m.visited, m.round, m.place, m.trials = true, r, n.place+1, n.trials+1
			m.config, m.chances = r.configs[m.place], r.chances[m.place]
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
		if config != c && !likely.has(config) && !e.soon[config] {
			job.cancel()
		}
	}
	for _, config := range likely.list {
		e.start(config)
	}
}

// A ranking is configurations in some order, each once.
type ranking struct {
	list []Configuration
	rank map[Configuration]int
}

func newRanking() *ranking { return &ranking{rank: map[Configuration]int{}} }

func (r *ranking) has(c Configuration) bool {
	_, ok := r.rank[c]
	return ok
}

// add puts c behind the others, unless it is there.
func (r *ranking) add(c Configuration) {
	if !r.has(c) {
		r.rank[c] = len(r.list)
		r.list = append(r.list, c)
	}
}

// What looking ahead is worth. A test that the path comes to so seldom, in proportion
// to the number of workers, helps nobody. And to find one may take so many questions to
// runs of the algorithm; with fewer workers free the rest is left for later.
const (
	unlikely = 32
	effort   = 256
)

// likely returns unfinished configurations that the path may ask for, the
// likeliest first: the one it waits for, then those that it would ask for if
// that one passed, failed or were unresolved, and so on. There are at least as
// many as jobs, if they are found with little effort, and among them are
// all that were found before and can still be asked for.
func (e *engine) likely() *ranking {
	if e.prospects != nil {
		return e.foreseen()
	}
	configs := newRanking()
	add := func(c Configuration) {
		if _, finished := e.outcomes[c]; !finished {
			configs.add(c)
		}
	}
	var open likeliest[*node] // points, and how likely the path is to come to them
	open.add(e.root, 1)
	entered := map[*round]bool{}
	least := 1 / (unlikely * float64(e.jobs))
	questions := effort * (e.jobs - len(e.running) + 8)
	for looks := 128 * (e.jobs + 2); !open.empty() && looks > 0; looks-- {
		n, probability := open.next()
		if !n.visited {
			if len(configs.list) >= e.jobs || questions <= 0 || probability < least {
				continue
			}
			e.visit(n)
			questions -= n.trials
		}
		if n.over {
			continue
		}
		if r := n.round; r != nil {
			if !entered[r] {
				entered[r] = true
				e.update(r)
				for _, c := range r.configs[n.place:] {
					add(c)
				}
			}
			// Within a round a point is as likely as the likeliest behind the round.
			if n.place == 0 || n == e.root {
				probability *= r.ends[n.place]
			}
			if probability < beyond {
				continue
			}
		}
		if o, finished := e.outcomes[n.config]; finished {
			open.add(e.after(n, o), probability)
			continue
		}
		add(n.config)
		for _, c := range n.batch {
			add(c)
		}
		for _, o := range []Outcome{Unresolved, Pass, Fail} {
			p := probability * n.chances[o]
			if n.round != nil {
				p /= slices.Max(n.chances[:])
			}
			open.add(e.after(n, o), p)
		}
	}
	return configs
}

// errUnknown stops a run that has come to the point of a node.
var errUnknown = errors.New("outcome not known yet")

// visit finds out what is asked at a node.
func (e *engine) visit(n *node) {
	var assumed []Outcome // from the root on
	for m := n; m.parent != nil; m = m.parent {
		assumed = append(assumed, m.outcome)
	}
	slices.Reverse(assumed)
	n.visited, n.over = true, true
	var asked []Configuration
	var firm bool
	var ahead *run
	ahead = newRun(e.space, e.opts, func(c Configuration) (Outcome, error) {
		if n.trials++; e.opts.MaxTrials > 0 && n.trials > e.opts.MaxTrials {
			return Unresolved, ErrBudget
		}
		if k := n.trials - 1; k < len(e.answers) {
			return e.answers[k], nil
		} else if k -= len(e.answers); k < len(assumed) {
			return assumed[k], nil
		}
		n.config, n.over = c, false
		n.chances = e.chances(ahead, c)
		batch := newRanking()
		batch.add(c)
		for _, next := range asked {
			if _, known := ahead.seen[next]; !known && !e.isBroken(next) {
				batch.add(next)
			}
		}
		if n.batch = batch.list[1:]; firm && len(n.batch) > 0 {
			n.round, n.batch = &round{configs: batch.list}, nil
			for _, next := range batch.list {
				n.round.chances = append(n.round.chances, e.chances(ahead, next))
			}
		}
		return Unresolved, errUnknown
	})
	ahead.memory = e.memory
	ahead.announce = func(configs []Configuration, f bool) { asked, firm = configs, f }
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
