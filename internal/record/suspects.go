package record

import (
	"strconv"

	"github.com/gitdd/gitdd/isolate"
)

// Suspects tell from the steps of a search which changes it suspects. They are
// what lies between the closest tested pair. When something passes that holds them
// all, they are not enough: then it also suspects what a failing configuration around
// it has beside it, which holds something else that they need.
type Suspects struct {
	Needs bool // a search for a cause: others know one end that stays

	between isolate.Configuration // the closest pair
	fixed   isolate.Configuration // what is known to be needed: between, and what was found beside it
	fails   isolate.Configuration // the smallest that fails and holds the fixed changes
	passes  isolate.Configuration // within it one that passes and holds the fixed changes, if they are not enough
	short   bool                  // they are not
}

// Take follows the search by one step, and returns the suspects.
func (l *Suspects) Take(s isolate.Step) isolate.Configuration {
	if between := s.Failing.Minus(s.Passing); l.between != between {
		*l = Suspects{Needs: l.Needs, between: between, fixed: between, fails: s.Failing}
	}
	switch c := s.Config; {
	case !l.Needs || !c.Contains(l.fixed):
	case s.Outcome == isolate.Fail && c.Len() < l.fails.Len():
		// Invariant: while they are short, what fails has and passes lacks holds
		// something that the fixed changes need.
		if l.short && !c.Contains(l.passes) {
			if found := l.fails.Minus(l.passes); c.Contains(found) {
				l.fixed = l.fixed.Union(found)
			}
			l.short = false
		}
		l.fails = c
	case s.Outcome == isolate.Pass && l.fails.Contains(c):
		if !l.short {
			l.passes, l.short = c, true
		} else if found := l.fails.Minus(l.passes); c.Contains(found) { // not enough either
			l.fixed, l.passes = l.fixed.Union(found), c
		} else if c.Len() > l.passes.Len() {
			l.passes = c
		}
	}
	if !l.short {
		return l.fixed
	}
	return l.fixed.Union(l.fails.Minus(l.passes))
}

// inRuns reports whether c has at most so many runs.
func inRuns(c isolate.Configuration, most int) bool {
	runs, end := 0, -1
	for i := range c.All() {
		if i != end {
			if runs++; runs > most {
				return false
			}
		}
		end = i + 1
	}
	return true
}

// coarse is c, or what holds it in at most so many runs.
func coarse(c isolate.Configuration, most int) isolate.Configuration {
	if inRuns(c, most) {
		return c
	}
	fewer, err := isolate.FromRuns(c.N(), fewerRuns(c, most))
	if err != nil {
		panic(err) // it has the form that it reads
	}
	return fewer
}

// fewerRuns is what c prints as when the smallest gaps between its runs are closed,
// the first ones of these, until there are at most so many. Its cost is linear in
// the members.
func fewerRuns(c isolate.Configuration, most int) string {
	type run struct{ from, to int }
	var runs []run
	for i := range c.All() {
		if n := len(runs); n > 0 && runs[n-1].to == i {
			runs[n-1].to++
		} else {
			runs = append(runs, run{i, i + 1})
		}
	}
	if len(runs) <= most {
		return c.String()
	}
	gap := func(k int) int { return runs[k].from - runs[k-1].to } // before run k
	wide := make([]int, c.N())                                    // how many gaps are so wide
	for k := 1; k < len(runs); k++ {
		wide[gap(k)]++
	}
	// Invariant: closed gaps are narrower than limit.
	limit, closed := 1, 0
	for ; closed+wide[limit] < len(runs)-most; limit++ {
		closed += wide[limit]
	}
	var text []byte
	last := runs[0]
	add := func() {
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(last.from), 10)
		if last.to-last.from > 1 {
			text = strconv.AppendInt(append(text, '-'), int64(last.to-1), 10)
		}
	}
	for k := 1; k < len(runs); k++ {
		switch at := gap(k); {
		case at < limit:
			last.to = runs[k].to
		case at == limit && closed < len(runs)-most:
			closed++
			last.to = runs[k].to
		default:
			add()
			last = runs[k]
		}
	}
	add()
	return string(text)
}
