package changepoint_test

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/changepoint"
	"github.com/gitdd/gitdd/internal/seed"
)

// A noise returns the value of the next run of a world, given the level of its position in spreads.
type noise func(w *world, level float64) float64

func normal(w *world, level float64) float64 { return level + w.random.NormFloat64() }

// bimodal is in one run of three higher by five spreads.
func bimodal(w *world, level float64) float64 {
	if w.random.IntN(3) == 0 {
		level += 5
	}
	return normal(w, level)
}

// outliers are far above in one run of ten.
func outliers(w *world, level float64) float64 {
	if w.random.IntN(10) == 0 {
		level += 20 * w.random.Float64()
	}
	return normal(w, level)
}

// drifting adds what grows by two spreads in a hundred runs, shrinks by two in the next hundred, and so on.
func drifting(w *world, level float64) float64 {
	return normal(w, level+2*math.Abs(float64((w.runs+100)%200-100))/100)
}

// bursts alternates between normal and slow periods of about fifteen runs each. A slow run is two and a half spreads higher, as
// on a machine that is shared with others.
func bursts(w *world, level float64) float64 {
	for w.runs >= w.until {
		w.slow, w.until = !w.slow, w.until+1+int(15*w.random.ExpFloat64())
	}
	if w.slow {
		level += 2.5
	}
	return normal(w, level)
}

//go:embed testdata/noise.txt
var noiseOfPython string

// recorded replays a record from a random place on, divided by its spread. The record is of the processor time of 2,996 runs of
// the versions of a Python program, in random order, on a shared virtual machine, less the median of the versions near each one. Runs
// that follow each other have a correlation of 0.55, and those that are 20 apart one of 0.15.
func recorded(w *world, level float64) float64 {
	list := record()
	if w.runs == 1 {
		w.start = w.random.IntN(len(list))
	}
	return level + list[(w.start+w.runs)%len(list)]
}

var record = sync.OnceValue(func() (list []float64) {
	var sizes []float64
	for _, field := range strings.Fields(noiseOfPython) {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			panic(err)
		}
		list, sizes = append(list, x), append(sizes, math.Abs(x))
	}
	slices.Sort(sizes)
	for i := range list { // the median is 0
		list[i] /= 1.4826 * sizes[len(sizes)/2]
	}
	return list
})

// skewed has the distribution of a time: never much shorter, and at times much longer.
func skewed(w *world, level float64) float64 { return level + w.random.ExpFloat64() }

// A world is a line of n steps with some causes.
type world struct {
	n       int
	causes  map[int]float64 // by position: by how much the level differs from that of the position before
	noise   noise
	random  *rand.Rand
	runs    int
	missing float64 // the share of positions that cannot be judged

	slow  bool // the state of the machine, for bursts
	until int  // the run at which it changes

	start int // for recorded: where in the record the replay began
}

func (w *world) level(position int) (sum float64) {
	for at, by := range w.causes {
		if at <= position {
			sum += by
		}
	}
	return sum
}

func (w *world) sample(_ context.Context, position, _ int) (float64, bool, error) {
	w.runs++
	if position > 0 && position < w.n && float64(position*7919%1000) < 1000*w.missing {
		return 0, false, nil
	}
	return w.noise(w, w.level(position)), true, nil
}

// capacity of the channel with two inputs that are d spreads apart and normal noise, in bits.
func capacity(d float64) float64 {
	sum := 0.0
	const h = 0.001
	for x := -12.0; x < 12; x += h {
		sum += h * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * math.Log2(1+math.Exp(-d*(d/2+x)))
	}
	return 1 - sum
}

// bound is how many runs a search needs at least on average that knows both distributions (Burnashev, 1976): those
// that say where the step is, and those that make it sure.
func bound(n int, d, confidence float64) float64 {
	return math.Log2(float64(n))/capacity(d) - math.Log(1-confidence)/(d*d/2)
}

// bisect is what systems for browsers do: it measures either end so often, and the middle as often, and goes on with
// the half at whose ends the ranks differ more.
func (w *world) bisect(repeats int) (at, runs int) {
	measure := func(p int) []float64 {
		var list []float64
		for range repeats {
			v, _, _ := w.sample(context.Background(), p, 0)
			list = append(list, v)
		}
		runs += repeats
		return list
	}
	from, to := 0, w.n
	good, bad := measure(from), measure(to)
	for to-from > 1 {
		middle := (from + to) / 2
		values := measure(middle)
		if math.Abs(ranks(good, values)-0.5) < math.Abs(ranks(values, bad)-0.5) {
			from = middle
		} else {
			to = middle
		}
	}
	return to, runs
}

// asSure returns with how many repeats a bisection is right in 99 of 100 cases, or more than 200, and how many runs it then
// takes.
func asSure(n int, effect float64, noise noise, rounds int) (repeats int, runs float64) {
	for repeats = 5; ; repeats += (repeats + 3) / 4 {
		right, total := 0, 0
		for seed := range uint64(rounds) {
			w := &world{n: n, causes: map[int]float64{}, noise: noise, random: rand.New(rand.NewPCG(seed, 5))}
			want := 1 + w.random.IntN(n)
			w.causes[want] = effect
			at, runs := w.bisect(repeats)
			if total += runs; at == want {
				right++
			}
		}
		if 100*right >= 99*rounds || repeats > 200 {
			return repeats, float64(total) / float64(rounds)
		}
	}
}

// ranks is the share of pairs in which the value of b is the larger one: the statistic of Mann and Whitney.
func ranks(a, b []float64) float64 {
	sum := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				sum++
			case y == x:
				sum += 0.5
			}
		}
	}
	return sum / float64(len(a)*len(b))
}

var simulations = flag.Int("simulations", 0, "print the table of docs/measure.md, with so many searches for each row")

// What a search costs, and how often it is right. The seeds are fixed, so that the counts never vary. The runs are compared with
// the bound for a search that knows the distributions, and, where there is one cause, with a bisection that measures
// each configuration ten times and compares ranks.
func TestSearchSimulated(t *testing.T) {
	for _, row := range []struct {
		name   string
		n      int
		effect float64
		noise  noise
		causes int
		rounds int     // searches
		right  int     // of them, at least
		most   float64 // runs on average
	}{
		{"normal", 1000, 10, normal, 1, 40, 40, 30},
		{"normal", 1000, 5, normal, 1, 40, 40, 31.2},
		{"normal", 1000, 3, normal, 1, 40, 40, 41},
		{"normal", 1000, 2, normal, 1, 40, 40, 70},
		{"normal", 1000, 1, normal, 1, 10, 10, 220},
		{"normal", 1000, 0.5, normal, 1, 1, 1, 900},
		{"normal", 500, 10, normal, 1, 40, 40, 28},
		{"normal", 500, 3, normal, 1, 40, 40, 40},
		{"normal", 500, 1, normal, 1, 10, 10, 220},
		{"bimodal", 500, 3, bimodal, 1, 10, 10, 150},
		{"bimodal", 500, 1, bimodal, 1, 3, 3, 700},
		{"outliers", 500, 3, outliers, 1, 40, 40, 50},
		{"outliers", 500, 1, outliers, 1, 5, 5, 400},
		{"skewed", 500, 3, skewed, 1, 40, 40, 38},
		{"skewed", 500, 1, skewed, 1, 20, 20, 102},
		{"drifting", 500, 5, drifting, 1, 40, 40, 31},
		{"drifting", 500, 3, drifting, 1, 40, 40, 42},
		{"bursts", 500, 5, bursts, 1, 40, 40, 46},
		{"bursts", 500, 3, bursts, 1, 40, 40, 115},
		{"bursts", 500, 2, bursts, 1, 20, 20, 250},
		{"recorded", 500, 5, recorded, 1, 40, 40, 47},
		{"recorded", 500, 3, recorded, 1, 40, 40, 75},
		{"recorded", 500, 2, recorded, 1, 20, 20, 130},
		{"recorded", 500, 1, recorded, 1, 10, 10, 400},
		{"normal", 1000, 10, normal, 2, 20, 20, 100},
		{"normal", 1000, 3, normal, 2, 10, 10, 220},
		{"normal", 1000, 10, normal, 3, 20, 20, 100},
		{"normal", 1000, 3, normal, 3, 10, 9, 220},
	} {
		t.Run(fmt.Sprintf("%s/n=%d/effect=%v/causes=%d", row.name, row.n, row.effect, row.causes), func(t *testing.T) {
			seed.SkipLong(t, 4)
			rounds := row.rounds
			if *simulations > 0 {
				rounds = *simulations
			}
			right, refused, wrong, total, peer, peerRight := 0, 0, 0, 0, 0, 0
			for seed := range uint64(rounds) {
				w := &world{n: row.n, causes: map[int]float64{}, noise: row.noise, random: rand.New(rand.NewPCG(seed, 1))}
				for len(w.causes) < row.causes {
					w.causes[1+w.random.IntN(row.n)] = row.effect
				}
				r, err := changepoint.Search(t.Context(), row.n, w.sample, changepoint.Options{Repeats: 400, All: row.causes > 1})
				total += len(r.Runs)
				if _, ok := errors.AsType[*changepoint.EqualError](err); ok {
					refused++
				} else if err != nil {
					t.Fatal(err)
				}
				var found []int
				for _, s := range r.Steps {
					if s.To == s.From+1 {
						found = append(found, s.To)
					}
				}
				slices.Sort(found)
				want := slices.Sorted(maps.Keys(w.causes))
				if slices.Equal(found, want) && len(found) == len(r.Steps) {
					right++
				} else {
					t.Logf("seed %d: %v, found %+v, %v", seed, want, r.Steps, err)
					if slices.ContainsFunc(r.Steps, func(s changepoint.Step) bool { return s.Sure(0.99) && w.causes[s.To] == 0 }) {
						wrong++
					}
				}
				if row.causes == 1 {
					at, runs := w.bisect(10)
					peer += runs
					if at == want[0] {
						peerRight++
					}
				}
			}
			mean := float64(total) / float64(rounds)
			ratio := mean / bound(row.n, row.effect, 0.99)
			t.Logf("%d of %d right, %d refused, %d sure and wrong, %.1f runs, %.2f times the bound; bisection: %d right, %.1f runs",
				right, rounds, refused, wrong, mean, ratio, peerRight, float64(peer)/float64(rounds))
			if *simulations > 0 {
				fmt.Printf("| %s | %d | %v | %d | %.1f %% | %.1f %% | %.1f | ", row.name, row.n, row.effect, row.causes,
					100*float64(right)/float64(rounds), 100*float64(wrong)/float64(rounds), mean)
				if row.causes == 1 {
					repeats, runs := asSure(row.n, row.effect, row.noise, rounds)
					fmt.Printf("%.2f | %.1f %% | %.1f | %d | %.1f |\n", ratio, 100*float64(peerRight)/float64(rounds), float64(peer)/float64(rounds), repeats, runs)
				} else {
					fmt.Println("- | - | - | - | - |")
				}
				return
			}
			// Where the effect is at least three spreads, a search takes at most half of the runs of a bisection with ten
			// repeats, unless that was right more often. Bimodal noise, bursts and recorded noise are exempt.
			if row.causes == 1 && peerRight <= right && 2*mean > float64(peer)/float64(rounds) && row.effect >= 3 && !slices.Contains([]string{"bimodal", "bursts", "recorded"}, row.name) {
				t.Errorf("%.1f runs, and a bisection with ten repeats takes %.1f", mean, float64(peer)/float64(rounds))
			}
			if right < row.right || wrong > 0 || mean > row.most {
				t.Errorf("%d of %d right and %d sure and wrong with %.1f runs, want %d and at most %v", right, rounds, wrong, mean, row.right, row.most)
			}
		})
	}
}
