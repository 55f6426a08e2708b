package isolate

import (
	"container/heap"
	"errors"
	"slices"
)

// A branch is a guess at how the path goes on: outcomes assumed for
// configurations that are not finished, the youngest first.
type branch struct {
	assumed     *assumption
	probability float64
	number      int // order of creation, to break ties
}

type assumption struct {
	config  Configuration
	outcome Outcome
	before  *assumption
}

// speculate keeps the workers busy that the path, which waits for c, leaves
// free. (There is always one for c: that of the test the path waited for
// before.) Running tests that no likely branch asks for are cancelled.
func (e *engine) speculate(c Configuration) {
	if e.jobs == 1 {
		return
	}
	likely := e.likely()
	for config, job := range e.running {
		if config != c && !slices.Contains(likely, config) {
			job.cancel()
		}
	}
	for _, config := range likely {
		e.start(config)
	}
}

// likely returns unfinished configurations that the path may ask for, the
// likeliest first: the one it waits for, then those that it would ask for if
// that one passed, failed or were unresolved, and so on. For each the
// algorithm is run once more from its beginning, since it is a function of the
// outcomes; so this costs about as many runs as there are jobs, times three.
func (e *engine) likely() []Configuration {
	var configs []Configuration
	missing := len(e.running) // running tests not met yet
	open := &branches{{probability: 1}}
	created := 1
	for runs := 0; open.Len() > 0 && runs < 4*e.jobs+8 && (len(configs) < e.jobs || missing > 0); runs++ {
		b := heap.Pop(open).(branch)
		next, ok := e.next(b.assumed)
		if !ok {
			continue
		}
		if !slices.Contains(configs, next) {
			configs = append(configs, next)
			if e.running[next] != nil {
				missing--
			}
		}
		for _, o := range []Outcome{Unresolved, Pass, Fail} {
			heap.Push(open, branch{
				assumed:     &assumption{next, o, b.assumed},
				probability: b.probability * e.probability(next, o),
				number:      created,
			})
			created++
		}
	}
	return configs
}

// errUnknown stops a run that has come to an unfinished configuration.
var errUnknown = errors.New("outcome not known yet")

// next returns the first unfinished configuration that the algorithm asks for
// under these assumptions; ok is false if it comes to its end before that.
func (e *engine) next(assumed *assumption) (next Configuration, ok bool) {
	trials := 0
	ahead := newRun(e.space, e.opts.Goal, func(c Configuration) (Outcome, error) {
		if trials++; e.opts.MaxTrials > 0 && trials > e.opts.MaxTrials {
			return Unresolved, ErrBudget
		}
		if o, finished := e.outcomes[c]; finished {
			return o, nil
		}
		for a := assumed; a != nil; a = a.before {
			if a.config == c {
				return a.outcome, nil
			}
		}
		next, ok = c, true
		return Unresolved, errUnknown
	})
	_, _ = ahead.perform(e.algorithm) // why it stopped is known: next
	return next, ok
}

// probability returns how likely an outcome is, by the path's own record. The
// ends are almost certain: a search that finds them otherwise is over.
func (e *engine) probability(c Configuration, o Outcome) float64 {
	const surely = 0.98
	switch {
	case c.IsEmpty() && o == Pass, c == Full(e.n) && o == Fail:
		return surely
	case c.IsEmpty(), c == Full(e.n):
		return (1 - surely) / 2
	}
	total := e.counts[Unresolved] + e.counts[Pass] + e.counts[Fail]
	if o == Unresolved {
		return (0.5 + float64(e.counts[o])) / (2.5 + float64(total))
	}
	return (1 + float64(e.counts[o])) / (2.5 + float64(total))
}

// branches is a heap with the likeliest branch on top.
type branches []branch

func (b branches) Len() int      { return len(b) }
func (b branches) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b branches) Less(i, j int) bool {
	if b[i].probability != b[j].probability {
		return b[i].probability > b[j].probability
	}
	return b[i].number < b[j].number
}
func (b *branches) Push(x any) { *b = append(*b, x.(branch)) }
func (b *branches) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	*b = (*b)[:last]
	return x
}
