package isolate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A List is N elements of which as few as possible shall be left. All of them
// together are known to fail, and are not tested again.
type List struct {
	N        int
	Weights  []int // Weights[i] = what leaving element i out saves, at least 1; nil = 1 each
	NonEmpty bool  // the empty configuration is never asked

	// Requires[i] = elements without which element i is probably useless; nil = none. Only
	// the algorithm "binary" uses it.
	Requires [][]int
}

// MinimizeOptions say how a list is minimised; the zero value is valid.
type MinimizeOptions struct {
	Algorithm string                     // one of MinimizeAlgorithms(); "" and "auto" = the default
	Jobs      int                        // tests at once, 0 = 1; it changes neither the path nor the answer
	MaxTrials int                        // 0 = no limit
	MaxCost   int                        // trials beyond the path, as Options.MaxCost
	Prefetch  func(next []Configuration) // as Options.Prefetch
	Sigma     float64                    // as Options.Sigma
	Fast      bool                       // no certificate: Minimal is what the algorithm itself can say
	Dense     bool                       // few are likely to go: the empty configuration is not asked first
	Density   Density                    // what was learned in lists before this one
	Observe   func(MinimizeStep)         // if not nil, called for each step of the path in order, by the goroutine that called Minimize
}

// A MinimizeStep is one question on the path, and its answer.
type MinimizeStep struct {
	Config  Configuration // what was asked
	Outcome Outcome       //
	Known   bool          // answered without a trial: asked before
	Trial   int           // trials on the path so far, this one included
	Kept    Configuration // the lightest that fails so far
	Left    int           // questions that follow at most if none of them fails, some of which need no trial; 0 = not known, or none
}

// A Minimum is what is left of a list. Kept was tested and fails, unless it is
// the full list.
type Minimum struct {
	Kept    Configuration
	Minimal bool // for every single element of Kept, Kept without it was asked and does not fail; the last one of a NonEmpty list counts as asked
	Trials  int  // on the path
	Density Density
}

// minimizers is the table of the algorithms of Minimize. Each leaves out what can go
// of the elements, the last ones first, and returns the rest.
var minimizers = []struct {
	name string
	run  func(*minimization) Configuration
}{
	{"dab", dab},
	{"ddmin", reversed(func(test func(Configuration) Outcome, weights []int) Configuration {
		return ddminOver(test, len(weights)).failing
	})},
	{"probdd", beginning(published, believing)},
	{"probdd-sparse", beginning(sparse, believing)},
	{"cdd", beginning(published, counting)},
	{"cdd-sparse", beginning(sparse, counting)},
	{"wdd", reversed(wddOver)},
	{"wprobdd", beginning(sparse, weighing)},
	{"opdd", reversed(opdd)},
	{"activecoarsen", activeCoarsen},
	{"chisel", chisel},
	{"binary", binaryReduction},
}

// reversed lets an algorithm that begins with the first elements begin with the last.
func reversed(run func(test func(Configuration) Outcome, weights []int) Configuration) func(*minimization) Configuration {
	return func(m *minimization) Configuration {
		weights := slices.Repeat([]int{1}, m.N)
		if m.Weights != nil {
			copy(weights, m.Weights)
			slices.Reverse(weights)
		}
		return run(func(c Configuration) Outcome { return m.test(c.reversed()) }, weights).reversed()
	}
}

// beginning is reversed for an algorithm that begins with a probability.
func beginning(usual prior, run func(prior) func(func(Configuration) Outcome, []int) Configuration) func(*minimization) Configuration {
	return func(m *minimization) Configuration { return reversed(run(m.prior(usual)))(m) }
}

// MinimizeAlgorithms returns the names that MinimizeOptions.Algorithm may have,
// the default first.
func MinimizeAlgorithms() []string {
	names := make([]string, len(minimizers))
	for i, a := range minimizers {
		names[i] = a.name
	}
	return names
}

// Minimize leaves out elements of a list as long as the rest fails. Only [Fail]
// counts as failing, any other outcome as not.
//
// The empty configuration is tested first, unless l.NonEmpty or opts.Dense is set; with
// opts.Dense it is tested when only one element is left, if at all. The algorithms begin
// with the last elements, because an element is usually used by later elements, and can
// be removed only when these are gone. In the end, unless opts.Fast is set, each remaining
// element was left out by itself, and the rest did not fail.
//
// If opts.MaxTrials are spent, the error is ErrBudget; if ctx ends, it is the error of
// ctx; if a test gives no outcome, it is the error of the test. With each of these errors
// the Minimum is valid, and the best so far. The path and the Minimum depend only on l,
// opts and the outcomes, whatever opts.Jobs is and in whatever order tests finish. No
// configuration is tried twice on the path. No test is running any more when
// Minimize returns.
func Minimize(ctx context.Context, l List, test Test, opts MinimizeOptions) (Minimum, error) {
	if opts.Jobs < 0 || opts.MaxTrials < 0 || !isSigma(opts.Sigma) {
		return Minimum{}, fmt.Errorf("minimise: %d jobs, %d trials, sigma %v: out of range", opts.Jobs, opts.MaxTrials, opts.Sigma)
	}
	name := opts.Algorithm
	if name == "" || name == "auto" {
		name = minimizers[0].name
	}
	k := slices.Index(MinimizeAlgorithms(), name)
	if k < 0 {
		return Minimum{}, fmt.Errorf("minimise: no algorithm %q, only %s", opts.Algorithm, strings.Join(MinimizeAlgorithms(), ", "))
	}
	s, err := newSpace(Problem{N: l.N, Weights: l.Weights}, Introduce, false)
	if err = errors.Join(err, checkEdges(max(0, l.N), l.Requires)); err != nil {
		return Minimum{}, err
	}
	s.given = true
	algorithm := minimizers[k].run
	a := func(s *run) pair {
		m := &minimization{run: s, List: l, fast: opts.Fast, dense: opts.Dense}
		return pair{Empty(l.N), m.perform(algorithm)}
	}
	e := newEngine(ctx, s, a, test, Options{Jobs: opts.Jobs, MaxTrials: opts.MaxTrials, MaxCost: opts.MaxCost, Prefetch: opts.Prefetch, Goal: Introduce, Sigma: opts.Sigma})
	defer e.close()
	return e.minimize(l, opts)
}

// minimize follows the path of a minimisation.
func (e *engine) minimize(l List, opts MinimizeOptions) (Minimum, error) {
	path := newRun(e.space, e.opts, e.wait)
	path.density = opts.Density
	path.announce = e.announced
	path.ahead = func(from []lookahead) { e.lookaheads = from }
	path.drop = e.drop
	if e.jobs > 1 || e.opts.Prefetch != nil {
		e.memory = &memory{}
		path.memory, path.onPath = e.memory, true
	}
	if opts.Observe != nil {
		path.observe = func(c Configuration, o Outcome, known bool) {
			opts.Observe(MinimizeStep{Config: c, Outcome: o, Known: known, Trial: e.trials, Kept: path.closest.failing, Left: path.estimate.questions(o)})
		}
	}
	p, err := path.perform(e.algorithm)
	kept := p.failing
	minimal := true
	for x := range kept.All() {
		if path.certified == kept {
			break
		}
		rest := kept.Minus(Of(l.N, x))
		o, asked := path.seen[rest]
		minimal = minimal && (asked && o != Fail || l.NonEmpty && rest.IsEmpty())
	}
	return Minimum{Kept: kept, Minimal: minimal, Trials: e.trials, Density: path.density}, err
}

// bulky is the size of a configuration from which on a certificate, which asks as many
// as elements are left, does not keep them all: bytes.
const bulky = 8 << 10

// A minimization is one run of an algorithm of Minimize.
type minimization struct {
	*run
	List
	fast  bool
	dense bool
	ends  []int // where the search of one part of the list has begun beside that of another
}

// perform asks for the empty configuration unless few elements are likely to go, runs an algorithm, and certifies what it
// leaves.
func (m *minimization) perform(algorithm func(*minimization) Configuration) Configuration {
	if m.N == 0 || !m.NonEmpty && !m.dense && m.test(Empty(m.N)) == Fail {
		return Empty(m.N)
	}
	kept := algorithm(m)
	if m.fast {
		return kept
	}
	// Invariant: what is left fails, and without any of the needed elements it does not.
	c := m.certificate(kept)
	for {
		question, _, more := c.ask()
		if !more {
			m.certified = c.current
			return c.current
		}
		m.look(c)
		m.estimate.certify(len(c.left)-c.needed-1, len(c.left)-1)
		c = c.told(m.test(question) == Fail)
		if len(question.edges) > bulky {
			m.forget(question) // for it lacks an element that every later question has, or has one that none has
		}
	}
}

// test is ask, but for the empty configuration where it is not to be asked.
func (m *minimization) test(c Configuration) Outcome {
	if m.NonEmpty && c.IsEmpty() {
		return Unresolved
	}
	return m.ask(c)
}

// look says from where workers may look ahead: one lookahead asks what is asked next,
// and the others what will be soon.
func (m *minimization) look(from ...lookahead) {
	if m.ahead != nil {
		m.ahead(from)
	}
}

// forget says that c will not be asked again.
func (m *minimization) forget(c Configuration) {
	if m.drop != nil {
		m.drop(m.run, c, true)
	}
}

// shrink says that nothing will be asked any more but what lies within c.
func (m *minimization) shrink(c Configuration) {
	if m.drop != nil {
		m.drop(m.run, c, false)
	}
}
