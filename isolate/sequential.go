package isolate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
)

// A SequentialTest decides the outcome of a test that is sometimes wrong: it repeats the test
// until it is sure enough. Safe for concurrent use.
//
// The model: attempts are independent, and a configuration is either like the
// end that passes, which fails at some rate, or like the end that fails, at a
// higher one. What is known of the two rates is what [SequentialTest.Calibrate] has seen
// of the ends, as two Beta distributions; how likely some attempts are is the
// mean over these (posterior predictive), so that few attempts at the ends make
// more of them necessary later, and not a wrong answer. Both kinds of being
// wrong are possible: a good end that fails at times and a bad end that passes
// at times. Attempts that are unresolved say nothing, and count only when there
// are no others.
//
// Which outcome to believe is decided in two steps, each a sequential
// probability ratio test (Wald, Annals of Mathematical Statistics 16, 1945).
// While a search explores, [SequentialTest.Ask] takes a moderate risk, because an answer
// rests on few outcomes, and the rest costs nothing but a detour when it is
// wrong. Then [SequentialTest.Settle] repeats these few until the risk that any of them is
// wrong is small. An algorithm is pure in the outcomes that it asked for: so
// when one turns out otherwise, the search is run again from its beginning, and
// costs no attempt up to there. (After every tenth turn Ask takes less risk, so
// that there is an end to it; then it may.)
//
// [SearchSurely] is this loop, and [UntilSettled] for other kinds of answers.
//
// A wrong outcome leads to a long run of others that are all alike. With
// [Options.Doubt] the search notices, and [SequentialTest.Doubt] has a second look at once:
// without it a wrong fail may cost a search for causes that there are none of.
//
// Everything depends on the outcomes of attempts by their number alone, so path
// and answer are the same for any number of jobs and in whatever order attempts end.
type SequentialTest struct {
	confidence float64

	mu      sync.Mutex
	trials  map[string]*repeated
	passing *repeated // the end that passes; nil = not calibrated
	failing *repeated
	ask     rule // of Ask; changes with Calibrate, and when many outcomes have turned
	rounds  int  // of Settle
	turns   int  // claims that turned out otherwise
}

// NewSequentialTest returns a sequential test whose answers are right with such a probability, more
// than 0.5 and less than 1; it panics for another one.
func NewSequentialTest(confidence float64) *SequentialTest {
	if !(confidence > 0.5 && confidence < 1) {
		panic(fmt.Sprintf("isolate: confidence %v is not between 0.5 and 1", confidence))
	}
	return &SequentialTest{confidence: confidence, trials: map[string]*repeated{}}
}

// A Sample makes one attempt of a test: the first has the number 1. The same
// number gives the same outcome each time. An error is passed on, and the
// attempt is not made.
type Sample func(ctx context.Context, attempt int) (Outcome, error)

// A Claim is a test with the outcome that an answer takes it to have.
type Claim struct {
	Name   string // equal names are the same test, and share attempts
	Want   Outcome
	Sample Sample
}

// A repeated test is what a sequential test knows of one name. It is guarded by the mutex
// of the sequential test, but for asking.
type repeated struct {
	asking   chan struct{} // holds one for the call of Ask that makes attempts
	outcomes map[int]Outcome
	sample   Sample // of an end

	noted Tally // at the last Note; zero = there was none

	// What Settle has decided, if it has been a claim.
	decided bool
	outcome Outcome
	before  Tally // the attempts that outcome was chosen by
	fresh   Tally // those after that
}

// test returns what is known of a name. The mutex is held.
func (j *SequentialTest) test(name string) *repeated {
	r := j.trials[name]
	if r == nil {
		r = &repeated{asking: make(chan struct{}, 1), outcomes: map[int]Outcome{}}
		j.trials[name] = r
	}
	return r
}

// errUncalibrated says that a sequential test was asked too early.
var errUncalibrated = errors.New("isolate: Calibrate comes before Ask and Settle")

// Ask returns the outcome of a test to explore with: it makes as few attempts
// as leave a moderate risk, the one that is likely to cost least over all (see
// explore). An end is what Calibrate found it to be, and what has been settled
// stays so; both cost no attempt.
//
// A test that fits neither end, after several times the attempts that one which
// does would take, is Unresolved; and so is one with unresolved attempts only.
//
// Calls with one name share their attempts, and one of them makes these.
func (j *SequentialTest) Ask(ctx context.Context, name string, sample Sample) (Outcome, error) {
	j.mu.Lock()
	r := j.test(name)
	j.mu.Unlock()
	select {
	case r.asking <- struct{}{}:
	case <-ctx.Done():
		return Unresolved, ctx.Err()
	}
	defer func() { <-r.asking }()
	for {
		j.mu.Lock()
		if j.passing == nil {
			j.mu.Unlock()
			return Unresolved, errUncalibrated
		}
		o, t, done := j.verdict(r)
		j.mu.Unlock()
		if done {
			return o, nil
		}
		o, err := sample(ctx, t.Total()+1)
		if err != nil {
			return Unresolved, err
		}
		j.mu.Lock()
		r.outcomes[t.Total()+1] = o
		j.mu.Unlock()
	}
}

// verdict returns the outcome of a test and the attempts it was chosen by, or
// those so far when more are needed. It depends on the outcomes of attempts
// alone and not on how many more were made ahead. The mutex is held.
func (j *SequentialTest) verdict(r *repeated) (o Outcome, t Tally, done bool) {
	switch {
	case r.decided:
		return r.outcome, r.before, true
	case r == j.passing:
		return Pass, r.before, true
	case r == j.failing:
		return Fail, r.before, true
	}
	for {
		if o, done := j.ask.verdict(t); done {
			return o, t, true
		}
		next, known := r.outcomes[t.Total()+1]
		if !known {
			return Unresolved, t, false
		}
		t = t.with(next)
	}
}

// Note says that the path of a search has asked for a test and has its outcome from Ask.
// From now on the Tally of the test changes only with its next Note, or when Settle decides
// the test. A run that looks ahead may try the test again later, since Ask takes less risk
// after many turns: such attempts do not count unless the path asks for the test again.
func (j *SequentialTest) Note(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.trials[name]; r != nil && j.passing != nil {
		_, r.noted, _ = j.verdict(r)
	}
}

// Tally returns the attempts at a test that its outcome rests on, without those that were
// made ahead and not needed. Before the first Note of the test it may change with each
// attempt, afterwards only as Note says. That of an end changes with Calibrate and Settle.
func (j *SequentialTest) Tally(name string) Tally {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.trials[name]
	if r == nil {
		return Tally{}
	}
	if j.passing == nil {
		return r.before
	}
	if r.noted != (Tally{}) && !r.decided && r != j.passing && r != j.failing {
		return r.noted
	}
	_, t, _ := j.verdict(r)
	return t.plus(r.fresh)
}

// Forget forgets the attempts of a test that is no end and that nobody is asking for: from
// now on the name stands for another one.
func (j *SequentialTest) Forget(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.trials[name]; r != nil && r != j.passing && r != j.failing {
		delete(j.trials, name)
	}
}

// A rule decides by attempts which end a test is like, with even odds before.
type rule struct {
	pass, fail beta    // of the end that passes and of the one that fails
	doubt      float64 // the risk it may leave
	unresolved int     // so many unresolved attempts and no others, and it is unresolved
}

// failLike returns how likely a test with this tally is like the end that fails.
func (r rule) failLike(t Tally) float64 {
	return 1 / (1 + math.Exp(r.pass.logLikelihood(t)-r.fail.logLikelihood(t)))
}

// verdict returns the outcome, or that more attempts are needed.
func (r rule) verdict(t Tally) (o Outcome, done bool) {
	if t.resolved() == 0 {
		return Unresolved, t.Unresolved >= r.unresolved
	}
	switch p := r.failLike(t); {
	case p <= r.doubt:
		return Pass, true
	case p >= 1-r.doubt:
		return Fail, true
	}
	return Unresolved, r.fitsNeither(t)
}

// misfit is how unlikely a tally of a test that is like an end is to be taken
// for one that fits neither.
const misfit = 1e-4

// fitsNeither reports whether a tally is much likelier for a test that fails at
// a rate of its own, whatever it is, than for one that is like an end. Should
// the rates be too close to say so, many attempts are as good as a proof:
// several times what brings even odds down to misfit, by the mean information
// of an attempt.
func (r rule) fitsNeither(t Tally) bool {
	own := Tally{}.beta().logLikelihood(t)
	if own-max(r.pass.logLikelihood(t), r.fail.logLikelihood(t)) > -math.Log(misfit) {
		return true
	}
	p, q := r.pass.fails(), r.fail.fails()
	information := min(divergence(p, q), divergence(q, p))
	return float64(t.Total()) >= 50-min(10*math.Log(misfit)/information, -1)
}

// divergence returns that of Kullback and Leibler, in nats, of an event of
// probability p from one of probability q.
func divergence(p, q float64) float64 {
	return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q))
}
