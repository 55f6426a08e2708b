package isolate_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// noise is how often a test is wrong, by what it should say.
type noise struct{ wrongPass, wrongFail float64 }

// A noisy test is one that is wrong at times. Its attempts are drawn by a seed,
// the configuration and the number of the attempt.
type noisy struct {
	noise
	outcome func(isolate.Configuration) isolate.Outcome
	seed    uint64
	made    map[isolate.Configuration]int // the highest attempt
}

func (x *noisy) sample(c isolate.Configuration) isolate.Sample {
	return func(_ context.Context, attempt int) (isolate.Outcome, error) {
		x.made[c] = max(x.made[c], attempt)
		return x.attempt(c, attempt), nil
	}
}

func (x *noisy) attempt(c isolate.Configuration, attempt int) isolate.Outcome {
	hash := fnv.New64a()
	hash.Write([]byte(c.String()))
	luck := rand.New(rand.NewPCG(x.seed, hash.Sum64()+uint64(attempt)*0x9e3779b97f4a7c15)).Float64()
	switch o := x.outcome(c); {
	case o == isolate.Fail && luck < x.wrongPass:
		return isolate.Pass
	case o == isolate.Pass && luck < x.wrongFail:
		return isolate.Fail
	default:
		return o
	}
}

func (x *noisy) claim(c isolate.Configuration, want isolate.Outcome) isolate.Claim {
	return isolate.Claim{Name: c.String(), Want: want, Sample: x.sample(c)}
}

// attempts is how many there were.
func (x *noisy) attempts() int {
	sum := 0
	for _, n := range x.made {
		sum += n
	}
	return sum
}

// A found answer, and what it took.
type found struct {
	isolate.Result
	attempts, rounds int
	calibration      int     // attempts
	risk             float64 // as reported
	err              error
}

// try searches with a sequential test until the answer holds.
func (x *noisy) try(t testing.TB, p isolate.Problem, confidence float64, opts isolate.Options) (f found) {
	t.Helper()
	x.made = map[isolate.Configuration]int{}
	defer func() { f.attempts = x.attempts() }()
	j := isolate.NewSequentialTest(confidence)
	good, bad := isolate.Empty(p.N), isolate.Full(p.N)
	rates, err := j.Calibrate(t.Context(), x.claim(good, isolate.Pass), x.claim(bad, isolate.Fail), 1)
	f.calibration = x.attempts()
	if err != nil || rates.Swapped {
		f.err = fmt.Errorf("ends %+v: %w", rates, err)
		return f
	}
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		return j.Ask(ctx, c.String(), x.sample(c))
	}
	opts.Doubt = func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
		return j.Doubt(ctx, x.claim(c, o), odds, 1)
	}
	for f.rounds = 1; ; f.rounds++ {
		if f.rounds > 1000 {
			t.Fatal("no end to it")
		}
		f.Result, err = isolate.Search(t.Context(), p, test, opts)
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var claims []isolate.Claim
		for _, w := range f.Evidence {
			claims = append(claims, x.claim(w.Config, w.Outcome))
		}
		settled, err := j.Settle(t.Context(), claims, 1)
		if f.err = err; err != nil {
			return f
		}
		if settled.Holds {
			for _, r := range settled.Risk {
				f.risk += r
			}
			return f
		}
	}
}

var sequentialRuns = flag.Int("sequential-runs", 0, "print the table of docs/reliability.md, with so many searches for each row")

// What a search costs with a test that is wrong at times, among 1,000 elements,
// and how often it is right. The first rows are what was promised: 99 of 100
// answers are right, for 3 and for 8 times the trials of the steady test, all
// attempts counted. The seeds are fixed, so the counts are.
func TestSimulatedSearch(t *testing.T) {
	once(t)
	const n = 1000
	trials := map[[2]uint64]int{} // of the steady test
	for _, row := range []struct {
		noise
		causes     int
		confidence float64
		runs       int
		right      int     // of runs
		most       float64 // times the trials of the steady test
	}{
		{noise{0.1, 0}, 1, 0.99, 500, 500, 3},
		{noise{0.1, 0}, 2, 0.99, 500, 500, 3},
		{noise{0.3, 0}, 1, 0.99, 500, 500, 8},
		{noise{0.3, 0}, 2, 0.99, 500, 500, 8},
		{noise{0, 0}, 1, 0.99, 30, 30, 1.95},
		{noise{0, 0}, 2, 0.99, 30, 30, 2.1},
		{noise{0, 0.1}, 1, 0.99, 30, 30, 3},
		{noise{0, 0.1}, 2, 0.99, 30, 30, 3},
		{noise{0.05, 0.05}, 1, 0.99, 30, 30, 3},
		{noise{0.05, 0.05}, 2, 0.99, 30, 30, 3.2},
		{noise{0.2, 0.2}, 1, 0.99, 30, 30, 10},
		{noise{0.5, 0}, 1, 0.99, 30, 30, 12},
		{noise{0.1, 0}, 1, 0.9, 30, 30, 3},
		{noise{0.1, 0}, 1, 0.999, 30, 30, 3.5},
		{noise{0.3, 0}, 1, 0.9, 30, 30, 8},
		{noise{0.3, 0}, 1, 0.999, 30, 30, 8},
	} {
		runs := row.runs
		if testing.Short() {
			runs = 50
		}
		if *sequentialRuns > 0 {
			runs = *sequentialRuns
		}
		right, attempts, calibration, rounds, steady, risk := 0, 0, 0, 0, 0, 0.0
		for seed := range uint64(runs) {
			p := plant(rand.New(rand.NewPCG(seed, 0)), n, row.causes, 0, 0)
			p.Groups = nil
			key := [2]uint64{seed, uint64(row.causes)}
			if trials[key] == 0 {
				trials[key] = p.search(t, isolate.Options{}).Trials
			}
			steady += trials[key]
			x := &noisy{noise: row.noise, outcome: p.outcome, seed: seed}
			f := x.try(t, p.Problem, row.confidence, isolate.Options{})
			if f.err == nil && f.Cause == p.cause {
				right++
			} else {
				t.Logf("seed %d: %v, cause %q, found %q", seed, f.err, p.cause, f.Cause)
			}
			attempts += f.attempts
			calibration += f.calibration
			rounds += f.rounds
			risk += f.risk
		}
		ratio := float64(attempts) / float64(steady)
		name := fmt.Sprintf("%v, %d causes, %v", row.noise, row.causes, row.confidence)
		t.Logf("%s: %d of %d right, %.1f attempts (%.1f of them at the ends) for %.1f trials, %.2f times; %.2f without the ends; %.2f rounds, risk %.5f",
			name, right, runs, float64(attempts)/float64(runs), float64(calibration)/float64(runs), float64(steady)/float64(runs), ratio,
			float64(attempts-calibration)/float64(steady-2*runs), float64(rounds)/float64(runs), risk/float64(runs))
		if *sequentialRuns > 0 {
			fmt.Printf("| %2.0f %% | %2.0f %% | %d | %v | %.1f | %.1f | %.2f | %.2f | %.2f %% | %.2f %% |\n", 100*row.wrongPass, 100*row.wrongFail, row.causes, row.confidence,
				float64(steady)/float64(runs), float64(attempts)/float64(runs), ratio, float64(attempts-calibration)/float64(steady-2*runs), share(right, runs), 100*(1-risk/float64(runs)))
			continue
		}
		if runs == row.runs && right != row.right {
			t.Errorf("%s: %d of %d right, were %d", name, right, runs, row.right)
		}
		if ratio > row.most || float64(right) < row.confidence*float64(runs) {
			t.Errorf("%s: %d of %d right, for %.2f times the trials, want at most %v times", name, right, runs, ratio, row.most)
		}
	}
}

func share(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
