package isolate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// naiveShare grows the branches of a tree that a configuration comes to, by trying all
// elements at each, and returns the share of its leaf.
func naiveShare(samples []sample, c Configuration) float64 {
	impurity := func(samples []sample) float64 { // times the samples
		failed := 0.0
		for _, s := range samples {
			if s.fails {
				failed++
			}
		}
		if len(samples) == 0 {
			return 0
		}
		return 2 * failed * (1 - failed/float64(len(samples)))
	}
	for {
		best, least := -1, impurity(samples)-1e-9
		var within []sample
		for x := c.n - 1; x >= 0; x-- {
			var has, lacks []sample
			for _, s := range samples {
				if s.Has(x) {
					has = append(has, s)
				} else {
					lacks = append(lacks, s)
				}
			}
			if len(has) == 0 || len(lacks) == 0 {
				continue
			}
			if sum := impurity(has) + impurity(lacks); sum < least-1e-9 {
				best, least, within = x, sum, lacks
				if c.Has(x) {
					within = has
				}
			}
		}
		if best < 0 {
			break
		}
		samples = within
	}
	failed := 0
	for _, s := range samples {
		if s.fails {
			failed++
		}
	}
	return float64(failed) / float64(len(samples))
}

// A tree is the one that trying all elements gives.
func TestGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 300 {
		n := 1 + r.IntN(7)
		samples := []sample{{Full(n), true}}
		fails := r.Float64()
		for range r.IntN(90) {
			samples = append(samples, sample{drawn(r, Full(n), r.Float64()), r.Float64() < fails})
		}
		grown := grow(samples)
		for range 10 {
			c := drawn(r, Full(n), 0.5)
			if got, want := grown.share(c.Has), naiveShare(samples, c); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%v of %d samples %v: %v fails with %v, want %v", n, len(samples), samples, c, got, want)
			}
		}
	}
}

// What a tree costs does not grow with the samples, and hardly with the elements.
func TestGrowIsBounded(t *testing.T) {
	Once(t)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, n := range []int{10, 3000, 30_000} {
		samples := []sample{{Full(n), true}}
		for range 1200 {
			samples = append(samples, sample{drawn(r, Full(n), 0.5), r.IntN(2) == 0})
		}
		grown := grow(samples)
		if len(grown.branches) > 2*mostBranches+1 {
			t.Errorf("%d elements: %d branches", n, len(grown.branches))
		}
		if f := newFeatures(latest(samples)); len(f.columns)*64 > mostFeatures+64*n || len(f.last) > n {
			t.Errorf("%d elements: %d columns of %d words", n, len(f.last), f.words)
		}
		if kept := latest(samples); !kept[0].fails || kept[0].Len() != n || kept[len(kept)-1] != samples[len(samples)-1] || len(kept) > mostSamples {
			t.Errorf("%d elements: %d samples", n, len(kept))
		}
	}
}

// A run with 8 elements of which 1 and 6 have to stay.
func TestChiselByHand(t *testing.T) {
	stay := Of(8, 1, 6)
	var asked []string
	path := newRun(mustSpace(t, 8), Options{}, func(c Configuration) (Outcome, error) {
		o := Pass
		if c.Contains(stay) {
			o = Fail
		}
		asked = append(asked, fmt.Sprint(Full(8).Minus(c), " ", o))
		return o, nil
	})
	got, err := path.perform(func(s *run) pair {
		return pair{Empty(8), chisel(&minimization{run: s, List: List{N: 8}})}
	})
	if err != nil || got.failing != stay {
		t.Errorf("%v left, want %v; %v", got.failing, stay, err)
	}
	want := []string{
		// Halves: neither can go.
		"4-7 pass", "0-3 pass",
		// Quarters. What lacks 7 or 3, the last elements of the halves, did not fail: those
		// with one of them are the last.
		"4-5 fail",
		// Three parts of 0-3 and 6-7. Those with 7 and 3 are the last; that without 6-7 is known.
		"0-1,4-5 pass", "2-5 fail",
		// Halves of 0, 1, 6 and 7.
		"2-7 pass", "0-5 pass",
		// Single ones. 7 and 1, the last elements of the halves, are the last.
		"2-6 pass", "0,2-5 fail",
		// 1, 6 and 7: that 6 has to stay is known.
		"0,2-5,7 fail",
		// 1 and 6.
		"0,2-7 pass", "0-5,7 pass",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("left out\n%q, want\n%q", asked, want)
	}
}

func mustSpace(t *testing.T, n int) *space {
	t.Helper()
	s, err := newSpace(Problem{N: n}, Introduce, false)
	if err != nil {
		t.Fatal(err)
	}
	s.given = true
	return s
}

// BenchmarkOrdered is the dearest step of chisel for 10,000 elements: to order single ones.
func BenchmarkOrdered(b *testing.B) {
	const n = 10_000
	r := rand.New(rand.NewPCG(1, 1))
	for _, row := range []struct {
		name string
		rest func() Configuration
	}{
		{"random", func() Configuration { return drawn(r, Full(n), 0.5) }},
		{"single", func() Configuration { return Full(n).Minus(Of(n, r.IntN(n))) }},
	} {
		samples := []sample{{Full(n), true}}
		for range 2000 {
			samples = append(samples, sample{row.rest(), r.IntN(2) == 0})
		}
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				ordered(Full(n), n, samples)
			}
		})
	}
}
