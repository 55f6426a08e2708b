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
	outcome Outcome // of parent.item, assumed here

	visited bool
	item    *item   // what is asked here
	chances chances // of its outcomes
	batch   []*item // what is asked next, perhaps
	round   *round  // what is asked next, whatever the outcomes; nil = nothing
	place   int     // in the round
	trials  int     // on the path, this one included, and those that were rejected
	over    bool    // nothing is asked: the algorithm, or the budget, is at its end
	next    [3]*node
}

// chances are the probabilities of the three outcomes.
type chances [3]float64

// A round is configurations that are asked one after the other, whatever the outcomes.
type round struct {
	items   []*item
	chances []chances
	ends    []float64 // for each place, how likely the likeliest outcomes from there on are
	epoch   int       // when that was found out
}

// update finds out how likely the likeliest outcomes of what is not finished are.
func (e *engine) update(r *round) {
	r.epoch = e.epoch
	r.ends = append(r.ends[:0], make([]float64, len(r.items)+1)...)
	r.ends[len(r.items)] = 1
	for i := len(r.items) - 1; i >= 0; i-- {
		r.ends[i] = r.ends[i+1]
		if !r.items[i].finished {
			c := e.predictor.chances(r.items[i], r.chances[i])
			r.ends[i] *= slices.Max(c[:])
		}
	}
}

// after returns the point that an outcome leads to. Within a round it is
// known without a visit.
func (e *engine) after(n *node, o Outcome) *node {
	if n.next[o] == nil {
		m := &node{parent: n, outcome: o}
		if r := n.round; r != nil && n.place+1 < len(r.items) {
			m.visited, m.round, m.place, m.trials = true, r, n.place+1, n.trials+1
			m.item, m.chances = r.items[m.place], r.chances[m.place]
			m.over = e.opts.MaxTrials > 0 && m.trials > e.mostAsked()
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

// speculate keeps the workers busy that the path, which waits for i, leaves
// free. Running tests that the path cannot come to any more are cancelled.
func (e *engine) speculate(i *item) {
	if e.jobs == 1 && e.opts.Prefetch == nil {
		return
	}
	if e.isNews(i) {
		e.likeliestNext = e.likely()
		for j := range e.running {
			if j.item != i && !e.wants(j.item) {
				e.abandon(j)
			}
		}
		e.budget.review(e.wants)
	}
	for _, next := range e.likeliestNext {
		if e.busy == e.jobs || !e.startAhead(next) {
			break
		}
	}
	e.prefetch(e.likeliestNext)
	e.sweep(i)
}

// isNews reports whether it is time to look ahead again, for a path that waits for i: it
// has moved, or tests are finished since, of so many workers a few. Until then what was
// found last is tested, so nobody waits for the look. That a test which was cancelled
// has returned tells nothing.
func (e *engine) isNews(i *item) bool {
	if i == e.awaited && e.notice == e.noticed && (e.ended == 0 || e.ended < e.jobs/noticeable) {
		return false
	}
	e.awaited, e.noticed, e.ended = i, e.notice, 0
	return true
}

// wants reports whether the path may still come to i, as far as anybody has looked.
func (e *engine) wants(i *item) bool { return i.epoch == e.epoch || i.notice == e.notice }

// sweep forgets items that nobody has any use for, when they have become twice as many.
func (e *engine) sweep(current *item) {
	if len(e.items) < 2*e.kept+64*e.jobs {
		return
	}
	for c, i := range e.items {
		if i != current && !i.finished && i.job == nil && !e.wants(i) {
			delete(e.items, c)
		}
	}
	e.kept = len(e.items)
}

// What looking ahead is worth.
const (
	// A test that the path comes to so seldom, in proportion to the number of workers,
	// helps nobody.
	unlikely = 32
	// How likely the outcomes of a round are at least, for workers to look for what is
	// asked behind it: that is dear to find out, and where there are many more outcomes
	// that are as likely, few workers can be of use.
	beyond = 1.0 / 64
	// So many questions may be asked of runs that look ahead, for each test that ends:
	// what is left over is for later, and so is what they do not suffice for.
	effort = 4096
	// So many points in a row, where something else may be asked but nothing that was not
	// found at others, are looked at before it is enough for now.
	fruitless = 256
	// One of so many tests may end without a new look.
	noticeable = 32
)

func (e *engine) mostCredit() int { return effort * (e.jobs + 8) }

// marking returns what marks an item with the epoch, and adds it to the list if it was not marked before and is unfinished.
func (e *engine) marking(list *[]*item) func(*item) {
	return func(i *item) {
		if i.epoch != e.epoch {
			i.epoch = e.epoch
			if !i.finished {
				*list = append(*list, i)
			}
		}
	}
}

// likely returns unfinished configurations that the path may ask for, the
// likeliest first: the one it waits for, then those that it would ask for if
// that one passed, failed or were unresolved, and so on. There are at least as
// many as jobs, if they are found with little effort, and among them are
// all that were found before and can still be asked for. These are marked with the
// epoch, and so are those that are finished.
func (e *engine) likely() (list []*item) {
	e.epoch++
	if e.lookaheads != nil {
		return e.lookedAhead()
	}
	add := e.marking(&list)
	wanted := e.jobs + e.extraAhead()
	least := 1 / (unlikely * float64(wanted))
	var open likeliest[*node] // points, and how likely the path is to come to them
	open.add(e.root, 1)
	barren := 0
	for looks := 128 * (wanted + 2); !open.empty() && looks > 0; looks-- {
		n, probability := open.next()
		if !n.visited {
			if len(list) >= wanted || e.credit <= 0 || probability < least || barren == fruitless {
				continue
			}
			e.visit(n)
			e.credit -= n.trials
			e.visits++
			e.questions += n.trials
			if barren++; !n.over && n.item.epoch != e.epoch {
				barren = 0
			}
		}
		if n.over {
			continue
		}
		if r := n.round; r != nil {
			if r.epoch != e.epoch {
				e.update(r)
				for _, i := range r.items[n.place:] {
					add(i)
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
		add(n.item)
		if n.item.finished {
			open.add(e.after(n, n.item.outcome), probability)
			continue
		}
		for _, i := range n.batch {
			add(i)
		}
		chances := e.predictor.chances(n.item, n.chances)
		for _, o := range []Outcome{Unresolved, Pass, Fail} {
			p := probability * chances[o]
			if n.round != nil {
				p /= slices.Max(chances[:])
			}
			if next := e.after(n, o); next.visited || p >= least && len(list) < wanted {
				open.add(next, p)
			}
		}
	}
	return list
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
		if n.trials++; e.opts.MaxTrials > 0 && n.trials > e.mostAsked() {
			return Unresolved, ErrBudget
		}
		if k := n.trials - 1; k < len(e.answers) {
			return e.answers[k], nil
		} else if k -= len(e.answers); k < len(assumed) {
			return assumed[k], nil
		}
		n.item, n.over = e.item(c), false
		n.chances = e.chances(ahead, c)
		items := []*item{n.item}
		listed := map[*item]bool{n.item: true}
		for _, next := range asked {
			if e.opts.MaxTrials > 0 && n.trials+len(items) > e.mostAsked() {
				break
			}
			if _, known := ahead.seen[next]; known || e.isBroken(next) {
				continue
			}
			if i := e.item(next); !listed[i] {
				listed[i] = true
				items = append(items, i)
			}
		}
		if n.batch = items[1:]; firm && len(n.batch) > 0 {
			n.round, n.batch = &round{items: items}, nil
			for _, i := range items {
				n.round.chances = append(n.round.chances, e.chances(ahead, i.config))
			}
		}
		return Unresolved, errUnknown
	})
	ahead.memory = e.memory
	ahead.seen = make(map[Configuration]Outcome, len(e.answers)+len(assumed)+8)
	ahead.announce = func(configs []Configuration, f bool) { asked, firm = configs, f }
	ahead.learn = func(c Configuration) [][2]int {
		if _, finished := e.outcomeOf(c); finished {
			return e.teach(c)
		}
		return nil
	}
	if e.opts.Diagnose != nil {
		ahead.diagnose = func(c Configuration) []Message {
			if _, finished := e.outcomeOf(c); finished {
				return e.messages(c)
			}
			return nil
		}
	}
	if e.opts.Check != nil {
		ahead.check = e.checked
	}
	ahead.reasons = e.reasons
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
