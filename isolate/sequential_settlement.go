package isolate

import "math"

// A settlement is the procedure of Settle and of Doubt. Its tests are the two
// ends, and then the exhibits.
type settlement struct {
	ask      rule
	ends     [2]exhibit
	exhibits []exhibit

	alpha float64 // the risk of all exhibits together to come down to
	whole float64 // the risk to come down to that the ends are no different
	odds  float64 // by which an exhibit is wrong for other reasons; 0 = it is here because it was chosen, and what chose it does not count
}

// An exhibit is a test on the table, with the outcome that it is taken to have.
type exhibit struct {
	want          Outcome
	asked         bool // by Ask's rule, with outcome and before as the result
	outcome       Outcome
	before, fresh Tally
}

// all returns all attempts.
func (x *exhibit) all() Tally { return x.before.plus(x.fresh) }

// all returns all attempts that count.
func (r *repeated) all() Tally { return r.before.plus(r.fresh) }

// settlement lays tests on the table, equal names once. index says which
// exhibit a claim is; those that are ends are none: -2 for the one that
// passes, -1 for the one that fails. The mutex is held.
func (j *SequentialTest) settlement(claims []Claim) (s *settlement, sources []source, index []int) {
	s = &settlement{ask: j.ask, whole: 1}
	for i, r := range []*repeated{j.passing, j.failing} {
		want := [2]Outcome{Pass, Fail}[i]
		s.ends[i] = exhibit{want: want, asked: true, outcome: want, before: r.before, fresh: r.fresh}
		sources = append(sources, source{r, r.sample})
	}
	known := map[*repeated]int{j.passing: -2, j.failing: -1}
	for _, w := range claims {
		r := j.test(w.Name)
		k, ok := known[r]
		if !ok {
			k = len(s.exhibits)
			known[r] = k
			s.exhibits = append(s.exhibits, exhibit{want: w.Want, asked: r.decided, outcome: r.outcome, before: r.before, fresh: r.fresh})
			sources = append(sources, source{r, w.Sample})
		}
		index = append(index, k)
	}
	return s, sources, index
}

// manyTurns is after how many outcomes that turned Ask takes less risk.
const manyTurns = 10

// conclude remembers what became of a settlement. The mutex is held.
func (j *SequentialTest) conclude(s *settlement, sources []source) {
	j.passing.fresh, j.failing.fresh = s.ends[0].fresh, s.ends[1].fresh
	for i, x := range s.exhibits {
		r := sources[2+i].repeated
		r.decided, r.outcome, r.before, r.fresh = true, x.outcome, x.before, x.fresh
		if x.outcome != x.want {
			r.before, r.fresh = x.all(), Tally{}
			j.turns++
			// As long as the rule is the same, what was asked costs nothing when
			// the search is run again.
			if j.turns%manyTurns == 0 {
				j.ask = explore(j.passing.all(), j.failing.all(), j.turns)
			}
		}
	}
}

func (s *settlement) clone() procedure {
	c := *s
	c.exhibits = append([]exhibit(nil), s.exhibits...)
	return &c
}

func (s *settlement) take(test int, o Outcome) {
	if test < 2 {
		s.ends[test].fresh = s.ends[test].fresh.with(o)
		return
	}
	x := &s.exhibits[test-2]
	if !x.asked {
		x.before = x.before.with(o)
		x.outcome, x.asked = s.ask.verdict(x.before)
		return
	}
	x.fresh = x.fresh.with(o)
	r := s.rule()
	switch odds := x.wrong(r, x.all()) * max(s.odds, 1); {
	case odds > 1/turning && x.want == Pass:
		x.outcome = Fail
	case odds > 1/turning:
		x.outcome = Pass
	case r.fitsNeither(x.all()):
		x.outcome = Unresolved
	}
}

// rule returns the rule by what the ends have shown until now. What the
// exhibits show of the rates is left aside: which rate they show is the question.
func (s *settlement) rule() rule {
	r := s.ask
	r.pass, r.fail = s.ends[0].all().beta(), s.ends[1].all().beta()
	return r
}

// wrong returns the odds that a tally is not of a test as wanted.
func (x *exhibit) wrong(r rule, t Tally) float64 {
	odds := math.Exp(r.pass.logLikelihood(t) - r.fail.logLikelihood(t))
	if x.want == Pass {
		return 1 / odds
	}
	return odds
}

// rare is how often a test is like neither end, before it is tried. It counts
// only as far as attempts speak for it.
const rare = 1e-3

// risk returns how likely an exhibit is not as wanted, by the rates as rule has
// them: because it is like the other end, and because it is like neither.
func (s *settlement) risk(x *exhibit, r rule) (other, neither float64) {
	if s.odds > 0 {
		other = s.odds * x.wrong(r, x.all())
	} else {
		other = x.wrong(r, x.fresh)
		like, _ := x.like(r)
		neither = rare * max(0, math.Exp(Tally{}.beta().logLikelihood(x.all())-like.logLikelihood(x.all()))-1)
	}
	if all := 1 + other + neither; !math.IsInf(all, 1) {
		return other / all, neither / all
	}
	return 1, 0
}

// like returns the rate of the end that an exhibit should be like, and that of
// the other one.
func (x *exhibit) like(r rule) (like, other beta) {
	if x.want == Pass {
		return r.pass, r.fail
	}
	return r.fail, r.pass
}

// sum returns the risk of all exhibits together.
func (s *settlement) sum() float64 {
	sum, r := 0.0, s.rule()
	for i := range s.exhibits {
		other, neither := s.risk(&s.exhibits[i], r)
		sum += other + neither
	}
	return sum
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

// next names the attempt that is worth most: the one that is expected to leave
// the least risk, if all exhibits are as wanted. What an attempt tells of an
// exhibit is the divergence of what is expected of it then and otherwise
// (Chernoff, "Sequential design of experiments", Annals of Mathematical
// Statistics 30, 1959). It may be one of an end: if a test passes and fails by
// turns, what is not known is which end does so as well.
func (s *settlement) next() (test, attempt int, assume Outcome, done bool) {
	for i := range s.exhibits {
		if x := &s.exhibits[i]; !x.asked {
			return 2 + i, x.before.Total() + 1, x.want, false
		}
	}
	for i := range s.exhibits {
		if x := &s.exhibits[i]; x.outcome != x.want {
			return 0, 0, 0, true
		}
	}
	sum, same := s.sum(), s.same()
	switch {
	case s.indistinct():
		return 0, 0, 0, true
	case sum > s.alpha:
		return s.try(s.informative())
	case same > s.whole && s.ends[1].fresh.Total() > s.ends[0].fresh.Total():
		return s.try(0)
	case same > s.whole:
		return s.try(1)
	}
	return 0, 0, 0, true
}

// try names the next attempt of a test.
func (s *settlement) try(test int) (_, attempt int, assume Outcome, done bool) {
	x := &s.ends[min(test, 1)]
	if test >= 2 {
		x = &s.exhibits[test-2]
	}
	return test, x.all().Total() + 1, x.want, false
}

// mostOfEnds is how often an end is tried at most for the sake of others.
const mostOfEnds = 500

// turning is the risk that is left when an outcome turns: the search begins
// again then, so it is worth some attempts, but it may turn back.
const turning = 0.1

// informative returns the test whose next attempt is worth most.
func (s *settlement) informative() int {
	r := s.rule()
	var ends [2]float64 // the risk that an attempt of these takes away
	best, most := 0, 0.0
	for i := range s.exhibits {
		x := &s.exhibits[i]
		t := x.all()
		other, neither := s.risk(x, r)
		like, unlike := x.like(r)
		// What is expected of the test, and of either end, if it is as wanted:
		// then its attempts are attempts at the end that it is like.
		wanted, otherwise, own := like.after(t).fails(), unlike.after(t).fails(), Tally{}.beta().after(t).fails()
		gain := other*told(wanted, otherwise) + neither*told(wanted, own)
		if gain > most {
			best, most = 2+i, gain
		}
		same, opposite := 0, 1
		if x.want == Fail {
			same, opposite = 1, 0
		}
		ends[same] += (other + neither) * told(wanted, like.fails())
		ends[opposite] += other * told(unlike.fails(), otherwise)
	}
	for end, gain := range ends {
		if gain > most && s.ends[end].fresh.Total() < mostOfEnds {
			best, most = end, gain
		}
	}
	return best
}

// told returns the share of a risk that an attempt takes away which fails with
// probability p if there is none, and q if it is justified.
func told(p, q float64) float64 { return 1 - math.Exp(-divergence(p, q)) }
