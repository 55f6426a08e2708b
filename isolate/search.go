package isolate

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// algorithms is the table of all algorithms. A new one is a file with a
// function and its source, and a row here.
var algorithms = []struct {
	name      string
	run       algorithm
	closed    order
	cost, use string // of About
}{
	{"auto", auto, ifMany, "log n", "the default: cpi, or with --rounds cgr"},
	{"dd", dd, never, "2 log n", "1999: nothing is unresolved"},
	{"dd+", ddPlus, never, "2 log n to n²", "1999: copes with unresolved outcomes"},
	{"dd+shrink", ddPlusShrink, never, "2 log n to n²", "as dd+; what passed is left alone"},
	{"ddmin", ddmin, never, "2 log n to n²", "2002: a smallest failing set"},
	{"dd2", dd2, never, "log n to n²", "2002: a smallest difference"},
	{"probdd", probDD, always, "n/10 to 5n", "2021: a tenth of the changes is needed"},
	{"probdd-sparse", probDDSparse, always, "2.5 log n to 5n", "the same; few changes are needed"},
	{"cdd", cdd, always, "n/10 to 3n", "2025: as probdd, by counting rounds"},
	{"cdd-sparse", cddSparse, always, "3 log n to 3n", "the same; few changes are needed"},
	{"wdd", wdd, always, "2 log n to n²", "2025: ddmin by weight, not by number"},
	{"wprobdd", wProbDD, always, "2.5 log n to n²", "2025: probdd-sparse by weight"},
	{"quickxplain", quickXplain, always, "2 log n to 2n", "2004: of several causes the first"},
	{"gbs", gbs, always, "log n to n log n", "1972: a yardstick"},
	{"cpi", cpi, ifMany, "log n", "the fewest trials, by what is known"},
	{"cgr", cgr, always, "log n / k", "the fewest rounds of k trials (-j k)"},
	{"pce", pce, always, "log n / log k", "the same; many changes are needed"},
}

// An About says what an algorithm is for, in the words of a user who chooses one.
type About struct {
	Name string
	Cost string // trials, or rounds of k trials, for one cause among n changes, and at worst (without constant factors) where that is far more; logarithms are to base 2
	Use  string // a few words, with the year in which it was published
}

// Abouts tells about all algorithms, in the order of Algorithms.
func Abouts() []About {
	list := make([]About, len(algorithms))
	for i, a := range algorithms {
		list[i] = About{Name: a.name, Cost: a.cost, Use: a.use}
	}
	return list
}

// An order says whether an algorithm wants every element behind those that it
// requires.
type order uint8

const (
	always order = iota
	never
	ifMany // what they require is near most elements, and better not torn away from there; but then it takes longer to find
)

// many is from how many elements on it matters how long that takes.
const many = 50_000

// Algorithms returns the names that Options.Algorithm may have, the default first.
func Algorithms() []string {
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		names[i] = a.name
	}
	return names
}

// Search looks for what makes the difference between p.Passing and p.Failing.
//
// Both ends are tested first; if they are not a pass and a fail, the error is
// an *EndsError. When opts.MaxTrials are spent it is ErrBudget, when ctx ends
// it is ctx's error, and when a test fails to give an outcome it is the test's;
// with these errors the Result is valid and the best so far.
//
// The path, which is the sequence of configurations asked and answered, and
// the Result depend on p, opts and the outcomes only, whatever opts.Jobs is
// (but for opts.Rounds) and in whatever order tests finish. No configuration is tried twice on it.
// No test is running any more when Search returns.
func Search(ctx context.Context, p Problem, test Test, opts Options) (Result, error) {
	return searchFrom(ctx, p, test, opts, func(*engine, *run) {})
}

// searchFrom is Search. When both ends are tested it calls begin, and then the algorithm.
func searchFrom(ctx context.Context, p Problem, test Test, opts Options, begin func(*engine, *run)) (Result, error) {
	name := opts.Algorithm
	if name == "" {
		name = algorithms[0].name
	}
	for _, a := range algorithms {
		if a.name != name {
			continue
		}
		if opts.Jobs < 0 || opts.MaxTrials < 0 || opts.Goal > Revert || !isSigma(opts.Sigma) {
			return Result{}, fmt.Errorf("search: %d jobs, %d trials, goal %d, sigma %v: out of range", opts.Jobs, opts.MaxTrials, opts.Goal, opts.Sigma)
		}
		s, err := newSpace(p, opts.Goal, a.closed == always || a.closed == ifMany && (p.N >= many || opts.Rounds))
		if err != nil {
			return Result{}, err
		}
		e := newEngine(ctx, s, nil, test, opts)
		e.algorithm = func(s *run) pair {
			begin(e, s)
			for _, c := range opts.First {
				s.ask(s.inside(c))
			}
			return a.run(s)
		}
		defer e.close()
		result, err := e.search()
		if result.Algorithm == "" {
			result.Algorithm = name
		}
		return result, err
	}
	return Result{}, fmt.Errorf("search: no algorithm %q, only %s", name, strings.Join(Algorithms(), ", "))
}

// searchParts searches with an algorithm that gets some sets of elements of a problem, as positions of
// its space.
func searchParts(ctx context.Context, p Problem, sets []Configuration, by func(*run, []Configuration) pair, test Test, opts Options) (Result, error) {
	s, err := newSpace(p, opts.Goal, false)
	if err != nil {
		return Result{}, err
	}
	parts := make([]Configuration, len(sets))
	for k, c := range sets {
		parts[k] = s.positions(c)
	}
	e := newEngine(ctx, s, func(r *run) pair { return by(r, parts) }, test, opts)
	defer e.close()
	return e.search()
}

// search follows the path: it runs the algorithm and waits for each outcome.
func (e *engine) search() (Result, error) {
	path := newRun(e.space, e.opts, e.wait)
	e.precheck.path = path
	path.announce = e.announced
	path.learn, path.reasons = e.teach, e.reasons
	if e.opts.Diagnose != nil {
		path.diagnose = e.messages
	}
	if e.opts.Check != nil {
		path.check = e.checked
	}
	if e.jobs > 1 || e.opts.Prefetch != nil {
		e.memory = &memory{}
		path.memory, path.onPath = e.memory, true
	}
	if e.opts.Observe != nil {
		path.observe = func(c Configuration, o Outcome, known bool) { e.opts.Observe(e.step(path, c, o, known)) }
	}
	if e.opts.Doubt != nil {
		var suspects suspicions
		path.doubted = func(c Configuration, o Outcome) error {
			suspects = suspects.take(c, o, e.chances(path, c), path.ground)
			return e.doubts(suspects)
		}
	}
	p, err := path.perform(e.algorithm)
	result := path.result(p)
	result.Algorithm, result.Why = path.chosen, path.why
	result.Learned = e.requirements(slices.DeleteFunc(path.learned.all, func(r [2]int) bool {
		return path.refuted[r] || path.confidence(r) < believable
	}))
	result.Trials = e.trials
	result.Pass, result.Fail, result.Unresolved = e.counts[Pass], e.counts[Fail], e.counts[Unresolved]-e.precheck.rejected
	result.Rejected = e.precheck.rejected
	if e.mirrored {
		result.Pass, result.Fail = result.Fail, result.Pass
	}
	return result, err
}

// believable is how likely a requirement must be, by the messages that it explains, for a
// Result to say that it was learned.
const believable = 0.5

// step describes the question that was just answered.
func (e *engine) step(path *run, c Configuration, o Outcome, known bool) Step {
	suspects := path.suspects
	if suspects == 0 {
		suspects = path.distance
	}
	passing, failing := e.outside(path.closest.passing), e.outside(path.closest.failing)
	if e.mirrored {
		passing, failing = failing, passing
	}
	if !known {
		e.barren++
	}
	if o != Unresolved {
		e.barren = 0
	}
	rest := path.estimate.remainder(o, e.n, suspects, e.counts[Pass]+e.counts[Fail], e.counts[Unresolved], e.barren, len(path.reasons.keys) > 0)
	return Step{
		Trial:    e.trials,
		Config:   e.outside(c),
		Outcome:  e.turn(o),
		Known:    known,
		Suspects: suspects,
		Passing:  passing,
		Failing:  failing,
		Estimate: rest.likely,
		Least:    rest.least,
		Most:     rest.most,
		Level:    path.level,
		Learned:  e.requirements(path.fresh),
	}
}

// result describes an answer as Result promises. All of it is read off the
// outcomes, so it is right for an algorithm's answer and for a search that was
// cut short alike.
func (s *run) result(p pair) Result {
	cause := p.difference()
	r := Result{Minimal: true}
	unproven := builder{n: s.n}
	for x := range cause.All() {
		without := s.without(p.failing, x)
		o, asked := s.seen[without]
		if o != Pass {
			unproven.add(x, x+1)
		}
		if asked && o == Unresolved {
			r.Undecided = append(r.Undecided, s.outside(without))
		}
		r.Minimal = r.Minimal && asked && o != Fail
	}
	context := s.required(cause, p.failing).Union(s.context)
	for c, o := range s.seen {
		if missing := p.failing.Minus(c); o == Unresolved && missing.Len() == 1 && p.failing.Contains(c) {
			context = context.Union(missing)
		}
	}
	r.Passing, r.Failing = s.outside(p.passing), s.outside(p.failing)
	if s.mirrored {
		r.Passing, r.Failing = r.Failing, r.Passing
	}
	r.Cause = s.between(cause)
	context = context.Intersect(p.passing)
	r.Context = s.between(context)
	contextUnproven := builder{n: s.n}
	for x := range context.All() {
		rest := s.without(p.failing, x)
		if o, asked := s.seen[rest]; rest.Contains(cause) && (!asked || o == Fail) {
			contextUnproven.add(x, x+1)
		}
		without := p.failing.Minus(Of(s.n, x))
		if o, asked := s.seen[without]; asked && o == Unresolved {
			r.Undecided = append(r.Undecided, s.outside(without))
		}
	}
	r.ContextUnproven = s.between(contextUnproven.configuration())
	r.Unproven = s.between(unproven.configuration())
	r.Evidence = s.evidence(p)
	r.Inseparable = s.inseparable
	return r
}

// evidence returns the trials that an answer rests on: its pair, and for each
// member the one without it that passed. Several members may share one: those
// that go together.
func (s *run) evidence(p pair) []Evidence {
	var list []Evidence
	index := map[Configuration]int{}
	add := func(c Configuration, o Outcome, needed Configuration) {
		if seen, ok := s.seen[c]; !ok || seen != o {
			return // the search ended before that
		}
		k, ok := index[c]
		if !ok {
			k = len(list)
			index[c] = k
			list = append(list, Evidence{Config: s.outside(c), Outcome: s.turn(o), Needed: s.between(Empty(s.n))})
		}
		list[k].Needed = list[k].Needed.Union(s.between(needed))
	}
	add(p.failing, Fail, Empty(s.n))
	add(p.passing, Pass, Empty(s.n))
	if s.mirrored && len(list) == 2 { // what is the failing one here is the passing one outside
		list[0], list[1] = list[1], list[0]
		index[p.failing], index[p.passing] = 1, 0
	}
	for x := range p.difference().All() {
		add(s.without(p.failing, x), Pass, Of(s.n, x))
	}
	return list
}
