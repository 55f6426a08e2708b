package events

import (
	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
)

// A phase tells from the steps of a search among changes what it looks for: it
// narrows the suspects, or it knows a few that it cannot narrow and looks for
// what else it takes for these to fail. The zero phase is that before a search.
type phase struct {
	tells bool // when it looks for what else it takes

	set      *changes.Set
	base     int // changes that were in the passing end from the beginning
	fails    int // in the smallest failing configuration so far
	between  int // between the closest two ends
	suspects int // see Step.Among
	needs    bool
}

// nearly is how few suspects are said to be the cause already, while the search
// looks at other changes.
const nearly = 6

// take follows the search by one step.
func (g *phase) take(e search.ChangesStep) {
	s, a := e.Step, e.Answer
	between := s.Failing.Len() - s.Passing.Len()
	if s.Failing.N() != s.Config.N() || s.Passing.N() != s.Config.N() { // it knows no ends
		g.suspects, g.needs = s.Suspects, false
		return
	}
	if g.set != a.Set || between > g.between { // in one search it never grows
		*g = phase{tells: g.tells, set: a.Set, base: s.Passing.Len(), fails: s.Failing.Len()}
	}
	g.between, g.suspects = between, between
	if s.Outcome == isolate.Fail {
		g.fails = min(g.fails, s.Config.Len())
	}
	inside := s.Failing.Contains(s.Config) && s.Config.Contains(s.Passing)
	g.needs = g.tells && !inside && between <= nearly
	if !inside && !g.needs {
		g.suspects = max(between, s.Suspects)
	}
}

// others is how many changes the failing configuration has beside the suspects, while the search looks for
// those that the suspects need: so many may be these, at most.
func (g *phase) others() int {
	if !g.needs {
		return 0
	}
	return max(0, g.fails-g.base-g.between)
}
