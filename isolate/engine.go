package isolate

import (
	"context"
	"runtime"
	"sync"
)

// An engine stands between the algorithms and the tests. It runs at most
// Options.Jobs tests at once: the one that the path waits for, and beside it
// those that the path is likely to ask for next (speculate.go). An outcome
// that was found ahead of the path is kept until the path asks for it, and
// counted only then.
type engine struct {
	*space
	algorithm algorithm
	test      Test
	opts      Options
	jobs      int

	ctx    context.Context // of this search: ends the tests when the search returns
	cancel context.CancelFunc
	parent context.Context // the caller's: ends the search
	group  sync.WaitGroup
	done   chan finished

	items   map[Configuration]*item
	running map[*job]bool               // the tests that are still of use
	busy    int                         // tests that run, those included that were cancelled and have not returned
	past    map[Configuration]Outcome   // on the path
	answers []Outcome                   // the same in the path's order
	taught  map[Configuration][][2]int  // what unresolved ones of these taught
	said    map[Configuration][]Message // and said
	known   map[Configuration][]Message // what Options.Check said
	reasons *reasons                    // at the path's beginning

	asked         []*item // what the path is going to ask next, see announced
	firm          bool    // whatever the outcomes
	waiting       int     // so many of asked were looked at
	notice        int     // how often there was something announced
	root          *node   // where the path is, for looking ahead
	credit        int     // so many questions may be asked of runs that look ahead
	likeliestNext []*item // what the last look ahead found, the likeliest first
	awaited       *item   // the path waited for it then
	noticed       int     // notice then
	ended         int     // tests that have ended since
	predictor     predictor
	memory        *memory     // of the path's beginning; nil = none
	lookaheads    []lookahead // where a minimisation is; nil = by root
	speculators   []speculator
	held          int // outcomes on the path after drop
	epoch         int // how often anybody looked ahead
	kept          int // items after sweep
	budget        budget
	upcoming      upcoming

	trials   int    // on the path, finished or being waited for
	counts   [3]int // the path's outcomes
	precheck prechecked
	barren   int // how many of the last on the path were unresolved in a row

	// What looking ahead cost, for tests: points looked at, and the questions asked there.
	visits, questions int
}

// An item is a configuration that the path has asked for, or may ask for.
type item struct {
	config     Configuration
	outcome    Outcome
	finished   bool // outcome is known
	job        *job // its test, while it runs and is of use
	ahead      bool // its test was started ahead of the path, which has not come to it
	epoch      int  // of the last look ahead that found that the path may ask for it
	notice     int  // of the last announcement that it is in; 0 = none
	prediction prediction
	called     *Configuration // what the problem calls it; nil = not known yet
}

// A job is a running test.
type job struct {
	*item
	ctx    context.Context
	cancel context.CancelFunc
}

type finished struct {
	*job
	outcome Outcome
	err     error
}

func newEngine(ctx context.Context, s *space, a algorithm, test Test, opts Options) *engine {
	e := &engine{
		space:     s,
		algorithm: a,
		test:      test,
		opts:      opts,
		jobs:      max(1, opts.Jobs),
		parent:    ctx,
		items:     map[Configuration]*item{},
		running:   map[*job]bool{},
		past:      map[Configuration]Outcome{},
		taught:    map[Configuration][][2]int{},
		said:      map[Configuration][]Message{},
		known:     map[Configuration][]Message{},
		reasons:   newReasons(),
		root:      &node{},
		notice:    1,
		budget:    budget{most: opts.MaxCost},
	}
	e.credit = e.mostCredit()
	e.predictor.alone, e.predictor.known = Full(e.n), Full(e.n)
	e.done = make(chan finished, e.jobs)
	e.ctx, e.cancel = context.WithCancel(ctx)
	return e
}

// close ends all tests and waits until they are gone.
func (e *engine) close() {
	e.foretell(nil)
	e.cancel()
	e.group.Wait()
}

// item returns the item of a configuration.
func (e *engine) item(c Configuration) *item {
	i := e.items[c]
	if i == nil {
		i = &item{config: c}
		e.items[c] = i
	}
	return i
}

// outcomeOf returns the outcome of a finished test, on the path or ahead of it.
func (e *engine) outcomeOf(c Configuration) (Outcome, bool) {
	if i := e.items[c]; i != nil && i.finished {
		return i.outcome, true
	}
	return Unresolved, false
}

// wait returns the outcome of the configuration that the path asks for.
func (e *engine) wait(c Configuration) (Outcome, error) {
	if err := e.parent.Err(); err != nil {
		return Unresolved, err
	}
	if err := e.dropPrecheck(); err != nil {
		return Unresolved, err
	}
	if e.opts.MaxTrials > 0 && e.trials == e.opts.MaxTrials {
		return Unresolved, ErrBudget
	}
	i := e.item(c)
	e.budget.reached(i)
	for {
		if i.finished {
			e.count(i)
			e.past[c] = i.outcome
			e.predictor.onPath(i)
			if e.lookaheads == nil {
				e.answers = append(e.answers, i.outcome)
			}
			e.advance(i.outcome)
			return i.outcome, nil
		}
		if drained, err := e.drain(); err != nil {
			return Unresolved, err
		} else if drained {
			continue
		}
		// There is a worker for it: that of the test that the path waited for before,
		// since when no other was started.
		e.start(i)
		e.startAsked()
		e.speculate(i)
		select {
		case f := <-e.done:
			if err := e.finish(f); err != nil {
				return Unresolved, err
			}
		case <-e.parent.Done():
			return Unresolved, e.parent.Err()
		}
	}
}

// announced takes note of what the path asks next: whatever the outcomes if firm, else
// perhaps. What is firm counts as if the path had come to it.
func (e *engine) announced(next []Configuration, firm bool) {
	e.notice++
	e.asked, e.firm, e.waiting = nil, firm, 0
	left := e.opts.MaxTrials - e.trials
	for _, c := range next {
		if _, known := e.past[c]; known || e.isBroken(c) {
			continue
		}
		i := e.item(c)
		if i.notice == e.notice {
			continue
		}
		if firm && e.opts.MaxTrials > 0 && left == 0 {
			break
		}
		left--
		i.notice = e.notice
		e.asked = append(e.asked, i)
		if firm {
			e.budget.reached(i)
		}
	}
}

// startAsked starts the tests of what the path is going to ask, in order, as far as
// there are workers.
func (e *engine) startAsked() {
	for ; e.waiting < len(e.asked) && e.busy < e.jobs; e.waiting++ {
		next := e.asked[e.waiting]
		switch {
		case next.finished || next.job != nil:
		case e.firm:
			e.start(next)
		case !e.startAhead(next):
			return
		}
	}
}

// drain takes note of the tests that are finished already, and reports whether
// there were any: those that end together are seen together, before others are
// started for what only one of them says.
func (e *engine) drain() (any bool, err error) {
	runtime.Gosched()
	for {
		select {
		case f := <-e.done:
			any = true
			if err := e.finish(f); err != nil {
				return any, err
			}
		default:
			return any, nil
		}
	}
}

// start starts a test, unless it runs already or no worker is free. One that was
// cancelled and has not returned yet does not count as running.
func (e *engine) start(i *item) {
	if i.job != nil || e.busy == e.jobs {
		return
	}
	ctx, cancel := context.WithCancel(e.ctx)
	j := &job{i, ctx, cancel}
	i.job = j
	e.running[j] = true
	e.busy++
	outside := e.called(i)
	e.group.Go(func() {
		o, err := e.test(ctx, outside)
		e.done <- finished{j, o, err} // never blocks: there is room for every worker
	})
}

// startAhead starts a test that the path has not come to, and reports whether it runs
// or was cheap enough to: no worker may have been free.
func (e *engine) startAhead(i *item) bool {
	if i.job != nil || i.finished || e.busy == e.jobs {
		return true
	}
	if !e.budget.affords() {
		return false
	}
	e.budget.spend(i)
	e.start(i)
	return true
}

// abandon cancels a test that the path cannot come to any more. Should it come to it
// after all, it is tested again, if need be while this test has not returned yet.
func (e *engine) abandon(j *job) {
	j.cancel()
	delete(e.running, j)
	j.item.job = nil
	e.budget.waste(j.item)
}

// called returns what the problem calls an item.
func (e *engine) called(i *item) Configuration {
	if i.called == nil {
		c := e.outside(i.config)
		i.called = &c
	}
	return *i.called
}

// finish takes note of a finished test. What a cancelled one returned, be it
// an error or an outcome that the cancelling may have caused, counts nothing.
func (e *engine) finish(f finished) error {
	e.busy--
	cancelled := f.ctx.Err() != nil
	f.cancel()
	if f.item.job == f.job {
		f.item.job = nil
		delete(e.running, f.job)
	}
	switch {
	case e.parent.Err() != nil:
		return e.parent.Err()
	case cancelled:
		return nil
	case f.err != nil:
		return f.err
	}
	f.item.finished, f.item.outcome = true, e.space.turn(f.outcome)
	e.budget.shelve(f.item)
	e.ended++
	if !e.given { // a minimisation looks ahead in another way
		e.predictor.add(f.item)
	}
	e.credit = min(e.credit+effort, e.mostCredit())
	e.advanceSpeculators()
	if f.item.outcome == Unresolved && len(e.teach(f.item.config))+len(e.messages(f.item.config)) > 0 {
		e.root = &node{} // where it leads to was looked at without this knowledge
		e.credit = e.mostCredit()
	}
	return nil
}
