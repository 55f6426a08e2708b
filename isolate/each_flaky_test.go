package isolate_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// A flakySuite is many targets of which some are wrong at times, and what a caller of SearchEach does
// about it. Each attempt at a configuration is a run of the suite, or of some targets only. A target
// that was not always the same has a SequentialTest, and of the others one attempt is believed until
// an answer rests on it.
type flakySuite struct {
	*manyTargets
	seed  uint64
	wrong map[int]float64 // by target; the others are never wrong
	known map[int]*isolate.SequentialTest
	runs  map[string]bool // of the whole suite, or of targets that are not known to be wrong at times
	parts map[string]bool // beside these, of known ones only
}

// attempt returns the outcome of one target in one attempt.
func (s *flakySuite) attempt(c isolate.Configuration, target, k int) isolate.Outcome {
	name := fmt.Sprint(k, " ", c)
	if s.known[target] == nil || k == 1 {
		s.runs[name] = true
	} else {
		s.parts[name] = true
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, name, target)
	o := s.outcomes(c, []int{target})[0]
	if rand.New(rand.NewPCG(s.seed, hash.Sum64())).Float64() < s.wrong[target] {
		return o.Opposite()
	}
	return o
}

func (s *flakySuite) claim(c isolate.Configuration, target int, want isolate.Outcome) isolate.Claim {
	return isolate.Claim{Name: c.String(), Want: want, Sample: func(_ context.Context, k int) (isolate.Outcome, error) {
		return s.attempt(c, target, k), nil
	}}
}

// suspect gives a target a SequentialTest.
func (s *flakySuite) suspect(t *testing.T, target int) error {
	s.known[target] = isolate.NewSequentialTest(0.99)
	_, err := s.known[target].Calibrate(t.Context(), s.claim(isolate.Empty(s.N), target, isolate.Pass), s.claim(isolate.Full(s.N), target, isolate.Fail), 1)
	return err
}

func (s *flakySuite) test(ctx context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
	var out []isolate.Outcome
	for _, target := range targets {
		o, err := s.attempt(c, target, 1), error(nil)
		if known := s.known[target]; known != nil {
			claim := s.claim(c, target, o)
			if _, err = known.Settle(ctx, []isolate.Claim{claim}, 1); err == nil { // Ask alone takes more risk
				o, err = known.Ask(ctx, claim.Name, claim.Sample)
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// settle makes a second attempt at what the answers rest on, and reports whether all of it holds.
func (s *flakySuite) settle(t *testing.T, r isolate.EachResult) (holds bool, err error) {
	holds = true
	for _, c := range r.Classes {
		for _, target := range c.Targets {
			if known := s.known[target]; known != nil {
				var claims []isolate.Claim
				for _, e := range c.Result.Evidence {
					claims = append(claims, s.claim(e.Config, target, e.Outcome))
				}
				settled, err := known.Settle(t.Context(), claims, 1)
				if err != nil {
					return false, err
				}
				holds = holds && settled.Holds
			} else if slices.ContainsFunc(c.Result.Evidence, func(e isolate.Evidence) bool { return s.attempt(e.Config, target, 2) != e.Outcome }) {
				holds = false
				if err := s.suspect(t, target); err != nil {
					return false, err
				}
			}
		}
	}
	return holds, nil
}

// Two of a hundred targets are wrong in one of five attempts. Where the caller repeats these, each
// target gets a right answer.
func TestManyTargetsFlaky(t *testing.T) {
	once(t)
	const n, ends = 1000, 4 // attempts at each end
	for _, k := range []kindOfTargets{{targets: 200, causes: 8, size: 1}, {targets: 200, causes: 4, size: 2}} {
		r := rand.New(rand.NewPCG(1, 0))
		rounds := max(2, *eachRounds)
		runs, parts := 0, 0
		for range rounds {
			s := &flakySuite{manyTargets: plantMany(r, n, k), seed: r.Uint64(), wrong: map[int]float64{}, known: map[int]*isolate.SequentialTest{}, runs: map[string]bool{}, parts: map[string]bool{}}
			for _, target := range r.Perm(k.targets)[:k.targets/50] {
				s.wrong[target] = 0.2
			}
			for target := range k.targets {
				for a := range ends {
					if s.attempt(isolate.Empty(n), target, a+1) == isolate.Fail || s.attempt(isolate.Full(n), target, a+1) == isolate.Pass {
						if err := s.suspect(t, target); err != nil {
							t.Fatal(err)
						}
						break
					}
				}
			}
			got, err := isolate.UntilSettled(func() (isolate.EachResult, error) {
				return isolate.SearchEach(t.Context(), s.Problem, s.test, isolate.EachOptions{Targets: k.targets})
			}, func(r isolate.EachResult) (bool, error) { return s.settle(t, r) })
			if err != nil {
				t.Fatal(err)
			}
			s.check(t, got)
			runs += len(s.runs)
			parts += len(s.parts)
		}
		mean := float64(runs) / float64(rounds)
		t.Logf("%+v: %.1f runs, %.1f of known targets only", k, mean, float64(parts)/float64(rounds))
		one := 13.0 // trials of one search
		if k.size == 2 {
			one = 24
		}
		if bound := mostTrials * (one + float64(k.causes-1)*math.Log2(n)); mean > bound {
			t.Errorf("%+v: %.1f runs, bound %.1f", k, mean, bound)
		}
	}
}
