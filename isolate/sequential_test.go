package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// attempts is a test whose attempts are written down: p, f and u, all of them
// again and again behind a bar.
func attempts(name, list string) isolate.Claim {
	first, rest, _ := strings.Cut(list, "|")
	return isolate.Claim{Name: name, Sample: func(_ context.Context, attempt int) (isolate.Outcome, error) {
		letter := byte(0)
		if attempt <= len(first) {
			letter = first[attempt-1]
		} else {
			letter = rest[(attempt-1-len(first))%len(rest)]
		}
		return map[byte]isolate.Outcome{'p': isolate.Pass, 'f': isolate.Fail, 'u': isolate.Unresolved}[letter], nil
	}}
}

func (x *noisy) String() string { return fmt.Sprint(x.noise) }

// calibrated returns a sequential test that knows ends with these attempts.
func calibrated(t *testing.T, confidence float64, good, bad string) *isolate.SequentialTest {
	t.Helper()
	j := isolate.NewSequentialTest(confidence)
	if _, err := j.Calibrate(t.Context(), attempts("good", good), attempts("bad", bad), 1); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestCalibrate(t *testing.T) {
	for _, row := range []struct {
		name, good, bad string
		indistinct      bool
		swapped         bool
		attempts        int // of both
	}{
		{"steady", "|p", "|f", false, false, 8},
		{"swapped", "|f", "|p", false, true, 8},
		{"bad passes first", "|p", "p|f", false, false, 10},
		{"bad passes three times", "|p", "ppp|f", false, false, 16},
		{"bad fails one time in three", "|p", "|ppf", false, false, 36},
		{"both are wrong at times", "|pppf", "|fffp", false, false, 14},
		{"both pass", "|p", "|p", true, false, 70},
		{"both fail", "|f", "|f", true, false, 70},
		{"both fail every other time", "|pf", "|fp", true, false, 88},
		{"good is unresolved", "|u", "|f", true, false, 5},
		{"bad is unresolved", "|p", "|u", true, false, 6},
		{"unresolved at first", "u|p", "|f", false, false, 9},
	} {
		for _, jobs := range []int{1, 3, 8} {
			j := isolate.NewSequentialTest(0.99)
			rates, err := j.Calibrate(t.Context(), attempts("good", row.good), attempts("bad", row.bad), jobs)
			var indistinct *isolate.IndistinctError
			if errors.As(err, &indistinct) != row.indistinct || err != nil && !row.indistinct {
				t.Errorf("%s: %v", row.name, err)
				continue
			}
			if err != nil && (indistinct.Good != rates.Good || indistinct.Bad != rates.Bad) {
				t.Errorf("%s: %+v, %+v", row.name, indistinct, rates)
			}
			if got := rates.Good.Total() + rates.Bad.Total(); rates.Swapped != row.swapped || got != row.attempts {
				t.Errorf("%s, %d jobs: %+v, %d attempts, want %d", row.name, jobs, rates, got, row.attempts)
			}
		}
	}
}

// The longest calibration is that of the documentation.
func TestCalibrationIsBounded(t *testing.T) {
	for confidence, each := range map[float64]int{0.9: 22, 0.99: 44, 0.999: 66} {
		j := isolate.NewSequentialTest(confidence)
		rates, err := j.Calibrate(t.Context(), attempts("good", "|pf"), attempts("bad", "|fp"), 4)
		var indistinct *isolate.IndistinctError
		if !errors.As(err, &indistinct) || rates.Good.Total() != each || rates.Bad.Total() != each {
			t.Errorf("%v: %+v, %v", confidence, rates, err)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("fails %d of %d times", each/2, each)) {
			t.Errorf("%v does not name the tallies", err)
		}
	}
}

func TestSequentialTestRefuses(t *testing.T) {
	for _, confidence := range []float64{0.5, 1, 0, 2, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a test of confidence %v", confidence)
				}
			}()
			isolate.NewSequentialTest(confidence)
		}()
	}
	j := isolate.NewSequentialTest(0.9)
	if _, err := j.Ask(t.Context(), "x", attempts("x", "|p").Sample); err == nil {
		t.Error("asked before it was calibrated")
	}
	if _, err := j.Settle(t.Context(), nil, 1); err == nil {
		t.Error("settled before it was calibrated")
	}
	if _, err := j.Doubt(t.Context(), attempts("x", "|p"), 9, 1); err == nil {
		t.Error("doubted before it was calibrated")
	}
}

// What Ask makes of attempts, beside steady ends and beside ends that are wrong.
func TestAsk(t *testing.T) {
	for _, row := range []struct {
		good, bad, test string
		want            isolate.Outcome
		attempts        int
	}{
		{"|p", "|f", "|p", isolate.Pass, 1},
		{"|p", "|f", "|f", isolate.Fail, 1},
		{"|p", "|f", "|u", isolate.Unresolved, 1},
		{"u|p", "u|f", "|u", isolate.Unresolved, 2},
		{"u|p", "u|f", "u|p", isolate.Pass, 2},
		{"|p", "pf|f", "|f", isolate.Fail, 1},
		{"|p", "ppp|f", "|p", isolate.Pass, 1},
		{"|p", "ppp|f", "|f", isolate.Fail, 1},
	} {
		j := calibrated(t, 0.99, row.good, row.bad)
		for range 2 { // the second time from memory
			got, err := j.Ask(t.Context(), "x", attempts("x", row.test).Sample)
			if tally := j.Tally("x"); err != nil || got != row.want || tally.Total() != row.attempts {
				t.Errorf("good %q, bad %q, test %q: %v, %v, %v", row.good, row.bad, row.test, got, tally, err)
			}
		}
		never := func(context.Context, int) (isolate.Outcome, error) { return 0, errors.New("an end was tried again") }
		good, err1 := j.Ask(t.Context(), "good", never)
		bad, err2 := j.Ask(t.Context(), "bad", never)
		if err := errors.Join(err1, err2); err != nil || good != isolate.Pass || bad != isolate.Fail {
			t.Errorf("the ends are %v and %v: %v", good, bad, err)
		}
	}
}

// A test that is neither like the one end nor like the other comes to nothing,
// and soon; then the answer must not rest on it.
func TestTestThatFitsNeitherEnd(t *testing.T) {
	for _, list := range []string{"|pf", "|fp", "|ppff", "|pppfff", "p|f", "f|p", "|ppf", "|pff"} {
		for _, ends := range [][2]string{{"|p", "|f"}, {"|pppppppppf", "|f"}, {"|p", "|ffffp"}} {
			j := calibrated(t, 0.99, ends[0], ends[1])
			turns := 0
			for {
				o, err := j.Ask(t.Context(), "x", attempts("x", list).Sample)
				if err != nil {
					t.Fatal(err)
				}
				if o == isolate.Unresolved {
					break
				}
				w := attempts("x", list)
				w.Want = o
				settled, err := j.Settle(t.Context(), []isolate.Claim{w}, 1)
				if err != nil {
					t.Fatal(err)
				}
				if settled.Holds {
					if settled.Risk[0] > 0.005 {
						t.Errorf("ends %q, test %q: %v with risk %v", ends, list, o, settled.Risk)
					}
					break
				}
				if turns++; turns > 5 {
					t.Fatalf("ends %q, test %q: turned %d times", ends, list, turns)
				}
			}
			o, _ := j.Ask(t.Context(), "x", attempts("x", list).Sample)
			total := j.Tally("x").Total() + j.Tally("good").Total() + j.Tally("bad").Total()
			t.Logf("ends %q, test %q: %v, %d turns, %v, %d attempts with the ends", ends, list, o, turns, j.Tally("x"), total)
			if total > 400 {
				t.Errorf("ends %q, test %q: %d attempts", ends, list, total)
			}
			if ends == [2]string{"|p", "|f"} && (list == "|pf" || list == "|ppff") && o != isolate.Unresolved {
				t.Errorf("ends %q, test %q is %v", ends, list, o)
			}
		}
	}
}

// Whoever asks the same shares the attempts, and nobody makes one twice.
func TestAsksOfOneNameShareAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := calibrated(t, 0.99, "u|p", "u|f")
		var mu sync.Mutex
		made := map[int]int{}
		var running, most atomic.Int32
		sample := func(ctx context.Context, attempt int) (isolate.Outcome, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(time.Second)
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			made[attempt]++
			return isolate.Unresolved, nil
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				ctx := t.Context()
				if i%2 == 0 {
					ctx = impatient
				}
				o, err := j.Ask(ctx, "x", sample)
				if i%2 == 0 && !errors.Is(err, context.DeadlineExceeded) || i%2 == 1 && (err != nil || o != isolate.Unresolved) {
					t.Errorf("asker %d: %v, %v", i, o, err)
				}
			})
		}
		group.Wait()
		if want := map[int]int{1: 1, 2: 1}; !reflect.DeepEqual(made, want) || most.Load() != 1 {
			t.Errorf("attempts %v, %d at once", made, most.Load())
		}
	})
}

// An error is passed on, and what was found is kept.
func TestErrorOfASample(t *testing.T) {
	broken := errors.New("disk full")
	for _, jobs := range []int{1, 4} {
		j := isolate.NewSequentialTest(0.99)
		fail := true
		faulty := func(w isolate.Claim) isolate.Claim {
			sample := w.Sample
			w.Sample = func(ctx context.Context, attempt int) (isolate.Outcome, error) {
				if fail && attempt == 3 {
					return 0, broken
				}
				return sample(ctx, attempt)
			}
			return w
		}
		good, bad, x := faulty(attempts("good", "|p")), faulty(attempts("bad", "|f")), faulty(attempts("x", "|f"))
		x.Want = isolate.Fail
		if _, err := j.Calibrate(t.Context(), good, bad, jobs); !errors.Is(err, broken) {
			t.Errorf("%d jobs: %v", jobs, err)
		}
		fail = false
		if _, err := j.Calibrate(t.Context(), good, bad, jobs); err != nil {
			t.Error(err)
		}
		fail = true
		if _, err := j.Settle(t.Context(), []isolate.Claim{x}, jobs); !errors.Is(err, broken) {
			t.Errorf("%d jobs: %v", jobs, err)
		}
		fail = false
		settled, err := j.Settle(t.Context(), []isolate.Claim{x}, jobs)
		if err != nil || !settled.Holds || settled.Risk[0] > 0.005 {
			t.Errorf("%d jobs: %+v, %v", jobs, settled, err)
		}
	}
}

// The risk of a later round is smaller, and all of them together stay within
// what there is to spend.
func TestRiskIsSpent(t *testing.T) {
	j := calibrated(t, 0.9, "|p", "|f")
	spent := 0.0
	for round := 1; round <= 12; round++ {
		name := fmt.Sprint("x", round)
		w := attempts(name, "|f")
		w.Want = isolate.Fail
		settled, err := j.Settle(t.Context(), []isolate.Claim{w, w, {Name: "bad", Want: isolate.Fail}}, 1)
		if err != nil || !settled.Holds {
			t.Fatal(settled, err)
		}
		if settled.Risk[0] != settled.Risk[1] || settled.Risk[2] != 0 {
			t.Errorf("one test twice, and an end: %v", settled.Risk)
		}
		if most := 0.1 / float64(round*(round+1)); settled.Risk[0] > most {
			t.Errorf("round %d: risk %v, of %v", round, settled.Risk[0], most)
		}
		spent += settled.Risk[0]
	}
	if spent > 0.1 {
		t.Errorf("risk %v", spent)
	}
	if settled, err := j.Settle(t.Context(), []isolate.Claim{{Name: "good", Want: isolate.Fail}}, 1); err != nil || settled.Holds || len(settled.Turned) != 1 {
		t.Errorf("an end that is not what it is: %+v, %v", settled, err)
	}
}

// Ends that looked different and are not: Settle says so.
func TestEndsTurnOutIndistinct(t *testing.T) {
	j := calibrated(t, 0.99, "pppp|pf", "ffff|pf")
	w := attempts("x", "|pf")
	w.Want = isolate.Pass
	for range 20 {
		settled, err := j.Settle(t.Context(), []isolate.Claim{w}, 1)
		if indistinct, ok := errors.AsType[*isolate.IndistinctError](err); ok {
			if indistinct.Good.Fail == 0 || indistinct.Bad.Pass == 0 {
				t.Errorf("%+v", indistinct)
			}
			return
		}
		if err != nil || settled.Holds {
			t.Fatalf("%+v, %v", settled, err)
		}
		if w.Want, err = j.Ask(t.Context(), "x", w.Sample); err != nil || w.Want == isolate.Unresolved {
			t.Fatal("the test was given up first")
		}
	}
	t.Error("they do not")
}

// Path, answer, risk and tallies are the same for any number of jobs, in
// whatever order attempts end. With the first seed Ask comes to take less risk, and a run
// ahead asks for a test again that the path does not come by any more.
func TestJobsChangeNothingSequentially(t *testing.T) {
	if seed.OneIn(t, 8) {
		jobsChangeNothingSequentially(t, rand.New(rand.NewPCG(94277090262985, 0)))
	}
	jobsChangeNothingSequentially(t, random(t))
}

func jobsChangeNothingSequentially(t *testing.T, r *rand.Rand) {
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for range rounds {
		p := plant(r, 40, 1+r.IntN(2), 0.1*float64(r.IntN(2)), 0.7)
		x := &noisy{noise: noise{0.3 * r.Float64(), 0.2 * r.Float64()}, outcome: p.outcome, seed: r.Uint64()}
		type run struct {
			err    string
			result isolate.Result
			steps  []isolate.Step
			risk   []float64
			rates  isolate.Rates
			tally  map[string]isolate.Tally
		}
		var want run
		for _, jobs := range []int{1, 2, 5, 16} {
			seed := r.Uint64()
			synctest.Test(t, func(t *testing.T) {
				got := run{tally: map[string]isolate.Tally{}}
				j := isolate.NewSequentialTest(0.95)
				var mu sync.Mutex
				made := map[string]bool{}
				claim := func(c isolate.Configuration, o isolate.Outcome) isolate.Claim {
					return isolate.Claim{Name: c.String(), Want: o, Sample: func(ctx context.Context, attempt int) (isolate.Outcome, error) {
						luck := rand.New(rand.NewPCG(seed, uint64(c.Len()*1000+attempt)))
						select {
						case <-time.After(time.Duration(luck.IntN(1000))):
						case <-ctx.Done():
							return isolate.Unresolved, ctx.Err()
						}
						mu.Lock()
						defer mu.Unlock()
						if key := fmt.Sprint(c, attempt); made[key] {
							t.Errorf("attempt %d of %q is made twice", attempt, c)
						} else {
							made[key] = true
						}
						return x.attempt(c, attempt), nil
					}}
				}
				opts := isolate.Options{
					Jobs: jobs,
					Observe: func(s isolate.Step) {
						got.steps = append(got.steps, s)
						j.Note(s.Config.String())
					},
					Doubt: func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
						return j.Doubt(ctx, claim(c, o), odds, jobs)
					},
				}
				var err error
				got.rates, err = j.Calibrate(t.Context(), claim(isolate.Empty(p.N), isolate.Pass), claim(isolate.Full(p.N), isolate.Fail), jobs)
				for err == nil {
					got.result, err = isolate.Search(t.Context(), p.Problem, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
						return j.Ask(ctx, c.String(), claim(c, 0).Sample)
					}, opts)
					if errors.Is(err, isolate.ErrTurned) {
						err = nil
						continue
					}
					if err != nil {
						break
					}
					var claims []isolate.Claim
					for _, w := range got.result.Evidence {
						claims = append(claims, claim(w.Config, w.Outcome))
					}
					settled, failed := j.Settle(t.Context(), claims, jobs)
					if got.risk, err = settled.Risk, failed; settled.Holds {
						break
					}
				}
				got.err = fmt.Sprint(err)
				for _, s := range got.steps {
					got.tally[s.Config.String()] = j.Tally(s.Config.String())
				}
				if jobs == 1 {
					want = got
				} else if !reflect.DeepEqual(got, want) {
					t.Errorf("%v with %d jobs:\n%+v\nwith one:\n%+v", x, jobs, got, want)
				}
			})
		}
	}
}
