package isolate

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// trials run the tests of SearchEach, several at once. Outcomes that were found ahead of the path are
// kept until the path asks for them.
type trials struct {
	test   TestEach
	n      int // targets there are
	jobs   int
	parent context.Context
	ctx    context.Context // ends the tests when the search returns
	cancel context.CancelFunc
	group  sync.WaitGroup
	done   chan tried

	running map[Configuration]context.CancelFunc
	busy    int // tests that run, those included that were cancelled and have not returned
	found   map[Configuration][]Outcome
}

// A tried configuration is one whose test has returned.
type tried struct {
	config    Configuration
	outcomes  []Outcome // by target, Unresolved for those that were not asked for
	err       error
	cancelled bool
}

func newTrials(ctx context.Context, test TestEach, targets, jobs int) *trials {
	t := &trials{
		test:    test,
		n:       targets,
		jobs:    jobs,
		parent:  ctx,
		done:    make(chan tried, jobs),
		running: map[Configuration]context.CancelFunc{},
		found:   map[Configuration][]Outcome{},
	}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

// close ends all tests and waits until they are gone.
func (t *trials) close() {
	t.cancel()
	t.group.Wait()
}

// run returns the outcomes of the first configuration of next, by target. Workers that it leaves free
// begin with the others, the first of them first.
func (t *trials) run(next []Configuration, targets []int) ([]Outcome, error) {
	for {
		if err := t.parent.Err(); err != nil {
			return nil, err
		}
		if outcomes, ok := t.found[next[0]]; ok {
			return outcomes, nil
		}
		if t.running[next[0]] == nil && t.busy == t.jobs && len(t.running) == t.busy {
			t.abandon(next)
		}
		for _, c := range next {
			t.start(c, targets)
		}
		select {
		case d := <-t.done:
			t.busy--
			switch {
			case d.cancelled:
			case d.err != nil:
				return nil, d.err
			default:
				t.running[d.config]()
				delete(t.running, d.config)
				t.found[d.config] = d.outcomes
			}
		case <-t.parent.Done():
		}
	}
}

// start starts a test, unless there is no use of it or no worker for it.
func (t *trials) start(c Configuration, targets []int) {
	if t.running[c] != nil || t.found[c] != nil || t.busy == t.jobs {
		return
	}
	ctx, cancel := context.WithCancel(t.ctx)
	t.running[c] = cancel
	t.busy++
	t.group.Go(func() {
		outcomes, err := t.test(ctx, c, targets)
		d := tried{config: c, outcomes: make([]Outcome, t.n), err: err, cancelled: ctx.Err() != nil}
		if err == nil && len(outcomes) != len(targets) {
			d.err = fmt.Errorf("search: %d outcomes for %d targets", len(outcomes), len(targets))
		} else if err == nil {
			for k, target := range targets {
				d.outcomes[target] = outcomes[k]
			}
		}
		t.done <- d // never blocks: there is room for every worker
	})
}

// abandon cancels the running test that is needed last.
func (t *trials) abandon(next []Configuration) {
	var last Configuration
	place := -1
	for c := range t.running {
		k := slices.Index(next, c)
		if k < 0 {
			k = len(next)
		}
		if k > place {
			last, place = c, k
		}
	}
	t.running[last]()
	delete(t.running, last)
}
