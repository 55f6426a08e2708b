package isolate

// A Precheck describes tests that reject some configurations without a trial, because a
// quick check has shown that a trial of them is useless. The outcome of a rejected
// configuration is Unresolved, and Options.Learn and Options.Diagnose are called for it as
// for any unresolved test.
//
// The functions of a Precheck are called by the goroutine that called Search, in the order
// of the path, so that the number of jobs changes nothing.
type Precheck struct {
	// Rejected reports whether c was rejected. It is asked when the path has come to c and
	// the outcome of c is Unresolved.
	Rejected func(c Configuration) bool

	// When Most configurations were rejected in a row on the path, Drop is called, while no
	// test is running. From then on the test must not reject configurations any more.
	// Configurations that were rejected on the path stay rejected. Configurations that were
	// rejected ahead of the path are tested again.
	Most int
	Drop func()
}

// A prechecked is the account of what was rejected on the path.
type prechecked struct {
	path     *run
	rejected int
	row      int // in a row
	dropped  bool
}

// count counts a configuration that the path has come to, whose test is finished.
func (e *engine) count(i *item) {
	e.counts[i.outcome]++
	if s := e.opts.Precheck; s != nil && i.outcome == Unresolved && !e.precheck.dropped && s.Rejected(e.called(i)) {
		e.precheck.rejected++
		e.precheck.row++
		return
	}
	e.precheck.row = 0
	e.trials++
}

// mostAsked is how many questions the path may ask, with MaxTrials, if nothing that
// comes is rejected.
func (e *engine) mostAsked() int { return e.opts.MaxTrials + e.precheck.rejected }

// dropPrecheck drops the precheck, when it is time to. All that is unresolved and that the path
// has not come to is forgotten: it may have been rejected. So is what was worked out
// beyond the path, which may rest on what was said when it was rejected.
func (e *engine) dropPrecheck() error {
	s := e.opts.Precheck
	if s == nil || e.precheck.dropped || e.precheck.row < s.Most {
		return nil
	}
	e.precheck.dropped = true
	for j := range e.running {
		e.abandon(j)
	}
	for e.busy > 0 {
		select {
		case f := <-e.done:
			if err := e.finish(f); err != nil {
				return err
			}
		case <-e.parent.Done():
			return e.parent.Err()
		}
	}
	s.Drop()
	for c, i := range e.items {
		if _, known := e.past[c]; known || !i.finished || i.outcome != Unresolved {
			continue
		}
		e.budget.waste(i)
		i.finished = false
		delete(e.taught, c)
		delete(e.said, c)
	}
	e.waiting = 0
	e.root, e.awaited = &node{}, nil
	path := e.precheck.path
	clear(path.reasons.studied)
	if path.memory != nil {
		path.memory.next = [2 * outcomeCount]*memory{}
	}
	return nil
}
