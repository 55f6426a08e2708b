package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gitdd/gitdd/isolate"
)

// What a precheck rejects costs no trial, and the path is the same for any number of jobs:
// also where the precheck is dropped, after which outcomes and messages are others.
func TestPrecheck(t *testing.T) {
	r := random(t)
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	drops, rejections := 0, 0
	for range rounds {
		p := randomProblem(r, 3+r.IntN(5))
		outcome := randomOutcomes(r, p)
		passing, failing := ends(p)
		reject := func(seed uint64, share uint64) func(isolate.Configuration) bool {
			return func(c isolate.Configuration) bool {
				hash := fnv.New64a()
				fmt.Fprint(hash, seed, c)
				return c != passing && c != failing && hash.Sum64()%100 < share
			}
		}(r.Uint64(), r.Uint64N(101))
		for _, algorithm := range isolate.Algorithms() {
			first, second := randomAdvice(r, p.N), randomAdvice(r, p.N)
			opts := isolate.Options{Algorithm: algorithm, Goal: goals[r.IntN(3)], MaxTrials: r.IntN(2) * r.IntN(12), Check: first.Check}
			most := 1 + r.IntN(8)
			var want isolate.Result
			var wantErr error
			var wantSteps []isolate.Step
			for _, jobs := range []int{1, 2, 3, 8, 8} {
				seed := r.Uint64()
				synctest.Test(t, func(t *testing.T) {
					var dropped atomic.Bool
					told := func(c isolate.Configuration) isolate.Outcome {
						if !dropped.Load() && reject(c) {
							return isolate.Unresolved
						}
						return outcome(c)
					}
					tests := shuffled(told, seed)
					row, rejected := 0, 0
					var steps []isolate.Step
					opts.Jobs = jobs
					opts.Observe = func(s isolate.Step) {
						steps = append(steps, s)
					}
					opts.Precheck = &isolate.Precheck{Most: most, Rejected: func(c isolate.Configuration) bool {
						if dropped.Load() {
							t.Fatalf("asked whether %v was rejected when the precheck is dropped", c)
						}
						if row++; !reject(c) {
							row = 0
							return false
						}
						rejected++
						return true
					}, Drop: func() {
						if dropped.Swap(true) || tests.running.Load() > 0 {
							t.Fatalf("dropped twice, or while %d tests run", tests.running.Load())
						}
					}}
					opts.Learn = func(c isolate.Configuration) [][2]int { x := advised(&dropped, first.Learn, second.Learn, c); return x }
					opts.Diagnose = func(c isolate.Configuration) []isolate.Message {
						if outcome(c) == isolate.Unresolved {
							return advised(&dropped, first.Diagnose, second.Diagnose, c)
						}
						return advised(new(atomic.Bool), first.Diagnose, nil, c) // the precheck has nothing to do with it
					}
					got, err := isolate.Search(t.Context(), p, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
						return tests.test(ctx, c)
					}, opts)
					if err != nil && !errors.Is(err, isolate.ErrBudget) {
						t.Fatal(err)
					}
					if got.Rejected != rejected || got.Trials != got.Pass+got.Fail+got.Unresolved || opts.MaxTrials > 0 && got.Trials > opts.MaxTrials {
						t.Fatalf("%s: %d rejected, counted %d; %d trials of %d: %d, %d, %d", algorithm, rejected, got.Rejected, got.Trials, opts.MaxTrials, got.Pass, got.Fail, got.Unresolved)
					}
					if jobs == 1 {
						want, wantErr, wantSteps = got, err, steps
						rejections += rejected
						if dropped.Load() {
							drops++
						}
					} else if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(steps, wantSteps) || err != wantErr {
						t.Fatalf("%s %v with %d jobs: %v\n%+v\n%+v\nand with 1: %v\n%+v\n%+v", algorithm, opts.Goal, jobs, err, got, steps, wantErr, want, wantSteps)
					}
				})
			}
		}
	}
	if drops == 0 || rejections == 0 {
		t.Errorf("%d rejected, %d prechecks dropped", rejections, drops)
	}
}

func advised[T any](dropped *atomic.Bool, first, second func(isolate.Configuration) []T, c isolate.Configuration) []T {
	advice := first
	if dropped.Load() {
		advice = second
	}
	if advice == nil {
		return nil
	}
	return advice(c)
}
