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

	ctx       context.Context // of this search: ends the tests when the search returns
	cancel    context.CancelFunc
	parent    context.Context // the caller's: ends the search
	group     sync.WaitGroup
	done      chan finished
	running   map[Configuration]*job
	outcomes  map[Configuration]Outcome  // of finished tests, on the path or ahead of it
	past      map[Configuration]Outcome  // of those on the path
	answers   []Outcome                  // the same in the path's order
	taught    map[Configuration][][2]int // what unresolved ones of these taught
	asked     []Configuration            // what the path asks next, whatever the outcomes
	soon      map[Configuration]bool     // the same
	waiting   int                        // so many of asked are finished, or run, or need no test
	root      *node                      // where the path is, for looking ahead
	prospects []prospect                 // the same of a minimisation; nil = by root
	scouts    []scout
	memory    *memory // of the path's beginning; nil = none
	held      int     // outcomes on the path after drop

	trials int    // on the path, finished or being waited for
	counts [3]int // the path's outcomes
	barren int    // how many of the last on the path were unresolved in a row
}

// A job is a running test.
type job struct {
	ctx    context.Context
	cancel context.CancelFunc
}

type finished struct {
	config  Configuration
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
		running:   map[Configuration]*job{},
		outcomes:  map[Configuration]Outcome{},
		past:      map[Configuration]Outcome{},
		taught:    map[Configuration][][2]int{},
		root:      &node{},
	}
	e.done = make(chan finished, e.jobs)
	e.ctx, e.cancel = context.WithCancel(ctx)
	return e
}

// close ends all tests and waits until they are gone.
func (e *engine) close() {
	e.cancel()
	e.group.Wait()
}

// wait returns the outcome of the configuration that the path asks for.
func (e *engine) wait(c Configuration) (Outcome, error) {
	if err := e.parent.Err(); err != nil {
		return Unresolved, err
	}
	if e.opts.MaxTrials > 0 && e.trials == e.opts.MaxTrials {
		return Unresolved, ErrBudget
	}
	for {
		if o, ok := e.outcomes[c]; ok {
			e.trials++
			e.counts[o]++
			e.past[c] = o
			if e.prospects == nil {
				e.answers = append(e.answers, o)
			}
			e.advance(o)
			return o, nil
		}
		if drained, err := e.drain(); err != nil {
			return Unresolved, err
		} else if drained {
			continue
		}
		e.start(c)
		for ; e.waiting < len(e.asked) && len(e.running) < e.jobs; e.waiting++ {
			next := e.asked[e.waiting]
			if _, finished := e.outcomes[next]; !finished && !e.isBroken(next) {
				e.start(next)
			}
		}
		e.speculate(c)
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

// announced takes note of what the path asks next.
func (e *engine) announced(next []Configuration, _ bool) {
	e.asked, e.waiting = next, 0
	e.soon = make(map[Configuration]bool, len(next))
	for _, c := range next {
		e.soon[c] = true
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

// start starts a test, unless it runs already or no worker is free.
func (e *engine) start(c Configuration) {
	if e.running[c] != nil || len(e.running) == e.jobs {
		return
	}
	ctx, cancel := context.WithCancel(e.ctx)
	e.running[c] = &job{ctx, cancel}
	outside := e.outside(c)
	e.group.Go(func() {
		o, err := e.test(ctx, outside)
		e.done <- finished{c, o, err} // never blocks: there is room for every worker
	})
}

// finish takes note of a finished test. What a cancelled one returned, be it
// an error or an outcome that the cancelling may have caused, counts nothing;
// it is tested again should the path come to it after all.
func (e *engine) finish(f finished) error {
	j := e.running[f.config]
	delete(e.running, f.config)
	cancelled := j.ctx.Err() != nil
	j.cancel()
	switch {
	case e.parent.Err() != nil:
		return e.parent.Err()
	case cancelled:
		return nil
	case f.err != nil:
		return f.err
	}
	o := e.turn(f.outcome)
	e.outcomes[f.config] = o
	e.advanceScouts()
	if o == Unresolved && len(e.teach(f.config)) > 0 {
		e.root = &node{} // where it leads to was looked at without this knowledge
	}
	return nil
}
