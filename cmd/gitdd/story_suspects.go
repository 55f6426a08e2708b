package main

import "github.com/gitdd/gitdd/isolate"

// A lookout tells from the steps of a search which changes it suspects. They are
// what lies between the closest tested pair. When something passes that holds them
// all, they are not enough: then it also suspects what a failing configuration around
// it has beside it, which holds something else that they need.
type lookout struct {
	needs bool // a search for a cause: others know one end that stays

	between isolate.Configuration // the closest pair
	pins    isolate.Configuration // what is known to be needed: between, and what was found beside it
	fails   isolate.Configuration // the smallest that fails and holds the pins
	passes  isolate.Configuration // within it one that passes and holds the pins, if they are not enough
	short   bool                  // they are not
}

// take follows the search by one step, and returns the suspects.
func (l *lookout) take(s isolate.Step) isolate.Configuration {
	if between := s.Failing.Minus(s.Passing); l.between != between {
		*l = lookout{needs: l.needs, between: between, pins: between, fails: s.Failing}
	}
	switch c := s.Config; {
	case !l.needs || !c.Contains(l.pins):
	case s.Outcome == isolate.Fail && c.Len() < l.fails.Len():
		// Invariant: while they are short, what fails has and passes lacks holds
		// something that the pins need.
		if l.short && !c.Contains(l.passes) {
			if found := l.fails.Minus(l.passes); c.Contains(found) {
				l.pins = l.pins.Union(found)
			}
			l.short = false
		}
		l.fails = c
	case s.Outcome == isolate.Pass && l.fails.Contains(c):
		if !l.short {
			l.passes, l.short = c, true
		} else if found := l.fails.Minus(l.passes); c.Contains(found) { // not enough either
			l.pins, l.passes = l.pins.Union(found), c
		} else if c.Len() > l.passes.Len() {
			l.passes = c
		}
	}
	if !l.short {
		return l.pins
	}
	return l.pins.Union(l.fails.Minus(l.passes))
}
