package isolate

// cpi, closed-prefix isolation, narrows a passing and a failing configuration
// to one element, a cause with the pair as its claim; fixes it, tests the fixed elements
// with nothing but what they require, and goes on for the next cause until they
// fail. Its proposals are closed by construction, but for those of cpi_unclosed.go: none
// lacks what its members require, by Problem.Requires and by what was predicted or
// learned and no outcome has refuted. What to ask is decided by expectation: a proposal is
// worth the probability that it resolves, times the entropy of its outcome then.
//
//   - How likely it resolves depends on how many hidden requirements there are,
//     which is estimated from the outcomes so far (rate), and on which suspects
//     were in what did not resolve (risks). So half of the suspects move while
//     configurations resolve, and parts of a size that may resolve when not.
//   - The entropy is that of the prior of the suspects, if there is one: a cause
//     takes about as many trials as the prior has bits, at most two more in an
//     order (Knuth, The Art of Computer Programming 3, section 6.2.2).
//   - Where diagnostics say what was missing, the same part is asked again with
//     it at once, so that large parts pay.
//   - Milestones, such as commits, resolve more likely than anything else.
//   - What resolved while the causes before were sought resolves in all
//     likelihood beside their fixed elements, for a union of closed configurations is
//     closed: so the next cause is searched in what was found out already.
//
// The outer loop is that of QuickXplain (Junker, AAAI 2004); the moving pair is
// that of dd2 (Zeller and Hildebrandt 2002); with nothing unresolved it halves
// as generalised binary splitting does (Hwang 1972). When too many proposals in
// a row were unresolved it looks for an element that is needed (flip).
//
// Cost beside the two ends, when outcomes are monotone and none is unresolved,
// and there is no prior: log2 n + 1 trials for one cause (log2 n rounded up; one
// more when cuts keep to borders of groups), and d (log2 n + 2) for d causes, of
// which d-1 certify. That is what was seen, not proved: of random causes about
// one in two thousand took one trial more, as 135, 854 and 999 of 1023 do. An
// element of context that nobody predicted costs log2 n + 1. Under any outcomes
// a narrowing takes less than n trials that resolve and fixes an element or finds one
// of context, and each contradiction, met when outcomes are not monotone, drops
// one: n³/3 + 20n + 300 in all.
func cpi(s *run) pair {
	i := newIsolation(s)
	s.likely = i.chances
	defer func() { s.likely = nil }()
	p := s.closest
	for {
		found := i.fix(p)
		switch smallest := (pair{Empty(s.n), found.failing}); {
		case s.goal == Cause && !found.together.IsEmpty() && found.fixed.IsEmpty():
			s.inseparable = true
			return found.claim
		case s.goal != Cause && !found.together.IsEmpty():
			s.inseparable = true
			if core := i.completed(found.fixed.Union(found.together), found.failing); s.ask(core) == Fail {
				smallest.failing = core
			}
			return smallest
		case s.goal != Cause && found.complete:
			return smallest
		case s.goal != Cause:
			s.estimate = estimate{}
			return s.descend(smallest, ddminOver)
		}
		// The fixed elements are the cause if found.failing passes without them.
		rest := found.failing.Minus(s.dependents(found.fixed, found.failing))
		i.expected = chances{Unresolved: 0.05, Pass: 0.9, Fail: 0.05}
		i.estimate.verify(0)
		switch s.ask(rest) {
		case Pass:
			// What is only believed to require the fixed elements may stay without them.
			if more := found.failing.Minus(s.certainDependents(found.fixed, found.failing)); more != rest && s.ask(more) == Pass {
				rest = more
			}
			return pair{rest, found.failing}
		case Fail: // They are not needed. Invariant: p.failing fails, and each time it is smaller.
			p = pair{Empty(s.n), rest}
			continue
		}
		if found.complete && found.fixed != found.claim.difference() {
			return pair{Empty(s.n), found.failing}
		}
		return found.claim
	}
}

// isolation is the state of cpi.
type isolation struct {
	*run
	prior                  []float64   // see advice
	rates, tiedRates       rates       // of hidden requirements: by cuts along the order, and along the affinity
	risks                  *risks      // of the suspects
	ofMilestones, ofBlocks reliability // as proposals
	ofChecks               reliability // what Options.Check had something to say of, and did not resolve
	ofUnclosed             reliability // of moving one suspect without what is believed to go with it
	byCuts, byUnclosed     arm         // what their trials told
	trust                  *trust      // in what messages explain
	unresolved             int         // proposals of all narrowings
	expected               chances     // of what is asked next
}

func newIsolation(s *run) *isolation {
	return &isolation{
		run:          s,
		prior:        s.advice(),
		rates:        newRates(s.levels, s.ties != nil, s.diagnose != nil),
		tiedRates:    newRates(s.levels, s.ties != nil, s.diagnose != nil),
		risks:        newRisks(),
		ofMilestones: reliability{9, 1},
		ofBlocks:     reliability{9, 1},
		ofChecks:     reliability{3, 1},
		ofUnclosed:   reliability{1, 1},
		trust:        newTrust(),
	}
}

// chances returns how likely the outcomes of what is asked next are.
func (s *isolation) chances(Configuration) chances { return s.expected }

// A reliability counts how often something proved true, such as that proposals of a kind
// resolve, and how often not, on top of what is expected of it.
type reliability struct{ right, wrong float64 }

func (r *reliability) take(right bool) {
	if right {
		r.right++
	} else {
		r.wrong++
	}
}

func (r *reliability) share() float64 { return r.right / (r.right + r.wrong) }

func (r *reliability) believed() bool { return r.share() > 0.5 }

// findings is what the outer loop of cpi has found.
type findings struct {
	fixed    Configuration // the causes
	claim    pair          // the pair that fixed the last of them
	failing  Configuration // the smallest failing configuration met; it holds the fixed elements
	complete bool          // failing holds nothing but the fixed elements and their context
	together Configuration // what acts with the fixed elements, or without any, and could not be told apart; empty: the search came further
}

// patience is how many elements of context are looked for, at about log2 n
// trials each, while the failing configuration stays above three quarters of
// what it was: then the fixed elements are left with the configuration they fail in. It
// is the rule of a search that names the cause and does not promise the
// smallest context. maxBarren bounds the elements in a row in any case. (With
// eight causes and dense hidden requirements, n = 1000, patience 5 finds all of
// them in 88 of 100 searches, 3 in 80, for a twentieth more trials. Along
// milestones it is 99 and 98; there it may well be that each requires the one
// before, and all of that is context.)
func (s *isolation) patience() int {
	if len(s.milestones) > 0 {
		return 3
	}
	return 5
}

const maxBarren = 12

// coreRepairs is how often the fixed elements, with what they require, are asked again after messages
// said what they lack. If that leads to no outcome, or to more than half of the failing
// configuration, their context is large or cannot be found. Then the fixed elements are left with the
// configuration that they fail in: each further element of context would cost log2 n
// trials, and could be taken for a cause.
const coreRepairs = 10

// fix finds causes between p.passing and p.failing until these suffice to fail.
func (s *isolation) fix(p pair) findings {
	found := findings{fixed: Empty(s.n), together: Empty(s.n)}
	s.context = Empty(s.n)
	early := true
	for {
		// Invariant: p is a tested pair, and the fixed elements lie in p.passing.
		closest, rest := s.narrow(p, found.fixed.Len(), early)
		if left := closest.difference(); early && rest == fewLeft && left.Len() > 1 && found.fixed.IsEmpty() {
			early = false
			core := s.completed(left, closest.failing)
			s.expected = chances{Unresolved: 0.4, Pass: 0.1, Fail: 0.5}
			s.estimate.verify(left.Len())
			if o := s.ask(core); o == Fail && core != closest.failing {
				p = pair{Empty(s.n), core}
			} else {
				p = closest
			}
			continue
		}
		if rest == inseparable {
			if found.fixed.IsEmpty() {
				found.claim = closest
			}
			found.failing, found.together = closest.failing, closest.difference()
			return found
		}
		found.claim, found.failing = closest, closest.failing
		if rest == stuck {
			needed, verified := s.flip(closest.passing, closest.failing)
			if verified {
				p = needed
				continue
			}
			s.context = s.context.Union(needed.difference())
			found.failing = needed.failing
		} else {
			found.fixed = found.fixed.Union(closest.difference())
		}
		s.estimate.found = found.fixed.Len()
		verified, repairs := false, 0
		sizes := []int{} // of found.failing, before each element of context
		for !verified {
			core := s.completed(found.fixed.Union(s.context), found.failing)
			s.expected = chances{Unresolved: 0.1, Pass: 0.3, Fail: 0.6}
			s.ground = &closest
			s.estimate.verify(found.failing.Len() - core.Len())
			o := s.ask(core)
			s.ground = nil
			switch {
			case o == Fail && found.fixed.IsEmpty() && core != closest.failing:
				// Invariant: the failing configuration is smaller.
				p, verified = pair{Empty(s.n), core}, true
				s.context = Empty(s.n)
				continue
			case o == Fail:
				if found.fixed.IsEmpty() { // nothing can be told apart
					found.fixed = core
				}
				found.failing, found.complete = core, true
				return found
			case o == Pass:
				p, verified = pair{core, found.failing}, true
				continue
			case len(s.fresh) > 0 && (len(s.reasons.keys) == 0 || repairs < coreRepairs && 2*core.Len() < found.failing.Len()):
				repairs++
				continue // with what it was told it lacks
			case len(s.reasons.keys) > 0 && !found.fixed.IsEmpty():
				return found // its context is what the messages do not tell
			}
			sizes = append(sizes, found.failing.Len())
			if barren := len(sizes) - 1; !found.fixed.IsEmpty() && (barren == maxBarren ||
				barren >= s.patience() && 4*sizes[barren] > 3*sizes[barren-s.patience()]) {
				return found
			}
			if p, verified = s.flip(core, found.failing); !verified {
				s.context = s.context.Union(p.difference())
			}
			found.failing = p.failing
		}
	}
}

// completed returns a configuration with what it requires within another one, also by what
// Options.Check teaches.
func (s *isolation) completed(c, within Configuration) Configuration {
	for range checks {
		if all := s.required(c, within); len(s.study(all, s.checked(all), Empty(s.n))) == 0 {
			return all
		}
	}
	return s.required(c, within)
}

// checks is how often a configuration is mended by what Options.Check says of it.
const checks = 40

// checked returns what Options.Check says of a configuration, and takes note of it. After
// several of which it had something to say and which resolved, it is not asked any more.
func (s *isolation) checked(c Configuration) []Message {
	if s.check == nil || !s.ofChecks.believed() {
		return nil
	}
	said := s.check(c)
	if len(said) > 0 {
		s.malformed[c] = true
	}
	return said
}
