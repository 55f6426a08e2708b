package isolate

import (
	"cmp"
	"errors"
	"slices"
)

// ErrTurned says that an outcome on which the search relied has changed, see
// Options.Doubt. The Result that comes with it is valid but useless: the caller
// should search again.
var ErrTurned = errors.New("an outcome turned out to be another one")

// suspicions weigh outcomes of a path against what came after them. If a
// configuration that passed does fail, so do all above it, as long as outcomes
// are monotone: each fail above it is as likely as it was expected if the pass
// is true, and certain if it is not. So their likelihoods are multiplied, until
// one above it passes: then that is the one to suspect. It is the same with a
// fail and what lies below it. Cost: a look at each suspect for each outcome.
type suspicions []suspect

type suspect struct {
	config  Configuration
	outcome Outcome
	odds    float64 // by what came after it, and by what was expected of it
}

// take takes in an outcome of the path, what was expected of it, and the pair
// that was expected on account of, if any: a surprise speaks against that, too.
func (s suspicions) take(c Configuration, o Outcome, expected chances, ground *pair) suspicions {
	if o == Unresolved {
		return s
	}
	const least = 0.05 // expectations are not that sure
	chance := max(expected[o]/(expected[Pass]+expected[Fail]), least)
	s = slices.DeleteFunc(s, func(d suspect) bool { return d.outcome == o && d.bears(c) })
	for i, d := range s {
		if d.outcome != o && d.bears(c) || ground != nil && (d.config == ground.passing || d.config == ground.failing) && chance < 0.5 {
			s[i].odds /= chance
		}
	}
	return append(s, suspect{c, o, min((1-chance)/chance, 1/least)})
}

// bears reports whether c would have the other outcome if d had.
func (d suspect) bears(c Configuration) bool {
	if d.outcome == Pass {
		return c.Contains(d.config)
	}
	return d.config.Contains(c)
}

// doubts asks Options.Doubt about the suspects, the one that most speaks
// against first.
func (e *engine) doubts(s suspicions) error {
	order := slices.Clone(s)
	slices.SortStableFunc(order, func(a, b suspect) int { return cmp.Compare(b.odds, a.odds) })
	for _, d := range order {
		if d.odds < 1 {
			break
		}
		holds, err := e.opts.Doubt(e.ctx, e.outside(d.config), e.turn(d.outcome), d.odds)
		if err != nil {
			return err
		}
		if !holds {
			return ErrTurned
		}
	}
	return nil
}
