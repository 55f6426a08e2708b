package isolate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// A TestEach decides the outcome of a configuration for several targets at once, which are numbers
// from 0 on, such as the tests of a suite that fail. It returns one outcome for each of targets,
// in their order. It may be called by EachOptions.Jobs goroutines at once. An error ends the search:
// what cannot be judged is Unresolved, for the target that cannot be judged or for all of them.
// When its ctx is cancelled the test should return soon; what it returns then is not looked at.
type TestEach func(ctx context.Context, c Configuration, targets []int) ([]Outcome, error)

// EachOptions say what SearchEach looks for. Targets must be set; the zero value of each other field is valid.
type EachOptions struct {
	Targets   int            // how many there are, at least 1
	Algorithm string         // as Options.Algorithm, of the search of each class
	Goal      Goal           //
	Jobs      int            // trials at once, 0 = 1; it changes neither the path nor the answers
	MaxTrials int            // trials on the path, the ends included; 0 = no limit
	Observe   func(EachStep) // if not nil, called for each trial of the path in order, by the goroutine that called SearchEach

	// Prior, if not nil, returns what Problem.Prior is for a target; that of its least target is for a class.
	Prior func(target int) []float64

	Learn    func(c Configuration) [][2]int  // as Options.Learn, where c is Unresolved for some target
	Diagnose func(c Configuration) []Message // as Options.Diagnose, where c is Unresolved for some target
	Check    func(c Configuration) []Message // as Options.Check
}

// An EachStep is one trial on the path of SearchEach.
type EachStep struct {
	Trial    int // from 1 on
	Config   Configuration
	Targets  []int     // that were tested: those whose search went on
	Outcomes []Outcome // of Targets
	Classes  int       // of Targets, as far as they can be told apart now
}

// An EachClass is targets with the same outcomes in all trials until their search ended.
type EachClass struct {
	Targets []int // increasing

	// Result is as Search returns it, and holds for each of Targets: its Evidence was tested for
	// all of them. The trials that it counts are those that it uses, and other classes use them too.
	Result Result

	// A Search of Problem with First as Options.First takes the way of the search of this class, to the point where that ended:
	// its ends are the closest ones that were known when it began last, and First are the configurations that had been asked between them.
	Problem Problem
	First   []Configuration

	// Err is nil if the search of this class came to its end, an *EndsError if the ends do not
	// differ for its targets, and else the error of SearchEach: then Result is the best so far.
	Err error
}

// An EachResult is what SearchEach found.
type EachResult struct {
	Classes []EachClass // sorted by the number of targets, the largest first, and then by the smallest target
	Trials  int         // on the path
}

// SearchEach looks for what makes each of several targets fail, with one search for all of them.
// Each trial has an outcome for each target, and serves all targets whose search has not ended.
//
// Targets whose outcomes were always the same form a class, and have one search. When an outcome
// tells them apart, the class becomes two classes, and both continue with the trials that were made.
// Each class ends with an answer of its own, for which all promises of [Result] hold. Two classes may
// end with the same cause if their outcomes differed on another configuration, because one of them
// has a second cause, or was sometimes Unresolved.
//
// There are three kinds of candidates for the next configuration: the configuration that the search
// of a class asks for next, as in [Search]; the smallest configuration with the likeliest cause of
// a class; and random configurations that tell something about all classes at once. The value of a
// candidate is the number of bits that its outcomes are expected to give, summed over all classes,
// times the probability that it resolves. SearchEach takes the candidate with the largest value.
//
// All targets must pass on p.Passing and fail on p.Failing. Targets that do not are classes with an
// *EndsError, and SearchEach searches for the others. If opts.MaxTrials are spent, the error is
// ErrBudget; if ctx ends, it is the error of ctx; if a test gives no outcomes, it is the error of the
// test. With each of these errors the EachResult is valid, and the best so far.
//
// The path and the answers depend only on p, opts and the outcomes, whatever opts.Jobs is and in
// whatever order trials finish. No configuration is tried twice on the path, so a caller that
// remembers outcomes can resume a search by answering from memory. No test is running any more when
// SearchEach returns.
//
// A target that sometimes has a wrong outcome becomes a class of its own, and its search may take many
// useless trials. So test should repeat such targets, for instance with a [SequentialTest] for each.
//
// Cost, with n elements, monotone outcomes, none unresolved, and causes of one or two elements: the
// trials of one search, and for each further cause about two trials if it has one element, and four if
// it has two (docs/search.md, "Many targets"). This was measured, not proved. If random configurations
// do not resolve, a further cause takes about log2 n trials, and more if hidden requirements make a
// single search longer. In addition to trials, each step takes time in proportion to n, to the number
// of classes, and, for each class, to 40 random configurations times at most 2^14 words. A step also
// runs the search of each class that learns from the outcome, from its beginning.
func SearchEach(ctx context.Context, p Problem, test TestEach, opts EachOptions) (EachResult, error) {
	if opts.Targets < 1 || opts.Jobs < 0 || opts.MaxTrials < 0 || opts.Goal > Revert {
		return EachResult{}, fmt.Errorf("search: %d targets, %d jobs, %d trials, goal %d: out of range", opts.Targets, opts.Jobs, opts.MaxTrials, opts.Goal)
	}
	if name := opts.Algorithm; name != "" && !slices.Contains(Algorithms(), name) {
		return EachResult{}, fmt.Errorf("search: no algorithm %q", name)
	}
	s, err := newSpace(p, opts.Goal, false)
	if err != nil {
		return EachResult{}, err
	}
	e := newEach(ctx, s, p, test, opts)
	defer e.close()
	err = e.search()
	return e.result(err), err
}

// An each is one call of SearchEach.
type each struct {
	*space
	problem Problem
	opts    EachOptions
	trials  *trials
	random  *generator

	known  map[Configuration][]Outcome // of the path, by target; Unresolved for those whose search had ended
	path   []Configuration             // as the problem calls them
	open   []*class                    // by least target
	closed []*class
	aside  int // so many of the last trials were not the question of a search
}

func newEach(ctx context.Context, s *space, p Problem, test TestEach, opts EachOptions) *each {
	e := &each{
		space:   s,
		problem: p,
		opts:    opts,
		trials:  newTrials(ctx, test, opts.Targets, max(1, opts.Jobs)),
		random:  newGenerator(newRun(s, Options{Goal: opts.Goal}, nil)),
		known:   map[Configuration][]Outcome{},
	}
	all := &class{problem: p, candidates: newCandidates(Full(s.n)), smallest: Full(s.n)}
	for t := range opts.Targets {
		all.targets = append(all.targets, t)
	}
	e.restart(all)
	e.advise(all)
	e.open = []*class{all}
	return e
}

// close ends all trials and waits until they are gone.
func (e *each) close() { e.trials.close() }

// search asks for one configuration after the other until the search of each class has ended.
func (e *each) search() error {
	for {
		// Invariant: the targets of a class have had the same outcomes since the beginning.
		e.advance()
		if len(e.open) == 0 {
			return nil
		}
		if e.opts.MaxTrials > 0 && len(e.path) == e.opts.MaxTrials {
			return ErrBudget
		}
		next := e.proposals()
		if e.opts.MaxTrials > 0 {
			next = next[:min(len(next), e.opts.MaxTrials-len(e.path))]
		}
		outcomes, err := e.trials.run(next, e.targets())
		if err != nil {
			return err
		}
		e.take(next[0], outcomes)
	}
}

// advance runs the searches of all classes as far as the outcomes that are known lead, and closes
// those that are at their end.
func (e *each) advance() {
	e.open = slices.DeleteFunc(e.open, func(c *class) bool {
		if c.moved {
			e.replay(c)
		}
		if c.err != errUnknown {
			e.closed = append(e.closed, c)
		}
		return c.err != errUnknown
	})
}

// targets returns those of the classes whose search goes on, in order.
func (e *each) targets() (list []int) {
	for _, c := range e.open {
		list = append(list, c.targets...)
	}
	slices.Sort(list)
	return list
}

// take takes in the outcomes of a trial, by target.
func (e *each) take(config Configuration, outcomes []Outcome) {
	e.path = append(e.path, config)
	e.known[config] = outcomes
	x := e.inside(config)
	var open []*class
	resolved := false
	for _, whole := range e.open {
		for _, c := range whole.split(outcomes) {
			if c.targets[0] != whole.targets[0] {
				e.advise(c)
			}
			o := outcomes[c.targets[0]]
			resolved = resolved || o != Unresolved
			e.tell(c, config, x, o)
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(c, d *class) int { return cmp.Compare(c.targets[0], d.targets[0]) })
	e.open = open
	e.refine()
	e.random.take(x, resolved)
	if e.opts.Observe != nil {
		step := EachStep{Trial: len(e.path), Config: config, Targets: e.targets(), Classes: len(open)}
		for _, t := range step.Targets {
			step.Outcomes = append(step.Outcomes, outcomes[t])
		}
		e.opts.Observe(step)
	}
}

// result returns the answers, those of classes that are still open cut short by err.
func (e *each) result(err error) EachResult {
	r := EachResult{Trials: len(e.path)}
	for _, c := range e.closed {
		r.Classes = append(r.Classes, EachClass{c.targets, c.result, c.problem, c.first, c.err})
	}
	for _, c := range e.open {
		r.Classes = append(r.Classes, EachClass{c.targets, c.result, c.problem, c.first, err})
	}
	slices.SortFunc(r.Classes, func(c, d EachClass) int {
		return cmp.Or(cmp.Compare(len(d.Targets), len(c.Targets)), cmp.Compare(c.Targets[0], d.Targets[0]))
	})
	return r
}
