package isolate

import (
	"container/heap"
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
	batch   []Configuration // asked here too, whatever its outcome
	over    bool            // nothing is: the algorithm, or the budget, is at its end
	next    [3]*node
}

func (n *node) after(o Outcome) *node {
	if n.next[o] == nil {
		n.next[o] = &node{parent: n, outcome: o}
	}
	return n.next[o]
}

// advance moves the root along the path, and forgets all that did not happen.
func (e *engine) advance(o Outcome) {
	e.root = e.root.after(o)
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
	var configs []Configuration
	open := &branches{{node: e.root, probability: 1}}
	created := 1
	follow := func(b branch, o Outcome, probability float64) {
		heap.Push(open, branch{b.after(o), b.probability * probability, created})
		created++
	}
	for visits := 4*e.jobs + 8; open.Len() > 0; {
		b := heap.Pop(open).(branch)
		if !b.visited {
			if len(configs) >= e.jobs || visits == 0 {
				continue
			}
			visits--
			e.visit(b.node)
		}
		if b.over {
			continue
		}
		if o, finished := e.outcomes[b.config]; finished {
			follow(b, o, 1)
			continue
		}
		for _, c := range append([]Configuration{b.config}, b.batch...) {
			if _, finished := e.outcomes[c]; !finished && !slices.Contains(configs, c) {
				configs = append(configs, c)
			}
		}
		for _, o := range []Outcome{Unresolved, Pass, Fail} {
			follow(b, o, e.probability(b.config, o))
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
	trials := 0
	var asked []Configuration
	ahead := newRun(e.space, e.opts, func(c Configuration) (Outcome, error) {
		if trials++; e.opts.MaxTrials > 0 && trials > e.opts.MaxTrials {
			return Unresolved, ErrBudget
		}
		if o, ok := e.past[c]; ok {
			return o, nil
		}
		if o, ok := assumed[c]; ok {
			return o, nil
		}
		n.config, n.over = c, false
		for _, next := range asked {
			if _, known := assumed[next]; !known && next != c && !e.isBroken(next) {
				n.batch = append(n.batch, next)
			}
		}
		return Unresolved, errUnknown
	})
	ahead.announce = func(configs []Configuration) { asked = configs }
	ahead.learn = func(c Configuration) [][2]int {
		if _, finished := e.outcomes[c]; finished {
			return e.teach(c)
		}
		return nil
	}
	_, _ = ahead.perform(e.algorithm) // n holds what it came to
}

// probability returns how likely an outcome is, by the path's own record. The
// ends are almost certain: a search that finds them otherwise is over.
func (e *engine) probability(c Configuration, o Outcome) float64 {
	const surely = 0.98
	switch {
	case c.IsEmpty() && o == Pass, c == Full(e.n) && o == Fail:
		return surely
	case c.IsEmpty(), c == Full(e.n):
		return (1 - surely) / 2
	}
	total := e.counts[Unresolved] + e.counts[Pass] + e.counts[Fail]
	if o == Unresolved {
		return (0.5 + float64(e.counts[o])) / (2.5 + float64(total))
	}
	return (1 + float64(e.counts[o])) / (2.5 + float64(total))
}

// A branch is a node and how likely the path is to come to it.
type branch struct {
	*node
	probability float64
	number      int // order of creation, to break ties
}

// branches is a heap with the likeliest branch on top.
type branches []branch

func (b branches) Len() int      { return len(b) }
func (b branches) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b branches) Less(i, j int) bool {
	if b[i].probability != b[j].probability {
		return b[i].probability > b[j].probability
	}
	return b[i].number < b[j].number
}
func (b *branches) Push(x any) { *b = append(*b, x.(branch)) }
func (b *branches) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	*b = (*b)[:last]
	return x
}
