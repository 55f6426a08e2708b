package reduce

import (
	"context"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// offers are n inputs that are asked about one by one, whatever they are made of.
type offers struct {
	*reduction
	n int

	// offer returns input i as it is now, whether it is worth a question, and what
	// is to be done when it becomes the best one. It is called in the order of i, and
	// again for those behind one that was made. What it returns is held no longer than
	// its answer may be yes.
	offer func(i int) (in testcase.Input, made func(), ok bool)
	// key returns the key of edit i, see lookahead; nil = the key is made of the best input now and of i.
	key func(i int) editKey
}

// keyed returns the offers with keys for their edits.
func (o offers) keyed() offers {
	if begun := keyOf(o.best.Digest()); o.key == nil {
		o.key = begun.with
	}
	return o
}

// first makes the first input that fails and returns its number, -1 if none does.
// Options.Jobs of them are tested at once.
func (o offers) first(ctx context.Context) (int, error) {
	o = o.keyed()
	for from := 0; from < o.n; {
		through, at, err := o.ahead(ctx, from)
		if at >= 0 || err != nil {
			return at, err
		}
		from += through
	}
	return -1, o.err(ctx)
}

// each makes each input that fails, and returns how many did.
func (o offers) each(ctx context.Context) (made int, err error) {
	o = o.keyed()
	for from := 0; from < o.n; {
		through, at, err := o.ahead(ctx, from)
		if at >= 0 {
			made, through = made+1, at-from+1
		}
		if err != nil {
			return made, err
		}
		from += through
	}
	return made, o.err(ctx)
}

// walk makes each input that fails, and calls after then, which says whether to go on.
// It gives up when so many in a row were for nothing that all trials so far were better
// spent: a quarter as many as they are, at least 64.
func (o offers) walk(ctx context.Context, after func() bool) error {
	o = o.keyed()
	patience := max(64, o.trials/4)
	o.until = o.trials + patience
	defer func() { o.until = 0 }()
	for from := 0; from < o.n && !o.patienceEnds(); {
		through, at, err := o.ahead(ctx, from)
		if err != nil {
			return err
		}
		if at >= 0 {
			if !after() {
				break
			}
			through, o.until = at-from+1, o.trials+patience
		}
		from += through
	}
	return o.err(ctx)
}

// untilNone calls offers for what can be offered now, as long as one of that is made; what was made then may make
// room for more. Each time it gives up as walk does.
func untilNone(ctx context.Context, now func() (offers, error)) error {
	for again := true; again; {
		again = false
		o, err := now()
		if err != nil {
			return err
		}
		err = o.walk(ctx, func() bool {
			again = true
			return false
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ahead asks about the inputs from a number on, as many at once as there are jobs
// and questions that no memory answers. It makes the first that fails, returns
// its number or -1, and how many were looked at.
func (o offers) ahead(ctx context.Context, from int) (through, made int, err error) {
	type asking struct {
		in   testcase.Input
		made func()
		question
		outcome isolate.Outcome
		err     error
		done    chan struct{}
	}
	if err := o.err(ctx); err != nil {
		return 0, -1, err
	}
	inner, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	var all []*asking
	tests := 0
	for ; from+through < o.n && tests < max(1, o.opts.Jobs); through++ {
		a := &asking{done: make(chan struct{})}
		all = append(all, a)
		in, made, ok := o.offer(from + through)
		if !ok {
			close(a.done)
			continue
		}
		a.question = question{in.Digest(), in.Size()}
		known := false
		if a.outcome, known = o.remembered(a.digest); known && a.outcome != isolate.Fail {
			close(a.done) // any number of these may come before a question
			continue
		}
		a.in, a.made = in, made
		if !known {
			tests++
		}
		keys := []editKey{o.key(from + through)}
		running.Go(func() {
			a.outcome, a.err = o.outcome(inner, a.in, a.digest, keys)
			close(a.done)
		})
	}
	for i, a := range all {
		<-a.done
		if o.patienceEnds() {
			return i, -1, nil // where one job would have ended
		}
		if a.digest == "" {
			continue
		}
		if a.err != nil {
			return i, -1, o.ended(a.err)
		}
		if a.outcome == isolate.Fail {
			a.made()
		}
		left := o.n - from - i - 1
		if a.outcome == isolate.Fail {
			left = 0 // what made place may be asked about again
		}
		o.count(a.question, a.outcome, left)
		if a.outcome == isolate.Fail {
			o.accept(a.in)
			return i + 1, from + i, o.over
		}
		if o.over != nil {
			return i + 1, -1, o.over
		}
	}
	return through, -1, nil
}

// A list is n elements, of which as many as can be are left out together.
type list struct {
	*reduction
	n         int
	weights   []int   // what leaving an element out saves, at least 1; nil = 1 each
	algorithm string  // see isolate.MinimizeAlgorithms; "" = auto
	dense     bool    // few are likely to go: whether all of them can is not asked first
	nonEmpty  bool    // whether all elements can be left out together is not asked
	sure      bool    // it ends with a sweep that asks for each element that is left alone
	requires  [][]int // see isolate.List

	// offer returns the input with the elements of c alone, and whether it is
	// worth a question. It is called by several goroutines, and must not depend on
	// what was made since the list began.
	offer func(c isolate.Configuration) (testcase.Input, bool)
	// made says that the input with the elements of c fails. It returns whether it
	// is better than the best one, which it is then.
	made func(c isolate.Configuration, in testcase.Input) bool
	// key returns the key of leaving out element i; nil as in offers.
	key func(i int) editKey
}

// A question is an input of which is asked whether it fails.
type question struct {
	digest string // "" = it is not worth one
	size   int64
}

// minimise leaves out what it finds can be left out together. The error is
// isolate.ErrBudget, that of ctx, of the test, or of Options.Improved; what was
// made by then stays made.
func (l list) minimise(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	keyAt := l.key
	if begun := keyOf(l.best.Digest()); keyAt == nil {
		keyAt = begun.with
	}
	var mu sync.Mutex
	kept := isolate.Full(l.n)
	asked := map[isolate.Configuration]question{}
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		var q question
		in, ok := l.offer(c)
		if ok {
			q = question{in.Digest(), in.Size()}
		}
		mu.Lock()
		asked[c] = q
		gone := kept.Minus(c)
		mu.Unlock()
		if !ok {
			return isolate.Pass, nil
		}
		var keys []editKey
		if l.speculation != nil || l.ahead != nil {
			for i := range gone.All() {
				keys = append(keys, keyAt(i))
			}
		}
		return l.outcome(ctx, in, q.digest, keys)
	}
	step := func(s isolate.MinimizeStep) {
		mu.Lock()
		q := asked[s.Config]
		mu.Unlock()
		if q.digest == "" {
			return
		}
		var in testcase.Input
		made := false
		if s.Outcome == isolate.Fail {
			if in, made = l.offer(s.Config); made {
				made = l.made(s.Config, in)
			}
		}
		l.count(q, s.Outcome, s.Left)
		if made {
			mu.Lock()
			kept = s.Config
			mu.Unlock()
			l.accept(in)
		}
	}
	minimum, err := isolate.Minimize(ctx, isolate.List{N: l.n, Weights: l.weights, NonEmpty: l.nonEmpty, Requires: l.requires}, test, isolate.MinimizeOptions{
		Algorithm: l.algorithm,
		Sigma:     l.opts.Sigma,
		Jobs:      l.opts.Jobs,
		Fast:      !l.sure,
		Dense:     l.dense,
		Density:   l.densities[l.pass.Name],
		Observe: func(s isolate.MinimizeStep) {
			if l.err(ctx) == nil {
				step(s)
			}
			if l.over != nil {
				cancel()
			}
		},
	})
	l.densities[l.pass.Name] = minimum.Density
	return l.ended(err)
}
