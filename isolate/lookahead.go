package isolate

// A lookahead is a point in a search, from which the next question follows, and from
// its answer the next points. It does not change. An algorithm that goes from one to
// the next is looked ahead of without running it again.
type lookahead interface {
	// ask returns the next question and how likely it fails; ok is false at the end.
	ask() (c Configuration, fails float64, ok bool)
	// after returns where an answer leads: to points that are independent of each other.
	after(fails bool) []lookahead
}

// A single is one question.
type single struct {
	question Configuration
	fails    float64                      // how likely
	then     func(fails bool) []lookahead // nil = nothing
}

func (s single) ask() (Configuration, float64, bool) { return s.question, s.fails, true }

func (s single) after(fails bool) []lookahead {
	if s.then == nil {
		return nil
	}
	return s.then(fails)
}

// lookedAhead is likely, for a path along lookaheads. Behind the configurations that
// there are workers for it returns as many again, twice, so that a test that is
// running is not cancelled because something else has become a little likelier.
func (e *engine) lookedAhead() (list []*item) {
	most := 3 * (e.jobs + e.extraAhead())
	if e.opts.MaxTrials > 0 {
		most = min(most, e.opts.MaxTrials-e.trials)
	}
	var open likeliest[fork]
	for _, p := range e.lookaheads {
		open.add(fork{from: p, start: true}, 1)
	}
	add := e.marking(&list)
	sent := false
	send := func() {
		sent = true
		e.startSpeculators(min(e.jobs, most) - len(list))
		for _, s := range e.speculators {
			if c, _, more := s.ask(); more && len(list) < most {
				add(e.item(c))
			}
		}
	}
	for looks := 16 * (e.jobs + 8); !open.empty() && len(list) < most && looks > 0; looks-- {
		f, probability := open.next()
		if probability < worthMore && !sent {
			send()
		}
		reached := []lookahead{f.from}
		if !f.start {
			reached = f.from.after(f.fails)
		}
		for _, p := range reached {
			c, fails, ok := p.ask()
			if !ok {
				continue
			}
			i := e.item(c)
			o, known := i.outcome, i.finished
			if !known {
				o, known = e.past[c]
			}
			if known {
				i.epoch = e.epoch
				open.add(fork{from: p, fails: o == Fail}, probability)
				continue
			}
			if s, ok := p.(*section); ok {
				fails = e.expects(s)
			}
			add(i)
			open.add(fork{from: p, fails: true}, probability*fails)
			open.add(fork{from: p}, probability*(1-fails))
		}
	}
	return list
}

// A fork is where an answer leads from a lookahead, or where the path is.
type fork struct {
	from  lookahead
	fails bool // the answer
	start bool // no answer: the lookahead itself
}

// drop forgets the outcome of c only, or those of the configurations that are not
// within c. That is done when they have become twice as many, so it costs little each.
func (e *engine) drop(path *run, c Configuration, only bool) {
	if only {
		delete(path.seen, c)
		delete(e.past, c)
		e.forget(c)
		return
	}
	within := c
	if len(path.seen) < 2*e.held+64 {
		return
	}
	for _, m := range []map[Configuration]Outcome{path.seen, e.past} {
		for c := range m {
			if !within.Contains(c) {
				delete(m, c)
			}
		}
	}
	for c, i := range e.items {
		if i.finished && !within.Contains(c) {
			e.forget(c)
		}
	}
	e.held = len(path.seen)
}

// forget forgets the outcome of a configuration.
func (e *engine) forget(c Configuration) {
	if i := e.items[c]; i != nil && i.finished {
		e.budget.waste(i)
		delete(e.items, c)
	}
}
