package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/gitdd/gitdd/isolate"
)

// checkMinimize minimises with one worker and compares what Minimize promises
// with what it asked.
func checkMinimize(t testing.TB, l isolate.List, outcome func(isolate.Configuration) isolate.Outcome, opts isolate.MinimizeOptions) isolate.Minimum {
	t.Helper()
	asked := map[isolate.Configuration]int{}
	var steps []isolate.MinimizeStep
	opts.Jobs, opts.Observe = 1, func(s isolate.MinimizeStep) { steps = append(steps, s) }
	m, err := isolate.Minimize(context.Background(), l, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		asked[c]++
		return outcome(c), nil
	}, opts)
	complain := func(format string, args ...any) {
		t.Helper()
		for _, s := range steps[max(0, len(steps)-40):] {
			t.Logf("  %2d %-12q %v known=%v kept %q", s.Trial, s.Config, s.Outcome, s.Known, s.Kept)
		}
		t.Errorf("%s of %d, weights %v, not empty %v, at most %d trials, fast %v: %q minimal=%v after %d", opts.Algorithm, l.N, l.Weights, l.NonEmpty, opts.MaxTrials, opts.Fast, m.Kept, m.Minimal, m.Trials)
		t.Fatalf(format, args...)
	}
	spent := errors.Is(err, isolate.ErrBudget)
	if err != nil && !spent {
		complain("%v", err)
	}
	if spent && m.Trials != opts.MaxTrials || opts.MaxTrials > 0 && m.Trials > opts.MaxTrials || len(asked) != m.Trials {
		complain("%d trials counted, %d made, %v", m.Trials, len(asked), err)
	}
	full := isolate.Full(l.N)
	kept := full
	facts := map[isolate.Configuration]isolate.Outcome{}
	for k, s := range steps {
		if s.Config == full || l.NonEmpty && s.Config.IsEmpty() {
			complain("step %d asks what is known", k)
		}
		if _, known := facts[s.Config]; known != s.Known || asked[s.Config] != 1 || s.Outcome != outcome(s.Config) {
			complain("step %d: known should be %v, asked %d times", k, known, asked[s.Config])
		}
		facts[s.Config] = s.Outcome
		if s.Outcome == isolate.Fail && weigh(l, s.Config) < weigh(l, kept) {
			kept = s.Config
		}
		if s.Kept != kept || s.Trial != len(facts) {
			complain("step %d keeps %q, not %q, at trial %d", k, s.Kept, kept, s.Trial)
		}
	}
	failed := false // behind a step
	for k := len(steps) - 1; k >= 0 && !spent; k-- {
		if rest := len(steps) - 1 - k; steps[k].Left > 0 && !failed && rest > steps[k].Left || steps[k].Left < 0 {
			complain("step %d leaves at most %d, and %d follow", k, steps[k].Left, rest)
		}
		failed = failed || steps[k].Outcome == isolate.Fail
	}
	if !l.NonEmpty && !opts.Dense && l.N > 0 && (len(steps) == 0 || !steps[0].Config.IsEmpty()) {
		complain("the empty configuration is not asked first")
	}
	if m.Kept != kept || l.NonEmpty && l.N > 0 && kept.IsEmpty() {
		complain("kept is not the best so far, which is %q", kept)
	}
	minimal := true
	for x := range kept.All() {
		rest := kept.Minus(isolate.Of(l.N, x))
		o, ok := facts[rest]
		minimal = minimal && (ok && o != isolate.Fail || l.NonEmpty && rest.IsEmpty())
	}
	if m.Minimal != minimal || !minimal && !spent && !opts.Fast {
		complain("minimal should be %v", minimal)
	}
	return m
}

func weigh(l isolate.List, c isolate.Configuration) int {
	total := 0
	for i := range c.All() {
		if l.Weights == nil {
			total++
		} else {
			total += l.Weights[i]
		}
	}
	return total
}

// Whatever the outcomes, the promises of Minimize hold, with every budget, and the
// path and the answer are the same for any number of jobs.
func TestMinimizeKeepsItsPromises(t *testing.T) {
	r := random(t)
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		l := isolate.List{N: r.IntN(9), NonEmpty: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			for range l.N {
				l.Weights = append(l.Weights, 1+r.IntN(9))
			}
		}
		fails := r.Float64()
		outcomes := make([]isolate.Outcome, 1<<l.N)
		for i := range outcomes {
			switch {
			case r.Float64() < fails:
				outcomes[i] = isolate.Fail
			case r.IntN(2) == 0:
				outcomes[i] = isolate.Pass
			}
		}
		outcome := func(c isolate.Configuration) isolate.Outcome {
			var subset uint
			for i := range c.All() {
				subset |= 1 << i
			}
			return outcomes[subset]
		}
		for _, algorithm := range isolate.MinimizeAlgorithms() {
			opts := isolate.MinimizeOptions{Algorithm: algorithm, Fast: r.IntN(4) == 0, Dense: r.IntN(2) == 0}
			all := checkMinimize(t, l, outcome, opts)
			for most := 1; most < all.Trials; most++ {
				opts.MaxTrials = most
				checkMinimize(t, l, outcome, opts)
			}
			opts.MaxTrials = r.IntN(2) * r.IntN(all.Trials+1)
			anyJobs(t, l, outcome, opts, r, 1, 2, 3, 8, 16)
		}
	}
}

func TestMinimizeRefuses(t *testing.T) {
	never := func(context.Context, isolate.Configuration) (isolate.Outcome, error) {
		t.Error("a refused list was tried")
		return isolate.Pass, nil
	}
	for _, row := range []struct {
		name string
		l    isolate.List
		opts isolate.MinimizeOptions
	}{
		{"algorithm", isolate.List{N: 1}, isolate.MinimizeOptions{Algorithm: "magic"}},
		{"jobs", isolate.List{N: 1}, isolate.MinimizeOptions{Jobs: -1}},
		{"trials", isolate.List{N: 1}, isolate.MinimizeOptions{MaxTrials: -1}},
		{"number", isolate.List{N: -1}, isolate.MinimizeOptions{}},
		{"weights", isolate.List{N: 2, Weights: []int{1}}, isolate.MinimizeOptions{}},
		{"weight", isolate.List{N: 2, Weights: []int{1, 0}}, isolate.MinimizeOptions{}},
	} {
		if _, err := isolate.Minimize(t.Context(), row.l, never, row.opts); err == nil {
			t.Errorf("%s: not refused", row.name)
		}
	}
}

// unruly is a list where a part has to stay, elements require others, and about one
// configuration of fifty does not say what it should.
func unruly(r *rand.Rand, n int, stays float64, noise uint64) (outcome func(isolate.Configuration) isolate.Outcome) {
	kept := make([]bool, n)
	requires := make([]int, n)
	for i := range n {
		kept[i], requires[i] = r.Float64() < stays, -1
		if i > 0 && r.IntN(4) == 0 {
			requires[i] = r.IntN(i)
		}
	}
	seed := r.Uint64()
	return func(c isolate.Configuration) isolate.Outcome {
		hash := fnv.New64a()
		fmt.Fprint(hash, seed, c)
		if noise > 0 && hash.Sum64()%noise == 0 {
			return isolate.Outcome(hash.Sum64() / noise % 3)
		}
		has := make([]bool, n)
		for i := range c.All() {
			if has[i] = true; requires[i] >= 0 && !has[requires[i]] {
				return isolate.Unresolved
			}
		}
		for i, in := range has {
			if kept[i] && !in {
				return isolate.Pass
			}
		}
		return isolate.Fail
	}
}

// Where many elements stay, dab searches several parts of the list side by side, and
// its promises are the same.
func TestMinimizeManySideBySide(t *testing.T) {
	r := random(t)
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		l := isolate.List{N: 300 + r.IntN(200), NonEmpty: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			for range l.N {
				l.Weights = append(l.Weights, 1+r.IntN(9))
			}
		}
		outcome := unruly(r, l.N, 0.5+r.Float64()/3, 50)
		opts := isolate.MinimizeOptions{Fast: r.IntN(2) == 0, Dense: r.IntN(2) == 0}
		all := checkMinimize(t, l, outcome, opts)
		opts.MaxTrials = 1 + r.IntN(all.Trials)
		checkMinimize(t, l, outcome, opts)
		opts.MaxTrials *= r.IntN(2)
		anyJobs(t, l, outcome, opts, r, 1, 3, 8)
	}
}

// anyJobs makes sure that path and answer do not depend on the number of jobs.
func anyJobs(t *testing.T, l isolate.List, outcome func(isolate.Configuration) isolate.Outcome, opts isolate.MinimizeOptions, r *rand.Rand, numbers ...int) {
	t.Helper()
	var want isolate.Minimum
	var wantErr error
	var wantSteps []isolate.MinimizeStep
	for k, jobs := range numbers {
		seed := r.Uint64()
		synctest.Test(t, func(t *testing.T) {
			s := shuffled(outcome, seed)
			var steps []isolate.MinimizeStep
			opts.Jobs = jobs
			opts.Observe = func(s isolate.MinimizeStep) { steps = append(steps, s) }
			got, err := isolate.Minimize(t.Context(), l, s.test, opts)
			if n, most := s.running.Load(), s.most.Load(); n != 0 || most > int32(jobs) {
				t.Fatalf("%d jobs: %d tests at once, and %d outlive it", jobs, most, n)
			}
			if k == 0 {
				want, wantErr, wantSteps = got, err, steps
			} else if !reflect.DeepEqual(got, want) || !errors.Is(err, wantErr) || !reflect.DeepEqual(steps, wantSteps) {
				t.Fatalf("%s with %d jobs:\n%q, %d trials, %v\nwith %d:\n%q, %d trials, %v", opts.Algorithm, jobs, got.Kept, got.Trials, err, numbers[0], want.Kept, want.Trials, wantErr)
			}
		})
	}
}

// trials counts the trials of a list that fails as long as it has all that has to
// stay.
func minimizeTrials(t *testing.T, n int, stay isolate.Configuration, opts isolate.MinimizeOptions) int {
	t.Helper()
	got, err := isolate.Minimize(t.Context(), isolate.List{N: n}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		if c.Contains(stay) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}, opts)
	if err != nil || !got.Kept.Contains(stay) || !opts.Fast && (got.Kept != stay || !got.Minimal) {
		t.Fatalf("%s: %q of %d, want %q; %v", opts.Algorithm, got.Kept, n, stay, err)
	}
	return got.Trials
}

// Bounds on trials, with the empty configuration and without the certificate: of one
// element at every place, of none but the empty list, and of all.
func TestMinimizeTrialBounds(t *testing.T) {
	once(t)
	for _, n := range []int{1, 2, 3, 8, 25, 100, 1000} {
		log := math.Ceil(math.Log2(float64(n)))
		for i := 0; i < n; i += max(1, n/25) {
			for algorithm, most := range map[string]float64{
				"dab":           log + 2*math.Log2(log+1) + 3,
				"ddmin":         2*log + 1,
				"opdd":          2*log + 2,
				"cdd-sparse":    3*log + 2,
				"probdd-sparse": 2.5*log + 3,
				"wdd":           2*log + 2,
				"chisel":        2*log + 1,
			} {
				if got := minimizeTrials(t, n, isolate.Of(n, i), isolate.MinimizeOptions{Algorithm: algorithm, Fast: true}); float64(got) > most {
					t.Errorf("%s: %d trials for element %d of %d, want at most %.1f", algorithm, got, i, n, most)
				}
			}
		}
		for algorithm, most := range map[string]int{"dab": 2*n + 1, "opdd": 2*n + 1, "chisel": 2*n + 1, "cdd": 3*n + 1, "cdd-sparse": 3*n + 1, "probdd": 5*n + 1, "probdd-sparse": 5*n + 1} {
			if got := minimizeTrials(t, n, isolate.Full(n), isolate.MinimizeOptions{Algorithm: algorithm, Fast: true}); got > most {
				t.Errorf("%s: %d trials where all of %d stay, want at most %d", algorithm, got, n, most)
			}
		}
		if got := minimizeTrials(t, n, isolate.Empty(n), isolate.MinimizeOptions{}); got != 1 {
			t.Errorf("%d trials where none of %d stays", got, n)
		}
	}
}

// The certificate asks no question twice: for ddmin, which tried all single elements
// of its answer last, it costs nothing, for dab a trial for each element at most.
func TestCertificateCostsNoMoreThanItHasTo(t *testing.T) {
	once(t)
	const n = 200
	stay := isolate.Of(n, 3, 77, 78, 79, 120, 199)
	for _, algorithm := range isolate.MinimizeAlgorithms() {
		fast := minimizeTrials(t, n, stay, isolate.MinimizeOptions{Algorithm: algorithm, Fast: true})
		all := minimizeTrials(t, n, stay, isolate.MinimizeOptions{Algorithm: algorithm})
		if more := all - fast; more > stay.Len() || slices.Contains([]string{"ddmin", "wdd", "chisel"}, algorithm) && more > 0 {
			t.Errorf("%s: the certificate takes %d trials", algorithm, more)
		}
	}
}

// What was learned in one list saves trials in the next, and does no harm in one of
// another kind.
func TestDensityIsHandedOn(t *testing.T) {
	once(t)
	const n = 60
	r := rand.New(rand.NewPCG(1, 2))
	minimize := func(stay isolate.Configuration, d isolate.Density) isolate.Minimum {
		got, err := isolate.Minimize(t.Context(), isolate.List{N: n}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			if c.Contains(stay) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}, isolate.MinimizeOptions{Density: d, Fast: true})
		if err != nil || got.Kept != stay {
			t.Fatalf("%q, want %q; %v", got.Kept, stay, err)
		}
		return got
	}
	dense := func() isolate.Configuration { return isolate.Of(n, r.Perm(n)[:40]...) }
	sparse := func() isolate.Configuration { return isolate.Of(n, r.IntN(n)) }
	var learned isolate.Density
	alone, after, other := 0, 0, 0
	for range 40 {
		c := dense()
		alone += minimize(c, isolate.Density{}).Trials
		got := minimize(c, learned)
		after, learned = after+got.Trials, got.Density
		c = sparse()
		other += minimize(c, learned).Trials - minimize(c, isolate.Density{}).Trials
	}
	t.Logf("%d trials alone, %d after others of the kind; %d more after others of another kind", alone, after, other)
	if after >= alone || other > 40*6 {
		t.Errorf("%d trials alone, %d after others of the kind; %d more after others of another kind", alone, after, other)
	}
}

// Where few elements can go, whether all can is not asked first; where all can they go.
func TestMinimizeDense(t *testing.T) {
	once(t)
	for _, c := range []struct {
		needed        []int
		trials, dense int
	}{
		{[]int{0, 1, 2}, 4, 3},
		{[]int{0, 2}, 4, 3},
		{nil, 1, 3},
	} {
		for _, dense := range []bool{false, true} {
			needed := isolate.Of(3, c.needed...)
			got := checkMinimize(t, isolate.List{N: 3}, func(kept isolate.Configuration) isolate.Outcome {
				if kept.Contains(needed) {
					return isolate.Fail
				}
				return isolate.Pass
			}, isolate.MinimizeOptions{Fast: true, Dense: dense})
			want := c.trials
			if dense {
				want = c.dense
			}
			if got.Kept != needed || got.Trials != want {
				t.Errorf("%v of 3, dense %v: %q after %d trials, want %d", c.needed, dense, got.Kept, got.Trials, want)
			}
		}
	}
}

// The example of FSE 2021, section 2. Of the eight statements of listing 1 ddmin leaves
// seven after the 28 tests of figure 1, of which test 24 repeats test 8. What else it
// knows here are the complements of the halves and, once a statement is gone, the seven
// single ones. ProbDD, which begins with 0.25, leaves the two statements that are enough,
// 3 and 8, after the eight tests of figure 3, of which the sixth repeats an earlier one.
func TestMinimizeExampleOfProbDD(t *testing.T) {
	// needs are the statements without one of which a statement is an error of its own:
	// names that are not defined, a block without a body, and what figure 1 shows of 5.
	needs := map[int][]int{2: {1}, 4: {1, 5}, 5: {2, 4}, 6: {2, 4}, 7: {5, 6}}
	calls := func(has func(statement int) bool) bool { // type(b) in statement 8; 3 and 7 define b
		for statement, all := range needs {
			for _, need := range all {
				if has(statement) && !has(need) {
					return false
				}
			}
		}
		return has(8) && (has(3) || has(7))
	}
	for _, row := range []struct {
		algorithm string
		order     []int // of the statements: the first are left out first
		left      []int
		trials    int
		known     int // questions that were asked before
	}{
		{"ddmin", []int{1, 2, 3, 4, 5, 6, 7, 8}, []int{1, 2, 4, 5, 6, 7, 8}, 27, 1 + 2 + 7},
		// Of equally likely ones the first are chosen, and these are those that the text
		// has in section 3.4. (Figure 3 has its third test and its fourth the other way round.)
		{"probdd", []int{2, 3, 1, 8, 4, 5, 6, 7}, []int{3, 8}, 7, 1},
	} {
		// Minimize begins with the last elements.
		statement := func(element int) int { return row.order[7-element] }
		known := 0
		got, err := isolate.Minimize(t.Context(), isolate.List{N: 8, NonEmpty: true}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			if calls(func(s int) bool { return c.Has(7 - slices.Index(row.order, s)) }) {
				return isolate.Fail, nil
			}
			return isolate.Unresolved, nil
		}, isolate.MinimizeOptions{Algorithm: row.algorithm, Sigma: 0.25, Fast: true, Observe: func(s isolate.MinimizeStep) {
			if s.Known {
				known++
			}
		}})
		var left []int
		for x := range got.Kept.All() {
			left = append(left, statement(x))
		}
		slices.Sort(left)
		if err != nil || !slices.Equal(left, row.left) || got.Trials != row.trials || known != row.known {
			t.Errorf("%s: %v left after %d trials, %d known; want %v after %d and %d; %v", row.algorithm, left, got.Trials, known, row.left, row.trials, row.known, err)
		}
	}
}

// Options.Sigma changes how the algorithms begin that have a probability, and nothing
// that Search and Minimize promise.
func TestSigma(t *testing.T) {
	once(t)
	r := random(t)
	for range 300 {
		n := 1 + r.IntN(8)
		sigma := []float64{1e-300, 1e-12, 0.01, 0.1, 0.25, 0.5, 0.999, r.Float64()}[r.IntN(8)]
		outcomes := make([]isolate.Outcome, 1<<n)
		for i := range outcomes {
			outcomes[i] = isolate.Outcome(r.IntN(3))
		}
		outcome := table(n, func(subset uint) isolate.Outcome { return outcomes[subset] })
		for _, algorithm := range []string{"probdd", "probdd-sparse", "cdd", "cdd-sparse", "wprobdd"} {
			check(t, &behaviour{Problem: isolate.Problem{N: n}, outcome: outcome}, isolate.Options{Algorithm: algorithm, Sigma: sigma})
			checkMinimize(t, isolate.List{N: n}, outcome, isolate.MinimizeOptions{Algorithm: algorithm, Sigma: sigma})
		}
	}
	// What the names stand for.
	for _, n := range []int{7, 40, 300} {
		p := plant(r, n, min(n, 3), 0, 0)
		p.Groups = nil
		for algorithm, sigma := range map[string]float64{"probdd": 0.1, "probdd-sparse": 2 / float64(n), "cdd": 0.1, "cdd-sparse": 2 / float64(n), "wprobdd": 2 / float64(n)} {
			usual, same := p.search(t, isolate.Options{Algorithm: algorithm}), p.search(t, isolate.Options{Algorithm: algorithm, Sigma: sigma})
			if !reflect.DeepEqual(usual, same) {
				t.Errorf("%s of %d: %+v, with sigma %v %+v", algorithm, n, usual, sigma, same)
			}
		}
		// Two begun alike are one.
		dense, sparse := p.search(t, isolate.Options{Algorithm: "probdd", Sigma: 0.3}), p.search(t, isolate.Options{Algorithm: "probdd-sparse", Sigma: 0.3})
		if dense.Trials != sparse.Trials {
			t.Errorf("%d elements: %d and %d trials", n, dense.Trials, sparse.Trials)
		}
	}
	for _, sigma := range []float64{-0.1, 1, 2, math.NaN(), math.Inf(1)} {
		if _, err := isolate.Minimize(t.Context(), isolate.List{N: 1}, nil, isolate.MinimizeOptions{Sigma: sigma}); err == nil {
			t.Errorf("Minimize with sigma %v", sigma)
		}
		if _, err := isolate.Search(t.Context(), isolate.Problem{N: 1}, nil, isolate.Options{Sigma: sigma}); err == nil {
			t.Errorf("Search with sigma %v", sigma)
		}
	}
}

// FuzzMinimize takes the bytes for a truth table, as FuzzSearch does.
func FuzzMinimize(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 0, 0})
	f.Add([]byte{5, 1, 1, 4, 1, 0, 2, 1, 2, 0, 1, 2, 0, 1, 2})
	f.Add([]byte{6, 8, 2, 0, 1, 9, 1, 3, 4, 1, 2, 2, 2, 1, 0, 1, 2, 0, 1, 1, 1, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		next := reading(data)
		l := isolate.List{N: next() % 8}
		names := isolate.MinimizeAlgorithms()
		opts := isolate.MinimizeOptions{Algorithm: names[next()%len(names)], MaxTrials: next() % 32}
		flags := next()
		l.NonEmpty, opts.Fast, opts.Dense = flags&1 > 0, flags&2 > 0, flags&8 > 0
		if flags&4 > 0 {
			for range l.N {
				l.Weights = append(l.Weights, 1+next()*next())
			}
		}
		outcomes := make([]isolate.Outcome, 1<<l.N)
		for i := range outcomes {
			outcomes[i] = isolate.Outcome(next() % 3)
		}
		checkMinimize(t, l, func(c isolate.Configuration) isolate.Outcome {
			var subset uint
			for i := range c.All() {
				subset |= 1 << i
			}
			return outcomes[subset]
		}, opts)
	})
}

// A certificate of many elements in many runs does not keep all that it has asked, and
// is none the worse for it.
func TestLargeCertificate(t *testing.T) {
	once(t)
	const n = 2400
	var even []int
	for i := 0; i < n; i += 2 {
		even = append(even, i)
	}
	stay := isolate.Of(n, even...)
	fast := minimizeTrials(t, n, stay, isolate.MinimizeOptions{Fast: true})
	if all := minimizeTrials(t, n, stay, isolate.MinimizeOptions{}); all != fast+len(even) {
		t.Errorf("%d trials with the certificate, %d without", all, fast)
	}
	var r = random(t)
	anyJobs(t, isolate.List{N: n}, func(c isolate.Configuration) isolate.Outcome {
		if c.Contains(stay) {
			return isolate.Fail
		}
		return isolate.Pass
	}, isolate.MinimizeOptions{MaxTrials: fast + 100}, r, 1, 4)
}
