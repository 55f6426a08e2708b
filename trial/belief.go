package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// With Options.Confidence an outcome is not what one trial said, but what a sequential test
// makes of several attempts at the same question. The attempts are in the
// journal, so that a resumed session draws the same ones, and takes the same path.

// Flakiness is what the trials of a session say of how steady the test is.
type Flakiness struct {
	// Of both ends with Options.Confidence: their attempts by outcome, and how
	// often an attempt at the passing end fails, and one at the failing end
	// passes, as estimated: not 0 where none was seen. All 0 before Ends has
	// found that the ends differ.
	Good, Bad            isolate.Tally
	WrongFail, WrongPass float64

	// The attempts at all trees that an answer rests on, the ends included: those
	// where the test passes, when it is right, and those where it fails.
	Passing, Failing isolate.Tally

	Torn []Torn // trees on which the test had different outcomes, in the order of their first trials
}

// A Torn tree is one on which the same command had different outcomes.
type Torn struct {
	Tree     string
	Trials   []int // in order
	Outcomes []isolate.Outcome
}

// name is what a sequential test calls a question. Attempts in fresh workspaces are not
// taken together with those of the search: what these kept from one trial to the
// next may be the difference.
func (q *question) name() string {
	name := string(q.key.tree) + " " + q.key.settings
	if q.key.fresh {
		name += " fresh"
	}
	return name
}

// sample makes attempts at q in the workspaces of a supply. Those that no file of the
// configuration can be blamed for are errors.
func (r *pool) sample(q question, from supply) isolate.Sample {
	return func(ctx context.Context, k int) (isolate.Outcome, error) {
		if k > 1 && r.rejected(q.key) {
			return isolate.Unresolved, nil // nobody repeats a check
		}
		err := r.controlled(ctx, q, k, from)
		if err != nil {
			return isolate.Unresolved, err
		}
		rec, _, err := r.attempt(ctx, q, k, from)
		if _, ok := errors.AsType[*noTrial](err); ok {
			return isolate.Unresolved, nil
		}
		if err != nil {
			return isolate.Unresolved, err
		}
		r.noteControl(q, rec)
		return r.outcome(rec), r.stopped(r.verdict(rec))
	}
}

// believe is answer with a sequential test.
func (r *pool) believe(ctx context.Context, q question) (Verdict, error) {
	var ran atomic.Bool
	o, err := r.sequential.Ask(ctx, q.name(), r.sample(q, func(ctx context.Context, w *worker, q question) (place, error) {
		ran.Store(true)
		return r.shared(ctx, w, q)
	}))
	if err != nil {
		return Verdict{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ran.Load() && r.memo.asked[q.key] {
		r.memo.stats.Cached++
	}
	r.memo.asked[q.key] = true
	v := r.believed(q, o)
	v.Cached = !ran.Load()
	return v, nil
}

// believed is the verdict that stands for all attempts at q, whose outcome is o:
// that of the first attempt with this outcome. r.mu is held.
func (r *pool) believed(q question, o isolate.Outcome) Verdict {
	r.memo.believed[q.key] = o
	v := Verdict{Outcome: o, Reason: "no attempt says " + o.Word(r.interpret.interesting)}
	recs := r.memo.attempts[q.key]
	if at := slices.IndexFunc(recs, func(rec Record) bool { return r.outcome(rec) == o }); at >= 0 {
		v = r.verdict(recs[at])
	}
	for _, rec := range recs {
		v.Duration = max(v.Duration, r.verdict(rec).Duration)
		v.build, v.check = max(v.build, duration(rec.BuildSeconds)), max(v.check, duration(rec.CheckSeconds))
	}
	return v
}

// calibrate is Ends with a sequential test: it tries both ends until it knows how often each
// is wrong.
func (r *Runner) calibrate(ctx context.Context, good, bad question, e *Ends) error {
	r.allow()
	toTest := func(q question) isolate.Claim {
		return isolate.Claim{Name: q.name(), Sample: r.limited(r.sample(q, r.shared))}
	}
	rates, err := r.sequential.Calibrate(ctx, toTest(good), toTest(bad), r.ahead())
	if indistinct, ok := errors.AsType[*isolate.IndistinctError](err); ok {
		return sameEnds(*e, indistinct)
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counted[good.name()], r.counted[bad.name()] = good.key, bad.key
	passing, failing := good, bad
	if rates.Swapped {
		passing, failing, e.Direction = bad, good, Fix
	}
	r.calibrated = [2]string{good.name(), bad.name()}
	r.rested[passing.name()], r.rested[failing.name()] = isolate.Pass, isolate.Fail
	p, f := r.believed(passing, isolate.Pass), r.believed(failing, isolate.Fail)
	e.Good, e.Bad = p, f
	if rates.Swapped {
		e.Good, e.Bad = f, p
	}
	r.rates = &rates
	return nil
}

// sameEnds says that the ends cannot be told apart, with what was seen.
func sameEnds(e Ends, err *isolate.IndistinctError) *EndsError {
	good, bad := err.Good, err.Bad
	if good.Pass+good.Fail == 0 || bad.Pass+bad.Fail == 0 || good.Fail+bad.Fail == 0 || good.Pass+bad.Pass == 0 {
		what := fmt.Sprintf("%s (%d tries at good and %d at bad)", equalEnds(e), good.Total(), bad.Total())
		return &EndsError{Good: e.Good, Bad: e.Bad, What: what}
	}
	what := fmt.Sprintf("the ends cannot be told apart: good %v; bad %v", good, bad)
	return &EndsError{Good: e.Good, Bad: e.Bad, What: what, Flaky: true}
}

// A Claim is an outcome that an answer rests on.
type Claim struct {
	Set    *changes.Set
	Config isolate.Configuration
	Want   isolate.Outcome
}

// Settled is what became of claims.
type Settled struct {
	isolate.Settled         // Risk and Turned are those of the claims
	Total           float64 // the risk that any of them does not hold, at most
}

// Settle repeats the trials of claims until all hold with the confidence that
// Options want, or one of them turns out otherwise: then Test and Commits have
// another outcome from now on, and the search is to be run again. With an error
// that ended it early comes the risk so far.
//
// The error is an *EndsError if it turns out that the ends do not differ, and
// isolate.ErrBudget when Options.MaxTrials are spent.
func (r *Runner) Settle(ctx context.Context, claims []Claim) (Settled, error) {
	var all []claimed
	for _, c := range claims {
		q, err := r.question(c.Set, c.Config, Again)
		if err != nil {
			return Settled{}, err
		}
		all = append(all, claimed{q, c.Want})
	}
	settled, err := r.assure(ctx, all)
	return settled, endsError(err)
}

// endsError makes an *EndsError of an *isolate.IndistinctError, and leaves other errors as they are.
func endsError(err error) error {
	if indistinct, ok := errors.AsType[*isolate.IndistinctError](err); ok {
		return sameEnds(Ends{}, indistinct)
	}
	return err
}

// A claimed outcome of a question.
type claimed struct {
	question
	want isolate.Outcome
}

// assure is Settle.
func (r *pool) assure(ctx context.Context, claims []claimed) (Settled, error) {
	r.allow()
	tested := make([]isolate.Claim, 0, len(claims))
	for _, c := range claims {
		tested = append(tested, isolate.Claim{Name: c.name(), Want: c.want, Sample: r.limited(r.sample(c.question, r.shared))})
		r.count(c.question)
	}
	inner, err := r.sequential.Settle(ctx, tested, r.ahead())
	settled := Settled{Settled: inner}
	seen := map[string]bool{}
	for i, risk := range inner.Risk {
		if name := tested[i].Name; !seen[name] { // equal trees are one trial
			seen[name] = true
			settled.Total += risk
		}
	}
	if settled.Holds {
		r.mu.Lock()
		for _, w := range tested {
			r.rested[w.Name] = w.Want
		}
		r.mu.Unlock()
	}
	return settled, err
}

// Doubt tries a configuration of s again if what the search has seen since is so
// many times likelier should the outcome be another one than want, a true one, and
// says whether it holds: for isolate.Options.Doubt.
func (r *Runner) Doubt(ctx context.Context, s *changes.Set, c isolate.Configuration, want isolate.Outcome, odds float64) (holds bool, err error) {
	q, err := r.question(s, c, Again)
	if err != nil {
		return false, err
	}
	return r.doubt(ctx, q, want, odds)
}

// DoubtCommits is Doubt for a configuration of a line of commits, as for Commits.
func (r *Runner) DoubtCommits(ctx context.Context, good git.Revision, line []git.Commit, c isolate.Configuration, want isolate.Outcome, odds float64) (holds bool, err error) {
	q, err := r.commitQuestion(ctx, good, line, c)
	if err != nil {
		return false, err
	}
	q.purpose = Again
	return r.doubt(ctx, q, want, odds)
}

func (r *pool) doubt(ctx context.Context, q question, want isolate.Outcome, odds float64) (holds bool, err error) {
	r.allow()
	w := isolate.Claim{Name: q.name(), Want: want, Sample: r.limited(r.sample(q, r.shared))}
	return r.sequential.Doubt(ctx, w, odds, r.ahead())
}

// confirmSurely is Confirm with a sequential test. An outcome that disagrees is no
// contradiction before it has been settled.
func (r *pool) confirmSurely(ctx context.Context, q question, want isolate.Outcome) (v Verdict, err error) {
	q.key.fresh = true
	var mu sync.Mutex // one workspace, one attempt at a time
	var space place
	defer func() {
		if space != nil {
			err = errors.Join(err, r.leave(space))
		}
	}()
	r.allow()
	sample := r.limited(r.sample(q, func(ctx context.Context, w *worker, q question) (place, error) {
		if q.cleaned {
			return r.cleanedSpace(ctx, w, q)
		}
		var err error
		if space == nil {
			space, err = r.freshSpace(ctx, w, q)
		} else {
			err = space.renew(ctx, w)
		}
		return space, err
	}))
	one := func(ctx context.Context, k int) (isolate.Outcome, error) {
		mu.Lock()
		defer mu.Unlock()
		return sample(ctx, k)
	}
	r.count(q)
	o, err := r.sequential.Ask(ctx, q.name(), one)
	if err == nil && o != want {
		_, err = r.sequential.Settle(ctx, []isolate.Claim{{Name: q.name(), Want: o, Sample: one}}, 1)
		if err == nil {
			o, err = r.sequential.Ask(ctx, q.name(), one)
		}
	}
	if err != nil {
		return Verdict{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rested[q.name()] = o
	return r.believed(q, o), nil
}

// Flakiness returns what the session's trials say of how steady the test is.
func (r *pool) Flakiness() Flakiness {
	var f Flakiness
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rates != nil {
		f.WrongFail, f.WrongPass = r.rates.WrongFail, r.rates.WrongPass
		for name, o := range r.rested {
			t := r.sequential.Tally(name)
			sum := &f.Passing
			switch o {
			case isolate.Fail:
				sum = &f.Failing
			case isolate.Unresolved:
				continue
			}
			sum.Pass, sum.Fail, sum.Unresolved = sum.Pass+t.Pass, sum.Fail+t.Fail, sum.Unresolved+t.Unresolved
		}
		f.Good, f.Bad = r.sequential.Tally(r.calibrated[0]), r.sequential.Tally(r.calibrated[1])
	}
	f.Torn = torn(r.session.Records(), r.firstKey, r.cleanKey)
	return f
}

// torn finds the trees that had different outcomes. What differs between a
// workspace that was clean and one that was not is no sign of that, nor is what
// another command said, or a person, in a search by hand.
func torn(records []Record, key, cleanKey string) []Torn {
	records = slices.DeleteFunc(records, Record.saysNothing)
	slices.SortFunc(records, func(a, b Record) int { return a.Trial - b.Trial })
	type place struct {
		tree  git.ID
		clean bool
		other string // the key of the records if it is neither key nor cleanKey
	}
	var order []place
	all := map[place]*Torn{}
	for _, rec := range records {
		p := place{rec.Tree, rec.Purpose == Confirm || rec.Key == cleanKey, ""}
		if rec.Key != key && rec.Key != cleanKey {
			p.other = rec.Key
		}
		if all[p] == nil {
			all[p] = &Torn{Tree: string(rec.Tree)}
			order = append(order, p)
		}
		all[p].Trials = append(all[p].Trials, rec.Trial)
		all[p].Outcomes = append(all[p].Outcomes, isolate.Outcome(rec.Outcome))
	}
	var list []Torn
	for _, p := range order {
		t := all[p]
		if slices.ContainsFunc(t.Outcomes, func(o isolate.Outcome) bool { return o != t.Outcomes[0] }) {
			list = append(list, *t)
		}
	}
	return list
}
