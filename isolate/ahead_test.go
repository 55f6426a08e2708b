package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

// A cluster runs tests in the time of a synctest bubble. How long each takes, and how
// long it goes on when it is cancelled, follows from a seed; no test takes longer than
// a second.
type cluster struct {
	outcome func(isolate.Configuration) isolate.Outcome
	seed    uint64
	linger  time.Duration // at most

	mu      sync.Mutex
	started int
	running map[isolate.Configuration]int
	told    map[isolate.Configuration]bool // by Prefetch, some time before the test started
	ready   int                            // tests of these
	calls   [][]isolate.Configuration      // of Prefetch
	wrong   []string
}

func (x *cluster) draw(c isolate.Configuration, what string) float64 {
	hash := fnv.New64a()
	fmt.Fprint(hash, x.seed, c, what)
	return rand.New(rand.NewPCG(hash.Sum64(), 0)).Float64()
}

func (x *cluster) test(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
	x.mu.Lock()
	if x.running == nil {
		x.running, x.told = map[isolate.Configuration]int{}, map[isolate.Configuration]bool{}
	}
	x.started++
	x.running[c]++
	if x.told[c] {
		x.ready++
	}
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.running[c]--
	}()
	select {
	case <-time.After(time.Duration(x.draw(c, "time") * float64(time.Second))):
		return x.outcome(c), nil
	case <-ctx.Done():
		time.Sleep(time.Duration(x.draw(c, "linger") * float64(x.linger)))
		return isolate.Fail, errors.New("signal: killed") // whatever it says does not count
	}
}

func (x *cluster) prefetch(next []isolate.Configuration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.calls) > 0 && reflect.DeepEqual(x.calls[len(x.calls)-1], next) {
		x.wrong = append(x.wrong, "told the same twice")
	}
	x.calls = append(x.calls, next)
	listed := map[isolate.Configuration]bool{}
	for _, c := range next {
		if listed[c] {
			x.wrong = append(x.wrong, fmt.Sprintf("%q is there twice", c))
		}
		listed[c] = true
		if x.told == nil {
			x.told = map[isolate.Configuration]bool{}
		}
		x.told[c] = true
	}
}

// holding says that configurations that hold all of the cause fail.
func holding(cause isolate.Configuration) func(isolate.Configuration) isolate.Outcome {
	return func(c isolate.Configuration) isolate.Outcome {
		if c.Contains(cause) {
			return isolate.Fail
		}
		return isolate.Pass
	}
}

// What is spent beyond the path is limited exactly, for every algorithm and any
// number of workers, whatever the outcomes, and however long tests go on that were
// cancelled; and no limit changes the path.
func TestMaxCost(t *testing.T) {
	r := random(t)
	for range 1 {
		p := randomProblem(r, 3+r.IntN(5))
		outcome := randomOutcomes(r, p)
		for _, algorithm := range isolate.Algorithms() {
			for _, rounds := range []bool{false, true} {
				opts := randomAdvice(r, p.N)
				opts.Algorithm, opts.Goal, opts.MaxTrials, opts.Rounds = algorithm, goals[r.IntN(3)], r.IntN(2)*r.IntN(12), rounds
				jobs := []int{2, 3, 8, 64, 256}[r.IntN(5)]
				search := func(jobs, most int, prefetch bool) (isolate.Result, int, error) {
					x := &cluster{outcome: outcome, seed: r.Uint64(), linger: time.Duration(r.IntN(2)) * time.Minute}
					var got isolate.Result
					var err error
					synctest.Test(t, func(t *testing.T) {
						o := opts
						o.Jobs, o.MaxCost = jobs, most
						if prefetch {
							o.Prefetch = x.prefetch
						}
						got, err = isolate.Search(t.Context(), p, x.test, o)
					})
					return got, x.started, err
				}
				want, _, wantErr := search(map[bool]int{false: 1, true: jobs}[rounds], 0, false)
				for _, most := range []int{-1, []int{1, 2, 5, 30}[r.IntN(4)]} {
					got, started, err := search(jobs, most, r.IntN(2) == 0)
					if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
						t.Fatalf("%s with %d jobs and %d beyond the path: %+v, %v, not %+v, %v", algorithm, jobs, most, got, err, want, wantErr)
					}
					if started > got.Trials+max(0, most) || started < got.Trials {
						t.Errorf("%s, rounds %v, %d jobs: %d tests for %d trials and at most %d beyond", algorithm, rounds, jobs, started, got.Trials, most)
					}
				}
			}
		}
	}
}

// The same for Minimize.
func TestMinimizeMaxCost(t *testing.T) {
	r := random(t)
	for range 2 {
		n := 5 + r.IntN(12)
		stay := isolate.Of(n, r.Perm(n)[:1+r.IntN(n/2)]...)
		noise := r.Uint64()
		outcome := func(c isolate.Configuration) isolate.Outcome {
			if c.Contains(stay) {
				return isolate.Fail
			}
			hash := fnv.New64a()
			fmt.Fprint(hash, noise, c)
			return isolate.Outcome(hash.Sum64() % 20 / 9) // at times something else fails
		}
		for _, algorithm := range isolate.MinimizeAlgorithms() {
			opts := isolate.MinimizeOptions{Algorithm: algorithm, MaxTrials: 1 + r.IntN(40)} // more of them take long to look ahead of with ddmin
			var want isolate.Minimum
			var wantErr error
			for k, most := range []int{-1, 1 + r.IntN(4), 30} {
				x := &cluster{outcome: outcome, seed: r.Uint64(), linger: time.Duration(r.IntN(2)) * time.Minute}
				synctest.Test(t, func(t *testing.T) {
					opts.Jobs, opts.MaxCost = []int{2, 8, 40}[r.IntN(3)], most
					opts.Prefetch = []func([]isolate.Configuration){nil, x.prefetch}[r.IntN(2)]
					got, err := isolate.Minimize(t.Context(), isolate.List{N: n}, x.test, opts)
					if k == 0 {
						want, wantErr = got, err
					}
					if !reflect.DeepEqual(got, want) || !errors.Is(err, wantErr) {
						t.Fatalf("%s with %d jobs and %d beyond the path: %+v, %v, not %+v, %v", algorithm, opts.Jobs, most, got, err, want, wantErr)
					}
					if x.started > got.Trials+max(0, most) || x.started < got.Trials {
						t.Errorf("%s, %d jobs: %d tests for %d trials and at most %d beyond", algorithm, opts.Jobs, x.started, got.Trials, most)
					}
				})
			}
		}
	}
}

// What may be spent beyond the path is spent to save rounds, on all of the way: 16
// trials more make 5 rounds of 13.
func TestMaxCostIsSpentWell(t *testing.T) {
	for _, row := range []struct{ cost, rounds int }{{-1, 13}, {4, 8}, {16, 5}, {64, 4}, {0, 3}} {
		synctest.Test(t, func(t *testing.T) {
			// No two things happen at once, so what happens is the same each time.
			x := &cluster{outcome: holding(isolate.Of(1024, 618))}
			test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
				instant := time.Duration(x.draw(c, "instant") * float64(time.Millisecond))
				select {
				case <-time.After(time.Second + instant):
					return x.outcome(c), nil
				case <-ctx.Done():
					time.Sleep(instant)
					return isolate.Unresolved, ctx.Err()
				}
			}
			start := time.Now()
			if _, err := isolate.Search(t.Context(), isolate.Problem{N: 1024}, test, isolate.Options{Jobs: 32, MaxCost: row.cost}); err != nil {
				t.Error(err)
			}
			got := int(time.Since(start) / time.Second)
			t.Logf("%d beyond the path: %d rounds", row.cost, got)
			if got > row.rounds {
				t.Errorf("%d beyond the path: %d rounds, want at most %d", row.cost, got, row.rounds)
			}
		})
	}
}

// Prefetch is told what has no worker yet and is likely to be asked, so that most
// tests were prepared when they start; it changes nothing.
func TestPrefetch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5)) // fixed: it is about how many are foretold
	const n = 500
	for _, algorithm := range []string{"cpi", "cgr", "pce", "ddmin", "dab"} {
		for _, jobs := range []int{1, 3, 20} {
			outcome := holding(isolate.Of(n, r.IntN(n), r.IntN(n)))
			search := func(x *cluster, prefetch func([]isolate.Configuration)) (result any) {
				synctest.Test(t, func(t *testing.T) {
					var err error
					if algorithm == "dab" {
						result, err = isolate.Minimize(t.Context(), isolate.List{N: n}, x.test, isolate.MinimizeOptions{Jobs: jobs, Prefetch: prefetch})
					} else {
						result, err = isolate.Search(t.Context(), isolate.Problem{N: n}, x.test, isolate.Options{Algorithm: algorithm, Jobs: jobs, Rounds: algorithm != "ddmin", Prefetch: prefetch})
					}
					if err != nil {
						t.Error(err)
					}
				})
				return result
			}
			seed := r.Uint64()
			x := &cluster{outcome: outcome, seed: seed}
			got := search(x, func(next []isolate.Configuration) {
				if len(next) > jobs {
					t.Errorf("told of %d configurations with %d jobs", len(next), jobs)
				}
				x.prefetch(next)
			})
			if want := search(&cluster{outcome: outcome, seed: seed}, nil); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, without Prefetch %+v", algorithm, got, want)
			}
			for _, wrong := range x.wrong {
				t.Errorf("%s with %d jobs: %s", algorithm, jobs, wrong)
			}
			if last := x.calls[len(x.calls)-1]; len(last) > 0 {
				t.Errorf("%s: %d configurations are wanted at the end", algorithm, len(last))
			}
			t.Logf("%s with %d jobs: %d of %d tests were prepared", algorithm, jobs, x.ready, x.started)
			if x.ready == 0 || jobs > 1 && 2*x.ready < x.started {
				t.Errorf("%s with %d jobs: %d of %d tests were prepared", algorithm, jobs, x.ready, x.started)
			}
		}
	}
}

// A test that was cancelled and does not return keeps its worker, but never the path:
// each of its trials takes a second at most, as every test here that is left alone.
func TestCancelledTestsThatGoOn(t *testing.T) {
	r := random(t)
	instances := 9
	if testing.Short() {
		instances = 3
	}
	for k := range instances {
		p := randomProblem(r, 3+r.IntN(5))
		outcome := randomOutcomes(r, p)
		if k%3 == 0 {
			p = isolate.Problem{N: 300}
			outcome = holding(isolate.Of(300, r.IntN(300), r.IntN(300)))
		}
		for _, algorithm := range []string{"cpi", "dd+", "ddmin", "cgr", "pce", "probdd"} {
			var opts isolate.Options
			if p.N < 10 {
				opts = randomAdvice(r, p.N)
			}
			opts.Algorithm, opts.Goal, opts.Rounds, opts.Jobs, opts.MaxTrials = algorithm, goals[r.IntN(3)], r.IntN(2) == 0, 2+r.IntN(20), 150
			x := &cluster{outcome: outcome, seed: r.Uint64(), linger: 1000 * time.Hour}
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var took time.Duration
				trials := 0
				opts.Observe = func(s isolate.Step) { took, trials = time.Since(start), s.Trial }
				if _, err := isolate.Search(t.Context(), p, x.test, opts); err != nil && !errors.Is(err, isolate.ErrBudget) {
					t.Error(err)
				}
				if took > time.Duration(trials)*time.Second {
					t.Errorf("%s with %d jobs: %d trials took %v", algorithm, opts.Jobs, trials, took)
				}
			})
		}
	}
}

// What became obsolete is cancelled in the very moment in which the outcome arrives
// that made it so.
func TestObsoleteTestsAreCancelledAtOnce(t *testing.T) {
	const n = 256
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		late := 0
		obsolete := 0
		test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			// The first half passes after a second: then the parts of it that are tested
			// beside it are obsolete, which would take an hour.
			d := time.Second
			if !c.IsEmpty() && c.Len() < n/2 && time.Since(start) == 0 {
				d = time.Hour
			}
			select {
			case <-time.After(d):
			case <-ctx.Done():
				mu.Lock()
				defer mu.Unlock()
				if d == time.Second {
					return isolate.Unresolved, ctx.Err()
				}
				obsolete++
				if time.Since(start) > time.Second {
					late++
				}
				return isolate.Unresolved, ctx.Err()
			}
			if c.Has(200) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}
		var first time.Duration
		_, err := isolate.Search(t.Context(), isolate.Problem{N: n}, test, isolate.Options{Jobs: 6, Algorithm: "cpi", Observe: func(s isolate.Step) {
			if s.Trial == 3 {
				first = time.Since(start)
			}
		}})
		if err != nil || first != time.Second {
			t.Errorf("%v; the first half was tested after %v", err, first)
		}
		if obsolete == 0 || late > 0 {
			t.Errorf("%d tests were cancelled, %d of them late", obsolete, late)
		}
	})
}

// Hundreds of workers, of which some go on for long when they are cancelled, take the
// path of one.
func TestHundredsOfWorkers(t *testing.T) {
	r := random(t)
	const n = 1000
	for _, algorithm := range []string{"cpi", "pce"} {
		f := newFar(r, n, 2, 16)
		var want isolate.Result
		var wantSteps []isolate.Step
		for _, jobs := range []int{1, 256} {
			x := &cluster{outcome: f.outcome, seed: r.Uint64(), linger: time.Minute}
			synctest.Test(t, func(t *testing.T) {
				var steps []isolate.Step
				got, err := isolate.Search(t.Context(), isolate.Problem{N: n}, x.test, isolate.Options{
					Algorithm: algorithm, Jobs: jobs, MaxTrials: 30, Observe: func(s isolate.Step) { steps = append(steps, s) },
				})
				if err != nil && !errors.Is(err, isolate.ErrBudget) {
					t.Error(err)
				}
				if jobs == 1 {
					want, wantSteps = got, steps
				} else if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(steps, wantSteps) {
					t.Errorf("%s with %d jobs: %+v, with one %+v", algorithm, jobs, got, want)
				}
			})
		}
	}
}
