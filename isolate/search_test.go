package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// A behaviour is a test function on a problem, and everything that was asked of it.
type behaviour struct {
	isolate.Problem
	outcome func(isolate.Configuration) isolate.Outcome
	advice  isolate.Options // Learn, Diagnose and Check, see randomAdvice

	cause isolate.Configuration // what check has Trim make smaller; the zero value has it search

	mu    sync.Mutex
	asked map[isolate.Configuration]int
}

func (b *behaviour) test(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked == nil {
		b.asked = map[isolate.Configuration]int{}
	}
	b.asked[c]++
	return b.outcome(c), ctx.Err()
}

// breaks reports whether c has an element without one that it requires.
func breaks(c isolate.Configuration, requires [][]int) bool {
	for i, required := range requires {
		for _, j := range required {
			if c.Has(i) && !c.Has(j) {
				return true
			}
		}
	}
	return false
}

// bound returns the number of trials that an algorithm promises at most for n
// suspects, cut at so many levels, and d members in its answer, beside the ends
// and the certificate.
func bound(algorithm string, goal isolate.Goal, n, levels, d int) int {
	most := map[string]int{
		"dd+":           n*n + 3*n,
		"dd+shrink":     n*n + 3*n,
		"ddmin":         n*n + 3*n,
		"dd2":           n*n + 7*n,
		"dd":            n * n,
		"auto":          n*n*n/3 + 20*n + 300,
		"cpi":           n*n*n/3 + 20*n + 300,
		"probdd":        levels * 5 * n,
		"probdd-sparse": levels * 5 * n,
		"cdd":           levels * 3 * n,
		"cdd-sparse":    levels * 3 * n,
		"wdd":           levels * (n*n + 13*n),
		"wprobdd":       levels * (5*n*n + 2*n),
		"quickxplain":   levels * (2*n + 2), // two settle what it inferred
		"gbs":           levels * n * (bits.Len(uint(n)) + 3),
		"pce":           5*n + 16,                                              // 16 = jobs at most
		"cgr":           12*bits.Len(uint(n)) + 12 + 30 + n*n*n/3 + 25*n + 330, // rounds, and then pce or cpi
	}[algorithm]
	minimises := slices.Contains([]string{"ddmin", "probdd", "probdd-sparse", "cdd", "cdd-sparse", "wdd", "wprobdd", "gbs", "pce"}, algorithm)
	if goal != isolate.Cause && !minimises {
		most += n*n + 3*n // goes on with ddmin
	}
	return 2 + 2 + most + d*(d+1)/2
}

// check searches, mostly with one worker, and compares what Search promises with what
// it asked. It returns the result.
func check(t testing.TB, b *behaviour, opts isolate.Options) isolate.Result {
	t.Helper()
	b.asked = map[isolate.Configuration]int{}
	var steps []isolate.Step
	opts.Observe = func(s isolate.Step) { steps = append(steps, s) }
	search := func() (isolate.Result, error) {
		return isolate.Search(context.Background(), b.Problem, b.test, opts)
	}
	if b.cause != (isolate.Configuration{}) {
		search = func() (isolate.Result, error) {
			return isolate.Trim(context.Background(), b.Problem, b.cause, b.test, opts)
		}
	}
	r, err := search()
	complain := func(format string, args ...any) {
		t.Helper()
		for _, s := range steps {
			t.Logf("  %2d %-12q %v known=%v", s.Trial, s.Config, s.Outcome, s.Known)
		}
		t.Fatalf("n=%d %s %v requires=%v predicted=%v groups=%v: %s\n%+v", b.N, opts.Algorithm, opts.Goal, b.Requires, b.Predicted, b.Groups, fmt.Sprintf(format, args...), r)
	}
	spent := errors.Is(err, isolate.ErrBudget)
	if err != nil && !spent {
		complain("%v", err)
	}
	if spent && r.Trials != opts.MaxTrials || opts.MaxTrials > 0 && r.Trials > opts.MaxTrials {
		complain("budget %d: %v", opts.MaxTrials, err)
	}

	// Every step is a fact, no configuration is tried twice, structure is respected.
	facts := map[isolate.Configuration]isolate.Outcome{}
	for _, s := range steps {
		want := b.outcome(s.Config)
		if passing, failing := ends(b.Problem); breaks(s.Config, b.Requires) ||
			b.Broken != nil && s.Config != passing && s.Config != failing && b.Broken(s.Config) {
			want = isolate.Unresolved
			if b.asked[s.Config] > 0 {
				complain("%q breaks a requirement and was tried", s.Config)
			}
		} else if b.asked[s.Config] == 0 || opts.Jobs <= 1 && b.asked[s.Config] != 1 {
			complain("%q was tried %d times", s.Config, b.asked[s.Config])
		}
		if s.Outcome != want {
			complain("step says %q is %v", s.Config, s.Outcome)
		}
		facts[s.Config] = s.Outcome
		if !s.Failing.Contains(s.Passing) || s.Least < 0 || s.Estimate < s.Least || s.Estimate > s.Most {
			complain("step %+v", s)
		}
	}
	if opts.Jobs <= 1 && len(b.asked) != r.Trials || r.Pass+r.Fail+r.Unresolved != r.Trials {
		complain("%d trials counted, %d made", r.Trials, len(b.asked))
	}

	// G3, for every budget that allows to test the ends.
	if !spent || opts.MaxTrials >= 2 {
		if facts[r.Passing] != isolate.Pass || facts[r.Failing] != isolate.Fail {
			complain("the pair was not tested, or is not a pair")
		}
	}
	if !r.Failing.Contains(r.Passing) || r.Failing.Minus(r.Passing) != r.Cause || r.Cause.IsEmpty() {
		complain("cause is not the difference")
	}
	if !r.Passing.Contains(r.Context) || !r.Cause.Contains(r.Unproven) {
		complain("context or unproven outside")
	}

	for x := range r.Context.All() {
		rest := without(r.Failing, x, b.Requires)
		o, ok := facts[rest]
		if shown := !rest.Contains(r.Cause) || ok && o != isolate.Fail; opts.Goal == isolate.Cause && r.ContextUnproven.Has(x) == shown {
			complain("context %d unproven: %v", x, !shown)
		}
	}
	if !r.Context.Contains(r.ContextUnproven) {
		complain("what is unproven is no context")
	}

	// G4: minimal means what it says.
	minimal, unproven := true, isolate.Empty(b.N)
	for x := range r.Cause.All() {
		neighbour, against := without(r.Failing, x, b.Requires), isolate.Fail
		if opts.Goal == isolate.Revert {
			neighbour, against = with(r.Passing, x, b.Requires), isolate.Pass
		}
		o, ok := facts[neighbour]
		if !ok || o == against {
			minimal = false
		}
		if o == isolate.Unresolved || o == against {
			unproven = unproven.With(x)
		}
	}
	checkEvidence(b, opts.Goal, r, facts, complain)
	if r.Minimal != minimal || r.Unproven != unproven {
		complain("minimal should be %v, unproven %q", minimal, unproven)
	}
	if !spent {
		if !r.Minimal && !r.Inseparable {
			complain("not minimal without a budget")
		}
		if passing, failing := ends(b.Problem); opts.Goal == isolate.Introduce && r.Passing != passing ||
			opts.Goal == isolate.Revert && r.Failing != failing {
			complain("an end moved")
		}
	}
	passing, failing := ends(b.Problem)
	n := failing.Minus(passing).Len()
	if most := bound(r.Algorithm, opts.Goal, n, len(b.Groups)+1, n); r.Trials > most {
		complain("%d trials, bound %d", r.Trials, most)
	}
	return r
}

// checkEvidence makes sure that an answer rests on its claims: they are
// facts, all that it says follows from them alone, and from no fewer.
func checkEvidence(b *behaviour, goal isolate.Goal, r isolate.Result, facts map[isolate.Configuration]isolate.Outcome, complain func(string, ...any)) {
	rest := map[isolate.Configuration]isolate.Evidence{}
	for _, w := range r.Evidence {
		if _, twice := rest[w.Config]; twice || w.Outcome == isolate.Unresolved || facts[w.Config] != w.Outcome {
			complain("claim %+v twice, or not a fact", w)
		}
		rest[w.Config] = w
	}
	if facts[r.Failing] == isolate.Fail && facts[r.Passing] == isolate.Pass {
		if len(r.Evidence) < 2 || r.Evidence[0].Config != r.Failing || r.Evidence[1].Config != r.Passing {
			complain("the claims do not begin with the pair: %+v", r.Evidence)
		}
	}
	bearing := map[isolate.Configuration]bool{r.Failing: true, r.Passing: true}
	needed := isolate.Empty(b.N)
	for x := range r.Cause.Minus(r.Unproven).All() {
		neighbour, want := without(r.Failing, x, b.Requires), isolate.Pass
		if goal == isolate.Revert {
			neighbour, want = with(r.Passing, x, b.Requires), isolate.Fail
		}
		bearing[neighbour] = true
		w := rest[neighbour]
		if w.Outcome != want || !w.Needed.Has(x) {
			complain("no claim that %d is needed: %+v", x, r.Evidence)
		}
		needed = needed.Union(w.Needed)
	}
	for _, w := range r.Evidence {
		if !bearing[w.Config] || !needed.Contains(w.Needed) {
			complain("claim %+v bears on nothing, or says too much", w)
		}
	}
}

func ends(p isolate.Problem) (passing, failing isolate.Configuration) {
	passing, failing = p.Passing, p.Failing
	if passing == (isolate.Configuration{}) {
		passing = isolate.Empty(p.N)
	}
	if failing == (isolate.Configuration{}) {
		failing = isolate.Full(p.N)
	}
	return passing, failing
}

// without returns c without x and all that requires x.
func without(c isolate.Configuration, x int, requires [][]int) isolate.Configuration {
	c = c.Minus(isolate.Of(c.N(), x))
	for i, required := range requires {
		if c.Has(i) && slices.Contains(required, x) {
			c = without(c, i, requires)
		}
	}
	return c
}

// with returns c with x and all that x requires.
func with(c isolate.Configuration, x int, requires [][]int) isolate.Configuration {
	c = c.With(x)
	if requires != nil {
		for _, j := range requires[x] {
			if !c.Has(j) {
				c = with(c, j, requires)
			}
		}
	}
	return c
}

var goals = []isolate.Goal{isolate.Cause, isolate.Introduce, isolate.Revert}

// What is known to be broken is never tried, whatever the number of jobs. The answer is that of a
// search which tries it.
func TestBroken(t *testing.T) {
	r := random(t)
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	saved := 0
	for range rounds {
		p := randomProblem(r, 3+r.IntN(5))
		passing, failing := ends(p)
		outcomes, seed, share := randomOutcomes(r, p), r.Uint64(), r.Uint64N(101)
		broken := func(c isolate.Configuration) bool {
			hash := fnv.New64a()
			fmt.Fprint(hash, seed, c)
			return hash.Sum64()%100 < share
		}
		outcome := func(c isolate.Configuration) isolate.Outcome {
			if c != passing && c != failing && broken(c) {
				return isolate.Unresolved
			}
			return outcomes(c)
		}
		for _, algorithm := range isolate.Algorithms() {
			opts := isolate.Options{Algorithm: algorithm, Goal: goals[r.IntN(3)]}
			tried := check(t, &behaviour{Problem: p, outcome: outcome}, opts)
			known := p
			known.Broken = broken
			spared := check(t, &behaviour{Problem: known, outcome: outcome}, opts)
			opts.Jobs = 3
			if several := check(t, &behaviour{Problem: known, outcome: outcome}, opts); !reflect.DeepEqual(several, spared) {
				t.Errorf("%s: %+v with three jobs, %+v with one", algorithm, several, spared)
			}
			if algorithm == "cgr" {
				continue // it asks for others in their place
			}
			if tried.Cause != spared.Cause || tried.Passing != spared.Passing || tried.Unproven != spared.Unproven {
				t.Errorf("%s: %+v if broken ones are known, else %+v", algorithm, spared, tried)
			}
			if spared.Trials > tried.Trials {
				t.Errorf("%s: %d trials, %d if broken ones are not known", algorithm, spared.Trials, tried.Trials)
			}
			saved += tried.Trials - spared.Trials
		}
	}
	if saved == 0 {
		t.Error("no trial was saved")
	}
}

// table returns the test function with the outcome of each subset in base 3.
func table(n int, outcomes func(subset uint) isolate.Outcome) func(isolate.Configuration) isolate.Outcome {
	return func(c isolate.Configuration) isolate.Outcome {
		var subset uint
		for i := range c.All() {
			subset |= 1 << i
		}
		switch subset {
		case 0:
			return isolate.Pass
		case 1<<n - 1:
			return isolate.Fail
		}
		return outcomes(subset)
	}
}

// everySearch calls check for every algorithm and goal on b.
func everySearch(t *testing.T, b *behaviour) {
	t.Helper()
	for _, algorithm := range isolate.Algorithms() {
		for _, goal := range goals {
			opts := b.advice
			opts.Algorithm, opts.Goal = algorithm, goal
			check(t, b, opts)
		}
	}
}

func TestEveryFunctionOnThree(t *testing.T) {
	once(t)
	r := random(t)
	functions := 0
	for n := 1; n <= 3; n++ {
		inner := 1<<n - 2
		for code := range int(math.Pow(3, float64(inner))) {
			outcome := table(n, func(subset uint) isolate.Outcome {
				return isolate.Outcome(code / int(math.Pow(3, float64(subset-1))) % 3)
			})
			functions++
			everySearch(t, &behaviour{Problem: isolate.Problem{N: n}, outcome: outcome})
			if n == 3 && r.IntN(4) == 0 { // each takes as long again
				everySearch(t, &behaviour{Problem: isolate.Problem{N: n, Groups: [][]int{{0, 0, 1}}}, outcome: outcome})
				everySearch(t, &behaviour{Problem: isolate.Problem{N: n, Requires: [][]int{{1}, nil, {1}}, Predicted: [][]int{nil, {2}, nil}}, outcome: outcome})
			}
		}
	}
	t.Logf("%d functions", functions)
}

func TestRandomFunctions(t *testing.T) {
	once(t)
	r := random(t)
	rounds := 150
	for range rounds {
		p := randomProblem(r, 4+r.IntN(4))
		everySearch(t, &behaviour{Problem: p, outcome: randomOutcomes(r, p), advice: randomAdvice(r, p.N)})
	}
}

// randomTeacher says of each configuration that some of its members require
// some that are not: true or not, and sometimes nothing.
func randomTeacher(r *rand.Rand, n int) func(isolate.Configuration) [][2]int {
	if r.IntN(3) == 0 {
		return nil
	}
	seed := r.Uint64()
	return func(c isolate.Configuration) [][2]int {
		hash := fnv.New64a()
		fmt.Fprint(hash, seed, c)
		r := rand.New(rand.NewPCG(hash.Sum64(), 0))
		var taught [][2]int
		for range r.IntN(4) {
			taught = append(taught, [2]int{r.IntN(n), r.IntN(n)})
		}
		return taught
	}
}

// randomProblem has, each with some probability, an order, groups of up to two
// levels, requirements, predictions, weights, milestones,
// a prior, an affinity, and ends within the elements.
func randomProblem(r *rand.Rand, n int) isolate.Problem {
	p := isolate.Problem{N: n}
	if r.IntN(2) == 0 {
		p.Order = r.Perm(n)
	}
	order := p.Order
	if order == nil {
		for i := range n {
			order = append(order, i)
		}
	}
	for coarse := range r.IntN(3) {
		groups := make([]int, n)
		group := 0
		for k, e := range order {
			if k > 0 && (coarse > 0 && p.Groups[coarse-1][e] != p.Groups[coarse-1][order[k-1]] || r.IntN(3-coarse) == 0) {
				group++
			}
			groups[e] = group
		}
		p.Groups = append(p.Groups, groups)
	}
	edges := func() [][]int {
		e := make([][]int, n)
		for range r.IntN(n) {
			i := r.IntN(n)
			e[i] = append(e[i], r.IntN(n))
		}
		return e
	}
	if r.IntN(2) == 0 {
		p.Requires = edges()
	}
	if r.IntN(2) == 0 {
		p.Predicted = edges()
	}
	if r.IntN(2) == 0 {
		p.Weights = make([]int, n)
		for i := range n {
			p.Weights[i] = 1 << r.IntN(10)
		}
	}
	if r.IntN(2) == 0 {
		for m := 1 + r.IntN(n); m < n; m += 1 + r.IntN(n) {
			p.Milestones = append(p.Milestones, m)
		}
	}
	if r.IntN(2) == 0 {
		p.Prior = make([]float64, n)
		for i := range n {
			p.Prior[i] = math.Exp(5 * r.NormFloat64())
		}
	}
	if r.IntN(2) == 0 {
		for range 1 + r.IntN(3*n) {
			p.Affinity = append(p.Affinity, isolate.Tie{I: r.IntN(n), J: r.IntN(n), Weight: math.Exp(20 * r.NormFloat64())})
		}
	}
	if r.IntN(3) == 0 {
		p.Failing = without(isolate.Full(n), r.IntN(n), p.Requires)
		if p.Passing = without(p.Failing, r.IntN(n), p.Requires); p.Passing == p.Failing {
			p.Passing, p.Failing = isolate.Configuration{}, isolate.Configuration{}
		} else {
			for x := range p.Failing.All() {
				if r.IntN(3) > 0 {
					p.Passing = without(p.Passing, x, p.Requires)
				}
			}
		}
	}
	return p
}

// randomOutcomes is any function whose ends are a pass and a fail, with random
// shares of the three outcomes.
func randomOutcomes(r *rand.Rand, p isolate.Problem) func(isolate.Configuration) isolate.Outcome {
	passing, failing := ends(p)
	u, f := r.Float64(), r.Float64()
	outcomes := map[isolate.Configuration]isolate.Outcome{passing: isolate.Pass, failing: isolate.Fail}
	for subset := range uint(1) << p.N {
		var members []int
		for m := subset; m != 0; m &= m - 1 {
			members = append(members, bits.TrailingZeros(m))
		}
		c := isolate.Of(p.N, members...)
		if _, ok := outcomes[c]; ok {
			continue
		}
		switch {
		case r.Float64() < u:
			outcomes[c] = isolate.Unresolved
		case r.Float64() < f:
			outcomes[c] = isolate.Fail
		default:
			outcomes[c] = isolate.Pass
		}
	}
	return func(c isolate.Configuration) isolate.Outcome { return outcomes[c] }
}
