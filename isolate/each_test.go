package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// several is a problem with any outcomes for each target.
type several struct {
	isolate.Problem
	outcomes []func(isolate.Configuration) isolate.Outcome // by target; some are the same
	same     []int                                         // by target: the first with these outcomes
}

// randomSeveral returns some targets. A few have ends that do not differ.
func randomSeveral(r *rand.Rand, n int) *several {
	s := &several{Problem: randomProblem(r, n)}
	for t := range 1 + r.IntN(5) {
		switch {
		case t > 0 && r.IntN(3) == 0:
			same := r.IntN(t)
			s.outcomes, s.same = append(s.outcomes, s.outcomes[same]), append(s.same, s.same[same])
			continue
		case r.IntN(8) == 0:
			o := isolate.Outcome(r.IntN(3))
			s.outcomes = append(s.outcomes, func(isolate.Configuration) isolate.Outcome { return o })
		case r.IntN(2) == 0:
			s.outcomes = append(s.outcomes, randomOutcomes(r, s.Problem))
		default: // monotone, but for what is unresolved
			passing, failing := ends(s.Problem)
			suspects := slices.Collect(failing.Minus(passing).All())
			cause := isolate.Of(n, suspects[r.IntN(len(suspects))], suspects[r.IntN(len(suspects))])
			noise := randomOutcomes(r, s.Problem)
			s.outcomes = append(s.outcomes, func(c isolate.Configuration) isolate.Outcome {
				switch {
				case c != passing && c != failing && noise(c) == isolate.Unresolved:
					return isolate.Unresolved
				case c.Contains(cause):
					return isolate.Fail
				}
				return isolate.Pass
			})
		}
		s.same = append(s.same, t)
	}
	return s
}

func (s *several) test(ctx context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
	var out []isolate.Outcome
	for _, t := range targets {
		out = append(out, s.outcomes[t](c))
	}
	return out, ctx.Err()
}

// checkEach searches, and compares what SearchEach promises with the outcomes.
func checkEach(t *testing.T, s *several, opts isolate.EachOptions) (isolate.EachResult, []isolate.EachStep) {
	t.Helper()
	opts.Targets = len(s.outcomes)
	var steps []isolate.EachStep
	asked := map[isolate.Configuration][]int{}
	opts.Observe = func(x isolate.EachStep) {
		steps = append(steps, x)
		if asked[x.Config] != nil || x.Trial != len(steps) {
			t.Fatalf("%q is trial %d of %d, before that it was asked for %v", x.Config, x.Trial, len(steps), asked[x.Config])
		}
		asked[x.Config] = x.Targets
	}
	r, err := isolate.SearchEach(t.Context(), s.Problem, s.test, opts)
	complain := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("n=%d %v: %s\n%+v\n%+v", s.N, opts.Goal, fmt.Sprintf(format, args...), r, steps)
	}
	spent := errors.Is(err, isolate.ErrBudget)
	if err != nil && !(spent && r.Trials == opts.MaxTrials) || r.Trials != len(steps) {
		complain("%d trials of %d: %v", len(steps), opts.MaxTrials, err)
	}
	classOf := make([]int, opts.Targets)
	for k, c := range r.Classes {
		for _, target := range c.Targets {
			if classOf[target] != 0 {
				complain("target %d is in two classes", target)
			}
			classOf[target] = k + 1
			outcome := func(c isolate.Configuration) isolate.Outcome {
				if passing, failing := ends(s.Problem); breaks(c, s.Requires) && c != passing && c != failing {
					return isolate.Unresolved
				}
				return s.outcomes[target](c)
			}
			var wrong *isolate.EndsError
			if passing, failing := ends(s.Problem); errors.As(c.Err, &wrong) {
				if wrong.Good != outcome(passing) || wrong.Bad != outcome(failing) || wrong.Good == isolate.Pass && wrong.Bad == isolate.Fail {
					complain("target %d: %v", target, c.Err)
				}
				continue
			} else if c.Err != nil && !spent || c.Err == nil && (outcome(passing) != isolate.Pass || outcome(failing) != isolate.Fail) {
				complain("target %d: %v", target, c.Err)
			}
			if spent && opts.MaxTrials < 2 {
				continue
			}
			a := c.Result
			if outcome(a.Passing) != isolate.Pass || outcome(a.Failing) != isolate.Fail || !a.Failing.Contains(a.Passing) || a.Failing.Minus(a.Passing) != a.Cause || a.Cause.IsEmpty() {
				complain("target %d: no pair", target)
			}
			if c.Err == nil && !a.Minimal && !a.Inseparable {
				complain("target %d: not minimal", target)
			}
			for x := range a.Cause.All() {
				neighbour, against := without(a.Failing, x, s.Requires), isolate.Fail
				if opts.Goal == isolate.Revert {
					neighbour, against = with(a.Passing, x, s.Requires), isolate.Pass
				}
				if a.Minimal && outcome(neighbour) == against {
					complain("target %d: %d is superfluous", target, x)
				}
			}
			if c.Err == nil && target == c.Targets[0] {
				again, err := isolate.Search(t.Context(), c.Problem, func(_ context.Context, x isolate.Configuration) (isolate.Outcome, error) {
					if !slices.Contains(asked[x], target) {
						complain("target %d: %q is asked for again, and was not before", target, x)
					}
					return s.outcomes[target](x), nil
				}, isolate.Options{Algorithm: opts.Algorithm, Goal: opts.Goal, Learn: opts.Learn, Diagnose: opts.Diagnose, Check: opts.Check, First: c.First})
				if err != nil || !reflect.DeepEqual(again, a) {
					complain("target %d: again %+v, %v", target, again, err)
				}
			}
			for _, e := range a.Evidence {
				if outcome(e.Config) != e.Outcome || !slices.Contains(asked[e.Config], target) {
					complain("target %d: evidence %+v", target, e)
				}
			}
		}
	}
	for target, k := range classOf {
		if k == 0 || k != classOf[s.same[target]] {
			complain("target %d is in class %d, and %d in class %d", target, k, s.same[target], classOf[s.same[target]])
		}
	}
	return r, steps
}

// Under any outcomes each target gets an answer that is right and minimal for it, with any budget,
// and targets with the same outcomes share one.
func TestSearchEach(t *testing.T) {
	once(t)
	r := random(t)
	for range 300 {
		s := randomSeveral(r, 1+r.IntN(7))
		advice := randomAdvice(r, s.N)
		for _, goal := range []isolate.Goal{isolate.Cause, isolate.Introduce, isolate.Revert} {
			opts := isolate.EachOptions{Goal: goal, Learn: advice.Learn, Diagnose: advice.Diagnose, Check: advice.Check}
			checkEach(t, s, opts)
			opts.Prior = func(target int) []float64 {
				prior := make([]float64, s.N)
				for i := range prior {
					prior[i] = float64(1 + (7*target+3*i)%5)
				}
				return prior
			}
			opts.MaxTrials = 1 + r.IntN(12)
			opts.Algorithm = isolate.Algorithms()[r.IntN(len(isolate.Algorithms()))]
			checkEach(t, s, opts)
		}
	}
}

// The number of jobs changes neither the path nor the answers.
func TestSearchEachJobs(t *testing.T) {
	r := random(t)
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		s := randomSeveral(r, 1+r.IntN(7))
		opts := isolate.EachOptions{Goal: isolate.Goal(r.IntN(3)), MaxTrials: r.IntN(30)}
		want, path := checkEach(t, s, opts)
		for _, opts.Jobs = range []int{2, 8} {
			if got, steps := checkEach(t, s, opts); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(steps, path) {
				t.Fatalf("%d jobs: %+v\nand not %+v", opts.Jobs, got, want)
			}
		}
	}
}

// A search that was cut short is resumed by answering from memory, and comes to the same end.
func TestSearchEachResumes(t *testing.T) {
	r := random(t)
	m := plantMany(r, 200, kindOfTargets{targets: 6, causes: 3, size: 2, hidden: 4})
	known := map[isolate.Configuration][]isolate.Outcome{}
	trials := 0
	test := func(_ context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
		if known[c] == nil {
			known[c] = m.outcomes(c, []int{0, 1, 2, 3, 4, 5})
			trials++
		}
		var out []isolate.Outcome
		for _, t := range targets {
			out = append(out, known[c][t])
		}
		return out, nil
	}
	cut, err := isolate.SearchEach(t.Context(), m.Problem, test, isolate.EachOptions{Targets: 6, MaxTrials: 12})
	if !errors.Is(err, isolate.ErrBudget) || cut.Trials != 12 {
		t.Fatalf("%+v, %v", cut, err)
	}
	whole, err := isolate.SearchEach(t.Context(), m.Problem, test, isolate.EachOptions{Targets: 6})
	if err != nil || whole.Trials != trials {
		t.Fatalf("%d trials, of which %d were made: %v", whole.Trials, trials, err)
	}
	m.check(t, whole)
}

// Errors end a search at once, with what is known.
func TestSearchEachErrors(t *testing.T) {
	broken := errors.New("disk full")
	ctx, cancel := context.WithCancel(t.Context())
	for _, x := range []struct {
		name string
		at   func() ([]isolate.Outcome, error)
		want error
	}{
		{"test", func() ([]isolate.Outcome, error) { return nil, broken }, broken},
		{"cancel", func() ([]isolate.Outcome, error) { cancel(); return nil, ctx.Err() }, context.Canceled},
	} {
		trials := 0
		r, err := isolate.SearchEach(ctx, isolate.Problem{N: 100}, func(_ context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
			if trials++; trials == 4 {
				return x.at()
			}
			if c.Has(70) {
				return []isolate.Outcome{isolate.Fail, isolate.Fail}, nil
			}
			return []isolate.Outcome{isolate.Pass, isolate.Pass}, nil
		}, isolate.EachOptions{Targets: 2})
		if !errors.Is(err, x.want) || len(r.Classes) != 1 || !errors.Is(r.Classes[0].Err, x.want) || r.Classes[0].Result.Cause.Len() != 50 {
			t.Errorf("%s: %+v, %v", x.name, r, err)
		}
	}
	for _, opts := range []isolate.EachOptions{{}, {Targets: 1, Jobs: -1}, {Targets: 1, Algorithm: "none"}} {
		if _, err := isolate.SearchEach(t.Context(), isolate.Problem{N: 1}, nil, opts); err == nil {
			t.Errorf("%+v is no error", opts)
		}
	}
	if _, err := isolate.SearchEach(t.Context(), isolate.Problem{N: 1}, func(context.Context, isolate.Configuration, []int) ([]isolate.Outcome, error) {
		return nil, nil
	}, isolate.EachOptions{Targets: 1}); err == nil {
		t.Error("no outcomes are no error")
	}
}

// Several workers save time: what other classes ask for, and what a class asks for next, is tried ahead.
func TestSearchEachAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	kinds := []kindOfTargets{{targets: 1, causes: 1, size: 1}, {targets: 20, causes: 4, size: 2}, {targets: 20, causes: 4, size: 1, hidden: 300, history: true}}
	if !seed.OneIn(t, 8) {
		kinds = kinds[1:2]
	}
	for _, k := range kinds {
		m := plantMany(r, 500, k)
		var rounds []int
		for _, jobs := range []int{1, 4, 16} {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				got, err := isolate.SearchEach(t.Context(), m.Problem, func(ctx context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
					select {
					case <-time.After(time.Minute):
					case <-ctx.Done():
					}
					return m.test(ctx, c, targets)
				}, isolate.EachOptions{Targets: k.targets, Jobs: jobs})
				if err != nil {
					t.Fatal(err)
				}
				m.check(t, got)
				rounds = append(rounds, int(time.Since(begin)/time.Minute))
			})
		}
		t.Logf("%+v: %d rounds with 1, 4 and 16 workers", k, rounds)
		if 4*rounds[1] > 3*rounds[0] || 2*rounds[2] > rounds[0] {
			t.Errorf("%+v: %d rounds with 1, 4 and 16 workers", k, rounds)
		}
	}
}
