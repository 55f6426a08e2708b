package isolate_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

var engineJobs = []int{1, 64, 1000}

var engineCost = flag.String("engine-cost", "", "measure what the engine costs with these algorithms, such as cpi,cgr")

// far is a problem of n elements with d causes and so many hidden requirements,
// whose outcomes cost next to nothing.
type far struct {
	n     int
	cause isolate.Configuration
	edges [][2]int
}

func newFar(r *rand.Rand, n, d, edges int) *far {
	f := &far{n: n, cause: isolate.Of(n, r.Perm(n)[:d]...)}
	for range edges {
		i := 1 + r.IntN(n-1)
		f.edges = append(f.edges, [2]int{i, r.IntN(i)})
	}
	return f
}

func (f *far) outcome(c isolate.Configuration) isolate.Outcome {
	for _, e := range f.edges {
		if c.Has(e[0]) && !c.Has(e[1]) {
			return isolate.Unresolved
		}
	}
	if c.Contains(f.cause) {
		return isolate.Fail
	}
	return isolate.Pass
}

// logNormal returns the time that a configuration takes: a median of a minute.
func logNormal(c isolate.Configuration, seed uint64) time.Duration {
	hash := fnv.New64a()
	fmt.Fprint(hash, seed, c)
	r := rand.New(rand.NewPCG(hash.Sum64(), seed))
	return time.Duration(float64(time.Minute) * math.Exp(0.5*r.NormFloat64()))
}

func TestEngineCost(t *testing.T) {
	if *engineCost == "" {
		t.Skip("measures: -engine-cost cpi,cgr,pce")
	}
	for _, algorithm := range strings.Split(*engineCost, ",") {
		for _, jobs := range engineJobs {
			for _, d := range []int{1, 4} {
				const n = 100_000
				r := rand.New(rand.NewPCG(uint64(d), 7))
				f := newFar(r, n, d, 32)
				var started atomic.Int64
				var got isolate.Result
				var virtual time.Duration
				began := time.Now()
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					var err error
					got, err = isolate.Search(t.Context(), isolate.Problem{N: n}, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
						started.Add(1)
						select {
						case <-time.After(logNormal(c, 1)):
							return f.outcome(c), nil
						case <-ctx.Done():
							return isolate.Unresolved, ctx.Err()
						}
					}, isolate.Options{Algorithm: algorithm, Jobs: jobs, Rounds: algorithm != "cpi", MaxTrials: 20_000})
					if err != nil {
						t.Error(err)
					}
					virtual = time.Since(start)
				})
				took := time.Since(began)
				t.Logf("%s d=%d jobs=%4d: %5d trials, %6d started, %8.1f min, %8.1f ms in all, %7.3f ms a started test, %8.3f ms a trial",
					algorithm, d, jobs, got.Trials, started.Load(), virtual.Minutes(), took.Seconds()*1000,
					took.Seconds()*1000/float64(started.Load()), took.Seconds()*1000/float64(got.Trials))
			}
		}
	}
}

func TestMinimizeCost(t *testing.T) {
	if *engineCost == "" {
		t.Skip("measures: -engine-cost cpi,cgr,pce")
	}
	for _, jobs := range engineJobs {
		const n = 20_000
		r := rand.New(rand.NewPCG(3, 7))
		stay := isolate.Of(n, r.Perm(n)[:60]...)
		var started atomic.Int64
		var got isolate.Minimum
		var virtual time.Duration
		began := time.Now()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var err error
			got, err = isolate.Minimize(t.Context(), isolate.List{N: n}, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
				started.Add(1)
				select {
				case <-time.After(logNormal(c, 1)):
					return holding(stay)(c), nil
				case <-ctx.Done():
					return isolate.Unresolved, ctx.Err()
				}
			}, isolate.MinimizeOptions{Jobs: jobs})
			if err != nil {
				t.Error(err)
			}
			virtual = time.Since(start)
		})
		took := time.Since(began)
		t.Logf("dab jobs=%4d: %5d trials, %6d started, %8.1f min, %8.1f ms in all, %7.3f ms a started test",
			jobs, got.Trials, started.Load(), virtual.Minutes(), took.Seconds()*1000, took.Seconds()*1000/float64(started.Load()))
	}
}
