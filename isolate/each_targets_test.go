package isolate_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

var eachRounds = flag.Int("each-rounds", 0, "print the table \"Many targets\" of docs/search.md, with so many instances for each figure")

// A kindOfTargets says what plantMany makes.
type kindOfTargets struct {
	targets, causes int
	size            int  // of a cause; its members act together
	overlapping     bool // a target fails by one of two causes, but for the first targets
	hidden          int  // requirements that nobody predicts
	history         bool // they follow the order, which has milestones
}

// manyTargets is a problem with several causes. A target fails on what has all members of one of
// its causes. What breaks a hidden requirement is unresolved.
type manyTargets struct {
	*planted
	causes  []isolate.Configuration
	targets [][]int // numbers of causes, by target
}

func plantMany(r *rand.Rand, n int, k kindOfTargets) *manyTargets {
	m := &manyTargets{planted: plant(r, n, 1, float64(k.hidden)/float64(n), 0)}
	m.Predicted = nil
	if k.history {
		for i, required := range m.hidden {
			m.hidden[i] = slices.DeleteFunc(required, func(j int) bool { return j > i })
		}
		for at := 1 + r.IntN(9); at < n; at += 1 + r.IntN(9) {
			m.Milestones = append(m.Milestones, at)
		}
	}
	members := r.Perm(n)
	for c := range k.causes {
		m.causes = append(m.causes, isolate.Of(n, members[c*k.size:(c+1)*k.size]...))
	}
	for t := range k.targets {
		of := []int{t % k.causes}
		if t >= k.causes {
			of[0] = r.IntN(k.causes)
			if other := r.IntN(k.causes); k.overlapping && other != of[0] {
				of = append(of, other)
			}
		}
		m.targets = append(m.targets, of)
	}
	m.cause = isolate.Full(n)
	return m
}

func (m *manyTargets) outcomes(c isolate.Configuration, targets []int) []isolate.Outcome {
	out := make([]isolate.Outcome, len(targets))
	if m.outcome(c) == isolate.Unresolved {
		return out
	}
	for i, t := range targets {
		out[i] = isolate.Pass
		if slices.ContainsFunc(m.targets[t], func(k int) bool { return c.Contains(m.causes[k]) }) {
			out[i] = isolate.Fail
		}
	}
	return out
}

func (m *manyTargets) test(_ context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
	return m.outcomes(c, targets), nil
}

// check makes sure that each target has one of its causes, proved to be minimal.
func (m *manyTargets) check(t testing.TB, r isolate.EachResult) {
	t.Helper()
	answered := 0
	for _, c := range r.Classes {
		for _, target := range c.Targets {
			answered++
			if !c.Result.Minimal || !slices.ContainsFunc(m.targets[target], func(k int) bool { return c.Result.Cause == m.causes[k] }) {
				t.Errorf("target %d, which has the causes %v of %v: %+v", target, m.targets[target], m.causes, c.Result)
			}
		}
	}
	if answered != len(m.targets) {
		t.Errorf("%d of %d targets are in a class", answered, len(m.targets))
	}
}

// The bounds are multiples of what one search takes, and log2 n for each further cause.
const (
	mostTrials = 1.15 // in the mean of a row of the table
	mostOfCell = 1.3  // in the mean of a cell
)

// kindsOfTargets are the rows of the table.
var kindsOfTargets = []struct {
	name string
	kindOfTargets
}{
	{"single", kindOfTargets{size: 1}},
	{"pairs", kindOfTargets{size: 2}},
	{"single, overlapping", kindOfTargets{size: 1, overlapping: true}},
	{"pairs, overlapping", kindOfTargets{size: 2, overlapping: true}},
	{"single, 8 hidden", kindOfTargets{size: 1, hidden: 8}},
	{"pairs, 8 hidden", kindOfTargets{size: 2, hidden: 8}},
	{"pairs, overlapping, 8 hidden", kindOfTargets{size: 2, overlapping: true, hidden: 8}},
	{"single, 300 hidden, history", kindOfTargets{size: 1, hidden: 300, history: true}},
	{"single, 50 hidden", kindOfTargets{size: 1, hidden: 50}},
}

// One search for many targets takes about as many trials as one for one target, and up to log2 n for
// each further cause; all its answers are right and minimal. With -each-rounds it prints a table.
func TestManyTargets(t *testing.T) {
	seed.SkipLong(t, 8)
	once(t)
	const n = 1000
	r := rand.New(rand.NewPCG(1, 0))
	rounds := max(2, *eachRounds)
	for _, k := range kindsOfTargets {
		one, ones := 0, 0
		type figure struct{ targets, causes, trials, classes int }
		var figures []figure
		for _, targets := range []int{1, 10, 200} {
			for _, causes := range []int{1, 2, 4, 8} {
				if causes > targets || *eachRounds == 0 && targets*causes != 40 && targets*causes != 1600 && targets > 1 {
					continue
				}
				f := figure{targets: targets, causes: causes}
				for range rounds {
					k.targets, k.causes = targets, causes
					m := plantMany(r, n, k.kindOfTargets)
					got, err := isolate.SearchEach(t.Context(), m.Problem, m.test, isolate.EachOptions{Targets: targets})
					if err != nil {
						t.Fatal(err)
					}
					m.check(t, got)
					f.trials += got.Trials
					f.classes += len(got.Classes)
					alone, err := isolate.Search(t.Context(), m.Problem, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
						return m.outcomes(c, []int{0})[0], nil
					}, isolate.Options{})
					if err != nil {
						t.Fatal(err)
					}
					one, ones = one+alone.Trials, ones+1
				}
				figures = append(figures, f)
			}
		}
		alone := float64(one) / float64(ones)
		cells := ""
		sum, bounds := 0.0, 0.0
		for _, f := range figures {
			trials, bound := float64(f.trials)/float64(rounds), alone+float64(f.causes-1)*math.Log2(n)
			cells += fmt.Sprintf(" %.1f %.2f |", trials, trials/bound)
			sum, bounds = sum+trials, bounds+bound
			if *eachRounds > 0 && trials > mostOfCell*bound {
				t.Errorf("%s, %d targets, %d causes: %.1f trials, bound %.1f", k.name, f.targets, f.causes, trials, mostOfCell*bound)
			}
		}
		if sum > mostTrials*bounds {
			t.Errorf("%s: %.1f trials in the mean, bound %.1f", k.name, sum/float64(len(figures)), mostTrials*bounds/float64(len(figures)))
		}
		if *eachRounds > 0 {
			fmt.Printf("| %s | %.1f |%s\n", k.name, alone, cells)
		}
	}
}

// Of many elements the search of many targets knows cells at first, and then what is in them.
func TestManyTargetsOfManyElements(t *testing.T) {
	once(t)
	r := rand.New(rand.NewPCG(1, 0))
	for _, k := range []kindOfTargets{{targets: 20, causes: 4, size: 1}, {targets: 20, causes: 4, size: 2}} {
		m := plantMany(r, 20_000, k)
		got, err := isolate.SearchEach(t.Context(), m.Problem, m.test, isolate.EachOptions{Targets: k.targets})
		if err != nil {
			t.Fatal(err)
		}
		m.check(t, got)
		if most := 15 + 20*k.size; got.Trials > most {
			t.Errorf("%+v: %d trials, bound %d", k, got.Trials, most)
		}
	}
}

// Along commits, of which each requires the one before, one bisection serves all classes: each further
// cause takes log2 n more at most.
func TestManyTargetsAlongCommits(t *testing.T) {
	once(t)
	const n = 1000
	r := rand.New(rand.NewPCG(1, 0))
	for _, causes := range []int{1, 4, 8} {
		k := kindOfTargets{targets: 50, causes: causes, size: 1}
		trials := 0
		const rounds = 2
		for range rounds {
			m := plantMany(r, n, k)
			m.Groups = nil
			m.Requires = make([][]int, n)
			for i := 1; i < n; i++ {
				m.Requires[i] = []int{i - 1}
			}
			got, err := isolate.SearchEach(t.Context(), m.Problem, m.test, isolate.EachOptions{Targets: k.targets})
			if err != nil {
				t.Fatal(err)
			}
			m.check(t, got)
			trials += got.Trials
		}
		mean := float64(trials) / rounds
		t.Logf("%d causes: %.1f trials", causes, mean)
		if bound := mostTrials * (13 + float64(causes-1)*math.Log2(n)); mean > bound {
			t.Errorf("%d causes: %.1f trials, bound %.1f", causes, mean, bound)
		}
	}
}
