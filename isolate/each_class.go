package isolate

import "context"

// A class is targets whose outcomes never differed, and where their search is.
type class struct {
	targets    []int
	candidates *candidates
	smallest   Configuration // the failing configuration with fewest elements, between positions

	// The search began with these:
	problem Problem
	first   []Configuration

	// It came so far:
	moved    bool // outcomes are known that it has not seen
	result   Result
	err      error         // errUnknown = it waits for the outcome of question
	question Configuration // as the problem calls it
	chances  chances       // of its outcomes, as the search sees them

	assumed []sized // outcomes that are not known, see ahead
}

// split returns the classes that outcomes by target divide a class into.
func (c *class) split(outcomes []Outcome) []*class {
	var parts [outcomeCount][]int
	for _, t := range c.targets {
		parts[outcomes[t]] = append(parts[outcomes[t]], t)
	}
	var classes []*class
	for _, targets := range parts {
		if len(targets) == 0 {
			continue
		}
		part := *c
		part.targets = targets
		if len(targets) < len(c.targets) {
			part.candidates = c.candidates.clone()
		}
		classes = append(classes, &part)
	}
	return classes
}

// restart lets the search of a class begin anew, from the smallest failing configuration and with
// all that is known within it. That costs no trial, for it knows what it asked before.
func (e *each) restart(c *class) {
	c.problem.Passing, c.problem.Failing = e.problem.Passing, e.problem.Failing
	c.first = nil
	if c.smallest.Len() < e.n {
		end := e.outside(c.smallest)
		if e.mirrored {
			c.problem.Passing = end
		} else {
			c.problem.Failing = end
		}
		passing, failing := c.problem.ends()
		for _, config := range e.path {
			if config.Contains(passing) && failing.Contains(config) {
				c.first = append(c.first, config)
			}
		}
	} else {
		c.first = append(c.first, e.path...)
	}
	c.moved = true
}

// advise tells the search of a class what is known beforehand of its targets.
func (e *each) advise(c *class) {
	if e.opts.Prior != nil {
		c.problem.Prior = e.opts.Prior(c.targets[0])
		c.moved = true
	}
}

// replay runs the search of a class on the outcomes that are known, up to the first one that is not.
func (e *each) replay(c *class) {
	lookUp := func(config Configuration) (Outcome, bool) {
		if outcomes, known := e.known[config]; known {
			return outcomes[c.targets[0]], true
		}
		for _, a := range c.assumed {
			if a.Configuration == config {
				return a.outcome, true
			}
		}
		c.question, c.chances = config, chances{Pass: 0.5, Fail: 0.5}
		return Unresolved, false
	}
	test := func(_ context.Context, config Configuration) (Outcome, error) { // of the ends
		if o, known := lookUp(config); known {
			return o, nil
		}
		return Unresolved, errUnknown
	}
	begin := func(g *engine, s *run) {
		wait := s.answer
		s.answer = func(x Configuration) (Outcome, error) {
			o, known := lookUp(s.outside(x))
			if !known {
				c.chances = g.chances(s, x)
				return Unresolved, errUnknown
			}
			i := g.item(x)
			i.finished, i.outcome = true, s.turn(o)
			return wait(x)
		}
	}
	c.moved = false
	c.result, c.err = searchFrom(context.Background(), c.problem, test, Options{
		Algorithm: e.opts.Algorithm,
		Goal:      e.opts.Goal,
		Learn:     e.opts.Learn,
		Diagnose:  e.opts.Diagnose,
		Check:     e.opts.Check,
		First:     c.first,
	}, begin)
}

// tell tells a class the outcome of a configuration, x between positions. Its search begins anew if
// another one's question, or a random configuration, brought its ends closer by half at least.
func (e *each) tell(c *class, config, x Configuration, o Outcome) {
	c.candidates.take(x, e.turn(o))
	asked := config == c.question
	c.moved = c.moved || asked
	smaller := e.turn(o) == Fail && c.smallest.Contains(x) && x != c.smallest
	closer := false
	if left := c.result.Cause.Len(); o == Pass && c.result.Failing.Contains(config) {
		closer = 2*c.result.Failing.Minus(config).Len() <= left
	} else if o == Fail && config.Contains(c.result.Passing) {
		closer = 2*config.Minus(c.result.Passing).Len() <= left
	}
	if smaller {
		closer = closer || 2*x.Len() <= c.smallest.Len()
		c.smallest = x
	}
	if closer && !asked {
		e.restart(c)
	}
}
