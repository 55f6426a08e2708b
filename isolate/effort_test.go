package isolate

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What looking ahead costs is bounded by counts: how often it is done, and for each test
// that is started the points looked at and the questions asked to come there. A test
// takes from one second to three, none as long as another, so outcomes come one by one.
func TestLookingAheadIsBounded(t *testing.T) {
	const n, jobs = 600, 128
	one, two := Of(n, 234), Of(n, 318, 571)
	for _, row := range []struct {
		name              string
		algorithm         algorithm
		cause             Configuration
		visits, questions int // for each started test, at most
	}{
		{"cgr", cgr, one, 2, 35},
		{"cgr", cgr, two, 2, 45},
		{"cpi", cpi, two, 3, 65},
		{"dab", nil, two, 1, 8},
	} {
		synctest.Test(t, func(t *testing.T) {
			var started atomic.Int64
			test := func(ctx context.Context, c Configuration) (Outcome, error) {
				started.Add(1)
				hash := fnv.New64a()
				fmt.Fprint(hash, c)
				select {
				case <-time.After(time.Second + time.Duration(hash.Sum64()%2_000_000_000)):
				case <-ctx.Done():
					return Unresolved, ctx.Err()
				}
				if c.Contains(row.cause) {
					return Fail, nil
				}
				return Pass, nil
			}
			s, err := newSpace(Problem{N: n}, Cause, true)
			if err != nil {
				t.Fatal(err)
			}
			opts := Options{Jobs: jobs, Rounds: row.name == "cgr"}
			var trials int
			var found Configuration
			var e *engine
			if row.name == "dab" {
				s.given = true
				e = newEngine(t.Context(), s, func(s *run) pair {
					m := &minimization{run: s, List: List{N: n}}
					return pair{Empty(n), m.perform(dab)}
				}, test, opts)
				var got Minimum
				got, err = e.minimize(List{N: n}, MinimizeOptions{})
				trials, found = got.Trials, got.Kept
			} else {
				e = newEngine(t.Context(), s, row.algorithm, test, opts)
				var got Result
				got, err = e.search()
				trials, found = got.Trials, got.Cause
			}
			e.close()
			if err != nil || found != row.cause {
				t.Errorf("%s: %v, %v", row.name, found, err)
			}
			tests := int(started.Load())
			t.Logf("%s: %d trials, %d tests, %d looks, %d points, %d questions", row.name, trials, tests, e.epoch, e.visits, e.questions)
			// The path waits for each trial once, and announces at most one round for each.
			if most := 2*trials + noticeable*tests/jobs; e.epoch > most {
				t.Errorf("%s: looked ahead %d times, want at most %d", row.name, e.epoch, most)
			}
			if e.visits > row.visits*tests || e.questions > row.questions*tests {
				t.Errorf("%s: %d tests, %d points, %d questions; want at most %d and %d a test", row.name, tests, e.visits, e.questions, row.visits, row.questions)
			}
		})
	}
}
