package search

import (
	"context"
	"errors"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/trial"
)

// A Joint is what the searches of Each for single tests have in common. The first of them that comes to a set of changes
// searches among these changes for the causes of all tests that are open and have different outcomes at both ends of the
// set (isolate.SearchEach). It chooses trials by what they tell about all these tests. The search for each test then
// begins where that search has come to for the test, and asks for few further trials.
type Joint struct {
	suite   *trial.Runner
	outcome func(report suite.Report, test string) isolate.Outcome
	open    []string // tests, the one that is searched for first
	found   map[jointKey]map[string]begin
}

// A jointKey has the trees of both ends of a set, and how many changes it has.
type jointKey struct {
	passing, failing git.ID
	n                int
}

// A begin is where the search for a test begins after the joint search.
type begin struct {
	isolate.Problem                         // with closer ends
	first           []isolate.Configuration // what it asks for first
	trials          int                     // of the joint search, divided by the number of its classes
}

// mostBarren is how many trials of a joint search in a row may be unresolved for all tests before it ends. Where most
// mixtures do not build, a search for one test, whose proposals differ little from what has resolved, takes fewer trials.
const mostBarren = 8

// searchJointly performs the joint search between the ends of p, if there was none yet, and returns where the search for the
// present test begins: at the ends of p, if the joint search says nothing of it. If an error other than isolate.ErrBudget ended the joint
// search, found is the best so far for the present test.
//
// There is no joint search with Options.Rounds, where the trials of a round are chosen together, with a check, whose
// rejections a search for one test makes use of, and once a confirmation has disagreed: then all trials begin again in clean workspaces.
func (w *searcher) searchJointly(ctx context.Context, a Answer, p isolate.Problem) (begin, isolate.Result, error) {
	j, found := w.Joint, unknown(a.Set)
	w.jointly = 0
	if j == nil || failing(p).Len()-passing(p).Len() == 1 || w.Rounds || w.rejectable > 0 || j.suite.Distrusted() || w.Runner.Distrusted() {
		return begin{Problem: p}, found, nil
	}
	good, err := a.Set.Compose(passing(p).All())
	if err != nil {
		return begin{Problem: p}, found, err
	}
	bad, err := a.Set.Compose(failing(p).All())
	if err != nil {
		return begin{Problem: p}, found, err
	}
	key := jointKey{good.ID, bad.ID, p.N}
	if j.found[key] == nil {
		j.found[key], found, err = w.searchEach(ctx, a, p)
		if err != nil && !errors.Is(err, isolate.ErrBudget) {
			return begin{Problem: p}, found, err
		}
	}
	from, ok := j.found[key][j.open[0]]
	if !ok {
		return begin{Problem: p}, found, nil
	}
	// A failure that counted for the joint search may not count any more (searcher.spurious, searcher.expectMessage).
	test := towards(w.direction, w.Runner.Test(a.Set))
	for _, end := range []struct {
		config isolate.Configuration
		want   isolate.Outcome
	}{{passing(from.Problem), isolate.Pass}, {failing(from.Problem), isolate.Fail}} {
		if o, err := test(ctx, end.config); err != nil || o != end.want {
			return begin{Problem: p}, found, err
		}
	}
	w.jointly = from.trials
	return from, found, nil
}

// searchEach is a joint search. It returns where the search for each test begins, and the result for the first one.
func (w *searcher) searchEach(ctx context.Context, a Answer, p isolate.Problem) (map[string]begin, isolate.Result, error) {
	j, result := w.Joint, unknown(a.Set)
	outcomes := func(ctx context.Context, c isolate.Configuration, tests []string) ([]isolate.Outcome, error) {
		report, err := j.suite.Reported(ctx, a.Set, c)
		if err != nil {
			return nil, err
		}
		list := make([]isolate.Outcome, len(tests))
		for k, test := range tests {
			if list[k] = j.outcome(report, test); w.direction == trial.Fix {
				list[k] = list[k].Opposite()
			}
		}
		return list, nil
	}
	atPassing, err := outcomes(ctx, passing(p), j.open)
	if err != nil {
		return nil, result, err
	}
	atFailing, err := outcomes(ctx, failing(p), j.open)
	if err != nil {
		return nil, result, err
	}
	var tests []string // others have their cause elsewhere
	for k, test := range j.open {
		if atPassing[k] == isolate.Pass && atFailing[k] == isolate.Fail {
			tests = append(tests, test)
		}
	}
	if len(tests) < 2 || tests[0] != j.open[0] {
		return nil, result, nil
	}
	w.note("searching for the causes of " + prose.Count(len(tests), "test") + " with the same trials")

	told := failingEnd(p, w.direction)
	report, err := j.suite.Reported(ctx, a.Set, told)
	if err != nil {
		return nil, result, err
	}
	wellformed := a.Plan.Wellformed()
	defer wellformed.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	barren := 0
	opts := isolate.EachOptions{
		Targets:   len(tests),
		Algorithm: w.options.Algorithm,
		Goal:      w.options.Goal,
		Jobs:      w.options.Jobs,
		Prior: func(target int) []float64 {
			return a.Plan.Prior(told.All(), []byte(report.Find(tests[target]).Message))
		},
		Learn: func(c isolate.Configuration) [][2]int {
			return j.suite.Learned(a.Set, c, func(output []byte) [][2]int { return requirementsOf(a.Plan.Learn(c.All(), output)) })
		},
		Observe: func(step isolate.EachStep) {
			if barren++; slices.ContainsFunc(step.Outcomes, func(o isolate.Outcome) bool { return o != isolate.Unresolved }) {
				barren = 0
			}
			if barren == mostBarren {
				stop()
			}
		},
	}
	if suspects(p) > fewSuspected {
		p.Affinity = affinity(a.Plan)
	}
	read := w.diagnose(a, p, func(c isolate.Configuration) ([]byte, bool) { return j.suite.AllOutput(a.Set, c) })
	opts.Diagnose = func(c isolate.Configuration) []isolate.Message { return messages(read(c)) }
	opts.Check = w.faults(a, p, wellformed)
	each, err := isolate.SearchEach(ctx, p, func(ctx context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
		var asked []string
		for _, t := range targets {
			asked = append(asked, tests[t])
		}
		return outcomes(ctx, c, asked)
	}, opts)
	if barren == mostBarren {
		err = nil
	}
	found := map[string]begin{}
	for _, class := range each.Classes {
		from := begin{class.Problem, class.First, each.Trials / len(each.Classes)}
		for _, t := range class.Targets {
			found[tests[t]] = from
			if t == 0 {
				result = class.Result
			}
		}
	}
	return found, result, err
}
