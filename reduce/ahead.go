package reduce

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// A lookahead is speculative execution of a reduction, for workers that its path leaves free. It performs the whole
// reduction again and again, each time from the beginning. Such a speculation has the memory of the path: an outcome
// that is known is taken from there. Any other outcome is predicted, and the input is tested. When a prediction turns
// out to be wrong, or the next speculation may come further, another one begins, with what is known by then. The
// lookahead changes neither the path nor the answer. Cost: each speculation takes of the processor what the reduction
// takes apart from its tests, up to where the speculation ends: less than a millisecond for most questions.
//
// Predictions go by single edits. A question is about one edit or several, whatever input these are made to, and each
// edit has a key. An edit that could not be made probably cannot be made to a smaller input either, and edits that
// could be made alone can mostly be made together. So outcomes of inputs to which the path will not come, for other
// edits will have been made by then, still tell what the outcomes on the path will be.
type lookahead struct {
	path  *reduction
	input testcase.Input
	opts  Options
	jobs  int // tests at once
	stop  context.CancelFunc

	mu       sync.Mutex
	possible map[editKey]bool  // whether an edit could be made when it was tested last
	rates    map[string][2]int // by pass: of how many edits this is known, and how many could be made
	last     *speculation      // whose questions are tested; nil = there is none so far
	ended    int               // tests since then
	wrong    bool              // one of its predictions was
	tests    map[string]*aheadTest
	busy     int // tests that have not ended: those of tests, and cancelled ones
	news     chan struct{}
	running  sync.WaitGroup
}

// An editKey names an edit: by what it is made to, and numbers.
type editKey uint64

func keyOf(what string, numbers ...int) editKey {
	h := fnv.New64a()
	h.Write([]byte(what))
	k := editKey(h.Sum64())
	for _, n := range numbers {
		k = k.with(n)
	}
	return k
}

// with returns the key of an edit with one more number.
func (k editKey) with(n int) editKey {
	k = (k ^ editKey(n)) * 0x9e3779b97f4a7c15
	return k ^ k>>32
}

// errEnough ends a speculation.
var errEnough = errors.New("enough questions are known ahead")

// A prediction is a question whose outcome was predicted.
type prediction struct {
	in     testcase.Input // packed
	digest string
	keys   []editKey
	pass   string
}

// A speculation is one performance of the reduction ahead of its path.
type speculation struct {
	*lookahead
	ctx   context.Context
	asked map[string]bool // by digest: the predictions, true = it fails
	list  []prediction
}

// look runs until ctx ends, or a test ends with an error.
func (a *lookahead) look(ctx context.Context) {
	defer a.running.Wait()
	ctx, a.stop = context.WithCancel(ctx)
	defer a.stop()
	for ctx.Err() == nil {
		s := &speculation{lookahead: a, ctx: ctx, asked: map[string]bool{}}
		opts := a.opts
		opts.Jobs, opts.Observe, opts.Improved, opts.Ahead = 1, nil, nil, false
		r, err := prepared(a.input, nil, opts)
		if err != nil {
			return
		}
		r.speculation = s
		_ = r.run(ctx)
		a.start(s)
		select {
		case <-a.news:
		case <-ctx.Done():
		}
	}
}

// answer returns the outcome of a question, known or predicted.
func (s *speculation) answer(r *reduction, in testcase.Input, digest string, keys []editKey) (isolate.Outcome, error) {
	if o, known := s.path.remembered(digest); known {
		return o, nil
	}
	fails, again := s.asked[digest]
	if !again {
		if s.full() {
			return isolate.Unresolved, errEnough
		}
		fails = s.predict(r.pass.Name, keys)
		s.asked[digest] = fails
		if packed, err := r.archives.pack(in); err == nil {
			p := prediction{packed, digest, keys, r.pass.Name}
			s.list = append(s.list, p)
			s.mu.Lock()
			s.begin(s.ctx, p)
			s.mu.Unlock()
		}
	}
	if fails {
		return isolate.Fail, nil
	}
	return isolate.Pass, nil
}

// full reports whether a speculation has as many predictions as it may have: twice as many as tests run at once.
func (s *speculation) full() bool { return len(s.list) == 2*s.jobs }

// predict reports whether edits can probably be made together.
func (a *lookahead) predict(pass string, keys []editKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	rate := a.rates[pass]
	each := (float64(rate[1]) + 1) / (float64(rate[0]) + 2)
	p := 1.0
	for _, k := range keys {
		can, known := a.possible[k]
		switch {
		case known && !can:
			return false
		case !known:
			p *= each
		}
	}
	return p > 0.5
}

// learn takes note of an outcome.
func (a *lookahead) learn(digest, pass string, keys []editKey, fails bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	note := func(k editKey) {
		rate := a.rates[pass]
		if was, known := a.possible[k]; known {
			rate[0]--
			if was {
				rate[1]--
			}
		}
		rate[0]++
		if fails {
			rate[1]++
		}
		a.rates[pass], a.possible[k] = rate, fails
	}
	if fails {
		for _, k := range keys {
			note(k)
		}
	} else {
		var open []editKey
		for _, k := range keys {
			if !a.possible[k] {
				open = append(open, k)
			}
		}
		if len(open) == 1 {
			note(open[0])
		} else if len(keys) == 1 {
			note(keys[0])
		}
	}
	a.ended++
	if a.last != nil {
		predicted, known := a.last.asked[digest]
		a.wrong = a.wrong || known && predicted != fails
	}
	a.wake()
}

// anew bounds how often a wrong prediction leads to another speculation, which takes time: first one in anew of the
// tests have to end.
const anew = 2

// wake asks for another speculation if it may come further than the last one. The caller holds a.mu.
func (a *lookahead) wake() {
	wrong := a.wrong && (a.ended >= a.jobs/anew || len(a.tests) < a.jobs/anew)
	more := a.last != nil && a.last.full() && len(a.tests) < a.jobs/2
	if !wrong && !more {
		return
	}
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// start begins the tests of a speculation, and cancels those of the one before that are no longer wanted.
func (a *lookahead) start(s *speculation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last, a.ended, a.wrong = s, 0, false
	for digest, t := range a.tests {
		if _, wanted := s.asked[digest]; !wanted {
			t.cancel()
			delete(a.tests, digest)
		}
	}
	for _, p := range s.list {
		a.begin(s.ctx, p)
		if o, known := a.path.remembered(p.digest); known && s.asked[p.digest] != (o == isolate.Fail) {
			a.wrong = true // its test ended while the speculation went on
		}
	}
	a.wake()
}

// begin begins a test if there is a worker for it. The caller holds a.mu.
func (a *lookahead) begin(ctx context.Context, p prediction) {
	if a.busy >= a.jobs || a.tests[p.digest] != nil || ctx.Err() != nil {
		return
	}
	if _, known := a.path.remembered(p.digest); known {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &aheadTest{cancel}
	a.tests[p.digest] = t
	a.busy++
	a.running.Go(func() {
		defer cancel()
		_, err := a.path.tested(ctx, p.digest, p.pass, p.keys, func() (testcase.Input, error) { return p.in, nil })
		if err != nil && ctx.Err() == nil {
			a.stop() // what cannot be tested is not tried again and again; the path meets the error, too
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.busy--; a.tests[p.digest] == t {
			delete(a.tests, p.digest)
		}
		if a.last != nil {
			for _, p := range a.last.list {
				a.begin(a.last.ctx, p)
			}
		}
		a.wake()
	})
}

// An aheadTest is a test that runs ahead of the path.
type aheadTest struct{ cancel context.CancelFunc }
