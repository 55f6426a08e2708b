package changepoint_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/internal/seed"
)

func exact(_ *world, level float64) float64 { return level }

// A number that does not vary takes the two ends twice, and then one run for each halving.
func TestExact(t *testing.T) {
	for n := 1; n <= 130; n++ {
		for at := 1; at <= n; at++ {
			w := &world{n: n, causes: map[int]float64{at: 7}, noise: exact}
			r, err := changepoint.Search(t.Context(), n, w.sample, changepoint.Options{Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			most := 2 + int(math.Ceil(math.Log2(float64(n))))
			if !r.Exact || len(r.Steps) != 1 || r.Steps[0].From != at-1 || r.Steps[0].To != at || r.Steps[0].Delta.Value != 7 || len(r.Runs) > most {
				t.Fatalf("n=%d, step at %d: %+v after %d runs, want at most %d", n, at, r.Steps, len(r.Runs), most)
			}
		}
	}
}

// Where every number is known to grow only, the step that is found is the highest one, and with All each that matters
// is found, whatever cannot be judged.
func TestExactRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 2000 {
		w := &world{n: 1 + random.IntN(40), causes: map[int]float64{}, noise: exact, missing: float64(random.IntN(2)) * random.Float64() / 2}
		for range 1 + random.IntN(6) {
			w.causes[1+random.IntN(w.n)] = float64(1 + random.IntN(100))
		}
		// The steps between positions that can be judged, by brute force.
		var steps []changepoint.Step
		from := 0
		for p := 1; p <= w.n; p++ {
			if _, ok, _ := w.sample(t.Context(), p, 1); !ok {
				continue
			}
			if d := w.level(p) - w.level(from); d != 0 {
				steps = append(steps, changepoint.Step{From: from, To: p, Delta: changepoint.Interval{Value: d, Low: d, High: d}, Before: w.level(from), After: w.level(p), Probability: 1})
			}
			from = p
		}
		slices.SortStableFunc(steps, func(a, b changepoint.Step) int { return int(b.Delta.Value - a.Delta.Value) })
		r, err := changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Steps[0].Delta != steps[0].Delta {
			t.Fatalf("%v of %d: found %+v, want %+v", w.causes, w.n, r.Steps, steps)
		}
		least := float64(1 + random.IntN(60))
		r, err = changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{All: true, Least: func(float64) float64 { return least }})
		if equal := (*changepoint.EqualError)(nil); errors.As(err, &equal) && w.level(w.n) < least {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(steps), func(s changepoint.Step) bool { return s.Delta.Value < least })
		got := slices.DeleteFunc(r.Steps, func(s changepoint.Step) bool { return s.Delta.Value < least })
		if !slices.Equal(got, want) {
			t.Fatalf("%v of %d: found %+v, want %+v", w.causes, w.n, got, want)
		}
	}
}

// Ends that are alike are not searched: no more often than the confidence allows for.
func TestEqualEnds(t *testing.T) {
	wrong, runs := 0, 0
	const rounds = 300
	for seed := range uint64(rounds) {
		w := &world{n: 100, noise: normal, random: rand.New(rand.NewPCG(seed, 2))}
		r, err := changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{})
		if _, ok := errors.AsType[*changepoint.EqualError](err); !ok {
			wrong++
		}
		runs += len(r.Runs)
	}
	t.Logf("%d of %d wrong, %.1f runs", wrong, rounds, float64(runs)/rounds)
	if wrong > 3 {
		t.Errorf("%d of %d searches found a step where there is none", wrong, rounds)
	}
}

// How many runs would do is said, and these do.
func TestNeeded(t *testing.T) {
	told, enough := 0, 0
	for seed := range uint64(40) {
		w := &world{n: 1, causes: map[int]float64{1: 1}, noise: normal, random: rand.New(rand.NewPCG(seed, 3))}
		_, err := changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{Repeats: 8})
		var equal *changepoint.EqualError
		if !errors.As(err, &equal) || equal.Needed == 0 {
			continue
		}
		told++
		if _, err := changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{Repeats: 3 * equal.Needed}); err == nil {
			enough++
		}
	}
	t.Logf("told of %d, enough for %d", told, enough)
	if told < 10 || enough < told*3/4 {
		t.Errorf("of %d searches that were told how many runs would do, these did for %d", told, enough)
	}
}

func TestRefused(t *testing.T) {
	constant := func(context.Context, int, int) (float64, bool, error) { return 3, true, nil }
	none := func(_ context.Context, p, _ int) (float64, bool, error) { return 1, p == 0, nil }
	nan := func(context.Context, int, int) (float64, bool, error) { return math.NaN(), true, nil }
	broken := errors.New("no disk")
	fails := func(context.Context, int, int) (float64, bool, error) { return 0, false, broken }
	var equal *changepoint.EqualError
	if _, err := changepoint.Search(t.Context(), 5, constant, changepoint.Options{}); !errors.As(err, &equal) || len(equal.Good.Values) != 2 {
		t.Errorf("a constant: %v", err)
	}
	var unjudged *changepoint.UnjudgedError
	if _, err := changepoint.Search(t.Context(), 5, none, changepoint.Options{}); !errors.As(err, &unjudged) || unjudged.Position != 5 {
		t.Errorf("an end without a value: %v", err)
	}
	if _, err := changepoint.Search(t.Context(), 5, nan, changepoint.Options{}); err == nil {
		t.Error("NaN is taken for a value")
	}
	if _, err := changepoint.Search(t.Context(), 5, fails, changepoint.Options{}); !errors.Is(err, broken) {
		t.Errorf("an error: %v", err)
	}
	if _, err := changepoint.Search(t.Context(), 0, constant, changepoint.Options{}); err == nil {
		t.Error("a line without a step is searched")
	}
	if _, err := changepoint.Search(t.Context(), 5, constant, changepoint.Options{Confidence: 1}); err == nil {
		t.Error("an answer that is certain is promised")
	}
}

// A search that is cut short says where the step is likely to be.
func TestBudget(t *testing.T) {
	w := &world{n: 1000, causes: map[int]float64{300: 3}, noise: normal, random: rand.New(rand.NewPCG(1, 4))}
	for most := 1; most < 40; most++ {
		w.random = rand.New(rand.NewPCG(1, 4))
		r, err := changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{MaxRuns: most})
		if err == nil {
			break
		}
		if !errors.Is(err, changepoint.ErrBudget) || len(r.Runs) != most {
			t.Fatalf("%d runs, %v, want %d", len(r.Runs), err, most)
		}
		if most > 20 && (len(r.Steps) != 1 || r.Steps[0].From >= 300 || r.Steps[0].To < 300) {
			t.Errorf("after %d runs: %+v", most, r.Steps)
		}
	}
}

// So does a search of an exact number.
func TestBudgetExact(t *testing.T) {
	w := &world{n: 1000, causes: map[int]float64{300: 3}, noise: exact}
	for most := 2; most < 11; most++ {
		r, err := changepoint.Search(t.Context(), w.n, w.sample, changepoint.Options{MaxRuns: most, Exact: true})
		if !errors.Is(err, changepoint.ErrBudget) || len(r.Steps) != 1 || r.Steps[0].From >= 300 || r.Steps[0].To < 300 || r.Steps[0].To-r.Steps[0].From > 1+1000>>(most-2) {
			t.Errorf("after %d runs: %+v, %v", most, r.Steps, err)
		}
	}
}

func Example() {
	// The hundredth of 500 commits made the command 30 ms slower.
	random := rand.New(rand.NewPCG(1, 1))
	slow := func(_ context.Context, position, _ int) (float64, bool, error) {
		ms := 250 + 5*random.NormFloat64()
		if position >= 100 {
			ms += 30
		}
		return ms, true, nil
	}
	r, err := changepoint.Search(context.Background(), 500, slow, changepoint.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	step := r.Steps[0]
	fmt.Printf("from %d to %d: %+.0f ms of %+.0f ms\n", step.From, step.To, step.Delta.Value, r.Total.Value)
	// Output: from 99 to 100: +34 ms of +34 ms
}
