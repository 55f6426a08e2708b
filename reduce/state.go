package reduce

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
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
	graphs    func(ctx context.Context, d *dag) error    // the graph algorithm
	chosen    []pass
	kinds     kinds

	closures   bool // whether to take out what belongs together in several files
	wholeFiles bool // whether to take files out

	best      testcase.Input // archives are directories in it
	output    testcase.Input // the same, with archives
	archives  archives
	protected map[string]map[string]int // by path: how often what has to stay stands there

	passes map[string]*Pass
	order  []*Pass // in the order of their first run
	pass   *Pass   // that asks now
	closed int64   // bytes of the best input after the last pass over closures and files
	until  int     // when there were so many trials no more offers are asked about; 0 = they are
	over   error   // why no more is asked: isolate.ErrBudget, or what Improved returned; nil = it is not over

	densities map[string]isolate.Density // by pass: what its lists were like
	nodes     map[string]int             // by path: of the graphs in the best input
	accepted  int                        // inputs that became the best one
	notes     []string
	formats   map[string]string // by path
	taken     map[string]string // by path: the format that a file was taken for at first
	searched  map[string]bool   // by path: the algorithm has been through the graph
	minimal   bool

	ahead       *lookahead   // nil = there is none
	speculation *speculation // that this is; nil = it is the path

	mu       sync.Mutex
	trials   int                        // questions on the path that needed a test
	cached   int                        // and that did not, because they had been asked before
	asked    map[string]int             // on the path, by digest: the number of its trial
	outcomes map[string]isolate.Outcome // by digest: of finished tests
	running  map[string]chan struct{}   // by digest: of tests that run
	written  map[string]string          // by digest: that of the input with archives
}

func newReduction(in testcase.Input, test Test, opts Options) *reduction {
	r := &reduction{
		test: test, opts: opts, best: in, output: in,
		archives: archives{map[string]*archive{}, map[string]*member{}},
		asked:    map[string]int{}, passes: map[string]*Pass{}, densities: map[string]isolate.Density{},
		formats:  map[string]string{},
		nodes:    map[string]int{},
		searched: map[string]bool{},
		taken:    map[string]string{},
		written:  map[string]string{},
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

func (r *reduction) patienceEnds() bool { return r.until > 0 && r.trials >= r.until }

// ended returns why a search among questions ended early, nil if it did not.
func (r *reduction) ended(err error) error {
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

// outcome tests an input, or remembers. It may be called by several goroutines. keys are those of
// the edits that it is about, see lookahead.
func (r *reduction) outcome(ctx context.Context, in testcase.Input, digest string, keys []editKey) (isolate.Outcome, error) {
	if r.speculation != nil {
		return r.speculation.answer(r, in, digest, keys)
	}
	return r.tested(ctx, digest, r.pass.Name, keys, func() (testcase.Input, error) { return r.archives.pack(in) })
}

// tested is outcome for an input as pack returns it.
func (r *reduction) tested(ctx context.Context, digest, pass string, keys []editKey, pack func() (testcase.Input, error)) (isolate.Outcome, error) {
	for {
		r.mu.Lock()
		if o, known := r.outcomes[digest]; known {
			r.mu.Unlock()
			return o, nil
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

	o := isolate.Unresolved
	packed, err := pack()
	if err == nil {
		if len(r.archives.marks) > 0 {
			r.mu.Lock()
			r.written[digest] = packed.Digest()
			r.mu.Unlock()
		}
		o, err = r.test(ctx, packed)
	} else {
		err = nil // what cannot be written cannot be tested
	}
	if err == nil {
		err = ctx.Err() // what a cancelled test says is not looked at
	}
	r.mu.Lock()
	if err == nil {
		r.outcomes[digest] = o
	}
	delete(r.running, digest)
	close(done)
	r.mu.Unlock()
	if err == nil && r.ahead != nil {
		r.ahead.learn(digest, pass, keys, o == isolate.Fail)
	}
	return o, err
}

// count takes note of a question on the path. With the last trial of the budget
// the reduction is over: its outcome counts, but nothing is asked any more, not
// even what workers found ahead of the path.
func (r *reduction) count(q question, o isolate.Outcome, left int) {
	r.mu.Lock()
	number, known := r.asked[q.digest]
	if known {
		r.cached++
	} else {
		r.trials++
		r.pass.Trials++
		number = r.trials
		r.asked[q.digest] = number
	}
	if r.opts.MaxTrials > 0 && r.trials == r.opts.MaxTrials {
		r.over = isolate.ErrBudget
	}
	digest := cmp.Or(r.written[q.digest], q.digest)
	r.mu.Unlock()
	if r.opts.Observe != nil {
		best, nodes := r.best.Size(), 0
		if o == isolate.Fail {
			best = min(best, q.size)
		}
		for _, f := range r.best.Files {
			nodes += r.nodes[f.Path]
		}
		r.opts.Observe(Step{Trial: number, Outcome: o, Pass: r.pass.Name, Best: best, Size: q.size, Nodes: nodes, Digest: digest, Left: left})
	}
}

// ask asks about an input, whatever its size.
func (r *reduction) ask(ctx context.Context, in testcase.Input) (fails bool, err error) {
	if err := r.err(ctx); err != nil {
		return false, err
	}
	q := question{in.Digest(), in.Size()}
	o, err := r.outcome(ctx, in, q.digest, nil)
	if err != nil {
		return false, r.ended(err)
	}
	r.count(q, o, 0)
	return o == isolate.Fail, nil
}

// accept makes an input, which fails and is smaller, or has a smaller graph in it,
// the best one. If Improved fails the reduction is over.
func (r *reduction) accept(in testcase.Input) {
	packed, err := r.archives.pack(in)
	if err == nil && r.opts.Improved != nil {
		err = r.opts.Improved(packed)
	}
	if err != nil {
		r.over = err
	}
	r.pass.Removed += r.best.Size() - in.Size()
	r.best, r.output = in, packed
	r.accepted++
}

// note adds a sentence for the user, once.
func (r *reduction) note(sentence string) {
	if !slices.Contains(r.notes, sentence) {
		r.notes = append(r.notes, sentence)
	}
}
