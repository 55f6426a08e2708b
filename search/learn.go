package search

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/gostandard"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// requirementsOf returns requirements in the terms of isolate.
func requirementsOf(taught []grouping.Requirement) [][2]int {
	pairs := make([][2]int, len(taught))
	for i, r := range taught {
		pairs[i] = [2]int{r.Change, r.Requires}
	}
	return pairs
}

// fewSuspected is the greatest number of suspects that a search cuts by their order alone. More suspects are cut along their
// affinity, too. Where few are suspected and no trial prints a message, cuts along affinity are less even, and took more trials.
const fewSuspected = 24

// affinity says which changes of a plan belong together, in the terms of isolate.
func affinity(plan *grouping.Plan) (ties []isolate.Tie) {
	for _, t := range plan.Affinity() {
		ties = append(ties, isolate.Tie(t))
	}
	return ties
}

// diagnose returns what reads the output of unresolved trials between the ends of p.
func (w *searcher) diagnose(a Answer, p isolate.Problem, printed func(isolate.Configuration) (output []byte, ok bool)) func(isolate.Configuration) []grouping.Message {
	diagnosis := sync.OnceValue(func() *grouping.Diagnosis {
		var atEnds [][]byte
		for _, end := range []isolate.Configuration{passing(p), failing(p)} {
			if output, ok := w.Runner.AllOutput(a.Set, end); ok {
				atEnds = append(atEnds, output)
			}
		}
		return a.Plan.Diagnosis(atEnds...)
	})
	return func(c isolate.Configuration) []grouping.Message {
		output, ok := printed(c)
		if !ok {
			return nil
		}
		return diagnosis().Read(c.All(), output)
	}
}

// faults returns what says of a configuration between the ends of p, without a trial, why it does not parse or compile.
func (w *searcher) faults(a Answer, p isolate.Problem, wellformed *grouping.Wellformed) func(isolate.Configuration) []isolate.Message {
	tests := grouping.CompilesTests(w.trials.Command) || grouping.CompilesTests([]string{"sh", "-c", w.trials.Build})
	if w.standard == nil {
		w.standard = gostandard.New()
	}
	compile := w.diagnose(a, p, func(c isolate.Configuration) ([]byte, bool) {
		said := wellformed.Compile(c.All(), w.standard, tests)
		return said, len(said) > 0
	})
	return func(c isolate.Configuration) []isolate.Message {
		return messages(append(wellformed.Check(c.All()), compile(c)...))
	}
}

// mostMessages is how many of the messages that keep an answer together a report has.
const mostMessages = 10

// saidBetween returns what unresolved trials between the two ends of a result said, the
// most frequent first: the reasons why parts of its cause could not be tested.
func saidBetween(result isolate.Result, unresolved []isolate.Configuration, read func(isolate.Configuration) []grouping.Message) []Message {
	var said []Message
	index := map[string]int{}
	for _, c := range unresolved {
		if !c.Contains(result.Passing) || !result.Failing.Contains(c) {
			continue
		}
		once := map[string]bool{}
		for _, m := range read(c) {
			text := failure.WithoutWorkspaces(m.Text)
			if once[text] {
				continue
			}
			once[text] = true
			if _, known := index[text]; !known {
				index[text] = len(said)
				said = append(said, Message{Text: text})
			}
			said[index[text]].Trials++
		}
	}
	slices.SortStableFunc(said, func(a, b Message) int { return cmp.Compare(b.Trials, a.Trials) })
	return said[:min(len(said), mostMessages)]
}

// messages are those of grouping in the terms of isolate.
func messages(read []grouping.Message) []isolate.Message {
	list := make([]isolate.Message, len(read))
	for i, m := range read {
		list[i].Key = m.Key
		for _, e := range m.Explanations {
			list[i].Explanations = append(list[i].Explanations, isolate.Explanation{Element: e.Change, Requires: e.Requires, Weight: e.Weight})
		}
	}
	return list
}

// passing and failing return the ends of a problem, with their zero values replaced.
func passing(p isolate.Problem) isolate.Configuration {
	if p.Passing.N() == 0 {
		return isolate.Empty(p.N)
	}
	return p.Passing
}

func failing(p isolate.Problem) isolate.Configuration {
	if p.Failing.N() == 0 {
		return isolate.Full(p.N)
	}
	return p.Failing
}

// suspects returns how many changes lie between the ends of p.
func suspects(p isolate.Problem) int { return failing(p).Len() - passing(p).Len() }

// failingEnd returns the end of p at which the test fails, whatever is searched for.
func failingEnd(p isolate.Problem, direction trial.Direction) isolate.Configuration {
	if direction == trial.Fix {
		return passing(p)
	}
	return failing(p)
}

// prior weighs the changes of a by what the command printed where it fails: at
// the newer end of p or, when the search is for a fix, at the older one; nil when
// that is not known. It tests that end, as the search will, so that the search
// takes the same path when its outcome is known beforehand.
func prior(ctx context.Context, a Answer, p isolate.Problem, direction trial.Direction, runner *trial.Runner) ([]float64, error) {
	end := failingEnd(p, direction)
	if _, err := runner.Test(a.Set)(ctx, end); err != nil {
		return nil, err
	}
	output, ok := runner.Output(a.Set, end)
	if !ok {
		return nil, nil
	}
	return a.Plan.Prior(end.All(), output), nil
}
