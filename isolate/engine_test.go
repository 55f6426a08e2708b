package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// A slow test takes some time, in the time of a synctest bubble, where nothing
// really waits: so tests finish in any order we like, and rounds can be counted.
type slow struct {
	outcome  func(isolate.Configuration) isolate.Outcome
	duration func(isolate.Configuration) time.Duration

	running, most, cancelled atomic.Int32
}

func (s *slow) test(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
	now := s.running.Add(1)
	defer s.running.Add(-1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	select {
	case <-time.After(s.duration(c)):
		return s.outcome(c), nil
	case <-ctx.Done():
		s.cancelled.Add(1)
		return isolate.Fail, errors.New("signal: killed") // whatever it says does not count
	}
}

// shuffled returns a test whose configurations take times drawn by the seed.
func shuffled(outcome func(isolate.Configuration) isolate.Outcome, seed uint64) *slow {
	return &slow{outcome: outcome, duration: func(c isolate.Configuration) time.Duration {
		hash := fnv.New64a()
		fmt.Fprint(hash, seed, c)
		return time.Duration(hash.Sum64() % 1000)
	}}
}

func TestJobsChangeNothing(t *testing.T) {
	r := random(t)
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		p := randomProblem(r, 3+r.IntN(5))
		outcome := randomOutcomes(r, p)
		for _, algorithm := range isolate.Algorithms() {
			opts := randomAdvice(r, p.N)
			opts.Algorithm, opts.Goal, opts.MaxTrials = algorithm, goals[r.IntN(3)], r.IntN(2)*r.IntN(12)
			var want isolate.Result
			var wantErr error
			var wantSteps []isolate.Step
			for _, jobs := range []int{1, 2, 3, 8, 64} {
				seed := r.Uint64()
				synctest.Test(t, func(t *testing.T) {
					s := shuffled(outcome, seed)
					var steps []isolate.Step
					opts.Jobs = jobs
					opts.Observe = func(s isolate.Step) { steps = append(steps, s) }
					got, err := isolate.Search(t.Context(), p, s.test, opts)
					if n := s.running.Load(); n != 0 {
						t.Fatalf("%d tests outlive the search", n)
					}
					if n := s.most.Load(); n > int32(jobs) {
						t.Fatalf("%d tests at once with %d jobs", n, jobs)
					}
					if jobs == 1 {
						want, wantErr, wantSteps = got, err, steps
						return
					}
					if !reflect.DeepEqual(got, want) || !errors.Is(err, wantErr) || !reflect.DeepEqual(steps, wantSteps) {
						t.Fatalf("%s %v with %d jobs:\n%+v, %v\n%+v\nwith one:\n%+v, %v\n%+v", algorithm, opts.Goal, jobs, got, err, steps, want, wantErr, wantSteps)
					}
				})
			}
		}
	}
}

func TestBudgetAlwaysGivesAResult(t *testing.T) {
	seed.SkipLong(t, 8)
	once(t)
	r := random(t)
	for range 40 {
		p := randomProblem(r, 3+r.IntN(5))
		b := &behaviour{Problem: p, outcome: randomOutcomes(r, p), advice: randomAdvice(r, p.N)}
		for _, algorithm := range isolate.Algorithms() {
			for _, goal := range goals {
				opts := b.advice
				opts.Algorithm, opts.Goal = algorithm, goal
				all := check(t, b, opts)
				last := p.N + 1
				for most := 1; most <= all.Trials; most++ {
					opts.MaxTrials = most
					got := check(t, b, opts)
					if most == all.Trials && !reflect.DeepEqual(got, all) {
						t.Fatalf("the exact budget changes the answer: %+v, want %+v", got, all)
					}
					if size := got.Cause.Len(); most < all.Trials && size > last {
						t.Fatalf("%s %v: a larger budget of %d gives a larger answer", algorithm, goal, most)
					} else {
						last = size
					}
				}
			}
		}
	}
}

func TestCancelGivesBestSoFar(t *testing.T) {
	const n = 64
	for _, jobs := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var running atomic.Int32
		test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			running.Add(1)
			defer running.Add(-1)
			if c.Has(17) {
				return isolate.Fail, ctx.Err()
			}
			return isolate.Pass, ctx.Err()
		}
		r, err := isolate.Search(ctx, isolate.Problem{N: n}, test, isolate.Options{Jobs: jobs, Observe: func(s isolate.Step) {
			if s.Trial == 5 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled search: %v", err)
		}
		if r.Cause.String() != "16-23" || r.Trials != 5 || r.Minimal {
			t.Errorf("cancelled after 5 trials: %+v", r)
		}
		if running.Load() != 0 {
			t.Error("a test outlives the search")
		}
		r, err = isolate.Search(ctx, isolate.Problem{N: n}, test, isolate.Options{Jobs: jobs})
		if !errors.Is(err, context.Canceled) || r.Trials != 0 || r.Cause != isolate.Full(n) {
			t.Errorf("search that is cancelled from the start: %+v, %v", r, err)
		}
	}
}

func TestCancelWhileTestsRun(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
			defer cancel()
			s := &slow{
				outcome: func(c isolate.Configuration) isolate.Outcome {
					if c.Len() == 64 {
						return isolate.Fail
					}
					return isolate.Pass
				},
				duration: func(isolate.Configuration) time.Duration { return time.Second },
			}
			start := time.Now()
			r, err := isolate.Search(ctx, isolate.Problem{N: 64}, s.test, isolate.Options{Jobs: jobs})
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 3500*time.Millisecond {
				t.Errorf("%d jobs: %v after %v", jobs, err, time.Since(start))
			}
			if s.running.Load() != 0 || s.cancelled.Load() == 0 {
				t.Errorf("%d jobs: %d tests run, %d were cancelled", jobs, s.running.Load(), s.cancelled.Load())
			}
			if r.Trials < 3 || r.Cause.Len() > 32 {
				t.Errorf("%d jobs: %+v", jobs, r)
			}
		})
	}
}

func TestErrorOfATestEndsTheSearch(t *testing.T) {
	broken := errors.New("disk full")
	for _, jobs := range []int{1, 4} {
		r, err := isolate.Search(t.Context(), isolate.Problem{N: 16}, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			switch {
			case c.Len() == 2:
				return isolate.Unresolved, broken
			case c.Has(3):
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}, isolate.Options{Algorithm: "ddmin", Jobs: jobs})
		if !errors.Is(err, broken) {
			t.Errorf("%d jobs: %v, want the test's error", jobs, err)
		}
		if !r.Cause.Has(3) {
			t.Errorf("%d jobs: %+v is not the best so far", jobs, r)
		}
	}
}

// aSecond is that, and what keeps the tests of any two configurations from ending at once.
func aSecond(c isolate.Configuration) time.Duration {
	hash := fnv.New64a()
	fmt.Fprint(hash, c)
	return time.Second + time.Duration(hash.Sum64()%1_000_000)
}

// rounds returns how long a search takes when every test takes a second, and how many of
// its tests were cancelled.
func rounds(t *testing.T, p isolate.Problem, outcome func(isolate.Configuration) isolate.Outcome, jobs int) (seconds, cancelled int) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{outcome: outcome, duration: aSecond}
		start := time.Now()
		if _, err := isolate.Search(t.Context(), p, s.test, isolate.Options{Jobs: jobs}); err != nil {
			t.Error(err)
		}
		seconds, cancelled = int(time.Since(start)/time.Second), int(s.cancelled.Load())
	})
	return seconds, cancelled
}

// Looking ahead turns halving into (k+1)-ary search: the ends and the first
// configurations in one round, then h halvings a round for 2^h-1 workers.
func TestSpeculationSavesRounds(t *testing.T) {
	const n = 1024
	for _, row := range []struct{ jobs, most int }{{1, 13}, {2, 8}, {3, 6}, {7, 4}, {15, 3}} {
		got, _ := rounds(t, isolate.Problem{N: n}, func(c isolate.Configuration) isolate.Outcome {
			if c.Has(618) {
				return isolate.Fail
			}
			return isolate.Pass
		}, row.jobs)
		t.Logf("%2d jobs: %d rounds", row.jobs, got)
		if got > row.most {
			t.Errorf("%d jobs take %d rounds, want at most %d", row.jobs, got, row.most)
		}
	}
}

// A test that became unreachable is cancelled, and what it then returns is no
// error of the search and no outcome.
func TestUnreachableTestsAreCancelled(t *testing.T) {
	const n = 256
	synctest.Test(t, func(t *testing.T) {
		s := &slow{
			outcome: func(c isolate.Configuration) isolate.Outcome {
				if c.Has(200) {
					return isolate.Fail
				}
				return isolate.Pass
			},
			// Whoever guesses that the cause is in the first half waits for ever.
			duration: func(c isolate.Configuration) time.Duration {
				if c.Len() < n/2 && !c.IsEmpty() && !c.Has(200) {
					return 1000 * time.Hour
				}
				return time.Second
			},
		}
		start := time.Now()
		r, err := isolate.Search(t.Context(), isolate.Problem{N: n}, s.test, isolate.Options{Jobs: 6})
		if err != nil || r.Cause.String() != "200" {
			t.Errorf("%+v, %v", r, err)
		}
		if s.cancelled.Load() == 0 || time.Since(start) > time.Hour {
			t.Errorf("%d tests cancelled, took %v", s.cancelled.Load(), time.Since(start))
		}
	})
}

func TestEndsMustDiffer(t *testing.T) {
	for _, row := range []struct {
		good, bad isolate.Outcome
		trials    int
	}{
		{isolate.Pass, isolate.Pass, 2},
		{isolate.Fail, isolate.Fail, 2},
		{isolate.Fail, isolate.Pass, 2},
		{isolate.Unresolved, isolate.Fail, 2},
		{isolate.Pass, isolate.Unresolved, 2},
	} {
		for _, goal := range goals {
			r, err := isolate.Search(t.Context(), isolate.Problem{N: 3}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
				if c.IsEmpty() {
					return row.good, nil
				}
				return row.bad, nil
			}, isolate.Options{Goal: goal, Jobs: 2})
			var ends *isolate.EndsError
			if !errors.As(err, &ends) || ends.Good != row.good || ends.Bad != row.bad {
				t.Errorf("%v %v, goal %v: %v", row.good, row.bad, goal, err)
			} else if !strings.Contains(err.Error(), row.good.String()) {
				t.Errorf("%q does not say %v", err, row.good)
			}
			if r.Trials != row.trials || r.Minimal {
				t.Errorf("%v %v: %+v", row.good, row.bad, r)
			}
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	never := func(context.Context, isolate.Configuration) (isolate.Outcome, error) {
		t.Error("a refused problem was tried")
		return isolate.Pass, nil
	}
	for _, row := range []struct {
		name string
		p    isolate.Problem
		opts isolate.Options
	}{
		{"algorithm", isolate.Problem{N: 1}, isolate.Options{Algorithm: "magic"}},
		{"jobs", isolate.Problem{N: 1}, isolate.Options{Jobs: -1}},
		{"trials", isolate.Problem{N: 1}, isolate.Options{MaxTrials: -1}},
		{"goal", isolate.Problem{N: 1}, isolate.Options{Goal: 9}},
		{"n", isolate.Problem{N: -1}, isolate.Options{}},
		{"order twice", isolate.Problem{N: 2, Order: []int{0, 0}}, isolate.Options{}},
		{"order short", isolate.Problem{N: 2, Order: []int{0}}, isolate.Options{}},
		{"groups", isolate.Problem{N: 2, Groups: [][]int{{0}}}, isolate.Options{}},
		{"requires", isolate.Problem{N: 2, Requires: [][]int{{2}, nil}}, isolate.Options{}},
		{"predicted", isolate.Problem{N: 2, Predicted: [][]int{nil}}, isolate.Options{}},
		{"weights short", isolate.Problem{N: 2, Weights: []int{1}}, isolate.Options{}},
		{"weight 0", isolate.Problem{N: 2, Weights: []int{0, 2}}, isolate.Options{}},
		{"weights too large", isolate.Problem{N: 2, Weights: []int{math.MaxInt, 1}}, isolate.Options{}},
		{"end of another size", isolate.Problem{N: 2, Failing: isolate.Full(3)}, isolate.Options{}},
		{"ends not nested", isolate.Problem{N: 2, Passing: isolate.Of(2, 0), Failing: isolate.Of(2, 1)}, isolate.Options{}},
	} {
		if _, err := isolate.Search(t.Context(), row.p, never, row.opts); err == nil {
			t.Errorf("%s: no error", row.name)
		}
	}
}

// An end that breaks a requirement is unresolved, without a trial.
func TestEndThatBreaksARequirement(t *testing.T) {
	p := isolate.Problem{N: 2, Requires: [][]int{{1}, nil}, Failing: isolate.Of(2, 0)}
	r, err := isolate.Search(t.Context(), p, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		return isolate.Pass, nil
	}, isolate.Options{})
	var ends *isolate.EndsError
	if !errors.As(err, &ends) || ends.Bad != isolate.Unresolved || r.Trials != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
