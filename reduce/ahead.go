package reduce

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// A lookahead keeps workers busy that the path of a reduction leaves free. It makes the whole reduction once more,
// ahead of the path: what is known is answered by the memory that both share, and what is not by a guess, and is
// tested. When a guess turns out to be wrong, or enough has been tested, that is done again from the beginning,
// with what is known by then. It changes neither the path nor the answer. Cost: of each such line, what the reduction
// takes of the time of the machine up to its end, which is less than a millisecond for most questions.
//
// A guess goes by what tests have told about single edits. A question is about one or several edits, whatever the
// input is that these are made to, and each edit has a mark: where an edit could not be made, it probably cannot be
// made to a smaller input either, and what could be made alone can mostly be made together. So the first tests of a
// stretch of the path, which are made to inputs that the path does not come to, tell what the path will come to.
type lookahead struct {
	path  *reduction
	input testcase.Input
	opts  Options
	jobs  int // tests at once
	stop  context.CancelFunc

	mu      sync.Mutex
	facts   map[mark]bool     // by the mark of an edit: it could be made when it was tested last
	rates   map[string][2]int // by pass: of how many edits this is known, and how many could be made
	guessed map[string]bool   // by digest: what was guessed in the last line
	ended   int               // tests since then
	wrong   bool              // one of them was guessed wrongly
	more    bool              // the line could have gone on
	tests   map[string]*aheadTest
	busy    int   // tests that have not ended: those of tests, and cancelled ones
	last    *line // whose tests are wanted; nil = there is none so far
	news    chan struct{}
	running sync.WaitGroup
}

// A mark names an edit: by what it is made to, and numbers.
type mark uint64

func markOf(what string, numbers ...int) mark {
	h := fnv.New64a()
	h.Write([]byte(what))
	m := mark(h.Sum64())
	for _, n := range numbers {
		m = m.with(n)
	}
	return m
}

// with is the mark of an edit with one more number.
func (m mark) with(n int) mark {
	m = (m ^ mark(n)) * 0x9e3779b97f4a7c15
	return m ^ m>>32
}

// errEnough ends a line of the lookahead.
var errEnough = errors.New("enough questions are known ahead")

// A guessing is a question that was answered by a guess.
type guessing struct {
	in     testcase.Input // packed
	digest string
	marks  []mark
	pass   string
}

// A line is one run of the reduction ahead of its path.
type line struct {
	*lookahead
	ctx   context.Context
	most  int             // questions
	asked map[string]bool // by digest: the guesses
	list  []guessing
}

// look runs until ctx ends, or a test ends with an error.
func (a *lookahead) look(ctx context.Context) {
	defer a.running.Wait()
	ctx, a.stop = context.WithCancel(ctx)
	defer a.stop()
	for ctx.Err() == nil {
		l := &line{lookahead: a, ctx: ctx, most: 2 * a.jobs, asked: map[string]bool{}}
		opts := a.opts
		opts.Jobs, opts.Observe, opts.Improved, opts.Ahead = 1, nil, nil, false
		r, err := prepared(a.input, nil, opts)
		if err != nil {
			return
		}
		r.line = l
		_ = r.run(ctx)
		a.start(l)
		select {
		case <-a.news:
		case <-ctx.Done():
		}
	}
}

// answer is the outcome of a question of a line.
func (l *line) answer(r *reduction, in testcase.Input, digest string, marks []mark) (isolate.Outcome, error) {
	if o, known := l.path.remembered(digest); known {
		return o, nil
	}
	fails, again := l.asked[digest]
	if !again {
		if len(l.list) == l.most {
			return isolate.Unresolved, errEnough
		}
		fails = l.guess(r.pass.Name, marks)
		l.asked[digest] = fails
		if packed, err := r.archives.pack(in); err == nil {
			g := guessing{packed, digest, marks, r.pass.Name}
			l.list = append(l.list, g)
			l.mu.Lock()
			l.begin(l.ctx, g)
			l.mu.Unlock()
		}
	}
	if fails {
		return isolate.Fail, nil
	}
	return isolate.Pass, nil
}

// guess says whether edits can probably be made together.
func (a *lookahead) guess(pass string, marks []mark) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	rate := a.rates[pass]
	each := (float64(rate[1]) + 1) / (float64(rate[0]) + 2)
	p := 1.0
	for _, m := range marks {
		can, known := a.facts[m]
		switch {
		case known && !can:
			return false
		case !known:
			p *= each
		}
	}
	return p > 0.5
}

// learn takes note of what a test told.
func (a *lookahead) learn(digest, pass string, marks []mark, fails bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	note := func(m mark) {
		rate := a.rates[pass]
		if was, known := a.facts[m]; known {
			rate[0]--
			if was {
				rate[1]--
			}
		}
		rate[0]++
		if fails {
			rate[1]++
		}
		a.rates[pass], a.facts[m] = rate, fails
	}
	if fails {
		for _, m := range marks {
			note(m)
		}
	} else {
		var open []mark
		for _, m := range marks {
			if !a.facts[m] {
				open = append(open, m)
			}
		}
		if len(open) == 1 {
			note(open[0])
		} else if len(marks) == 1 {
			note(marks[0])
		}
	}
	a.ended++
	guess, guessed := a.guessed[digest]
	a.wrong = a.wrong || guessed && guess != fails
	a.wake()
}

// anew is how many tests end, as a part of all, before a wrong guess is reason for a new line: a line takes time.
const anew = 2

// wake asks for a new line if that may tell more than the last one. a.mu is held.
func (a *lookahead) wake() {
	wrong := a.wrong && (a.ended >= a.jobs/anew || len(a.tests) < a.jobs/anew)
	if !wrong && !(a.more && len(a.tests) < a.jobs/2) {
		return
	}
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// start goes on with the tests of a line, and with no others.
func (a *lookahead) start(l *line) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.guessed, a.more, a.ended, a.wrong = l.asked, len(l.list) == l.most, 0, false
	for digest, t := range a.tests {
		if _, wanted := l.asked[digest]; !wanted {
			t.cancel()
			delete(a.tests, digest)
		}
	}
	a.last = l
	for _, g := range l.list {
		a.begin(l.ctx, g)
		if o, known := a.path.remembered(g.digest); known && l.asked[g.digest] != (o == isolate.Fail) {
			a.wrong = true // as was told while the line went on
		}
	}
	a.wake()
}

// begin begins a test if there is a worker for it. a.mu is held.
func (a *lookahead) begin(ctx context.Context, g guessing) {
	if a.busy >= a.jobs || a.tests[g.digest] != nil || ctx.Err() != nil {
		return
	}
	if _, known := a.path.remembered(g.digest); known {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &aheadTest{cancel}
	a.tests[g.digest] = t
	a.busy++
	a.running.Go(func() {
		defer cancel()
		_, err := a.path.tested(ctx, g.digest, g.pass, g.marks, func() (testcase.Input, error) { return g.in, nil })
		if err != nil && ctx.Err() == nil {
			a.stop() // what cannot be tested is not tried again and again; the path meets the error, too
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.busy--; a.tests[g.digest] == t {
			delete(a.tests, g.digest)
		}
		if a.last != nil {
			for _, g := range a.last.list {
				a.begin(a.last.ctx, g)
			}
		}
		a.wake()
	})
}

// An aheadTest is a test that runs ahead of the path.
type aheadTest struct{ cancel context.CancelFunc }
