package reduce

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A reduction is the state of one Reduce. Invariant: best was tested and fails,
// or is the original.
//
// Everything but the memory belongs to the goroutine of the path: what workers
// find ahead of it counts only when the path comes to ask for it, so that
// nothing depends on how many there are.
type reduction struct {
	test      Test
	opts      Options
	structure func(ctx context.Context, s *search) error // the tree algorithm
	chosen    []pass

	wholeFiles, structured bool // whether to reduce by files, and by what formats call elements

	best   trial.Input
	passes map[string]*Pass
	order  []*Pass // in the order of their first run
	pass   *Pass   // that asks now
	over   error   // why no more is asked: isolate.ErrBudget, or what Improved returned; nil = it is not over

	densities map[string]isolate.Density // by pass: what its lists were like
	notes     []string
	formats   map[string]string // by path
	minimal   bool

	mu       sync.Mutex
	trials   int                        // questions on the path that needed a test
	asked    map[string]int             // on the path, by digest: the number of its trial
	outcomes map[string]isolate.Outcome // by digest: of finished tests
	running  map[string]chan struct{}   // by digest: of tests that run
}

func newReduction(in trial.Input, test Test, opts Options) *reduction {
	r := &reduction{
		test: test, opts: opts, best: in,
		asked: map[string]int{}, passes: map[string]*Pass{}, densities: map[string]isolate.Density{},
		formats:  map[string]string{},
		outcomes: map[string]isolate.Outcome{}, running: map[string]chan struct{}{},
	}
	r.enter("")
	r.outcomes[in.Digest()] = isolate.Fail
	r.asked[in.Digest()] = 0
	return r
}

// enter says which pass asks from now on.
func (r *reduction) enter(name string) {
	p, ok := r.passes[name]
	if !ok {
		p = &Pass{Name: name}
		r.passes[name] = p
		r.order = append(r.order, p)
	}
	r.pass = p
}

// err returns why nothing more is asked, nil as long as something is.
func (r *reduction) err(ctx context.Context) error {
	if r.over != nil {
		return r.over
	}
	return ctx.Err()
}

// spent reports whether there is no budget for another trial. It needs the lock.
func (r *reduction) spent() bool { return r.opts.MaxTrials > 0 && r.trials >= r.opts.MaxTrials }

// ended returns why a search among questions ended early, nil if it did not.
func (r *reduction) ended(err error) error {
	if r.over == nil && errors.Is(err, isolate.ErrBudget) {
		r.over = err
	}
	if r.over != nil {
		return r.over
	}
	return err
}

// remembered returns the outcome of an input, if its test is finished.
func (r *reduction) remembered(digest string) (o isolate.Outcome, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, known = r.outcomes[digest]
	return o, known
}

// outcome tests an input, or remembers. It may be called by several goroutines.
func (r *reduction) outcome(ctx context.Context, in trial.Input, digest string) (isolate.Outcome, error) {
	for {
		r.mu.Lock()
		if o, known := r.outcomes[digest]; known {
			r.mu.Unlock()
			return o, nil
		}
		if _, counted := r.asked[digest]; !counted && r.spent() {
			r.mu.Unlock()
			return isolate.Unresolved, isolate.ErrBudget
		}
		other, busy := r.running[digest]
		if !busy {
			break
		}
		r.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return isolate.Unresolved, ctx.Err()
		}
	}
	done := make(chan struct{})
	r.running[digest] = done
	r.mu.Unlock()

	o, err := r.test(ctx, in)
	if err == nil {
		err = ctx.Err() // what a cancelled test says is not looked at
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.outcomes[digest] = o
	}
	delete(r.running, digest)
	close(done)
	return o, err
}

// count takes note of a question on the path. It returns false, and the
// reduction is over, if the budget does not reach for it: then its outcome,
// which a worker found ahead of the path, is not looked at.
func (r *reduction) count(q question, o isolate.Outcome) bool {
	r.mu.Lock()
	number, known := r.asked[q.digest]
	if !known && r.spent() {
		r.mu.Unlock()
		r.over = isolate.ErrBudget
		return false
	}
	if !known {
		r.trials++
		r.pass.Trials++
		number = r.trials
		r.asked[q.digest] = number
	}
	r.mu.Unlock()
	if r.opts.Observe != nil {
		best := r.best.Size()
		if o == isolate.Fail {
			best = min(best, q.size)
		}
		r.opts.Observe(Step{Trial: number, Outcome: o, Pass: r.pass.Name, Best: best, Size: q.size, Digest: q.digest})
	}
	return true
}

// accept makes an input, which is smaller and fails, the best one. It returns
// false, and the reduction is over, if Improved fails.
func (r *reduction) accept(in trial.Input) bool {
	r.pass.Removed += r.best.Size() - in.Size()
	r.best = in
	if r.opts.Improved != nil {
		r.over = r.opts.Improved(in)
	}
	return r.over == nil
}

// note adds a sentence for the user, once.
func (r *reduction) note(sentence string) {
	if !slices.Contains(r.notes, sentence) {
		r.notes = append(r.notes, sentence)
	}
}
