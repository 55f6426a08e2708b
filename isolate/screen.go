package isolate

// A Screen describes tests that refuse some configurations instead of trying them: a
// quick look at such a configuration has shown that it is not worth a trial. The
// outcome of what is refused is Unresolved, and it teaches and says what it does as
// that of any unresolved test.
//
// Its functions are called by the goroutine that called Search, in the order of the
// path, so that the number of jobs changes nothing.
type Screen struct {
	// Refused reports whether c was refused. It is asked when the path has come to c and
	// the outcome of c is Unresolved.
	Refused func(c Configuration) bool

	// When Most configurations were refused in a row on the path, Lift is called, and no
	// test is running then: from now on the test has to try what it is asked. What was
	// refused on the path stays so. What was refused ahead of the path is asked again.
	Most int
	Lift func()
}

// A screened is the account of what was refused on the path.
type screened struct {
	path    *run
	refused int
	row     int // in a row
	lifted  bool
}

// count counts a configuration that the path has come to, whose test is finished.
func (e *engine) count(i *item) {
	e.counts[i.outcome]++
	if s := e.opts.Screen; s != nil && i.outcome == Unresolved && !e.screen.lifted && s.Refused(e.called(i)) {
		e.screen.refused++
		e.screen.row++
		return
	}
	e.screen.row = 0
	e.trials++
}

// mostAsked is how many questions the path may ask, with MaxTrials, if nothing that
// comes is refused.
func (e *engine) mostAsked() int { return e.opts.MaxTrials + e.screen.refused }

// lift lifts the screen, when it is time to. All that is unresolved and that the path
// has not come to is forgotten: it may have been refused. So is what was worked out
// beyond the path, which may rest on what was said when it was refused.
func (e *engine) lift() error {
	s := e.opts.Screen
	if s == nil || e.screen.lifted || e.screen.row < s.Most {
		return nil
	}
	e.screen.lifted = true
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
	s.Lift()
	for c, i := range e.items {
		if _, known := e.past[c]; known || !i.finished || i.outcome != Unresolved {
			continue
		}
		e.spending.waste(i)
		i.finished = false
		delete(e.taught, c)
		delete(e.said, c)
	}
	e.waiting = 0
	e.root, e.awaited = &node{}, nil
	path := e.screen.path
	clear(path.reasons.studied)
	if path.memory != nil {
		path.memory.next = [2 * outcomeCount]*memory{}
	}
	return nil
}
