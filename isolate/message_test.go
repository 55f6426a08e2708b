package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// randomAdvice is what may be said of configurations of n elements: true or not, and at
// times nothing.
func randomAdvice(r *rand.Rand, n int) isolate.Options {
	return isolate.Options{Learn: randomTeacher(r, n), Diagnose: randomMessages(r, n), Check: randomMessages(r, n)}
}

// randomMessages says something of most configurations. There are few messages, so that
// each comes again and again: some always with the same explanations, some with others
// each time, and some of these are nonsense.
func randomMessages(r *rand.Rand, n int) func(isolate.Configuration) []isolate.Message {
	if r.IntN(3) == 0 {
		return nil
	}
	seed, silent, keys := r.Uint64(), []float64{0, 0.3, 0.9}[r.IntN(3)], 1+r.IntN(4)
	draw := func(what ...any) *rand.Rand {
		hash := fnv.New64a()
		fmt.Fprint(hash, seed, what)
		return rand.New(rand.NewPCG(hash.Sum64(), 0))
	}
	return func(c isolate.Configuration) (said []isolate.Message) {
		here := draw(c)
		if here.Float64() < silent {
			return nil
		}
		for range here.IntN(4) {
			m := isolate.Message{Key: uint64(here.IntN(keys))}
			of := here
			if m.Key%2 == 0 {
				of = draw(m.Key)
			}
			for range of.IntN(2 * n) {
				x := isolate.Explanation{Element: of.IntN(n), Requires: of.IntN(n), Weight: math.Exp(3 * of.NormFloat64())}
				switch of.IntN(20) {
				case 0:
					x.Element = -1 - of.IntN(3)
				case 1:
					x.Requires = n + of.IntN(3)
				case 2:
					x.Weight = []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}[of.IntN(7)]
				}
				m.Explanations = append(m.Explanations, x)
			}
			said = append(said, m)
		}
		return said
	}
}

// What messages say changes what is asked next even where they teach no requirement: they
// make explanations more or less likely. Whoever looks ahead must see the same. So this has
// more elements than TestJobsChangeNothing, and messages that come again and again.
func TestJobsChangeNothingWithMessages(t *testing.T) {
	r := random(t)
	rounds, workers := 8, []int{1, 2, 3, 8, 64}
	if !seed.OneIn(t, 8) {
		rounds, workers = 4, []int{1, 8} // a round for each algorithm
	}
	for k := range rounds {
		n := 12 + r.IntN(12)
		p := plant(r, n, 1+r.IntN(2), 0.5, 0.2)
		p.Affinity = randomProblem(r, n).Affinity
		opts := randomAdvice(r, n)
		opts.Algorithm, opts.Goal, opts.MaxTrials = []string{"cpi", "cpi", "cgr", "dd+"}[k%4], goals[r.IntN(3)], 60
		if r.IntN(2) == 0 {
			opts.Diagnose = p.diagnosis(r.Uint64(), 4, 5)
		}
		for _, inRounds := range []bool{false, true} {
			opts.Rounds = inRounds
			var want isolate.Result
			var wantSteps []isolate.Step
			for i, jobs := range workers {
				if inRounds {
					jobs = 8 // decides the path
				}
				seed := r.Uint64()
				synctest.Test(t, func(t *testing.T) {
					s := shuffled(p.outcome, seed)
					var steps []isolate.Step
					opts.Jobs = jobs
					opts.Observe = func(s isolate.Step) { steps = append(steps, s) }
					got, err := isolate.Search(t.Context(), p.Problem, s.test, opts)
					if err != nil && !errors.Is(err, isolate.ErrBudget) {
						t.Fatal(err)
					}
					if i == 0 {
						want, wantSteps = got, steps
						return
					}
					for k := range steps {
						if k == len(wantSteps) || !reflect.DeepEqual(steps[k], wantSteps[k]) {
							t.Fatalf("instance %d: %s %v with %d jobs: step %d is %+v, with one %+v", k, opts.Algorithm, opts.Goal, jobs, k, steps[k], wantSteps[min(k, len(wantSteps)-1)])
						}
					}
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("%s %v with %d jobs: %+v, with one %+v", opts.Algorithm, opts.Goal, jobs, got, want)
					}
				})
			}
		}
	}
}

// diagnosis says of a configuration of a planted problem, for each of the first hidden
// requirements that it breaks, one message: its explanations are that requirement and
// others, so many for each element, at random, that the configuration breaks as well.
func (p *planted) diagnosis(seed uint64, wrong, most int) func(isolate.Configuration) []isolate.Message {
	return func(c isolate.Configuration) (said []isolate.Message) {
		for i, required := range p.hidden {
			for _, j := range required {
				if !c.Has(i) || c.Has(j) {
					continue
				}
				if len(said) == most {
					return said
				}
				said = append(said, p.message(seed, i, j, wrong, c))
			}
		}
		return said
	}
}

// message is that of a requirement of i. The true explanation is among the wrong ones, at
// no particular place, and as likely as they are. What c does not break is left out.
func (p *planted) message(seed uint64, i, j, wrong int, c isolate.Configuration) isolate.Message {
	m := isolate.Message{Key: uint64(i)*uint64(p.N) + uint64(j)}
	r := rand.New(rand.NewPCG(seed, m.Key))
	pairs := [][2]int{{i, j}}
	for len(pairs) <= wrong {
		other := [2]int{i, r.IntN(p.N)}
		if r.IntN(2) == 0 {
			other = [2]int{r.IntN(p.N), j}
		}
		pairs = append(pairs, other)
	}
	r.Shuffle(len(pairs), func(a, b int) { pairs[a], pairs[b] = pairs[b], pairs[a] })
	for _, e := range pairs {
		if c.Has(e[0]) && !c.Has(e[1]) {
			m.Explanations = append(m.Explanations, isolate.Explanation{Element: e[0], Requires: e[1], Weight: 1})
		}
	}
	return m
}

// Messages pay, though the true explanation of each is one among twenty that are as likely:
// those of all requirements that are broken, and those of a tool that stops at its first
// error. Seeds are fixed and trials are counted.
func TestMessagesPay(t *testing.T) {
	seed.SkipLong(t, 8)
	once(t)
	const searches, n = 50, 300
	for _, row := range []struct {
		name    string
		most    int // messages at once; 0 = nothing is said
		mean    float64
		correct int
	}{
		{"nothing", 0, 237, 50},
		{"all", n * n, 27.5, 50},
		{"the first", 1, 94.1, 50},
	} {
		trials, correct := 0, 0
		for k := range uint64(searches) {
			p := plant(rand.New(rand.NewPCG(k, 0)), n, 1, 0.5, 0)
			opts := isolate.Options{MaxTrials: 1000}
			if row.most > 0 {
				opts.Diagnose = p.diagnosis(k, 20, row.most)
			}
			got, err := isolate.Search(t.Context(), p.Problem, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) { return p.outcome(c), nil }, opts)
			if err != nil && !errors.Is(err, isolate.ErrBudget) {
				t.Fatal(err)
			}
			trials += got.Trials
			if got.Minimal && p.cause.Len() == 1 && got.Cause == p.cause {
				correct++
			}
		}
		mean := float64(trials) / searches
		t.Logf("%s is said: %.1f trials, %d of %d are the cause", row.name, mean, correct, searches)
		if mean > row.mean || correct < row.correct {
			t.Errorf("%s is said: %.1f trials, want %.1f; %d of %d are the cause, want %d", row.name, mean, row.mean, correct, searches, row.correct)
		}
	}
}

// scattered returns n elements in communities that are scattered over the order, and
// require one another within them only.
func scattered(r *rand.Rand, n, communities int) (p *planted, ties []isolate.Tie) {
	p = &planted{Problem: isolate.Problem{N: n}, cause: isolate.Of(n, r.IntN(n)), hidden: make([][]int, n)}
	of, order := make([]int, n), r.Perm(n)
	for i := range of {
		of[i] = r.IntN(communities)
	}
	for range 6 * n {
		i, j := r.IntN(n), r.IntN(n)
		if of[i] != of[j] || i == j {
			continue
		}
		ties = append(ties, isolate.Tie{I: i, J: j, Weight: 1})
		if order[i] > order[j] && r.IntN(2) == 0 {
			p.hidden[i] = append(p.hidden[i], j)
		}
	}
	return p, ties
}

// Affinity pays where what belongs together stands apart, and nothing else says so.
func TestAffinityPays(t *testing.T) {
	once(t)
	const searches, n = 30, 300
	var means [2]float64
	for k := range uint64(searches) {
		for which := range 2 {
			p, ties := scattered(rand.New(rand.NewPCG(k, 0)), n, 10)
			if which == 1 {
				p.Affinity = ties
			}
			got, err := isolate.Search(t.Context(), p.Problem, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) { return p.outcome(c), nil }, isolate.Options{MaxTrials: 1000})
			if err != nil && !errors.Is(err, isolate.ErrBudget) {
				t.Fatal(err)
			}
			means[which] += float64(got.Trials) / searches
		}
	}
	t.Logf("%.1f trials, %.1f with affinity", means[0], means[1])
	if means[1] > 18.7 || means[1] > means[0]/2 {
		t.Errorf("%.1f trials, %.1f with affinity", means[0], means[1])
	}
}

// What Check has something to say of is not asked while there is something else: with
// what it says of every broken requirement nothing that the search narrows by is
// unresolved. When it says something of everything, that is no harm to the answer.
func TestCheck(t *testing.T) {
	once(t)
	r := random(t)
	for range 20 {
		p := plant(r, 100, 1, 0.3, 0.5)
		truth := p.diagnosis(r.Uint64(), 0, 100)
		asked, wrong := 0, 0
		got, err := isolate.Search(t.Context(), p.Problem, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			if asked++; len(truth(c)) > 0 {
				wrong++
			}
			return p.outcome(c), nil
		}, isolate.Options{Check: truth})
		if err != nil || got.Cause != p.cause || !got.Minimal || wrong > 0 {
			t.Errorf("cause %q: %d of %d tests of what was known to be wrong, %v, %+v", p.cause, wrong, asked, err, got)
		}
	}
	for k := range uint64(60) { // in some of these all before the cause seems to require it
		p := plant(rand.New(rand.NewPCG(k, 0)), 100, 1, 0, 0)
		p.cause = isolate.Of(p.N, 50)
		for _, said := range [][]isolate.Explanation{nil, {{Element: 1, Requires: 2, Weight: 1}, {Element: 2, Requires: 1, Weight: 1}}} {
			got := p.search(t, isolate.Options{Check: func(c isolate.Configuration) []isolate.Message {
				m := isolate.Message{Key: 1, Explanations: said}
				for i := range p.N {
					for _, j := range []int{(i + 1) % p.N, (i + 50) % p.N} {
						m.Explanations = append(m.Explanations, isolate.Explanation{Element: i, Requires: j, Weight: 1})
					}
				}
				return []isolate.Message{m}
			}})
			if got.Cause != p.cause || !got.Minimal {
				t.Errorf("cause %q: %+v", p.cause, got)
			}
			if got.Trials > 14 {
				t.Errorf("%d trials", got.Trials)
			}
		}
	}
}
