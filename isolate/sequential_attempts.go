package isolate

import (
	"context"
	"errors"
	"sync"
)

// A procedure decides, from the outcomes of attempts in its own order, which
// attempt comes next.
type procedure interface {
	next() (test, attempt int, assume Outcome, done bool) // assume is the likely outcome
	take(test int, o Outcome)                             // of the attempt that next named
	clone() procedure
}

// A source is where the attempts of a test come from.
type source struct {
	*repeated
	sample Sample
}

// carry carries a procedure out. It makes up to jobs attempts at once: the one
// that comes next, and those that come after it if the outcomes are as assumed.
// What was made ahead and does not come is kept and not looked at.
func (j *SequentialTest) carry(ctx context.Context, p procedure, sources []source, jobs int) error {
	for {
		i, attempt, _, done := p.next()
		if done {
			return nil
		}
		j.mu.Lock()
		o, known := sources[i].outcomes[attempt]
		j.mu.Unlock()
		if known {
			p.take(i, o)
			continue
		}
		// None, if somebody else has made them meanwhile.
		if list := j.ahead(p.clone(), sources, max(1, jobs)); len(list) > 0 {
			if err := j.attempt(ctx, list); err != nil {
				return err
			}
		}
	}
}

// A wanted attempt.
type wanted struct {
	source
	attempt int
}

// ahead returns the next attempts that are not made yet, at most so many.
func (j *SequentialTest) ahead(p procedure, sources []source, most int) []wanted {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []wanted
	for len(list) < most {
		i, attempt, assume, done := p.next()
		if done {
			break
		}
		o, known := sources[i].outcomes[attempt]
		if !known {
			o = assume
			list = append(list, wanted{sources[i], attempt})
		}
		p.take(i, o)
	}
	return list
}

// attempt makes attempts at once. If one gives an error the others are
// cancelled, and what was finished is kept.
func (j *SequentialTest) attempt(ctx context.Context, list []wanted) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(list))
	try := func(i int) {
		w := list[i]
		o, err := w.sample(ctx, w.attempt)
		if errs[i] = err; err != nil {
			cancel()
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		w.outcomes[w.attempt] = o
	}
	var group sync.WaitGroup
	for i := range list[1:] {
		group.Go(func() { try(1 + i) })
	}
	try(0)
	group.Wait()
	// The first error is not always the cause: it may come of the cancelling.
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
