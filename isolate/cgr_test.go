package isolate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

func seeded(t *testing.T) *rand.Rand {
	return rand.New(rand.NewPCG(seed.New(t), 0))
}

// codingOf returns a coding of n elements with some groups, for so many jobs.
func codingOf(t *testing.T, r *rand.Rand, n, jobs int) *coding {
	groups := make([]int, n)
	for i := 1; i < n; i++ {
		groups[i] = groups[i-1]
		if r.IntN(4) == 0 {
			groups[i]++
		}
	}
	s, err := newSpace(Problem{N: n, Groups: [][]int{groups}}, Cause, true)
	if err != nil {
		t.Fatal(err)
	}
	return newCoding(newRun(s, Options{Jobs: jobs, Rounds: true}, nil), pair{Empty(n), Full(n)})
}

func randomSubset(r *rand.Rand, n int, density float64) Configuration {
	b := builder{n: n}
	for i := range n {
		if r.Float64() < density {
			b.add(i, i+1)
		}
	}
	return b.configuration()
}

// However suspects are cut, the cells are a partition of them, the pieces their
// runs in order, and held elements are counted right.
func TestCellsAreAPartition(t *testing.T) {
	Once(t)
	r := seeded(t)
	for range 300 {
		n := 1 + r.IntN(1500)
		c := codingOf(t, r, n, 1+r.IntN(16))
		suspects := randomSubset(r, n, r.Float64())
		c.failing = suspects.With(r.IntN(n))
		c.split(suspects)
		if len(c.cells) > maxCells(c.jobs) {
			t.Fatalf("%d cells", len(c.cells))
		}
		all := Empty(n)
		config := randomSubset(r, n, r.Float64())
		held := c.holds(config)
		for a, x := range c.cells {
			if x.size != x.members.Len() || x.size == 0 || !all.Intersect(x.members).IsEmpty() {
				t.Fatalf("cell %d of %q: %+v", a, suspects, x)
			}
			if want := x.members.Intersect(config).Len(); held[a] != want {
				t.Fatalf("cell %d: %d held, want %d", a, held[a], want)
			}
			all = all.Union(x.members)
		}
		if all != c.failing {
			t.Fatalf("cells hold %q of %q", all, c.failing)
		}
		if !slices.IsSortedFunc(c.pieces, func(p, q piece) int { return cmp.Compare(p.from, q.from) }) {
			t.Fatalf("pieces are out of order: %v", c.pieces)
		}
	}
}

// The weights are the posterior probabilities: with cells of one element those
// of exactly the causes that no outcome contradicts, and with larger cells the
// sums of these, for they are counted with their exact numbers.
func TestHypothesesAreThePosterior(t *testing.T) {
	r := seeded(t)
	for range 200 {
		n := 2 + r.IntN(40)
		c := codingOf(t, r, n, 8)
		cause := Of(n, r.Perm(n)[:1+r.IntN(2)]...)
		for range r.IntN(8) {
			config := randomSubset(r, n, 0.3+0.6*r.Float64())
			if config.Contains(cause) {
				c.note(config, Fail)
			} else {
				c.note(config, Pass)
			}
		}
		prior := func(d Configuration) float64 {
			for _, p := range c.passed {
				if p.Contains(d) {
					return 0
				}
			}
			if !c.failing.Contains(d) {
				return 0
			}
			if d.Len() == 1 {
				return oneCause / float64(n)
			}
			return twoCauses * 2 / float64(n) / float64(n)
		}
		one, two := 0.0, 0.0
		for i := range n {
			one += prior(Of(n, i))
			for j := range i {
				two += prior(Of(n, j, i))
			}
		}
		c.split(c.failing)
		c.weigh()
		sum, single := 0.0, 0.0
		for _, h := range c.hypotheses {
			sum += h.weight
			if len(h.cells) == 1 {
				single += h.weight
			}
			if want := prior(c.elements(h)) / (one + two); c.isConcrete(h) && math.Abs(h.weight-want) > 1e-9 {
				t.Fatalf("n=%d, cause %q: %q has %v, want %v", n, cause, c.elements(h), h.weight, want)
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(single-one/(one+two)) > 1e-9 {
			t.Fatalf("n=%d, cause %q: %v in all, %v for one cause, want %v", n, cause, sum, single, one/(one+two))
		}
		c.several = true
		c.weigh()
		if !slices.ContainsFunc(c.hypotheses, func(h hypothesis) bool { return c.elements(h).Contains(cause) }) {
			t.Fatalf("n=%d: the cause %q is none of the hypotheses", n, cause)
		}
	}
}

// Sampled causes contradict no outcome, and all weights are a distribution.
func TestSampledCausesExplainTheOutcomes(t *testing.T) {
	r := seeded(t)
	found := 0
	for range 60 {
		n := 10 + r.IntN(300)
		d := 3 + r.IntN(3)
		c := codingOf(t, r, n, 8)
		cause := Of(n, r.Perm(n)[:d]...)
		for range 10 + r.IntN(30) {
			if config := randomSubset(r, n, math.Pow(0.5, 1/float64(d))); config.Contains(cause) {
				c.note(config, Fail)
			} else {
				c.note(config, Pass)
			}
		}
		c.split(c.failing)
		c.weigh()
		c.sample(r)
		sum := 0.0
		for _, h := range c.hypotheses {
			sum += h.weight
			for _, p := range c.passed {
				if c.isConcrete(h) && p.Contains(c.elements(h)) {
					t.Fatalf("%q passed, and %q should be the cause", p, c.elements(h))
				}
			}
			if c.elements(h) == cause {
				found++
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the weights are %v together", sum)
		}
	}
	t.Logf("%d of 60 causes are among the samples", found)
	if found == 0 {
		t.Error("no cause is among the samples")
	}
}

// A round asks for nothing twice, nothing known and nothing broken.
func TestMasksAreNew(t *testing.T) {
	Once(t)
	r := seeded(t)
	for range 100 {
		n := 2 + r.IntN(400)
		c := codingOf(t, r, n, 1+r.IntN(16))
		c.seen[Empty(n)], c.seen[Full(n)] = Pass, Fail
		for range 5 {
			p := c.plan()
			if len(p.configs) > c.slots() || len(p.configs) != len(p.chances) {
				t.Fatalf("%d configurations for %d jobs", len(p.configs), c.jobs)
			}
			c.asked += len(p.configs)
			for i, config := range p.configs {
				if _, known := c.seen[config]; known || slices.Contains(p.configs[:i], config) {
					t.Fatalf("%q is asked again", config)
				}
				if sum := p.chances[i][Unresolved] + p.chances[i][Pass] + p.chances[i][Fail]; math.Abs(sum-1) > 1e-6 {
					t.Fatalf("chances %v", p.chances[i])
				}
				o := Outcome(r.IntN(3))
				c.seen[config] = o
				c.trail = append(c.trail, byte(o))
				c.note(config, o)
			}
		}
	}
}

// Systematic resampling keeps each weight but for one sample.
func TestSampledKeepsWeights(t *testing.T) {
	r := seeded(t)
	for range 100 {
		all := make([]hypothesis, 1+r.IntN(3000))
		total := 0.0
		for i := range all {
			all[i] = hypothesis{cells: []int32{int32(i)}, weight: math.Exp(3 * r.NormFloat64())}
			total += all[i].weight
		}
		most := 1 + r.IntN(500)
		for i := range all {
			all[i].weight /= total
		}
		got := make([]float64, len(all))
		sum := 0.0
		for _, h := range sampled(all, most, r) {
			got[h.cells[0]] = h.weight
			sum += h.weight
		}
		for i, h := range all {
			if math.Abs(got[i]-h.weight) > 1/float64(most)+1e-9 {
				t.Fatalf("weight %v became %v of %d samples", h.weight, got[i], most)
			}
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Fatalf("the weights are %v together", sum)
		}
	}
}

// With sparse requirements codes are worth it from four jobs on, with dense
// ones or milestones never.
func TestCodesPay(t *testing.T) {
	for _, row := range []struct {
		n, predicted, jobs int
		milestones         []int
		want               bool
	}{
		{1000, 0, 1, nil, false},
		{1000, 0, 3, nil, false},
		{1000, 0, 4, nil, true},
		{1000, 40, 8, nil, true},
		{1000, 40, 4, nil, false},
		{1000, 87, 16, nil, false},
		{1000, 300, 16, nil, false},
		{10_000, 40, 16, nil, true},
		{1000, 0, 16, []int{500}, false},
	} {
		p := Problem{N: row.n, Predicted: make([][]int, row.n), Milestones: row.milestones}
		for i := range row.predicted {
			p.Predicted[i+1] = []int{i}
		}
		s, err := newSpace(p, Cause, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := codesPay(newRun(s, Options{Jobs: row.jobs, Rounds: true}, nil)); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
		if codesPay(newRun(s, Options{Jobs: row.jobs}, nil)) {
			t.Errorf("%+v: codes pay without rounds", row)
		}
	}
}
