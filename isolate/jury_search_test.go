package isolate_test

import (
	"context"
	"errors"
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

func (x *noisy) witness(c isolate.Configuration, want isolate.Outcome) isolate.Witness {
	return isolate.Witness{Name: c.String(), Want: want, Sample: x.sample(c)}
}

// attempts is how many there were.
func (x *noisy) attempts() int {
	sum := 0
	for _, n := range x.made {
		sum += n
	}
	return sum
}

type found struct {
	isolate.Result
	attempts, rounds      int
	calibration, settling int
	risk                  float64
}

// try searches with a jury until the answer holds.
func (x *noisy) try(t testing.TB, p isolate.Problem, confidence float64, opts isolate.Options) (f found, err error) {
	t.Helper()
	x.made = map[isolate.Configuration]int{}
	j := isolate.NewJury(confidence)
	rates, err := j.Calibrate(t.Context(), x.witness(isolate.Empty(p.N), isolate.Pass), x.witness(isolate.Full(p.N), isolate.Fail), 1)
	f.calibration = x.attempts()
	if err != nil {
		f.attempts = x.attempts()
		return f, err
	}
	if rates.Swapped {
		f.attempts = x.attempts()
		return f, errors.New("swapped")
	}
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		return j.Ask(ctx, c.String(), x.sample(c))
	}
	opts.Doubt = func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
		return j.Doubt(ctx, x.witness(c, o), odds, 1)
	}
	for f.rounds = 1; ; f.rounds++ {
		f.Result, err = isolate.Search(t.Context(), p, test, opts)
		if errors.Is(err, isolate.ErrTurned) {
			if f.rounds > 1000 {
				t.Fatal("no end to it")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var witnesses []isolate.Witness
		for _, w := range f.Witnesses {
			witnesses = append(witnesses, x.witness(w.Config, w.Outcome))
		}
		before := x.attempts()
		settled, err := j.Settle(t.Context(), witnesses, 1)
		if err != nil {
			f.attempts = x.attempts()
			return f, err
		}
		f.settling += x.attempts() - before
		if settled.Holds {
			for _, r := range settled.Risk {
				f.risk += r
			}
			f.attempts = x.attempts()
			return f, nil
		}
		if f.rounds > 1000 {
			t.Fatal("no end to it")
		}
	}
}

func TestSimulatedSearch(t *testing.T) {
	for _, row := range []struct {
		noise
		causes     int
		confidence float64
	}{
		{noise{0, 0}, 1, 0.99},
		{noise{0.1, 0}, 1, 0.99},
		{noise{0.1, 0}, 2, 0.99},
		{noise{0.3, 0}, 1, 0.99},
		{noise{0.3, 0}, 2, 0.99},
		{noise{0, 0.1}, 1, 0.99},
		{noise{0.05, 0.05}, 1, 0.99},
		{noise{0.05, 0.05}, 2, 0.99},
	} {
		const n, runs = 1000, 100
		right, attempts, calibration, rounds, steady, failed, settling := 0, 0, 0, 0, 0, 0, 0
		risk := 0.0
		for seed := range uint64(runs) {
			p := plant(rand.New(rand.NewPCG(seed, 0)), n, row.causes, 0, 0)
			p.Groups = nil
			steady += p.search(t, isolate.Options{}).Trials
			x := &noisy{noise: row.noise, outcome: p.outcome, seed: seed}
			f, err := x.try(t, p.Problem, row.confidence, isolate.Options{})
			attempts += f.attempts
			calibration += f.calibration
			settling += f.settling
			rounds += f.rounds
			risk += f.risk
			if err != nil {
				failed++
			} else if f.Cause == p.cause {
				right++
			}
		}
		if right < runs*99/100 || failed > 0 {
			t.Errorf("%v, %d causes: %d of %d right, %d failed", row.noise, row.causes, right, runs, failed)
		}
		t.Logf("%v causes %d conf %v: right %d/%d failed %d, attempts %.1f (calib %.1f settle %.1f) steady %.1f ratio %.2f (without ends %.2f), rounds %.2f, risk %.4f", row.noise, row.causes, row.confidence, right, runs, failed,
			float64(attempts)/runs, float64(calibration)/runs, float64(settling)/runs, float64(steady)/runs, float64(attempts)/float64(steady), float64(attempts-calibration)/float64(steady-2*runs), float64(rounds)/runs, risk/runs)
	}
}
