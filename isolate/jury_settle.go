package isolate

import (
	"context"
	"math"
)

// Settled is what became of the witnesses of an answer.
type Settled struct {
	Holds bool // all of them are what the answer takes them to be

	// Risk of each witness to be otherwise, at most; 0 for an end, which is
	// what it is by definition. The answer as a whole is wrong with the sum of
	// them, at most.
	Risk []float64
	// Turned holds the indices of those that turned out otherwise, for which Ask
	// has another outcome from now on.
	Turned []int
}

// Settle repeats the tests that an answer rests on until the risk that any of
// them is not what it should be is small enough, or one of them turns out
// otherwise: then the search has to be run again, and Ask knows better.
//
// The risk of a witness is judged by fresh attempts: those that it was believed
// for while the search explored do not count again, because the search came to
// this witness on account of them. A wrong one is accepted with at most the
// risk (Ville, 1939: a likelihood ratio ever reaches 1/r with probability r at
// most, however long one looks). The risks of all rounds together stay within
// 1 - confidence: the sum of all witnesses in the k-th call of Settle within
// (1 - confidence) / (k (k+1)), which adds up to that. The risk that the two ends
// are no different after all is brought below 1 - confidence as well. Where it
// saves attempts, the ends are tried again, to know the two rates better.
//
// A witness that fits neither end, after several times the attempts that one
// which does would take, turns Unresolved: it cannot be judged, and the answer
// must not rest on it. So there is an end to it, whatever the outcomes.
//
// The error is that of a sample, and comes with the risk so far, or an *IndistinctError if the ends, tried
// again, are no different.
func (j *Jury) Settle(ctx context.Context, witnesses []Witness, jobs int) (Settled, error) {
	j.mu.Lock()
	if j.passing == nil {
		j.mu.Unlock()
		return Settled{}, errUncalibrated
	}
	s := &settlement{
		ask:   j.ask,
		alpha: (1 - j.confidence) / float64((j.rounds+1)*(j.rounds+2)),
		whole: 1 - j.confidence,
		ends:  [2]exhibit{{want: Pass, asked: true, before: j.passing.before, fresh: j.passing.fresh}, {want: Fail, asked: true, before: j.failing.before, fresh: j.failing.fresh}},
	}
	sources := []source{{j.passing, j.passing.sample}, {j.failing, j.failing.sample}}
	index := make([]int, len(witnesses)) // of exhibits
	known := map[*repeated]int{j.passing: -2, j.failing: -1}
	for i, w := range witnesses {
		r := j.test(w.Name)
		k, ok := known[r]
		if !ok {
			k = len(s.exhibits)
			known[r] = k
			x := exhibit{want: w.Want, asked: r.decided, outcome: r.outcome, before: r.before, fresh: r.fresh}
			s.exhibits = append(s.exhibits, x)
			sources = append(sources, source{r, w.Sample})
		}
		index[i] = k
	}
	j.mu.Unlock()

	settled := Settled{Risk: make([]float64, len(witnesses))}
	err := j.carry(ctx, s, sources, jobs)
	for i, k := range index {
		if k >= 0 {
			settled.Risk[i] = s.risk(k)
		}
	}
	if err != nil {
		return settled, err
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	j.rounds++
	j.passing.fresh, j.failing.fresh = s.ends[0].fresh, s.ends[1].fresh
	for i, x := range s.exhibits {
		r := sources[2+i].repeated
		r.decided, r.outcome, r.before, r.fresh = true, x.outcome, x.before, x.fresh
		if x.outcome != x.want {
			j.turns++
			r.before, r.fresh = x.before.plus(x.fresh), Tally{}
			if x.outcome == Pass {
				j.turned[0] = j.turned[0].plus(r.before)
			} else if x.outcome == Fail {
				j.turned[1] = j.turned[1].plus(r.before)
			}
		}
	}
	// What turned shows that the test is more often wrong than it seemed. (Of
	// what held nothing is learnt for Ask: it was chosen for being as wanted.)
	j.ask = explore(s.ends[0].all().plus(j.turned[0]), s.ends[1].all().plus(j.turned[1]), j.turns)
	if s.indistinct() {
		good, bad := j.passing, j.failing
		return Settled{}, &IndistinctError{Good: good.before.plus(good.fresh), Bad: bad.before.plus(bad.fresh), Confidence: j.confidence}
	}
	settled.Holds = true
	for i, k := range index {
		if k < 0 {
			if want := [2]Outcome{Pass, Fail}[k+2]; witnesses[i].Want != want {
				settled.Holds = false
				settled.Turned = append(settled.Turned, i)
			}
			continue
		}
		if s.exhibits[k].outcome != s.exhibits[k].want {
			settled.Holds = false
			settled.Turned = append(settled.Turned, i)
		}
	}
	return settled, nil
}

// A settlement is the procedure of Settle. Its tests are the two ends, and then
// the exhibits.
type settlement struct {
	ask          rule
	alpha, whole float64 // the risk for this round, and for all
	ends         [2]exhibit
	exhibits     []exhibit
}

// An exhibit is a witness on the table.
type exhibit struct {
	want          Outcome
	asked         bool // by Ask's rule, with outcome and before as the result
	outcome       Outcome
	before, fresh Tally
}

func (s *settlement) clone() procedure {
	c := *s
	c.exhibits = append([]exhibit(nil), s.exhibits...)
	return &c
}

func (s *settlement) at(test int) *exhibit {
	if test < 2 {
		return &s.ends[test]
	}
	return &s.exhibits[test-2]
}

func (s *settlement) take(test int, o Outcome) {
	x := s.at(test)
	if !x.asked {
		x.before = x.before.with(o)
		x.outcome, x.asked = s.ask.verdict(x.before)
		return
	}
	x.fresh = x.fresh.with(o)
	if test < 2 {
		return
	}
	r := s.rule()
	all := x.before.plus(x.fresh)
	switch p := r.failLike(all); {
	case x.want == Fail && p < turning:
		x.outcome = Pass
	case x.want == Pass && 1-p < turning:
		x.outcome = Fail
	case r.fitsNeither(all, s.alpha):
		x.outcome = Unresolved
	}
}

// rule returns the rule by what the ends have shown until now. What the
// witnesses show of the rates is left aside: which rate they show is the question.
func (s *settlement) rule() rule {
	r := s.ask
	r.pass, r.fail = s.ends[0].all().beta(), s.ends[1].all().beta()
	return r
}

// all returns all attempts.
func (x *exhibit) all() Tally { return x.before.plus(x.fresh) }

// risk returns how likely exhibit k is not as wanted, at most.
func (s *settlement) risk(k int) float64 {
	x := s.exhibits[k]
	p := s.rule().failLike(x.fresh)
	switch x.want {
	case Pass:
		return p
	case Fail:
		return 1 - p
	}
	return 0
}

// same returns how likely the two ends are no different.
func (s *settlement) same() float64 {
	return 1 / (1 + math.Exp(logDistinct(s.ends[0].all(), s.ends[1].all())))
}

// indistinct reports whether the ends, tried so often that they would differ if
// they did, do not.
func (s *settlement) indistinct() bool {
	most := int(math.Ceil(math.Log(s.whole) / math.Log(1-LeastRate)))
	return s.same() > s.whole && min(s.ends[0].fresh.Total(), s.ends[1].fresh.Total()) >= most
}

// next makes the attempt that is worth most: the one after which the risk is
// least if it comes out as assumed. It may be one of an end: where the rates are
// what is not known, it serves all witnesses.
func (s *settlement) next() (test, attempt int, assume Outcome, done bool) {
	for i, x := range s.exhibits {
		if !x.asked {
			return 2 + i, x.before.Total() + 1, x.want, false
		}
	}
	for _, x := range s.exhibits {
		if x.outcome != x.want {
			return 0, 0, 0, true
		}
	}
	if s.indistinct() {
		return 0, 0, 0, true
	}
	sum, same := s.sum(), s.same()
	if sum <= s.alpha && same <= s.whole {
		return 0, 0, 0, true
	}
	best, least := 0, math.Inf(1)
	for test := len(s.exhibits) + 1; test >= 0; test-- {
		x := s.at(test)
		x.fresh = x.fresh.with(x.want)
		after := s.sum()
		if sum <= s.alpha {
			after = s.same()
		}
		x.fresh = x.undo(x.want)
		if after < least {
			best, least = test, after
		}
	}
	x := s.at(best)
	return best, x.before.Total() + x.fresh.Total() + 1, x.want, false
}

// sum returns the risk of all exhibits together.
func (s *settlement) sum() float64 {
	sum := 0.0
	for i := range s.exhibits {
		sum += s.risk(i)
	}
	return sum
}

// undo returns the fresh attempts with one less.
func (x *exhibit) undo(o Outcome) Tally {
	t := x.fresh
	if o == Pass {
		t.Pass--
	} else {
		t.Fail--
	}
	return t
}
