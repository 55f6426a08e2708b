package isolate_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// A prior saves trials when it is right, and costs at most three for a cause
// that it deems all but impossible.
func TestPrior(t *testing.T) {
	once(t)
	const n = 1000
	r := random(t)
	log := bits.Len(n - 1)
	p := &planted{Problem: isolate.Problem{N: n, Prior: make([]float64, n)}}
	for rank, e := range r.Perm(n) {
		p.Prior[e] = 1 / float64(1+rank)
	}
	total := 0.0
	for _, w := range p.Prior {
		total += w
	}
	expected, entropy := 0.0, 0.0
	for e, w := range p.Prior {
		p.cause = isolate.Of(n, e)
		got := p.search(t, isolate.Options{Algorithm: "cpi"})
		if got.Cause != p.cause || got.Trials-2 > log+1+3 {
			t.Errorf("cause %d of prior %.4f: %d trials, %q", e, w/total, got.Trials-2, got.Cause)
		}
		expected += w / total * float64(got.Trials-2)
		entropy -= w / total * math.Log2(w/total)
	}
	t.Logf("%.2f trials in the mean, the prior has %.2f bits", expected, entropy)
	if expected > entropy+2 || expected > float64(log)+0.5 {
		t.Errorf("%.2f trials in the mean, the prior has %.2f bits", expected, entropy)
	}
}

// Where only milestones resolve, and what lies between two neighbours of them,
// a cause takes as many trials as if everything did: those of halving the
// milestones and of halving the stretch.
func TestMilestonesAreBisected(t *testing.T) {
	once(t)
	const n, stretch = 1024, 16
	worst := 0
	for cause := range n {
		p := &planted{Problem: isolate.Problem{N: n}, cause: isolate.Of(n, cause)}
		for m := stretch; m < n; m += stretch {
			p.Milestones = append(p.Milestones, m)
		}
		b := &behaviour{Problem: p.Problem, outcome: func(c isolate.Configuration) isolate.Outcome {
			if !c.IsEmpty() { // a prefix, then something of one stretch
				k := 0
				for k < n && c.Has(k) {
					k++
				}
				whole := k - k%stretch
				for i := range c.All() {
					if i >= whole+stretch {
						return isolate.Unresolved
					}
				}
			}
			return p.outcome(c)
		}}
		got := check(t, b, isolate.Options{Algorithm: "auto"})
		worst = max(worst, got.Trials-2)
		// With less of the milestones the cause does not resolve, and three
		// elements of context are looked for before it is left with them.
		if most := 6 + 4 + 1 + 3*(6+4+1) + 1; got.Cause != p.cause || got.Trials-2 > most {
			t.Errorf("cause %d: %+v, want at most %d trials", cause, got, most)
		}
	}
	t.Logf("at most %d trials", worst)
}

// What unresolved trials teach is used at once: one trial for each round of it,
// not for each requirement.
func TestTaughtRequirements(t *testing.T) {
	once(t)
	r := random(t)
	for range 50 {
		p := plant(r, 500, 1, 0.5, 0)
		taught := isolate.Options{Learn: func(c isolate.Configuration) (pairs [][2]int) {
			for i := range c.All() {
				for _, j := range p.hidden[i] {
					if !c.Has(j) {
						pairs = append(pairs, [2]int{i, j})
					}
				}
			}
			return pairs
		}}
		got := p.search(t, taught)
		if !p.outcomeIsRight(got) || got.Trials-2 > 45 {
			t.Errorf("cause %q: %+v", p.cause, got)
		}
		for _, l := range got.Learned {
			if !contains(p.hidden[l[0]], l[1]) {
				t.Errorf("learned %v, which is not true", l)
			}
		}
	}
}

func contains(list []int, x int) bool {
	return slices.Contains(list, x)
}

// The promises hold under functions of more elements as well, whatever they
// are, where there is room for long rows of unresolved trials.
func TestRandomFunctionsOfMany(t *testing.T) {
	once(t)
	r := random(t)
	rounds := 100
	if testing.Short() {
		rounds = 25
	}
	worst := 0
	for range rounds {
		p := randomProblem(r, 10+r.IntN(50))
		passing, failing := ends(p)
		seed, u, f := r.Uint64(), math.Sqrt(r.Float64()), r.Float64()
		b := &behaviour{Problem: p, advice: randomAdvice(r, p.N), outcome: func(c isolate.Configuration) isolate.Outcome {
			hash := fnv.New64a()
			fmt.Fprint(hash, seed, c)
			r := rand.New(rand.NewPCG(hash.Sum64(), 0))
			switch {
			case c == passing:
				return isolate.Pass
			case c == failing:
				return isolate.Fail
			case r.Float64() < u:
				return isolate.Unresolved
			case r.Float64() < f:
				return isolate.Fail
			}
			return isolate.Pass
		}}
		for _, goal := range goals {
			opts := b.advice
			opts.Algorithm, opts.Goal = "cpi", goal
			got := check(t, b, opts)
			worst = max(worst, got.Trials)
		}
	}
	t.Logf("at most %d trials", worst)
}
