package isolate_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// The risk that is reported is one: of answers with little confidence no more
// are wrong than it says, and of all together no more than was allowed.
func TestReportedRiskIsHonest(t *testing.T) {
	once(t)
	runs := 60
	if testing.Short() {
		runs = 40
	}
	for _, x := range []noise{{0.3, 0}, {0, 0.3}, {0.2, 0.2}} {
		for _, confidence := range []float64{0.6, 0.8} {
			wrong, risk := 0, 0.0
			for seed := range uint64(runs) {
				p := plant(rand.New(rand.NewPCG(seed, 1)), 50, 1+int(seed%2), 0, 0)
				f := (&noisy{noise: x, outcome: p.outcome, seed: seed}).try(t, p.Problem, confidence, isolate.Options{})
				if f.err == nil && f.Cause != p.cause {
					wrong++
				}
				risk += f.risk
			}
			t.Logf("%v, confidence %v: %d of %d wrong, reported %.1f", x, confidence, wrong, runs, risk)
			if luck := 2 * math.Sqrt(risk); float64(wrong) > risk+luck || float64(wrong) > (1-confidence)*float64(runs) {
				t.Errorf("%v, confidence %v: %d of %d wrong, reported %.1f", x, confidence, wrong, runs, risk)
			}
		}
	}
}

// Unresolved configurations stay what they are beside a noisy test: the answer
// is as complete as that of the steady test, and each of them costs one attempt.
func TestNoiseBesideUnresolved(t *testing.T) {
	once(t)
	runs := 60
	if testing.Short() {
		runs = 20
	}
	for _, x := range []noise{{0.1, 0}, {0.05, 0.05}} {
		right, steadyRight, attempts, steady := 0, 0, 0, 0
		for seed := range uint64(runs) {
			p := plant(rand.New(rand.NewPCG(seed, 0)), 300, 1, 0.1, 0.7)
			without := p.search(t, isolate.Options{})
			steady += without.Trials
			if p.outcomeIsRight(without) {
				steadyRight++
			}
			test := &noisy{noise: x, outcome: p.outcome, seed: seed}
			f := test.try(t, p.Problem, 0.99, isolate.Options{})
			if f.err == nil && p.outcomeIsRight(f.Result) {
				right++
			}
			attempts += f.attempts
			for c, made := range test.made {
				if p.outcome(c) == isolate.Unresolved && made > 1 {
					t.Errorf("seed %d: %d attempts at %q, which is unresolved", seed, made, c)
				}
			}
		}
		t.Logf("%v: %d of %d right, %d with the steady test, %.2f times the trials", x, right, runs, steadyRight, float64(attempts)/float64(steady))
		if right < steadyRight-1 || attempts > 4*steady {
			t.Errorf("%v: %d of %d right, %d with the steady test, %d attempts for %d trials", x, right, runs, steadyRight, attempts, steady)
		}
	}
}

// A wrong outcome that the path speaks against is found on the way; and what was
// asked until then costs nothing when the search is run again.
func TestDoubtFindsAWrongOutcome(t *testing.T) {
	p := &planted{Problem: isolate.Problem{N: 1000}, cause: isolate.Of(1000, 300)}
	j := calibrated(t, 0.99, "|p", "|f")
	asked := map[isolate.Configuration]int{}
	sample := func(c isolate.Configuration) isolate.Sample {
		return func(_ context.Context, attempt int) (isolate.Outcome, error) {
			asked[c]++
			if attempt == 1 && c.Len() == 500 { // the first cut passes wrongly
				return isolate.Pass, nil
			}
			return p.outcome(c), nil
		}
	}
	name := func(c isolate.Configuration) string {
		switch c.Len() {
		case 0:
			return "good"
		case 1000:
			return "bad"
		}
		return c.String()
	}
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		return j.Ask(ctx, name(c), sample(c))
	}
	opts := isolate.Options{Doubt: func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
		return j.Doubt(ctx, isolate.Claim{Name: name(c), Want: o, Sample: sample(c)}, odds, 1)
	}}
	_, err := isolate.Search(t.Context(), p.Problem, test, opts)
	if got := fmt.Sprint(len(asked), err); got != fmt.Sprint(5, isolate.ErrTurned) {
		t.Errorf("%s: the wrong pass is found after %d configurations", got, len(asked))
	}
	before := maps.Clone(asked)
	r, err := isolate.Search(t.Context(), p.Problem, test, opts)
	if err != nil || r.Cause != p.cause {
		t.Errorf("%+v, %v", r, err)
	}
	for c, n := range before {
		if asked[c] != n && c.Len() != 500 { // that one has been both, and may be doubted again
			t.Errorf("%q was tried %d times, and then %d times again", c, n, asked[c]-n)
		}
	}
}
